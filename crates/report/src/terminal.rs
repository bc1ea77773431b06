//! The report on a terminal: verdicts, then one table for each cell. Colour only where there is evidence; what is
//! undecided is dimmed.

use comfy_table::{Attribute, Cell as TableCell, Color};
use dbdyno_record::Severity;

use crate::Style;
use crate::input::QUICK;
use crate::model::{Cell, CellSystem, CurvePoint, Metric, ReportModel, Tone, Word};
use crate::{number, text_table};

/// From this width on there is room for the tail of the latencies and the load phase.
const WIDE: usize = 104;
/// The percentile that needs the operations of all trials together.
const MERGED_PERCENTILE: f64 = 99.9;
/// What the columns of a cell's table are.
const COLUMNS: &str = "Throughput, p50 and p99 are medians over trials; merged p99.9 is of the operations of all trials together.";

/// The whole study, fitted into the style's width; ends with a line feed.
#[must_use]
pub fn study(model: &ReportModel, style: Style) -> String {
    let name = format!("Study {}", plain(&model.study));
    let mut lines: Vec<String> = vec![style.bold(&if model.quick {
        format!("{QUICK}: {name}")
    } else {
        name
    })];
    lines.extend(
        wrap(&model.asked, style.width, "")
            .iter()
            .map(|line| style.dim(line)),
    );
    for sentence in &model.summary {
        lines.extend(dressed(&sentence.text, sentence.tone, style, ""));
    }
    for flag in &model.flags {
        let text = format!(
            "{}: {}",
            if flag.refuses {
                "not comparable"
            } else {
                "take care"
            },
            flag.text
        );
        lines.extend(wrap(&text, style.width, "").iter().map(|line| style.warn(line)));
    }
    if let Some(noise) = &model.noise {
        lines.extend(wrap(&noise.sentence, style.width, ""));
    }
    if let Some(speed) = &model.machine_speed {
        lines.extend(wrap(&speed.sentence, style.width, ""));
    }
    for cell in &model.cells {
        lines.push(String::new());
        lines.extend(cell_lines(cell, style));
    }
    if !model.cells.is_empty() {
        lines.extend(wrap(COLUMNS, style.width, "").iter().map(|line| style.dim(line)));
    }
    lines.extend(claims(model, style));
    lines.extend(factors(model, style));
    if let Some(ladder) = &model.ladder {
        lines.extend(crate::ladder_text::tables(ladder, style));
    }
    lines.extend(problems(model, style));
    lines.push(String::new());
    lines.join("\n")
}

/// The claims of the paper that the study measures again: on the paper's numbers, and on ours.
fn claims(model: &ReportModel, style: Style) -> Vec<String> {
    let Some(paper) = &model.paper else {
        return Vec::new();
    };
    let mut table = text_table::new(&["claim", "printed", "measured now", "the paper's words"], style);
    for claim in &paper.claims {
        table.add_row(
            [
                claim.name(),
                claim.printed.to_string(),
                claim.measured.to_string(),
                claim.text.clone(),
            ]
            .map(|text| TableCell::new(plain(&text))),
        );
    }
    let mut lines = vec![
        String::new(),
        style.bold(&format!("Claims of {}", plain(&paper.id))),
    ];
    lines.extend(text_table::finish(table, 4).lines().map(str::to_owned));
    lines.extend(
        paper
            .closed_loop_note()
            .iter()
            .flat_map(|note| wrap(note, style.width, "")),
    );
    lines
}

fn cell_lines(cell: &Cell, style: Style) -> Vec<String> {
    let mut lines = vec![style.bold(&plain(&cell.title))];
    let about: Vec<&str> = [cell.description.as_str(), cell.asked.as_str()]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect();
    lines.extend(
        wrap(&about.join("; "), style.width, "  ")
            .iter()
            .map(|line| style.dim(line)),
    );
    lines.extend(table(cell, style).lines().map(str::to_owned));
    for verdict in &cell.verdicts {
        // What the study did not ask for is no warning.
        let tone = match &verdict.unranked {
            Some(why) if why.is_by_design() => Tone::Undecided,
            _ => verdict.tone,
        };
        lines.extend(dressed(&verdict.sentence, tone, style, "  "));
    }
    lines
}

