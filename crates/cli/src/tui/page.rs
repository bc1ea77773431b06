//! Where everything stands on the screen. 80 x 24 characters hold all of it; more lines and columns show more charts and rows.

use dbdyno_record::IntervalRow;
use dbdyno_record::live::{Asked, GeneratorRow};
use dbdyno_serve::{Current, StudyPosition, Watched, trial_rows};
use dbdyno_vocabulary::{number, shown_name};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::symbols::line::{HORIZONTAL, THICK_HORIZONTAL};
use ratatui::text::{Line, Span};
use ratatui::widgets::LineGauge;

use super::charts::{CLIENT_CPU, P99, Quantity, SERVER_CPU, SERVER_MEMORY, THROUGHPUT, chart};
use super::colors::{Palette, faint, strong};
use super::view::View;
use super::{one_line, trials};
use crate::progress::{short_time, time_left};

/// From this height and width on, there are charts of CPU time and memory, too.
const TALL: u16 = 34;
const WIDE: u16 = 100;
/// Below this height, the table is worth more than charts.
const LOW: u16 = 18;
/// Columns of the labels on the left.
const LABEL: u16 = 7;

/// Draws the whole screen.
pub fn draw(frame: &mut Frame<'_>, view: &mut View, palette: Palette) {
    let area = frame.area();
    let one = Constraint::Length(1);
    let now = Constraint::Length(match view.watched.current() {
        None => 1,
        Some(current) => 4 + charts_height(area) + u16::from(!current.generators.is_empty()),
    });
    let [title, study, now, table, keys] =
        Layout::vertical([one, one, now, Constraint::Fill(1), one]).areas(area);
    self::title(frame, title, view, palette);
    self::study(frame, study, view);
    match view.watched.current() {
        Some(current) => trial(frame, now, &view.watched, current, palette),
        None => frame.render_widget(Line::from(idle(view)), now),
    }
    let rows = trial_rows(&view.watched);
    let shown = trials::table(frame, table, &rows, view.scroll, palette);
    view.shown = shown;
    frame.render_widget(last_line(view, palette), keys);
}

fn charts_height(area: Rect) -> u16 {
    match area.height {
        height if height < LOW => 0,
        height if height < TALL => 4,
        _ if area.width < WIDE => 7,
        _ => 12,
    }
}

fn title(frame: &mut Frame<'_>, area: Rect, view: &View, palette: Palette) {
    let (state, style) = state(view, palette);
    let [name, right] = ends(area, state);
    let words = Line::from(vec![Span::raw("dbdyno  "), Span::styled(&view.name, strong())]);
    frame.render_widget(words, name);
    frame.render_widget(Line::styled(state, style), right);
}

fn state(view: &View, palette: Palette) -> (&'static str, Style) {
    let is_paused = view.watched.is_running() && view.asked == Asked::Pause;
    let (done, planned) = (view.watched.done(), view.watched.planned().len());
    match (view.is_stopping(), is_paused, view.watched.current()) {
        (true, ..) => ("stopping", palette.warning()),
        (_, true, Some(_)) => ("pausing after this trial", palette.warning()),
        (_, true, None) => ("paused", palette.warning()),
        _ if view.watched.is_running() => ("running", palette.good()),
        _ if done == planned && planned > 0 => ("over", palette.good()),
        _ => ("not running", palette.warning()),
    }
}

/// The bar of the whole study, with the time left.
fn study(frame: &mut Frame<'_>, area: Rect, view: &View) {
    let (done, planned) = (view.watched.done(), view.watched.planned().len());
    match view.watched.current() {
        Some(current) => {
            let position = StudyPosition::of(&current.trial);
            let left = time_left(position.expected_left(view.elapsed));
            let text = format!("trial {} of {}, {left}", position.number, position.total);
            bar(
                frame,
                area,
                "Study",
                Some(position.share_done(view.elapsed)),
                &text,
            );
        }
        None => {
            let share = (planned > 0).then(|| done as f64 / planned as f64);
            bar(
                frame,
                area,
                "Study",
                share,
                &format!("{done} of {planned} trials done"),
            );
        }
    }
}

fn idle(view: &View) -> String {
    let (done, planned) = (view.watched.done(), view.watched.planned().len());
    if view.watched.is_running() && view.asked == Asked::Pause {
        "Paused between two trials; r resumes.".to_owned()
    } else if view.watched.is_running() {
        "Between two trials.".to_owned()
    } else if done == planned && planned > 0 {
        "The study is over; dbdyno report shows its results.".to_owned()
    } else if view.watched.is_single() {
        "The run did not complete.".to_owned()
    } else {
        "Nothing runs; dbdyno study run resumes it.".to_owned()
    }
}

