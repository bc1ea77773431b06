//! What to read first: the verdict, what it must not be taken for, and every cell in one table.

use dbdyno_record::Severity;
use maud::{Markup, html};

use super::{Page, plots};
use crate::model::{Cell, CellSystem, Metric, ReportModel, Standing, System, Tone};
use crate::number;

/// The section of the whole study's table and figures.
const GLANCE: &str = "glance";

/// The sections before the workloads.
pub fn sections(model: &ReportModel, page: &mut Page) -> Markup {
    html! { (verdict(model, page)) @if model.ladder.is_none() { (glance(model, page)) } }
}

/// Whether anything went wrong or was found.
pub fn has_problems(model: &ReportModel) -> bool {
    !model.findings.is_empty() || !model.failures.is_empty() || !model.progress.missing.is_empty()
}

fn verdict(model: &ReportModel, page: &Page) -> Markup {
    html! {
        section id="verdict" class="verdict" {
            h2 { "Verdict" }
            @for sentence in &model.summary {
                p class=(format!("headline {}", tone_class(sentence.tone))) { (page.names.mark(&sentence.text)) }
            }
            @for flag in &model.flags {
                p class=(if flag.refuses { "flag refuses" } else { "flag" }) {
                    strong { @if flag.refuses { "Not comparable. " } @else { "Take care. " } }
                    (page.names.mark(&flag.text))
                }
            }
            (certainty(model, page))
            @if has_grave(model) {
                p class="flag" {
                    strong { "Findings. " }
                    (grave(model)) " " a href="#findings" { "See what and why." }
                }
            }
        }
    }
}

/// How sure the verdict is beside what it does not show.
fn certainty(model: &ReportModel, page: &Page) -> Markup {
    html! {
        @if !model.basis.is_empty() || !model.limits.is_empty() || model.noise.is_some() {
            div class="certainty" {
                @if !model.basis.is_empty() || model.noise.is_some() {
                    div {
                        h3 { "How sure" }
                        ul {
                            @for sentence in &model.basis { li { (page.names.mark(sentence)) } }
                            @if let Some(noise) = &model.noise {
                                li { b { "Noise floor (A/A). " } (page.names.mark(&noise.sentence)) }
                            }
                            @if let Some(speed) = &model.machine_speed {
                                li { b { "Speed of the machine. " } (page.names.mark(&speed.sentence)) }
                            }
                        }
                    }
                }
                @if !model.limits.is_empty() {
                    div {
                        h3 { "This does not show" }
                        ul { @for limit in &model.limits { li { (limit) } } }
                    }
                }
            }
        }
    }
}

fn has_grave(model: &ReportModel) -> bool {
    model
        .findings
        .iter()
        .any(|group| group.severity != Severity::Note)
}

fn grave(model: &ReportModel) -> String {
    let count = |severity: Severity| {
        model
            .findings
            .iter()
            .filter(|group| group.severity == severity)
            .count()
    };
    let mut parts = Vec::new();
    for (severity, one, many) in [
        (
            Severity::Invalid,
            "kind of invalid result",
            "kinds of invalid results",
        ),
        (Severity::Warning, "kind of warning", "kinds of warnings"),
    ] {
        if count(severity) > 0 {
            parts.push(number::plural(count(severity), one, many));
        }
    }
    format!("{} among the trials.", number::list(&parts))
}

/// The class of a statement.
pub fn tone_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Shown => "shown",
        Tone::Same => "same",
        Tone::Undecided => "undecided",
        Tone::NotComparable => "refused",
        Tone::Plain => "plain",
    }
}