/// A statement, coloured only when it was shown and dimmed when it is undecided.
fn dressed(text: &str, tone: Tone, style: Style, indent: &str) -> Vec<String> {
    wrap(text, style.width, indent)
        .iter()
        .map(|line| match tone {
            Tone::Shown => style.good(line),
            Tone::NotComparable => style.warn(line),
            Tone::Undecided => style.dim(line),
            Tone::Same | Tone::Plain => line.clone(),
        })
        .collect()
}

fn table(cell: &Cell, style: Style) -> String {
    let wide = style.width >= WIDE;
    let loads = cell.systems.iter().any(|system| system.load.is_some());
    let mut header = vec!["system", "throughput", "spread", "p50", "p99"];
    if wide {
        header.extend(["merged p99.9", "max"]);
    }
    header.extend(["not found", "errors"]);
    if loads && wide {
        header.push("load");
    }
    header.push("trials");
    let mut table = text_table::new(&header, style);
    for system in &cell.systems {
        table.add_row(row(cell, system, wide, loads, style));
    }
    text_table::finish(table, 1)
}

fn row(cell: &Cell, system: &CellSystem, wide: bool, loads: bool, style: Style) -> Vec<TableCell> {
    let all = system.operations.first();
    let mut row = vec![TableCell::new(plain(&system.name))];
    row.push(judged(
        cell,
        system,
        Metric::Throughput,
        system
            .throughput
            .as_ref()
            .map_or("–".to_owned(), |summary| number::rate(summary.estimate.median)),
        style,
    ));
    row.push(TableCell::new(spread(system)));
    let median = |metric: Metric| {
        system.metric(metric).map_or("–".to_owned(), |summary| {
            system.text(metric, summary.estimate.median)
        })
    };
    row.push(TableCell::new(median(Metric::LatencyP50)));
    row.push(judged(
        cell,
        system,
        Metric::LatencyP99,
        median(Metric::LatencyP99),
        style,
    ));
    if wide {
        let merged = all.and_then(|all| {
            all.percentiles
                .iter()
                .find(|point| point.percentile == MERGED_PERCENTILE)
        });
        row.push(TableCell::new(merged.map_or("–".to_owned(), CurvePoint::text)));
        row.push(TableCell::new(all.map_or("–".to_owned(), |all| {
            number::latency(all.max_ns, all.max_at_least)
        })));
    }
    let errors: u64 = all.map_or(0, |all| all.errors.values().sum());
    for count in [system.not_found(), errors] {
        let cell = TableCell::new(number::count(count));
        row.push(if count > 0 && style.color {
            cell.fg(Color::Red)
        } else {
            cell
        });
    }
    let completed = system
        .throughput
        .as_ref()
        .map_or(0, |summary| summary.estimate.trials());
    if loads && wide {
        row.push(TableCell::new(system.load.as_ref().map_or(
            "–".to_owned(),
            |load| match load.estimate.trials() {
                loads if loads < completed => format!(
                    "{} ({})",
                    number::rate(load.estimate.median),
                    number::plural(loads, "load", "loads")
                ),
                _ => number::rate(load.estimate.median),
            },
        )));
    }
    let trials = if completed == system.trials.len() {
        completed.to_string()
    } else {
        format!("{completed} of {}", system.trials.len())
    };
    let starts = system.throughput.as_ref().map(|summary| summary.estimate.n);
    row.push(TableCell::new(
        match starts.filter(|starts| *starts < completed) {
            Some(starts) => format!("{trials} ({})", number::plural(starts, "start", "starts")),
            None => trials,
        },
    ));
    row
}

/// Half the width of the interval relative to the median with a `±`, or, without one, the range of the trials when there
/// are too few of them for an interval.
fn spread(system: &CellSystem) -> String {
    let Some(summary) = &system.throughput else {
        return "–".to_owned();
    };
    let median = summary.estimate.median;
    if median <= 0.0 {
        return "–".to_owned();
    }
    if let Some(interval) = &summary.estimate.interval {
        return format!(
            "±{}",
            number::share((interval.high - interval.low) / 2.0 / median)
        );
    }
    if summary.values.len() < 2 {
        return "–".to_owned();
    }
    let values = summary.values.iter().map(|value| value.value);
    let (low, high) = values.fold((f64::INFINITY, 0.0_f64), |(low, high), value| {
        (low.min(value), high.max(value))
    });
    number::share((high - low) / median)
}

