//! The numbers behind a cell's figures.

use dbdyno_record::TrialState;
use maud::{Markup, html};

use super::Page;
use crate::model::{
    Cell, CellSystem, Metric, OperationSummary, Summary, TABLE_PERCENTILES, TrialRow, sentences,
};
use crate::number;

/// The tables of a cell, closed until asked for.
pub fn details(cell: &Cell, page: &Page) -> Markup {
    html! {
        details { summary { "Latencies and counts by operation" } (operations(cell, page)) }
        details { summary { (if cell.pooled { "Trials that stand out" } else { "Every trial" }) } (trials(cell, page)) }
        @if !cell.comparisons.is_empty() { details { summary { "Every comparison" } (comparisons(cell, page)) } }
        @if cell.systems.iter().any(|system| system.client.is_some()) {
            details { summary { "Load phase and cost of the client" } (cost(cell, page)) }
        }
        @if !cell.skew.is_empty() { p class="note" { "Realised skew: " (cell.skew) "." } }
    }
}

/// A table that scrolls by itself when it is wider than the page, below a remark that does not.
pub fn scrolling(label: &str, remark: &str, table: &Markup) -> Markup {
    html! {
        p class="remark" { (remark) }
        div class="scroll" tabindex="0" role="region" aria-label=(label) { (table) }
    }
}

fn operations(cell: &Cell, page: &Page) -> Markup {
    let mut names: Vec<&str> = Vec::new();
    for operation in cell.systems.iter().flat_map(|system| &system.operations) {
        if !names.contains(&operation.name.as_str()) {
            names.push(&operation.name);
        }
    }
    // By operation, then by system: what is compared stands one below the other.
    let rows = || {
        names.iter().flat_map(|name| {
            cell.systems.iter().filter_map(move |system| {
                let operation = system
                    .operations
                    .iter()
                    .find(|operation| operation.name == *name)?;
                Some((system, operation))
            })
        })
    };
    let checked = rows().any(|(_, operation)| operation.verification_failures > 0);
    let early = rows().any(|(_, operation)| operation.too_early > 0);
    let table = html! {
        table {
            thead { tr {
                th scope="col" { "operation" } th scope="col" { "system" }
                @for percentile in TABLE_PERCENTILES { th scope="col" class="number" { "merged " (number::percentile(percentile)) } }
                th scope="col" class="number" { "max" } th scope="col" class="number" { "mean" }
                th scope="col" class="number" { "ok" } th scope="col" class="number" { "not found" }
                @if early { th scope="col" class="number" { "too early" } }
                th scope="col" { "errors" }
                @if checked { th scope="col" class="number" { "wrong values" } }
            } }
            tbody {
                @for (system, operation) in rows() {
                    tr {
                        td { (operation.name) } td { (page.names.one(&system.name)) }
                        @for point in &operation.percentiles { td class="number" { (point.text()) } }
                        td class="number" { (number::latency(operation.max_ns, operation.max_at_least)) }
                        td class="number" { (operation.mean_ns.map_or("–".to_owned(), number::duration_ns)) }
                        td class="number" { (number::count(operation.ok)) }
                        td class=[(operation.not_found > 0).then_some("number bad").or(Some("number"))] { (number::count(operation.not_found)) }
                        @if early { td class="number" { (number::count(operation.too_early)) } }
                        td { (errors(operation)) }
                        @if checked { td class="number bad" { (number::count(operation.verification_failures)) } }
                    }
                    @if !operation.service_percentiles.is_empty() {
                        tr class="minor" {
                            td { (operation.name) " (service time)" } td { (page.names.one(&system.name)) }
                            @for point in &operation.service_percentiles { td class="number" { (point.text()) } }
                        }
                    }
                }
            }
        }
    };
    scrolling(
        "Latencies by operation",
        "Merged percentiles cover the operations of all completed trials together; verdicts, and p99 elsewhere on this page, are medians over trials. \
         – means that fewer than ten operations lie beyond; >= marks a lower bound: operations without an answer waited this long.",
        &table,
    )
}

fn errors(operation: &OperationSummary) -> Markup {
    html! {
        @if operation.errors.is_empty() { "none" }
        @for (index, (class, count)) in operation.errors.iter().enumerate() {
            @if index > 0 { ", " }
            span class="bad" { (class) " " (number::count(*count)) }
        }
    }
}

