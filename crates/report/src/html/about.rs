//! What surrounds the numbers: findings, systems, the machine, the method, the study file.

use std::collections::BTreeSet;

use maud::{Markup, html};

use super::names::Names;
use super::overview::has_problems;
use super::tables::scrolling;
use crate::model::{MARGIN, ReportModel, System};
use crate::number;

/// The sections after the workloads.
pub fn sections(model: &ReportModel) -> Markup {
    let names = Names::new(model);
    html! {
        @if has_problems(model) { (findings(model, &names)) }
        (systems(model, &names))
        (environment(model))
        (method())
        @if !model.study_text.is_empty() {
            section id="study" {
                h2 { "Study file" }
                details { summary { "The study as it was run" } pre { code { (model.study_text) } } }
            }
        }
    }
}

/// How large the study is, in a line.
pub fn extent(model: &ReportModel) -> String {
    let systems = model
        .systems
        .iter()
        .filter(|system| system.twin_of.is_none())
        .count();
    let mut parts = vec![
        number::plural(systems, "system", "systems"),
        match &model.ladder {
            Some(ladder) => number::plural(ladder.cells.len(), "workload", "workloads"),
            None if model.cells.iter().all(|cell| cell.factors.is_empty()) => {
                number::plural(model.cells.len(), "workload", "workloads")
            }
            None => number::plural(model.cells.len(), "cell", "cells"),
        },
    ];
    let progress = &model.progress;
    parts.push(if progress.is_complete() {
        number::plural(progress.completed, "completed trial", "completed trials")
    } else {
        format!("{} of {} trials completed", progress.completed, progress.planned)
    });
    if let Some(day) = model.started_at.get(..10) {
        parts.push(format!("begun {day}"));
    }
    parts.join(" · ")
}

fn findings(model: &ReportModel, names: &Names) -> Markup {
    html! {
        section id="findings" {
            h2 { "Findings" }
            @for failure in &model.failures {
                div class="finding invalid" {
                    p { span class="pill" { "failed" } " " (names.one(&failure.system)) " on workload " (failure.workload) ": " (failure.reason) }
                    p class="where" { code { (failure.trial) } }
                }
            }
            @for group in &model.findings {
                div class=(format!("finding {}", group.severity)) {
                    p { span class="pill" { (group.severity) } " " strong { (group.code) } " " (group.message) }
                    @if !group.remedy.is_empty() { p class="remedy" { (group.remedy) } }
                    p class="where" {
                        (number::plural(group.trials, "trial", "trials")) ": " (names.mark(&number::list(&group.systems)))
                        "; workloads " (number::list(&group.workloads))
                    }
                    @if !group.other_messages.is_empty() {
                        details { summary { "Other trials say" } ul { @for message in &group.other_messages { li { (message) } } } }
                    }
                }
            }
            @if !model.progress.missing.is_empty() {
                div class="finding note" {
                    p { span class="pill" { "not yet run" } " " (number::plural(model.progress.missing.len(), "planned trial has", "planned trials have")) " no record." }
                    details { summary { "Which" } ul { @for trial in &model.progress.missing { li { code { (trial) } } } } }
                }
            }
        }
    }
}

fn systems(model: &ReportModel, names: &Names) -> Markup {
    let keys: BTreeSet<&String> = model
        .systems
        .iter()
        .flat_map(|system| system.settings.keys())
        .collect();
    let rows: [Fact; 8] = [
        ("product", |system| &system.product),
        ("driver", |system| &system.driver),
        ("topology", |system| &system.topology),
        ("durability", |system| &system.durability),
        ("provided by", |system| &system.durability_means),
        ("consistency", |system| &system.consistency),
        ("provided by", |system| &system.consistency_means),
        ("scan order", |system| &system.scan_order),
    ];
    let table = html! {
        table class="systems" {
            thead { tr { th scope="col" { "" } @for system in &model.systems { th scope="col" { (names.one(&system.name)) } } } }
            tbody {
                @for (label, of) in rows.iter().filter(|(_, of)| model.systems.iter().any(|system| !of(system).is_empty())) {
                    tr { th scope="row" { (label) } @for system in &model.systems { td { (known(of(system))) } } }
                }
                @for key in keys {
                    tr {
                        th scope="row" { (key) }
                        @for system in &model.systems {
                            td { (system.settings.get(key).map_or("–".to_owned(), |values| values.join(" or "))) }
                        }
                    }
                }
            }
        }
    };
    html! { section id="systems" { h2 { "Systems" } (scrolling("Settings of the systems", "As read back from the live systems.", &table)) } }
}

/// A row of the table of systems: its label, and where the text comes from.
type Fact = (&'static str, fn(&System) -> &str);

fn known(value: &str) -> &str {
    if value.is_empty() { "–" } else { value }
}

fn environment(model: &ReportModel) -> Markup {
    html! {
        section id="environment" {
            h2 { "Environment" }
            dl class="facts" {
                @for (label, value) in &model.environment { div { dt { (label) } dd { (value) } } }
                @if let Some(floor) = &model.floor {
                    div { dt { "the tool's own floor" } dd { (floor.sentence()) "; no result can be better" } }
                }
            }
            @if model.environment.is_empty() && model.floor.is_none() { p class="note" { "Nothing was recorded." } }
        }
    }
}

fn method() -> Markup {
    html! {
        section id="method" {
            h2 { "How to read this" }
            ul class="prose" {
                li { "Throughput counts successful operations only. Records that were not there and failures are counted apart." }
                li { "A verdict compares trials, not operations. The ratio has a 95% interval. " b { "Faster" } " and " b { "slower" } " mean that it excludes 1 and that the ratio lies beyond the margin of " (number::share(MARGIN)) "; " b { "equivalent" } " that the whole interval lies within; " b { "undecided" } " is everything else, and more trials would help." }
                li { "Bars and strong marks are medians over trials, whiskers their 95% intervals (from six trials on), dots the trials. A hollow dot stands out from its siblings; it is never dropped." }
                li { "Percentiles come from histograms merged over trials; they are never averaged. One is shown only when at least ten operations lie beyond it." }
                li { "With a rate, latency is response time: it counts from the moment the schedule wanted the operation to begin, so a stall shows in full. In a closed loop it is service time at the system's own throughput, and latencies at different throughputs are not the same work." }
                li { "Systems with different durability, consistency, scan order or seeds are not ranked against each other." }
            }
        }
    }
}