/// The running trial: its name, its phase, its last second and its last minutes.
fn trial(frame: &mut Frame<'_>, area: Rect, watched: &Watched, current: &Current, palette: Palette) {
    let one = Constraint::Length(1);
    let generators = Constraint::Length(u16::from(!current.generators.is_empty()));
    let [name, phase, second, charts, costs, agents] =
        Layout::vertical([one, one, one, Constraint::Fill(1), one, generators]).areas(area);
    let product = palette.product(&current.trial.system);
    let mut words = vec![
        Span::raw("Trial  "),
        Span::styled(one_line(&shown_name(&current.trial.system)), product),
        Span::raw(", "),
        Span::styled(one_line(&watched.test_of(&current.trial)), strong()),
    ];
    let others: Vec<String> = current
        .trial
        .takes_turns_with
        .iter()
        .map(|system| one_line(&shown_name(system)))
        .collect();
    if !others.is_empty() {
        let named = format!(", takes turns with {}", others.join(", "));
        let width: usize = words.iter().map(Span::width).sum();
        let has_room = width + Span::raw(&named).width() <= usize::from(name.width);
        words.push(Span::raw(match (has_room, others.len()) {
            (true, _) | (false, 1) => named,
            (false, count) => format!(", takes turns with {count} others"),
        }));
    }
    frame.render_widget(Line::from(words), name);
    bar(frame, phase, "Phase", phase_share(current), &phase_text(current));
    let rows = current.seconds.as_slice();
    if let Some(last) = rows.last() {
        frame.render_widget(last_second(last, rows, palette), second);
        frame.render_widget(last_costs(last), costs);
        self::charts(frame, charts, rows, product);
    }
    frame.render_widget(self::generators(current), agents);
}

/// What each load generator did lately, the slowest first: as many as fit.
fn generators(current: &Current) -> Line<'static> {
    let mut rows: Vec<&GeneratorRow> = current.generators.values().collect();
    rows.sort_by(|one, other| one.per_second().total_cmp(&other.per_second()));
    let mut words = vec![Span::styled(
        format!("       {} load generators: ", rows.len()),
        faint(),
    )];
    for row in rows {
        words.extend([
            Span::raw(format!("{} ", one_line(&row.generator))),
            Span::styled(number::rate(row.per_second()), strong()),
            Span::raw("   "),
        ]);
    }
    Line::from(words)
}

fn phase_share(current: &Current) -> Option<f64> {
    current
        .phase_share_done()
        .filter(|_| current.preparing.is_empty())
}

fn phase_text(current: &Current) -> String {
    if !current.preparing.is_empty() {
        return one_line(&current.preparing);
    }
    let phase = one_line(&current.phase);
    let time = |seconds: f64| {
        short_time(std::time::Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or_default())
    };
    match (current.phase_expected_s, current.phase_share_done()) {
        (Some(expected_s), _) => format!("{phase}, {} of {}", time(current.phase_s()), time(expected_s)),
        (None, Some(share)) => format!("{phase}, {}", number::whole_share(share)),
        (None, None) => phase,
    }
}

/// The figures of the last second; errors of the whole trial beside its own.
fn last_second(last: &IntervalRow, rows: &[IntervalRow], palette: Palette) -> Line<'static> {
    let latency =
        |value_us: Option<f64>| value_us.map_or("–".to_owned(), |us| number::duration_ns(us * 1e3));
    let errors = rows.iter().fold(0_u64, |sum, row| sum.saturating_add(row.errors));
    let error_style = if errors > 0 { palette.bad() } else { strong() };
    let mut words = vec![Span::raw("       ")];
    for (label, value, style) in [
        ("throughput ", number::rate(last.rate), strong()),
        ("   p50 ", latency(last.p50_us), strong()),
        ("   p99 ", latency(last.p99_us), strong()),
        ("   errors ", number::count(last.errors), error_style),
    ] {
        words.extend([Span::styled(label, faint()), Span::styled(value, style)]);
    }
    let in_all = format!(" ({} in this trial)", number::count(errors));
    words.push(Span::styled(in_all, faint()));
    Line::from(words)
}

