//! The main numbers of a run, and its table of percentiles.

use dbdyno_document::{Block, Column, Row, Table, TableCell, Tile, Tone};
use dbdyno_record::{Attempted, LoadRecord, MeasureRecord, OperationRecord, Quantile, TrialRecord};

use crate::model::single_parts as parts;
use crate::number;
use crate::words::figures::of_point;

/// The tiles of the measured phase, or of the load where nothing else ran.
pub fn block(trial: &TrialRecord) -> Block {
    let tiles = match (&trial.measure, &trial.load) {
        (Some(measure), _) => of_phase(trial, measure),
        (None, Some(load)) => of_load(load),
        (None, None) => Vec::new(),
    };
    Block::Tiles(tiles)
}

fn of_phase(trial: &TrialRecord, measure: &MeasureRecord) -> Vec<Tile> {
    let mut tiles = vec![throughput(measure)];
    tiles.extend([50.0, 99.0].map(|percentile| latency(trial, percentile)));
    tiles.push(errors(measure));
    tiles.extend(cpu(trial, measure));
    tiles
}

fn throughput(measure: &MeasureRecord) -> Tile {
    let rate = measure
        .throughput_per_second()
        .map_or("–".to_owned(), number::rate);
    let tile = Tile::new("Throughput", rate);
    match &measure.pacing {
        Some(pacing) if !pacing.sustained => tile
            .detail(format!(
                "requested {}, not sustained",
                number::rate(pacing.asked_rate)
            ))
            .toned(Tone::Bad),
        Some(pacing) => tile.detail(format!("requested {}", number::rate(pacing.asked_rate))),
        None => tile.detail(counted(measure)),
    }
}

/// What throughput counts: `103 734 successful in 3.00 s`.
pub fn counted(measure: &MeasureRecord) -> String {
    format!(
        "{} successful in {}",
        number::count(measure.ok_in_time()),
        number::duration_ns(measure.duration_ns as f64)
    )
}

fn latency(trial: &TrialRecord, percentile: f64) -> Tile {
    let latency = trial.latency(None).percentile(percentile);
    let value = number::latency(latency.map(Quantile::ns), latency.is_some_and(Quantile::is_bound));
    let operations = trial
        .measure
        .iter()
        .flat_map(|measure| measure.operations.values());
    let is_response = operations.into_iter().any(OperationRecord::has_response);
    let kind = if is_response { "response time" } else { "latency" };
    Tile::new(format!("{} {kind}", number::percentile(percentile)), value).detail("all operations")
}

fn errors(measure: &MeasureRecord) -> Tile {
    let sum = |of: fn(&OperationRecord) -> u64| measure.operations.values().map(of).sum::<u64>();
    let errors = sum(OperationRecord::error_count);
    let attempts = sum(OperationRecord::attempts);
    let mut detail = format!("of {} operations", number::count(attempts));
    if errors > 0 && attempts > 0 {
        detail = format!("{} {detail}", number::share(errors as f64 / attempts as f64));
    }
    let not_found = sum(|operation| operation.not_found);
    if not_found > 0 {
        detail.push_str(&format!("; {} not found", number::count(not_found)));
    }
    let tone = if errors > 0 { Tone::Bad } else { Tone::Plain };
    Tile::new("Errors", number::count(errors))
        .detail(detail)
        .toned(tone)
}

/// The CPUs that client and servers kept busy. A store within the process has no server.
fn cpu(trial: &TrialRecord, measure: &MeasureRecord) -> Vec<Tile> {
    let busy = |label: &str, cpu_seconds: f64| {
        let seconds = measure.duration_ns as f64 / 1e9;
        let busy = if seconds > 0.0 { cpu_seconds / seconds } else { 0.0 };
        let each = measure.cpu_ns_per_operation(cpu_seconds);
        let each = each.map(|each| format!("{} per operation", number::duration_ns(each)));
        Tile::new(label.to_owned(), format!("{} CPUs", number::ratio_digits(busy)))
            .detail(each.unwrap_or_default())
    };
    let client = measure.client.cpu_seconds;
    if trial.system.node_count() == Some(0) {
        return vec![busy("Client and database CPU", client)];
    }
    let server = match &measure.server {
        Some(server) => busy("Server CPU", server.cpu_seconds),
        None => Tile::new("Server CPU", "–").detail("not measured: not started by dbdyno"),
    };
    vec![busy("Client CPU", client), server]
}

fn of_load(load: &LoadRecord) -> Vec<Tile> {
    let rate = load.throughput_per_second().map_or("–".to_owned(), number::rate);
    let seconds = number::duration_ns(load.duration_ns as f64);
    let errors = load.inserts.error_count();
    let tone = if errors > 0 { Tone::Bad } else { Tone::Plain };
    vec![
        Tile::new("Load throughput", rate),
        Tile::new("Records", number::count(load.inserts.ok)).detail(format!("in {seconds}")),
        Tile::new("Errors", number::count(errors)).toned(tone),
    ]
}

/// A row for each kind of operation, and one for its service time where latency is response time.
pub fn operations(measure: &MeasureRecord) -> Table {
    let operations = || measure.operations.values();
    let kind = if operations().any(OperationRecord::has_response) {
        "response"
    } else {
        "operation"
    };
    let not_found = operations().any(|operation| operation.not_found > 0);
    let columns = [
        Some(Column::header(kind)),
        Some(Column::numbers("ok")),
        not_found.then(|| Column::numbers("not found")),
        Some(Column::numbers("errors")),
        Some(Column::numbers("p50")),
        // A terminal of 80 columns has no room for it.
        Some(Column::numbers("p95").minor()),
        Some(Column::numbers("p99")),
        Some(Column::numbers("p99.9")),
        Some(Column::numbers("max")),
    ];
    let row = |name: &str, operation: &OperationRecord, latency: &Attempted<'_>| {
        let mut cells = vec![TableCell::new(name), TableCell::new(number::count(operation.ok))];
        cells.extend(not_found.then(|| bad_if_any(operation.not_found)));
        cells.push(bad_if_any(operation.error_count()));
        cells.extend(latencies(latency).map(TableCell::new));
        Row::new(cells)
    };
    let rows = measure.operations.iter().flat_map(|(name, operation)| {
        let service = operation
            .has_response()
            .then(|| row("(service)", operation, &operation.known_service().into()));
        std::iter::once(row(name, operation, &operation.attempted())).chain(service)
    });
    Table::new(
        "Operations",
        columns.into_iter().flatten().collect(),
        rows.collect(),
    )
}

/// p50, p95, p99, p99.9 and the longest.
fn latencies(latency: &Attempted<'_>) -> impl Iterator<Item = String> {
    let percentiles = parts::table_percentiles(latency).into_iter().take(4);
    let max = latency.percentile(100.0);
    let max = number::latency(max.map(Quantile::ns), max.is_some_and(Quantile::is_bound));
    percentiles.map(|point| of_point(&point)).chain([max])
}

/// A count, red unless it is zero.
fn bad_if_any(count: u64) -> TableCell {
    let tone = if count > 0 { Tone::Bad } else { Tone::Plain };
    TableCell::new(number::count(count)).toned(tone)
}
