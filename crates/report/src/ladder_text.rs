//! Systems at rising load, as text: for the terminal and as Markdown.

use crate::model::{Ladder, LadderCell, LadderStep, LadderSystem, Metric};
use crate::{Style, number, text_table};

const HEADER: [&str; 8] = [
    "system", "asked", "clients", "achieved", "p50", "p99", "kept", "trials",
];

/// The steps of every system, one table for each cell; `titles` when there are several.
pub fn tables(ladder: &Ladder, style: Style) -> Vec<String> {
    let mut lines = Vec::new();
    for cell in measured(ladder) {
        lines.push(String::new());
        lines.push(style.bold(&crate::terminal::plain(&cell.title)));
        let mut table = text_table::new(&HEADER, style);
        for row in rows(cell) {
            table.add_row(row.map(|text| crate::terminal::plain(&text)));
        }
        lines.extend(text_table::finish(table, 3).lines().map(str::to_owned));
    }
    lines
}

/// The same as Markdown.
pub fn markdown(text: &mut String, ladder: &Ladder) {
    for cell in measured(ladder) {
        text.push_str(&format!("\n## {}\n\n", crate::markdown::escape(&cell.title)));
        crate::markdown::table(text, &HEADER, rows(cell).map(|row| row.to_vec()));
    }
}

/// The cells of which there is a step to show: a search that was stopped or failed in its pilot has none.
fn measured(ladder: &Ladder) -> impl Iterator<Item = &LadderCell> {
    ladder.cells.iter().filter(|cell| rows(cell).next().is_some())
}

fn rows(cell: &LadderCell) -> impl Iterator<Item = [String; 8]> {
    cell.systems
        .iter()
        .flat_map(|system| system.steps.iter().map(move |step| row(system, step)))
}

fn row(system: &LadderSystem, step: &LadderStep) -> [String; 8] {
    let latency = |metric| step.latency_text(metric).unwrap_or_else(|| "–".to_owned());
    [
        system.name.clone(),
        step.rate.map_or("closed loop".to_owned(), number::rate),
        step.clients.to_string(),
        number::rate(step.throughput.estimate.median),
        latency(Metric::LatencyP50),
        latency(Metric::LatencyP99),
        kept(step),
        format!("{} {}", step.trials, step.purpose),
    ]
}

/// How many trials kept the objective, or, without one, the rate.
pub fn kept(step: &LadderStep) -> String {
    format!("{} of {}", step.kept.unwrap_or(step.sustained), step.trials)
}