/// CPU and memory of servers and of this tool in the last second.
fn last_costs(last: &IntervalRow) -> Line<'static> {
    let mut words = vec![Span::raw("       ")];
    let shown = [
        ("CPUs of servers ", SERVER_CPU.shown(last)),
        ("memory of servers ", SERVER_MEMORY.shown(last)),
        ("CPUs of dbdyno ", CLIENT_CPU.shown(last)),
        (
            "memory of dbdyno ",
            Some(number::bytes(last.resident_memory_bytes as f64)),
        ),
    ];
    for (label, value) in shown {
        if let Some(value) = value {
            words.extend([
                Span::styled(label, faint()),
                Span::styled(value, strong()),
                Span::raw("   "),
            ]);
        }
    }
    Line::from(words)
}

/// Two charts side by side, and below them those of costs, where there is room.
fn charts(frame: &mut Frame<'_>, area: Rect, rows: &[IntervalRow], style: Style) {
    const COSTS: [&Quantity; 3] = [&SERVER_CPU, &SERVER_MEMORY, &CLIENT_CPU];
    let costs: Vec<&Quantity> = match area.height {
        0 => return,
        12.. => COSTS.into_iter().filter(|cost| cost.is_known(rows)).collect(),
        _ => Vec::new(),
    };
    let height = if costs.is_empty() { 0 } else { 5 };
    let [upper, lower] = Layout::vertical([Constraint::Fill(1), Constraint::Length(height)]).areas(area);
    side_by_side(frame, upper, &[&THROUGHPUT, &P99], rows, style);
    side_by_side(frame, lower, &costs, rows, style);
}

fn side_by_side(
    frame: &mut Frame<'_>,
    area: Rect,
    quantities: &[&Quantity],
    rows: &[IntervalRow],
    style: Style,
) {
    if quantities.is_empty() {
        return;
    }
    let layout = Layout::horizontal(quantities.iter().map(|_| Constraint::Fill(1))).spacing(2);
    for (quantity, area) in quantities.iter().zip(layout.split(area).iter()) {
        chart(frame, *area, quantity, rows, style);
    }
}

/// A label, a bar where the share is known, and a text behind it, which gets its room first.
fn bar(frame: &mut Frame<'_>, area: Rect, label: &'static str, share: Option<f64>, text: &str) {
    let [left, rest] = Layout::horizontal([Constraint::Length(LABEL), Constraint::Fill(1)]).areas(area);
    frame.render_widget(Line::from(label), left);
    let Some(share) = share.filter(|share| (0.0..=1.0).contains(share)) else {
        frame.render_widget(Line::from(text.to_owned()), rest);
        return;
    };
    let [middle, right] = ends(rest, text);
    // The gauge leaves a column free after its label, which is empty here.
    let gauge = LineGauge::default()
        .ratio(share)
        .label("")
        .filled_symbol(THICK_HORIZONTAL)
        .unfilled_symbol(HORIZONTAL)
        .filled_style(strong())
        .unfilled_style(faint());
    let before = Rect {
        x: middle.x.saturating_sub(1),
        width: middle.width.saturating_add(1),
        ..middle
    };
    frame.render_widget(gauge, before);
    frame.render_widget(Line::from(text.to_owned()), right);
}

/// An area in two: as much on the right as the text takes, and one column between them.
fn ends(area: Rect, text: &str) -> [Rect; 2] {
    let width = u16::try_from(Line::from(text).width()).unwrap_or(u16::MAX);
    Layout::horizontal([Constraint::Fill(1), Constraint::Length(width)])
        .spacing(1)
        .areas(area)
}

fn last_line(view: &View, palette: Palette) -> Line<'static> {
    if view.is_asking {
        let question = "Stop the study? The running trial is recorded as interrupted. [y/N]";
        return Line::styled(question, palette.warning());
    }
    if !view.failure.is_empty() {
        return Line::styled(view.failure.clone(), palette.bad());
    }
    if view.is_stopping() {
        let text = "Stopping: operations in flight end, results so far are kept.";
        return Line::styled(text, palette.warning());
    }
    let mut keys = vec![("q", " leave  "), ("↑↓", " scroll  "), ("f", " follow  ")];
    if view.watched.is_running() {
        let pause = match view.asked {
            Asked::Pause => ("r", " resume "),
            _ => ("p", " pause after this trial  "),
        };
        keys.extend((!view.watched.is_single()).then_some(pause));
        keys.push(("s", " stop"));
    }
    let words = keys
        .into_iter()
        .flat_map(|(key, meaning)| [Span::styled(key, strong()), Span::styled(meaning, faint())]);
    Line::from(words.collect::<Vec<_>>())
}
