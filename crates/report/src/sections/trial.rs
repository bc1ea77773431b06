//! One trial as a document: its figures in a few lines and one table, what it cost, and what is wrong with it.

use dbdyno_document::{
    Block, Column, Document, Finding, Notice, Row, Style, Table, TableCell, Text, Tone, terminal,
};
use dbdyno_record::{
    Attempted, LoadRecord, MeasureRecord, OperationRecord, Quantile, Severity, TrialRecord, TrialStatus,
};

use crate::model::single_parts as parts;
use crate::words::figures::of_point;
use crate::{number, server_cost};

/// The trial for people at a terminal; ends with a line feed.
#[must_use]
pub fn table(trial: &TrialRecord, style: Style) -> String {
    terminal(&document(trial), style)
}

fn document(trial: &TrialRecord) -> Document {
    let mut body: Vec<Block> = status(&trial.status).into_iter().collect();
    body.extend(trial.load.as_ref().map(load));
    body.extend(trial.measure.iter().flat_map(measure));
    body.extend(context(trial).into_iter().map(Block::note));
    body.extend(trial.findings.iter().map(finding));
    let workload = Text::joined(parts::workload(&trial.workload), "; ");
    Document {
        kind: "trial".to_owned(),
        title: title(trial),
        about: format!("{}; {}", workload.exact(), parts::asked(&[trial])).into(),
        body,
        ..Document::default()
    }
}

fn title(trial: &TrialRecord) -> String {
    let system = &trial.system;
    let product = format!("{} {}", system.product, system.version);
    let mut title = format!("{} · workload {}", system.name, trial.workload.name);
    if !product.trim().is_empty() {
        title = format!("{title} ({}, durability {}", product.trim(), system.durability);
        if !system.consistency.is_absent() {
            title.push_str(&format!(", consistency {}", system.consistency));
        }
        title.push(')');
    }
    title
}

/// Why the figures are not those of a whole trial.
fn status(status: &TrialStatus) -> Option<Block> {
    match status {
        TrialStatus::Completed | TrialStatus::Disturbed => None,
        TrialStatus::Interrupted => Some(notice(
            Tone::Warning,
            "Interrupted: figures up to that point.".to_owned(),
        )),
        TrialStatus::Failed { reason } => Some(notice(Tone::Bad, format!("Failed: {reason}"))),
    }
}

fn notice(tone: Tone, text: String) -> Block {
    Block::Notice(Notice {
        tone,
        text: text.into(),
        ..Notice::default()
    })
}

fn load(load: &LoadRecord) -> Block {
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
    Block::paragraph(text)
}

fn measure(measure: &MeasureRecord) -> Vec<Block> {
    let mut blocks = vec![throughput(measure)];
    blocks.extend(pacing(measure));
    blocks.push(Block::Table(operations(measure)));
    let early: u64 = measure
        .operations
        .values()
        .map(|operation| operation.too_early)
        .sum();
    if early > 0 {
        blocks.push(Block::paragraph(format!(
            "too early: {} operations requested a record whose insert had not been acknowledged yet",
            number::count(early)
        )));
    }
    let samples = measure.error_samples.iter();
    blocks.extend(samples.map(|sample| notice(Tone::Bad, format!("error: {sample}"))));
    blocks
}

fn throughput(measure: &MeasureRecord) -> Block {
    let drained: u64 = measure
        .operations
        .values()
        .map(|operation| operation.drained)
        .sum();
    let mut rest = format!(
        ": {} successful operations in {}",
        number::count(measure.ok_in_time()),
        number::duration_ns(measure.duration_ns as f64)
    );
    if drained > 0 {
        rest.push_str(&format!(", {} more after the deadline", number::count(drained)));
    }
    let rate = measure.throughput_per_second().unwrap_or_default();
    Block::paragraph(Text::from("Throughput ").strong(number::rate(rate)).plain(rest))
}

