//! One cell: its verdicts, its figures, and every number behind them in tables that open.

use maud::{Markup, html};

use super::overview::tone_class;
use super::{Page, plots, tables};
use crate::model::{ALL_OPERATIONS, Cell, Metric, Tone};
use crate::number;

/// The section of a cell.
pub fn section(cell: &Cell, page: &mut Page) -> Markup {
    let strips = strips(cell, page);
    let curves = curves(cell, page);
    let timelines = timelines(cell, page);
    let changes = cell
        .systems
        .iter()
        .flat_map(|system| &system.timelines)
        .any(|line| !line.changes_s.is_empty());
    html! {
        section id=(cell.id) class="workload" {
            h2 { (cell.title) }
            p class="about" {
                (cell.description)
                @if !cell.description.is_empty() && !cell.asked.is_empty() { "; " }
                (cell.asked)
            }
            ul class="verdicts" {
                @for verdict in &cell.verdicts {
                    li class=(tone_class(verdict.tone)) {
                        @if let Some(word) = word(verdict.tone) { span class="pill" { (word) } }
                        span { (page.names.mark(&verdict.sentence)) }
                    }
                }
            }
            @for flag in &cell.flags {
                p class=(if flag.refuses { "flag refuses" } else { "flag" }) { (page.names.mark(&flag.text)) }
            }
            (pacing(cell, page))
            @if strips.is_empty() { p class="note" { "No completed trial yet." } }
            @else { div class="figures" { @for figure in &strips { (figure) } } }
            @if !curves.is_empty() {
                h3 { "Latency by percentile" }
                p class="note" {
                    @if cell.open_loop { "Response time, counted from the intended start. " }
                    @else { "Service time in a closed loop: each system at its own throughput. " }
                    "Strong lines are histograms merged over trials, " (if cell.pooled { "bands reach from the lowest to the highest trial" } else { "faint ones single trials" })
                    "; lines end where fewer than ten operations lie beyond."
                }
                div class="figures" { @for figure in &curves { (figure) } }
            }
            @if !timelines.is_empty() {
                h3 { "Over time" }
                @if cell.pooled { p class="note" { "Lines are medians over trials, bands reach from the lowest to the highest trial." } }
                @else if changes { p class="note" { "Rings mark where the level of a trial changed: what comes before the last one is warm-up that was measured, or the trial never settled." } }
                div class="figures" { @for figure in &timelines { (figure) } }
            }
            (tables::details(cell, page))
        }
    }
}

/// The word of a verdict's pill.
fn word(tone: Tone) -> Option<&'static str> {
    match tone {
        Tone::Shown => Some("faster"),
        Tone::Same => Some("equivalent"),
        Tone::Undecided => Some("undecided"),
        Tone::NotComparable => Some("not comparable"),
        Tone::Plain => None,
    }
}

fn strips(cell: &Cell, page: &mut Page) -> Vec<Markup> {
    let latency = if cell.open_loop {
        "p99 response time"
    } else {
        "p99 latency"
    };
    [
        (Metric::Throughput, "Throughput, operations per second".to_owned()),
        (Metric::LatencyP99, format!("{latency}, all operations")),
        (
            Metric::LoadThroughput,
            "Load phase, records per second".to_owned(),
        ),
    ]
    .into_iter()
    .filter_map(|(metric, title)| plots::trials(cell, metric, &title))
    .map(|figure| page.figure(&cell.id, figure))
    .collect()
}

fn curves(cell: &Cell, page: &mut Page) -> Vec<Markup> {
    let mut names: Vec<&str> = Vec::new();
    for operation in cell.systems.iter().flat_map(|system| &system.operations) {
        if !names.contains(&operation.name.as_str()) {
            names.push(&operation.name);
        }
    }
    // The kinds tell more than their mixture; the mixture is in the figure of p99 above.
    if names.len() > 2 {
        names.retain(|name| *name != ALL_OPERATIONS);
    }
    names
        .into_iter()
        .filter_map(|name| plots::percentiles(cell, name))
        .map(|figure| page.figure(&cell.id, figure))
        .collect()
}

fn timelines(cell: &Cell, page: &mut Page) -> Vec<Markup> {
    [
        (Metric::Throughput, "Operations per second"),
        (Metric::LatencyP99, "p99 latency of each interval"),
    ]
    .into_iter()
    .filter_map(|(metric, title)| plots::over_time(cell, metric, title))
    .map(|figure| page.figure(&cell.id, figure))
    .collect()
}

fn pacing(cell: &Cell, page: &Page) -> Markup {
    html! {
        @for system in &cell.systems {
            @if let Some(pacing) = &system.pacing {
                p class=(if pacing.sustained == pacing.trials { "note" } else { "flag" }) {
                    (page.names.one(&system.name)) " was asked for " (number::rate(pacing.asked_rate)) " and achieved "
                    (number::rate(pacing.achieved_rate)) " (" (number::share(pacing.achieved_rate / pacing.asked_rate)) "), held in "
                    (pacing.sustained) " of " (number::plural(pacing.trials, "trial", "trials"))
                    @if let Some(lag) = pacing.lag_p99_ns { "; the tool's own scheduling lag was " (number::duration_ns(lag as f64)) " at p99 at most" }
                    "."
                }
            }
        }
    }
}