/// A value, green when its system is shown ahead of all others, red when shown behind one, faint when undecided.
fn judged(cell: &Cell, system: &CellSystem, metric: Metric, text: String, style: Style) -> TableCell {
    let shown = TableCell::new(text);
    if !style.color {
        return shown;
    }
    let words: Vec<Word> = cell
        .comparisons
        .iter()
        .filter(|comparison| comparison.metric == metric)
        .filter_map(|comparison| match comparison.word {
            word if comparison.a == system.name => Some(word),
            Word::Faster if comparison.b == system.name => Some(Word::Slower),
            Word::Slower if comparison.b == system.name => Some(Word::Faster),
            word if comparison.b == system.name => Some(word),
            _ => None,
        })
        .collect();
    match () {
        () if words.is_empty() => shown,
        () if words.contains(&Word::Slower) => shown.fg(Color::Red),
        () if words.contains(&Word::NotComparable) => shown,
        () if words.contains(&Word::Undecided) => shown.add_attribute(Attribute::Dim),
        () if words.contains(&Word::Faster) => shown.fg(Color::Green),
        () => shown,
    }
}

/// Effects that are named, and growth, in sentences; the page has the tables.
fn factors(model: &ReportModel, style: Style) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(effects) = &model.effects {
        lines.extend([String::new(), style.bold("Effects")]);
        let notes = std::iter::once(&effects.beside).chain(&effects.notes);
        lines.extend(notes.flat_map(|note| wrap(note, style.width, "  ")));
        for effect in &effects.rows {
            let [factor, at, metric, ratio, .., word] = effect.row();
            let text = format!("{factor}, {at}, {metric}: {ratio}; {word}");
            let said = wrap(&text, style.width, "  ").into_iter();
            let open = matches!(effect.word, Word::Undecided | Word::NotComparable);
            lines.extend(said.map(|line| if open { style.dim(&line) } else { line }));
        }
    }
    if let Some(growth) = &model.growth {
        lines.extend([String::new(), style.bold("Growth")]);
        for chart in &growth.charts {
            lines.extend(wrap(
                &format!("{}, {}:", chart.title, chart.metric.name()),
                style.width,
                "  ",
            ));
            let sentences = chart.curves.iter().map(|curve| &curve.sentence);
            for sentence in sentences.chain(chart.crossings.iter().map(|row| &row.sentence)) {
                lines.extend(wrap(sentence, style.width, "    "));
            }
        }
        lines.extend(growth.notes.iter().flat_map(|note| wrap(note, style.width, "  ")));
    }
    lines
}

fn problems(model: &ReportModel, style: Style) -> Vec<String> {
    let mut lines = Vec::new();
    for failure in &model.failures {
        let text = format!("failed: {}: {}", failure.trial, failure.reason);
        lines.extend(wrap(&text, style.width, "  ").iter().map(|line| style.bad(line)));
    }
    for group in model
        .findings
        .iter()
        .filter(|group| group.severity != Severity::Note)
    {
        let text = format!(
            "{}: {} ({})",
            group.severity,
            group.message,
            number::plural(group.trials, "trial", "trials"),
        );
        let remedy = format!("→ {}", group.remedy);
        let said = wrap(&text, style.width, "  ").into_iter();
        let invalid = group.severity == Severity::Invalid;
        lines.extend(said.chain(wrap(&remedy, style.width, "    ")).map(|line| {
            if invalid {
                style.bad(&line)
            } else {
                style.warn(&line)
            }
        }));
    }
    if !lines.is_empty() {
        lines.insert(0, String::new());
        lines.insert(1, style.bold("Findings"));
    }
    lines
}

/// Names and messages from outside, without control characters that would drive the terminal.
pub(crate) fn plain(text: &str) -> String {
    text.chars()
        .map(|character| if character.is_control() { ' ' } else { character })
        .collect()
}

/// Breaks at spaces so that no line is longer than `width`, if words allow; every line begins with `indent`.
#[must_use]
pub fn wrap(text: &str, width: usize, indent: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = indent.to_owned();
    for word in plain(text).split_whitespace() {
        let glue = usize::from(line.len() > indent.len());
        if glue == 1 && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(std::mem::replace(&mut line, indent.to_owned()));
        } else if glue == 1 {
            line.push(' ');
        }
        line.push_str(word);
    }
    if line.len() > indent.len() {
        lines.push(line);
    }
    lines
}