fn pacing(measure: &MeasureRecord) -> Option<Block> {
    let pacing = measure.pacing.as_ref()?;
    let achieved = format!(
        "requested {}, achieved {} ({})",
        number::rate(pacing.asked_rate),
        number::rate(pacing.achieved_rate),
        number::share(pacing.achieved_rate / pacing.asked_rate)
    );
    Some(if pacing.sustained {
        Block::paragraph(achieved)
    } else {
        let text = format!(
            "RATE NOT SUSTAINED: {achieved}, with a backlog of {} operations at the end",
            number::count(pacing.backlog)
        );
        notice(Tone::Bad, text)
    })
}

/// A row for each kind of operation, and one for its service time where latency is response time.
fn operations(measure: &MeasureRecord) -> Table {
    let open_loop = measure.operations.values().any(OperationRecord::has_response);
    let kind = if open_loop { "response" } else { "operation" };
    let numbers = ["ok", "not found", "errors", "p50", "p95", "p99", "p99.9", "max"];
    let columns = std::iter::once(Column::header(kind)).chain(numbers.map(Column::numbers));
    let rows = measure.operations.iter().flat_map(|(name, operation)| {
        let service = operation
            .has_response()
            .then(|| row("(service)", operation, &operation.known_service().into()));
        std::iter::once(row(name, operation, &operation.attempted())).chain(service)
    });
    Table::new("Operations", columns.collect(), rows.collect())
}

fn row(name: &str, operation: &OperationRecord, latency: &Attempted<'_>) -> Row {
    let percentiles = parts::table_percentiles(latency).into_iter().take(4);
    let max = latency.percentile(100.0);
    let max = number::latency(max.map(Quantile::ns), max.is_some_and(Quantile::is_bound));
    let counts = [
        TableCell::new(name),
        TableCell::new(number::count(operation.ok)),
        bad_if_any(operation.not_found),
        bad_if_any(operation.error_count()),
    ];
    Row::new(
        counts
            .into_iter()
            .chain(percentiles.map(|point| TableCell::new(of_point(&point))))
            .chain([TableCell::new(max)]),
    )
}

/// A count, red unless it is zero.
fn bad_if_any(count: u64) -> TableCell {
    let tone = if count > 0 { Tone::Bad } else { Tone::Plain };
    TableCell::new(number::count(count)).toned(tone)
}

/// What client, server and tool took.
fn context(trial: &TrialRecord) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(measure) = &trial.measure {
        let each = measure.cpu_ns_per_operation(measure.client.cpu_seconds);
        lines.push(format!(
            "client: {}{} of all CPUs, {} peak memory",
            each.map_or_else(String::new, |each| format!(
                "{} of CPU time per operation, ",
                number::duration_ns(each)
            )),
            number::share(measure.client.cpu_share),
            number::bytes(measure.client.peak_memory_bytes as f64)
        ));
    }
    lines.extend(server_cost::line(trial));
    let at_rest = trial.system.at_rest.as_ref();
    lines.extend(at_rest.map(|at_rest| format!("encryption at rest: {at_rest}")));
    if trial.floor.operation_ns > 0.0 {
        lines.push(format!(
            "overhead: dbdyno takes {} per operation; a latency includes {} of it (p99)",
            number::duration_ns(trial.floor.operation_ns),
            number::duration_ns(trial.floor.latency_p99_ns as f64)
        ));
    }
    let skew = parts::skew(&[trial]);
    if !skew.is_empty() {
        lines.push(format!("skew: {skew}"));
    }
    lines
}

fn finding(finding: &dbdyno_record::Finding) -> Block {
    Block::Finding(Finding {
        tone: match finding.severity {
            Severity::Invalid => Tone::Bad,
            Severity::Warning => Tone::Warning,
            Severity::Note => Tone::Plain,
        },
        label: finding.severity.to_string(),
        title: finding.message().into(),
        remedy: (!finding.remedy().is_empty()).then(|| finding.remedy().as_ref().into()),
        ..Finding::default()
    })
}
