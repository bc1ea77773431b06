//! What a study that measures a paper again says of the paper.

use dbdyno_chart::Plot;
use dbdyno_chart::sizes::{Line, Point, sizes};
use dbdyno_paper::ClaimVerdict;
use maud::{Markup, html};

use super::Page;
use super::plots::ends;
use crate::model::cells::slug;
use crate::model::{PaperReport, ReportModel, Side, SidePoint};
use crate::number;

/// The section; nothing when the study measures no paper.
pub fn section(model: &ReportModel, page: &mut Page) -> Markup {
    let Some(paper) = &model.paper else {
        return html! {};
    };
    let figures: Vec<Markup> = paper
        .sides
        .iter()
        .map(|side| side_by_side(model, side, page))
        .collect();
    html! {
        section id="paper" {
            h2 { "The paper and now" }
            p { (paper.title) " (" (paper.citation) "), part " em { (paper.part) } ", measured again"
                @if paper.scale != 1.0 { " at " (number::share(paper.scale)) " of its sizes" } "." }
            details {
                summary { "What was assumed, replaced and changed" }
                ul { @for note in &paper.notes { li { (note) } } }
            }
            (claims(paper))
            @for figure in &figures { (figure) }
        }
    }
}

fn claims(paper: &PaperReport) -> Markup {
    html! {
        h3 { "Claims" }
        div class="scroll" tabindex="0" role="region" aria-label="Claims" {
            table class="claims" {
                thead { tr { th { "claim" } th { "the paper's words" } th { "on its own numbers" } th { "on ours" } } }
                tbody {
                    @for claim in &paper.claims {
                        tr {
                            th scope="row" { (claim.name()) }
                            td { (claim.text) }
                            td class=(class(claim.printed)) { (verdict(claim.printed, &claim.printed_evidence)) }
                            td class=(class(claim.measured)) { (verdict(claim.measured, &claim.measured_evidence)) }
                        }
                    }
                }
            }
        }
        @if let Some(note) = paper.closed_loop_note() { p class="note" { (note) } }
    }
}

fn verdict(word: ClaimVerdict, evidence: &[String]) -> Markup {
    html! {
        @if evidence.is_empty() { (word) }
        @else {
            details {
                summary { span class="pill" { (word) } }
                ul { @for line in evidence { li { (line) } } }
            }
        }
    }
}

/// The class that colours a verdict as those of comparisons are.
fn class(word: ClaimVerdict) -> &'static str {
    match word {
        ClaimVerdict::Holds => "shown",
        ClaimVerdict::Fails => "refused",
        ClaimVerdict::Undecided => "undecided",
        _ => "",
    }
}

fn side_by_side(model: &ReportModel, side: &Side, page: &mut Page) -> Markup {
    let color = |name: &str| {
        let system = model.systems.iter().find(|system| system.name == name);
        system.map_or(0, |system| system.color)
    };
    let mut figure = |name: &str, title: &str, value: &dyn Fn(&SidePoint) -> Option<f64>, intervals: bool| {
        let lines: Vec<Line<'_>> = side
            .systems
            .iter()
            .map(|system| Line {
                name: &system.name,
                color: color(&system.name),
                points: system
                    .points
                    .iter()
                    .filter_map(|point| {
                        Some(Point {
                            size: point.size as f64,
                            value: value(point)?,
                            at_least: false,
                            interval: ends(point.interval.filter(|_| intervals)),
                        })
                    })
                    .collect(),
            })
            .filter(|line| !line.points.is_empty())
            .collect();
        let plot = Plot {
            name: &slug(&format!("{} {} {name}", side.workload, side.quantity)),
            title: &format!(
                "{title}: {}, by {} of the paper",
                side.quantity_words(),
                side.size
            ),
            value: &side.quantity,
            format: &|value| side.format(value),
        };
        sizes(&lines, &plot, &side.size).map(|figure| page.figure("paper", figure))
    };
    let printed = figure("printed", "Printed", &|point| point.printed, false);
    let measured = figure("measured", "Measured now", &|point| point.measured, true);
    html! {
        h3 { "Workload " (side.workload) ": " (side.quantity_words()) }
        div class="figures" { @for figure in [printed, measured].into_iter().flatten() { (figure) } }
        (numbers(side))
    }
}

fn numbers(side: &Side) -> Markup {
    let ratio = match side.systems.as_slice() {
        [first, second, ..] => Some(format!("{} against {}", first.name, second.name)),
        _ => None,
    };
    let value = |value: Option<f64>| value.map_or_else(|| "–".to_owned(), |value| side.format(value));
    html! {
        details {
            summary { "Numbers" }
            div class="scroll" tabindex="0" role="region" aria-label="Numbers" {
                table {
                    thead { tr {
                        th { (side.size) " of the paper" }
                        @for system in &side.systems { th { (system.name) ", printed" } th { (system.name) ", now" } }
                        @if let Some(ratio) = &ratio { th { (ratio) ", printed" } th { (ratio) ", now" } }
                    } }
                    tbody {
                        @for size in side.sizes() {
                            tr {
                                th scope="row" { (number::count(size)) }
                                @for system in &side.systems {
                                    @let point = system.points.iter().find(|point| point.size == size);
                                    td { (value(point.and_then(|point| point.printed))) }
                                    td {
                                        (value(point.and_then(|point| point.measured)))
                                        @if let Some(interval) = point.and_then(|point| point.interval) {
                                            " (" (side.format(interval.low)) " to " (side.format(interval.high)) ")"
                                        }
                                    }
                                }
                                @if ratio.is_some() {
                                    @for ratio in side.ratios(size) { td { (ratio.map_or_else(|| "–".to_owned(), |ratio| number::times(ratio, None, side.reading(), None))) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
