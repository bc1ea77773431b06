//! The table of all trials in the order of execution, as much of it as fits.

use dbdyno_record::TrialStatus;
use dbdyno_serve::{EndedTrial, TrialProgress, TrialRow};
use dbdyno_vocabulary::{number, shown_name};
use ratatui::Frame;
use ratatui::layout::{Constraint, Rect};
use ratatui::style::Style;
use ratatui::text::Line;
use ratatui::widgets::{Block, Borders, Cell, Row, Table};

use super::colors::{Palette, faint, strong};
use super::one_line;
use crate::progress::shortened;

/// From this width on, systems and tests have columns of their own, and so have errors.
const WIDE: u16 = 120;
/// What the columns beside the name take where the table is not wide: state, throughput and p99, each with a space before it.
const BESIDE: u16 = NARROW_STATE + 1 + 11 + 11;
/// The width of the state where the table is not wide: that of `interrupted`.
const NARROW_STATE: u16 = 11;
/// The width of the state where the table is wide.
const STATE: u16 = 22;
/// The title and the names of the columns.
const LINES_ABOVE: u16 = 2;

/// Which rows are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scroll {
    /// The first row that is shown; `None` follows the running trial.
    pub first: Option<usize>,
}

/// The part of the table that was shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// The first row.
    pub first: usize,
    /// How many fit.
    pub fit: usize,
}

/// Draws the rows that fit, and says which these are.
pub fn table(
    frame: &mut Frame<'_>,
    area: Rect,
    rows: &[TrialRow<'_>],
    scroll: Scroll,
    palette: Palette,
) -> Shown {
    let fit = usize::from(area.height.saturating_sub(LINES_ABOVE));
    let last_first = rows.len().saturating_sub(fit);
    let first = scroll
        .first
        .unwrap_or_else(|| place(rows).saturating_sub(fit / 2))
        .min(last_first);
    let shown = &rows[first..(first + fit).min(rows.len())];
    let is_wide = area.width >= WIDE;
    let title = match rows.len() {
        0 => "No trial is planned yet ".to_owned(),
        all if all <= fit => format!("{all} trials "),
        all => format!("Trials {} to {} of {all} ", first + 1, first + shown.len()),
    };
    let block = Block::new()
        .borders(Borders::TOP)
        .title(Line::styled(title, strong()));
    let table = Table::new(
        shown
            .iter()
            .map(|trial| row(trial, area.width, digits(rows.len()), palette)),
        widths(is_wide),
    )
    .header(header(is_wide))
    .column_spacing(1)
    .block(block);
    frame.render_widget(table, area);
    Shown { first, fit }
}

/// Where to look while nobody scrolls: at the running trial, else at the next one, else at the end.
fn place(rows: &[TrialRow<'_>]) -> usize {
    let find = |wanted: fn(&TrialProgress<'_>) -> bool| rows.iter().position(|row| wanted(&row.progress));
    find(|progress| matches!(progress, TrialProgress::Running))
        .or_else(|| find(|progress| matches!(progress, TrialProgress::ToCome)))
        .unwrap_or(rows.len())
}

/// How wide the numbers of so many trials are.
fn digits(trials: usize) -> usize {
    trials.to_string().len()
}

fn widths(is_wide: bool) -> Vec<Constraint> {
    if is_wide {
        let words = [Constraint::Length(14), Constraint::Fill(1), Constraint::Fill(2)];
        let figures = [STATE, 10, 10, 9].map(Constraint::Length);
        return words.into_iter().chain(figures).collect();
    }
    let figures = [NARROW_STATE, 10, 10].map(Constraint::Length);
    std::iter::once(Constraint::Fill(1)).chain(figures).collect()
}

fn header(is_wide: bool) -> Row<'static> {
    let right = |name: &'static str| Cell::from(Line::from(name).right_aligned());
    let mut cells = vec![Cell::from("trial")];
    if is_wide {
        cells.extend([Cell::from("system"), Cell::from("test")]);
    }
    cells.push(Cell::from("state"));
    cells.extend(["throughput", "p99"].map(right));
    if is_wide {
        cells.push(right("errors"));
    }
    Row::new(cells).style(faint())
}

fn row(trial: &TrialRow<'_>, width: u16, digits: usize, palette: Palette) -> Row<'static> {
    let right = |text: String| Cell::from(Line::from(text).right_aligned());
    let is_wide = width >= WIDE;
    let (word, state_style) = state(&trial.progress, palette);
    // Where the table is not wide, the reason of a failure has no room.
    let state = match failure(&trial.progress).filter(|_| is_wide) {
        Some(reason) => shortened(&format!("{word}: {}", one_line(reason)), usize::from(STATE)),
        None => word,
    };
    let (place, system) = (trial.place(), shown_name(trial.system));
    let mut cells = Vec::new();
    if is_wide {
        cells.push(Cell::from(format!("{place:>digits$}")));
        cells.push(Cell::from(one_line(&system)).style(palette.product(trial.system)));
        cells.push(Cell::from(one_line(&trial.test())));
    } else {
        let name = format!("{place:>digits$}  {system}, {}", trial.test());
        let room = usize::from(width.saturating_sub(BESIDE));
        cells.push(Cell::from(shortened(&one_line(&name), room)));
    }
    cells.push(Cell::from(state).style(state_style));
    if let TrialProgress::Ended(ended) = trial.progress {
        let p99 = ended.p99.map_or_else(String::new, |(latency_ns, is_bound)| {
            number::latency(Some(latency_ns), is_bound)
        });
        cells.push(right(ended.throughput.map_or_else(String::new, number::rate)));
        cells.push(right(p99));
        if is_wide {
            cells.push(right(number::count(ended.errors)));
        }
    }
    Row::new(cells).style(match trial.progress {
        TrialProgress::Ended(_) => Style::new(),
        TrialProgress::Running => strong(),
        TrialProgress::ToCome => faint(),
    })
}

fn failure<'a>(progress: &TrialProgress<'a>) -> Option<&'a str> {
    match progress {
        TrialProgress::Ended(EndedTrial {
            status: TrialStatus::Failed { reason, .. },
            ..
        }) => Some(reason),
        _ => None,
    }
}

fn state(progress: &TrialProgress<'_>, palette: Palette) -> (String, Style) {
    let ended = match progress {
        TrialProgress::Ended(ended) => ended,
        TrialProgress::Running => return ("running".to_owned(), palette.good()),
        TrialProgress::ToCome => return ("to come".to_owned(), Style::new()),
    };
    match &ended.status {
        TrialStatus::Completed => ("completed".to_owned(), Style::new()),
        TrialStatus::Failed { .. } => ("failed".to_owned(), palette.bad()),
        other => (other.state().to_string(), palette.warning()),
    }
}
