//! One trial as a table for people.

use comfy_table::{Cell, Color};
use dbdyno_record::{
    Attempted, LoadRecord, MeasureRecord, OperationRecord, Quantile, Severity, TrialRecord, TrialStatus,
};

use crate::Style;
use crate::model::single_parts as parts;
use crate::terminal::{plain, wrap};
use crate::{number, server_cost, text_table};

/// The trial in a few lines and one table; ends with a line feed.
#[must_use]
pub fn table(trial: &TrialRecord, style: Style) -> String {
    let mut lines = heading(trial, style);
    match &trial.status {
        TrialStatus::Completed | TrialStatus::Disturbed => {}
        TrialStatus::Interrupted => lines.push(style.warn("Interrupted: these are the figures until then.")),
        TrialStatus::Failed { reason } => {
            lines.extend(
                wrap(&format!("Failed: {reason}"), style.width, "")
                    .iter()
                    .map(|line| style.bad(line)),
            );
        }
    }
    if let Some(load) = &trial.load {
        lines.push(load_line(load));
    }
    if let Some(measure) = &trial.measure {
        lines.extend(measure_lines(trial, measure, style));
    }
    lines.extend(context(trial, style));
    lines.extend(findings(trial, style));
    lines.push(String::new());
    lines.join("\n")
}

fn heading(trial: &TrialRecord, style: Style) -> Vec<String> {
    let system = &trial.system;
    let product = format!("{} {}", system.product, system.version);
    let mut title = format!("{} · workload {}", system.name, trial.workload.name);
    if !product.trim().is_empty() {
        title = format!("{title} ({}, durability {}", product.trim(), system.durability);
        if !system.consistency.is_empty() {
            title.push_str(&format!(", consistency {}", system.consistency));
        }
        title.push(')');
    }
    let mut lines = vec![style.bold(&plain(&title))];
    let about = format!("{}; {}", parts::workload(&trial.workload), parts::asked(&[trial]));
    lines.extend(wrap(&about, style.width, "").iter().map(|line| style.dim(line)));
    lines
}

fn load_line(load: &LoadRecord) -> String {
    let rate = if load.duration_ns > 0 {
        load.inserts.ok as f64 * 1e9 / load.duration_ns as f64
    } else {
        0.0
    };
    let mut text = format!(
        "Loaded {} records in {}: {}",
        number::count(load.inserts.ok),
        number::duration_ns(load.duration_ns as f64),
        number::rate(rate)
    );
    if load.inserts.error_count() > 0 {
        text.push_str(&format!(", {} failed", number::count(load.inserts.error_count())));
    }
    text
}

fn measure_lines(trial: &TrialRecord, measure: &MeasureRecord, style: Style) -> Vec<String> {
    let throughput = parts::throughput(trial).unwrap_or_default();
    let drained: u64 = measure
        .operations
        .values()
        .map(|operation| operation.drained)
        .sum();
    let mut lines = vec![format!(
        "{} of successful operations: {} in {}{}",
        style.bold(&number::rate(throughput)),
        number::count(measure.ok_in_time()),
        number::duration_ns(measure.duration_ns as f64),
        match drained {
            0 => String::new(),
            drained => format!(", {} more after the deadline", number::count(drained)),
        }
    )];
    if let Some(pacing) = &measure.pacing {
        let achieved = format!(
            "asked for {}, achieved {} ({})",
            number::rate(pacing.asked_rate),
            number::rate(pacing.achieved_rate),
            number::share(pacing.achieved_rate / pacing.asked_rate)
        );
        lines.push(if pacing.sustained {
            achieved
        } else {
            style.bad(&format!(
                "RATE NOT SUSTAINED: {achieved}, {} operations behind at the end",
                number::count(pacing.backlog)
            ))
        });
    }
    lines.push(operations(measure, style));
    let early: u64 = measure
        .operations
        .values()
        .map(|operation| operation.too_early)
        .sum();
    if early > 0 {
        lines.push(format!(
            "too early: {} asked for a record whose insert had not been acknowledged yet",
            number::count(early)
        ));
    }
    for sample in &measure.error_samples {
        lines.extend(
            wrap(&format!("error: {sample}"), style.width, "  ")
                .iter()
                .map(|line| style.bad(line)),
        );
    }
    lines
}

fn operations(measure: &MeasureRecord, style: Style) -> String {
    let open_loop = measure.operations.values().any(OperationRecord::has_response);
    let kind = if open_loop { "response" } else { "operation" };
    let header = [
        kind,
        "ok",
        "not found",
        "errors",
        "p50",
        "p95",
        "p99",
        "p99.9",
        "max",
    ];
    let mut table = text_table::new(&header, style);
    for (name, operation) in &measure.operations {
        let mut row = |name: &str, latency: &Attempted<'_>| {
            table.add_row(operation_row(name, operation, latency, style));
        };
        row(name, &operation.attempted());
        if operation.has_response() {
            row("(service)", &operation.known_service().into());
        }
    }
    text_table::finish(table, 1)
}

fn operation_row(
    name: &str,
    operation: &OperationRecord,
    latency: &Attempted<'_>,
    style: Style,
) -> Vec<Cell> {
    let mut row = vec![
        Cell::new(plain(name)),
        Cell::new(number::count(operation.ok)),
        bad_if_any(operation.not_found, style),
        bad_if_any(operation.error_count(), style),
    ];
    for point in parts::table_percentiles(latency).into_iter().take(4) {
        row.push(Cell::new(point.text()));
    }
    let max = latency.percentile(100.0);
    row.push(Cell::new(number::latency(
        max.map(Quantile::ns),
        max.is_some_and(Quantile::is_bound),
    )));
    row
}

/// A count, red unless it is zero.
fn bad_if_any(count: u64, style: Style) -> Cell {
    let cell = Cell::new(number::count(count));
    if count > 0 && style.color {
        cell.fg(Color::Red)
    } else {
        cell
    }
}

fn context(trial: &TrialRecord, style: Style) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(measure) = &trial.measure {
        let each = measure.cpu_ns_per_operation(measure.client.cpu_seconds);
        lines.push(format!(
            "client: {}{} of all processors, {} at most",
            each.map_or_else(String::new, |each| format!(
                "{} of processor an operation, ",
                number::duration_ns(each)
            )),
            number::share(measure.client.cpu_share),
            number::bytes(measure.client.peak_memory_bytes as f64)
        ));
    }
    lines.extend(server_cost::line(trial));
    if trial.floor.operation_ns > 0.0 {
        lines.push(format!(
            "tool's own floor: {} an operation, p99 {}",
            number::duration_ns(trial.floor.operation_ns),
            number::duration_ns(trial.floor.latency_p99_ns as f64)
        ));
    }
    let skew = parts::skew(&[trial]);
    if !skew.is_empty() {
        lines.push(format!("skew: {skew}"));
    }
    lines
        .iter()
        .flat_map(|line| wrap(line, style.width, ""))
        .map(|line| style.dim(&line))
        .collect()
}

fn findings(trial: &TrialRecord, style: Style) -> Vec<String> {
    let mut lines = Vec::new();
    for finding in &trial.findings {
        let word = parts::severity_name(finding.severity);
        let text = format!("{word}: {}", finding.message);
        let remedy = format!("→ {}", finding.remedy);
        let said = wrap(&text, style.width, "").into_iter();
        for line in said.chain(wrap(&remedy, style.width, "  ")) {
            lines.push(match finding.severity {
                Severity::Invalid => style.bad(&line),
                Severity::Warning => style.warn(&line),
                Severity::Note => line,
            });
        }
    }
    lines
}
