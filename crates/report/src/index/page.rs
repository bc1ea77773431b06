//! The index as one HTML file with filters. Nothing is loaded from anywhere, and it is complete without its script.

use std::collections::BTreeSet;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{Group, Index, Measured, Row};
use crate::html::{SCRIPT, head, policy, written};
use crate::model::{Metric, Standing};
use crate::number;

const OWN_STYLE: &str = include_str!("page.css");
const OWN_SCRIPT: &str = include_str!("page.js");

impl Index {
    /// The page.
    #[must_use]
    pub fn html(&self) -> String {
        let script = format!("{SCRIPT}{OWN_SCRIPT}");
        let document = html! {
            (DOCTYPE)
            html lang="en" {
                (head("Studies · dbdyno", &policy(&script), OWN_STYLE))
                body class="index" {
                    a class="skip" href="#rows" { "Skip to the rows" }
                    header class="top" {
                        div {
                            p class="brand" { "dbdyno" span { "studies" } }
                            h1 { (number::plural(self.studies, "study", "studies")) }
                            p class="meta" { (self.extent()) }
                        }
                        button type="button" id="theme" hidden aria-label="Switch between light and dark" { "Light / dark" }
                    }
                    main { (self.reading()) (self.filters()) (self.table()) }
                    footer { "Made by dbdyno from the records of the studies. It loads nothing and can be kept, mailed and committed." }
                    div id="tip" role="status" hidden {}
                    script { (PreEscaped(script)) }
                }
            }
        };
        written(document)
    }

    fn extent(&self) -> String {
        [
            number::plural(self.len(), "row", "rows"),
            number::plural(self.groups.len(), "group", "groups"),
            number::plural(self.machines.len(), "machine", "machines"),
        ]
        .join(" · ")
    }

    fn reading(&self) -> Markup {
        html! {
            section id="reading" {
                h2 { "What may stand beside what" }
                p { "Each group holds the same work at the same durability and consistency, on one kind of machine. "
                    b { "Numbers of different groups do not rank" } ": sorting keeps to the groups. A verdict is that of the row's own study, whose systems "
                    "were measured in turns; rows of different studies were not, so a difference between them may be the day's." }
                dl class="facts" {
                    @for machine in &self.machines { div { dt { "Machine " (machine.letter) } dd { (machine.name) } } }
                }
            }
        }
    }

    fn filters(&self) -> Markup {
        let rows = || self.groups.iter().flat_map(|group| &group.rows);
        let products: BTreeSet<&str> = rows().map(|row| row.product.as_str()).collect();
        let workloads: BTreeSet<&str> = self.groups.iter().map(|group| group.workload.as_str()).collect();
        let durability: BTreeSet<&str> = self
            .groups
            .iter()
            .map(|group| group.durability.as_str())
            .collect();
        html! {
            form id="filters" hidden aria-label="Filters" {
                label { "Text" input type="search" name="text" placeholder="study, system, factor…"; }
                (choice("Product", "product", &products))
                (choice("Workload", "workload", &workloads))
                (choice("Durability", "durability", &durability))
                button type="reset" { "All" }
                output id="shown" role="status" {}
            }
        }
    }

    fn table(&self) -> Markup {
        html! {
            section id="rows" {
                div class="scroll" tabindex="0" role="region" aria-label="Rows of all studies" {
                    table class="index" {
                        thead { tr {
                            th scope="col" { "study" } th scope="col" { "date" } th scope="col" { "system" } th scope="col" { "product" }
                            @if self.has_factors() { th scope="col" { "factors" } }
                            th scope="col" class="number" { "throughput" } th scope="col" class="number" { "p99 latency" }
                            th scope="col" class="number" { "trials" }
                        } }
                        @for group in &self.groups { (group_rows(group, self.has_factors())) }
                    }
                }
                p class="note" {
                    "Medians over completed trials with their 95% intervals (from six trials on). "
                    span class="mark best" { "▲" } " shown best in its study, "
                    span class="mark" { "=" } " equivalent to the best, "
                    span class="mark" { "?" } " undecided against the best, "
                    span class="mark" { "n/c" } " not comparable: the systems promise different things, or latency was measured without a rate that all of "
                    "them sustained; without a mark it is behind, or was compared with nothing. "
                    "With a rate, latency is response time."
                }
            }
        }
    }
}

fn choice(label: &str, name: &str, levels: &BTreeSet<&str>) -> Markup {
    html! {
        label { (label)
            select name=(name) {
                option value="" { "all" }
                @for level in levels.iter().filter(|level| !level.is_empty()) { option { (level) } }
            }
        }
    }
}

fn group_rows(group: &Group, factors: bool) -> Markup {
    html! {
        tbody data-workload=(group.workload) data-durability=(group.durability) {
            tr class="group" {
                th colspan=(if factors { 8 } else { 7 }) scope="rowgroup" { b { "Workload " (group.workload) } " " span { (group.about()) } }
            }
            @for row in &group.rows { (row_markup(row, factors)) }
        }
    }
}

fn row_markup(row: &Row, factors: bool) -> Markup {
    html! {
        tr data-product=(row.product) {
            td {
                @match &row.link {
                    Some(link) => { a href=(link) { (row.study) } }
                    None => { (row.study) }
                }
                @if row.folder != row.study { small { (row.folder) } }
            }
            td class="date" { (row.started_at.get(..10).unwrap_or_default()) }
            td { b { (row.system) } }
            td { (row.product) }
            @if factors { td { (row.factors) } }
            (measured(row.throughput.as_ref(), Metric::Throughput))
            (measured(row.latency_p99_ns.as_ref(), Metric::LatencyP99))
            td class="number" data-value=(row.trials) { (row.trials) }
        }
    }
}

fn measured(measured: Option<&Measured>, metric: Metric) -> Markup {
    let Some(measured) = measured else {
        return html! { td class="number" { "–" } };
    };
    let (mark, class) = match measured.standing {
        Some(Standing::Best) => ("▲", "mark best"),
        Some(Standing::Tied) => ("=", "mark"),
        Some(Standing::Open) => ("?", "mark"),
        Some(Standing::NotComparable) => ("n/c", "mark"),
        Some(Standing::Behind) | None => ("\u{2007}", "mark"),
    };
    html! {
        td class="number" data-value=(measured.median) {
            (measured.text(metric))
            span class=(class) title=[measured.standing.map(Standing::name)] { (mark) }
            @if let Some(interval) = &measured.interval {
                small { (metric.format(interval.low)) " to " (metric.format(interval.high)) }
            }
        }
    }
}
