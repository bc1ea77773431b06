//! Systems at rising load: the answers, the figures, and every step behind them.

use maud::{Markup, html};

use super::overview::tone_class;
use super::{Page, plots};
use crate::ladder_text::kept;
use crate::model::{Ladder, LadderCell, LadderKind, LadderStep, Metric, Word};
use crate::number;

/// One section for each cell.
pub fn sections(ladder: &Ladder, page: &mut Page) -> Vec<Markup> {
    ladder
        .cells
        .iter()
        .map(|cell| section(ladder, cell, page))
        .collect()
}

fn section(ladder: &Ladder, cell: &LadderCell, page: &mut Page) -> Markup {
    let figures: Vec<Markup> = [
        (
            Metric::LatencyP99,
            ladder.objective_latency_ns,
            "p99 latency against throughput",
        ),
        (Metric::LatencyP50, None, "Median latency against throughput"),
    ]
    .into_iter()
    .filter_map(|(metric, objective, title)| plots::against_throughput(cell, metric, objective, title))
    .map(|figure| page.figure(&cell.id, figure))
    .collect();
    html! {
        section id=(cell.id) class="workload" {
            h2 { (cell.title) }
            p class="about" {
                @if ladder.objective.is_empty() { "Latency at rising load; each step is measured " (number::plural(ladder.trials as usize, "time", "times")) "." }
                @else { "Objective: " code { (ladder.objective) } "; confirmed by " (number::plural(ladder.trials as usize, "trial", "trials")) " at a rate." }
            }
            ul class="verdicts" {
                @for system in &cell.systems {
                    li class=(tone_class(system.tone)) {
                        @if let Some(capacity) = &system.capacity { span class="pill" { (capacity.word) } }
                        @else { span class="pill" { "knee" } }
                        span { (page.names.one(&system.name)) ": " (system.sentence) }
                    }
                }
            }
            @for flag in &cell.flags {
                p class=(if flag.refuses { "flag refuses" } else { "flag" }) { (page.names.mark(&flag.text)) }
            }
            @if !figures.is_empty() {
                div class="figures" { @for figure in &figures { (figure) } }
                p class="note" {
                    "Each point is the median of its trials, with a 95% interval where there are at least six; a hollow point did not come to its rate. "
                    @if ladder.kind == LadderKind::Capacity { "The broken upright line is the highest rate that was shown to keep the objective." }
                    @else { "The broken upright line is the knee: the greatest throughput for its p99 latency." }
                }
            }
            @if !cell.comparisons.is_empty() { (comparisons(cell, page)) }
            (table(ladder, cell, page))
        }
    }
}

fn comparisons(cell: &LadderCell, page: &Page) -> Markup {
    html! {
        h3 { "Against each other" }
        div class="scroll" tabindex="0" role="region" aria-label="Systems against each other" {
            table {
                thead { tr { th { "system" } th { "is" } th { "than" } th { "ratio (95% interval)" } th { "because" } } }
                tbody {
                    @for comparison in &cell.comparisons {
                        tr {
                            td { (page.names.one(&comparison.a)) }
                            td { span class=(format!("word {}", comparison.word.name())) { (word(comparison.word)) } }
                            td { (page.names.one(&comparison.b)) }
                            td {
                                @let interval = comparison.interval.map(|interval| (interval.low, interval.high));
                                (comparison.ratio.map_or("–".to_owned(), |ratio| number::times(ratio, interval, number::Quantity::Level, None)))
                            }
                            td class="minor" { (comparison.reason) }
                        }
                    }
                }
            }
        }
    }
}

fn word(word: Word) -> &'static str {
    match word {
        Word::Faster => "higher",
        Word::Slower => "lower",
        Word::Equivalent => "equivalent",
        Word::Undecided => "undecided",
        Word::NotComparable => "not comparable",
    }
}

fn table(ladder: &Ladder, cell: &LadderCell, page: &Page) -> Markup {
    let latency = |step: &LadderStep, metric| step.latency_text(metric).unwrap_or_else(|| "–".to_owned());
    let asked = |step: &LadderStep| step.rate.map_or("closed loop".to_owned(), number::rate);
    html! {
        details {
            summary { "Every step" }
            div class="scroll" tabindex="0" role="region" aria-label="Every step" {
                table {
                    thead {
                        tr {
                            th { "system" } th class="number" { "asked" } th class="number" { "clients" } th class="number" { "achieved" }
                            th class="number" { "p50" } th class="number" { "p99" }
                            @if !ladder.objective.is_empty() { th { "objective" } }
                            th class="number" { @if ladder.objective.is_empty() { "rate held" } @else { "kept" } } th { "for" }
                        }
                    }
                    tbody {
                        @for system in &cell.systems {
                            @for step in &system.steps {
                                tr {
                                    td { (page.names.one(&system.name)) }
                                    td class="number" { (asked(step)) }
                                    td class="number" { (step.clients) }
                                    td class="number" { (number::rate(step.throughput.estimate.median)) }
                                    td class="number" { (latency(step, Metric::LatencyP50)) }
                                    td class="number" { (latency(step, Metric::LatencyP99)) }
                                    @if !ladder.objective.is_empty() { td { (step.objective.join(", ")) } }
                                    td class="number" { (kept(step)) @if step.client_bound > 0 { " (" (step.client_bound) " by the client)" } }
                                    td class="minor" { (step.purpose) }
                                }
                            }
                        }
                    }
                }
            }
            @for system in &cell.systems {
                @if let Some(ceiling) = system.ceiling {
                    p class="note" { (page.names.one(&system.name)) " reached " (number::rate(ceiling)) " in the closed loops of its pilot." }
                }
            }
        }
    }
}