fn trials(cell: &Cell, page: &Page) -> Markup {
    // Thousands of rows are read by nobody: then only what needs looking at is shown.
    let shown =
        |trial: &&TrialRow| !cell.pooled || trial.outlier.is_some() || trial.status != TrialState::Completed;
    let table = html! {
        table {
            thead { tr {
                th scope="col" { "system" } th scope="col" class="number" { "block" } th scope="col" { "status" }
                th scope="col" class="number" { "throughput" } th scope="col" class="number" { "p50" } th scope="col" class="number" { "p99" }
                th scope="col" class="number" { "ok" } th scope="col" class="number" { "not found" } th scope="col" class="number" { "errors" } th scope="col" { "remark" } th scope="col" { "trial" }
            } }
            tbody {
                @for system in &cell.systems {
                    @for trial in system.trials.iter().filter(shown) {
                        tr class=[(trial.status != TrialState::Completed).then_some("minor")] {
                            td { (page.names.one(&system.name)) }
                            td class="number" { (trial.block) }
                            td class=[(trial.status == TrialState::Failed).then_some("bad")] { (trial.status) }
                            td class="number" { (trial.throughput.map_or("–".to_owned(), number::rate)) }
                            td class="number" { (number::latency(trial.p50_ns, trial.at_least.contains(&Metric::LatencyP50))) }
                            td class="number" { (number::latency(trial.p99_ns, trial.at_least.contains(&Metric::LatencyP99))) }
                            td class="number" { (number::count(trial.ok)) }
                            td class="number" { (number::count(trial.not_found)) }
                            td class="number" { (number::count(trial.errors)) }
                            td { @if let Some(reason) = &trial.outlier { span class="warn" { "stands out: " (reason) } } }
                            td { code { (trial.trial) } }
                        }
                    }
                }
            }
        }
    };
    scrolling(
        "Every trial",
        if cell.pooled {
            "Only trials that stand out or did not complete; outliers stay in the medians. Every trial is in results.csv, and in the data of the \
             figures above."
        } else {
            "In the order of blocks. Outliers are marked and stay in the medians."
        },
        &table,
    )
}

fn comparisons(cell: &Cell, page: &Page) -> Markup {
    let table = html! {
        table {
            thead { tr {
                th scope="col" { "metric" } th scope="col" { "system" } th scope="col" { "ratio (95% interval)" }
                th scope="col" { "verdict" } th scope="col" class="number" { "p" } th scope="col" class="number" { "p corrected" }
                th scope="col" { "why" }
            } }
            tbody {
                @for comparison in &cell.comparisons {
                    tr {
                        td { (comparison.metric.name()) }
                        td { (page.names.one(&comparison.a)) }
                        td { (page.names.mark(&sentences::times(comparison))) }
                        td { span class=(format!("word {}", comparison.word.class())) { (comparison.word.name()) } }
                        td class="number" { (p_value(comparison.p_value)) }
                        td class="number" { (p_value(comparison.p_adjusted)) }
                        td class="long" { (comparison.reason) }
                    }
                }
            }
        }
    };
    scrolling(
        "Every comparison",
        "The first system relative to the second. p is of the single comparison; the corrected one (Holm) accounts for all comparisons of that metric in the study.",
        &table,
    )
}

fn p_value(value: Option<f64>) -> String {
    match value {
        None => "–".to_owned(),
        Some(value) if value < 0.001 => "< 0.001".to_owned(),
        Some(value) => format!("{value:.3}"),
    }
}

fn cost(cell: &Cell, page: &Page) -> Markup {
    let table = html! {
        table {
            thead { tr {
                th scope="col" { "system" } th scope="col" class="number" { "load" } th scope="col" class="number" { "load, interval" }
                th scope="col" class="number" { "share of processors" } th scope="col" class="number" { "CPU an operation" }
                th scope="col" class="number" { "peak memory" }
            } }
            tbody {
                @for system in &cell.systems { (cost_row(system, page)) }
            }
        }
    };
    scrolling(
        "Load phase and client",
        "For an embedded database the client's process is the database's too.",
        &table,
    )
}

fn cost_row(system: &CellSystem, page: &Page) -> Markup {
    let client =
        |of: fn(&crate::model::ClientSummary) -> String| system.client.as_ref().map_or("–".to_owned(), of);
    html! {
        tr {
            td { (page.names.one(&system.name)) }
            td class="number" { (system.load.as_ref().map_or("–".to_owned(), |load| number::rate(load.estimate.median))) }
            td class="number" { (system.load.as_ref().map_or("–".to_owned(), interval)) }
            td class="number" { (client(|client| number::share(client.cpu_share))) }
            td class="number" { (client(|client| number::duration_ns(client.cpu_per_operation_ns))) }
            td class="number" { (client(|client| number::bytes(client.peak_memory_bytes as f64))) }
        }
    }
}

fn interval(summary: &Summary) -> String {
    summary
        .estimate
        .interval
        .as_ref()
        .map_or("–".to_owned(), |interval| {
            format!(
                "{} to {}",
                number::rate(interval.low),
                number::rate(interval.high)
            )
        })
}