fn glance(model: &ReportModel, page: &mut Page) -> Markup {
    let reference = reference(model);
    let figures: Vec<Markup> = reference.map_or(Vec::new(), |reference| {
        [Metric::Throughput, Metric::LatencyP99]
            .into_iter()
            .filter_map(|metric| {
                let (quantity, better) = match metric {
                    Metric::Throughput => ("Throughput", "right is faster"),
                    _ => ("p99 latency", "left is faster"),
                };
                let title = format!("{quantity} relative to {reference} ({better})");
                plots::ratios(&model.cells, &model.systems, reference, metric, &title)
            })
            .map(|figure| page.figure(GLANCE, figure))
            .collect()
    });
    html! {
        section id=(GLANCE) {
            h2 { "At a glance" }
            @if !model.asked.is_empty() { p class="about" { "Every workload: " (model.asked) "." } }
            p class="remark" {
                "Medians over trials: throughput, and p99 latency of all operations below it. "
                span class="mark best" { "▲" } " shown best, "
                span class="mark" { "=" } " equivalent to the best, "
                span class="mark" { "?" } " undecided against the best, "
                span class="mark" { "n/c" } " not comparable."
            }
            div class="scroll" tabindex="0" role="region" aria-label="Throughput and latency of every system" {
                table class="glance" {
                    thead {
                        tr {
                            th scope="col" { "workload" }
                            @for system in &model.systems { th scope="col" class="number" { (page.names.one(&system.name)) } }
                        }
                    }
                    tbody {
                        @for cell in &model.cells {
                            tr {
                                th scope="row" {
                                    a href=(format!("#{}", cell.id)) { (cell.name) }
                                    small { (cell.description.split(';').next().unwrap_or_default()) }
                                }
                                @for system in &model.systems { (glance_cell(cell, system)) }
                            }
                        }
                    }
                }
            }
            @if !figures.is_empty() {
                div class="figures" { @for figure in &figures { (figure) } }
                p class="note" {
                    "Each line is a 95% interval; the shaded band is the margin of " (number::share(crate::model::MARGIN))
                    " within which a difference does not matter. A hollow point is undecided."
                }
            }
        }
    }
}

/// The system that the others are shown relative to: the one that leads most cells in throughput, else in latency.
fn reference(model: &ReportModel) -> Option<&str> {
    let leads_in = |metric: Metric, system: &System| {
        let verdicts = model.cells.iter().flat_map(|cell| &cell.verdicts);
        verdicts
            .filter(|verdict| verdict.metric == metric && verdict.leader.as_deref() == Some(&system.name))
            .count()
    };
    // With rates alone there is no leader in throughput.
    let leads = |system: &System| {
        (
            leads_in(Metric::Throughput, system),
            leads_in(Metric::LatencyP99, system),
        )
    };
    let best = model
        .systems
        .iter()
        .filter(|system| system.twin_of.is_none())
        .max_by_key(|system| (leads(system), std::cmp::Reverse(system.color)))?;
    (leads(best) > (0, 0)).then_some(best.name.as_str())
}

fn glance_cell(cell: &Cell, system: &System) -> Markup {
    let Some(own) = cell.systems.iter().find(|own| own.name == system.name) else {
        return html! { td class="number none" { "not run" } };
    };
    let leads = cell.standing(&own.name, Metric::Throughput);
    html! {
        td class=(if leads == Some(Standing::Best) { format!("number wins {}", dbdyno_chart::color_class(system.color)) } else { "number".to_owned() }) {
            (value(own, Metric::Throughput, leads))
            (value(own, Metric::LatencyP99, cell.standing(&own.name, Metric::LatencyP99)))
        }
    }
}

fn value(own: &CellSystem, metric: Metric, standing: Option<Standing>) -> Markup {
    let text = own.metric(metric).map_or("–".to_owned(), |summary| {
        own.text(metric, summary.estimate.median)
    });
    let class = if metric == Metric::Throughput {
        "first"
    } else {
        "second"
    };
    html! {
        span class=(class) {
            (text)
            @match standing {
                Some(Standing::Best) => { span class="mark best" aria-label="shown best" { "▲" } }
                Some(Standing::Tied) => { span class="mark" aria-label="equivalent to the best" { "=" } }
                Some(Standing::Open) => { span class="mark" aria-label="undecided against the best" { "?" } }
                Some(Standing::NotComparable) if metric != Metric::Throughput => { span class="mark" aria-label="not comparable" { "n/c" } }
                Some(Standing::Behind | Standing::NotComparable) | None => { span class="mark" aria-hidden="true" { "\u{2007}" } }
            }
        }
    }
}
