//! A paper's tables, as the rules of the linter take them.

use dbdyno_lint::{Change, Clients, Copies, Line, Memory, Part, Printed, Protocol, Repeats};
use toml::Value;

use crate::{Paper, Table, said};

/// What stands in place of a value that a paper does not give.
const NOT_STATED: &str = "not stated";

/// What a paper printed.
#[must_use]
pub fn printed(paper: &Paper) -> Printed {
    let mut printed = printed_tables(&paper.tables, protocol(paper));
    for line in &mut printed.lines {
        let table = paper.tables.iter().find(|table| table.name() == line.table);
        let workload = table.and_then(|table| table.workload.as_ref());
        let known = paper.workloads.iter().find(|known| Some(&known.id) == workload);
        line.mix = known.map_or_else(Vec::new, |workload| workload.mix.clone().into_iter().collect());
    }
    printed
        .lines
        .extend(paper.points.iter().map(|point| said::point(paper, point)));
    printed.rates = said::rates(paper);
    printed.better = said::better(paper);
    printed.trends = said::trends(paper);
    printed.claims = said::claims(paper);
    printed.ranges = said::ranges(paper);
    printed.properties = said::properties(paper);
    printed
}

/// What tables say; how it was measured is said beside them.
#[must_use]
pub fn printed_tables(tables: &[Table], protocol: Protocol) -> Printed {
    let mut printed = Printed {
        protocol,
        ..Printed::default()
    };
    for table in tables {
        for row in 0..table.rows.len() {
            printed.lines.extend(line(table, row));
            printed.changes.extend(change(table, row, tables));
            printed.repeats.extend(repeats(table, row));
        }
    }
    printed
}

/// A row of a table with the columns `run_time_ms` or `run_time_s`, `throughput_ops_s`, and `KIND_ops` beside `KIND_avg_us`.
fn line(table: &Table, row: usize) -> Option<Line> {
    let number = |column: &str| table.number(row, column);
    let of_milliseconds = number("run_time_ms").map(|milliseconds| milliseconds / 1e3);
    let run_time_s = of_milliseconds.or_else(|| number("run_time_s"))?;
    let parts = table.columns.iter().filter_map(|column| {
        let kind = column.strip_suffix("_avg_us")?;
        Some(Part {
            kind: kind.to_owned(),
            count: number(&format!("{kind}_ops"))?,
            mean_latency_us: number(column)?,
        })
    });
    Some(Line {
        table: table.name(),
        place: format!("{}, row {}", table.name(), row + 1),
        operations: number("ops"),
        run_time_s: Some(run_time_s),
        throughput: number("throughput_ops_s"),
        clients: number("clients").or_else(|| number("threads")),
        parts: parts.collect(),
        ..Line::default()
    })
}

/// A row that tells what encryption changed.
fn change(table: &Table, row: usize, tables: &[Table]) -> Option<Change> {
    let number = |column: &str| table.number(row, column);
    let label = table.rows[row].first()?;
    Some(Change {
        table: table.name(),
        place: format!("{}, {label}", table.name()),
        run_time_s: [
            number("plain_run_time_ms")? / 1e3,
            number("encrypted_run_time_ms")? / 1e3,
        ],
        throughput: [
            number("plain_throughput_ops_s")?,
            number("encrypted_throughput_ops_s")?,
        ],
        time_percent: number("time_overhead_pct")?,
        throughput_percent: number("throughput_overhead_pct")?,
        again_s: table
            .again
            .get(&label.to_string())
            .and_then(|id| tables.iter().find(|table| table.id == *id))
            .and_then(mean_run_time_s),
    })
}

fn mean_run_time_s(table: &Table) -> Option<f64> {
    let times: Option<Vec<f64>> = (0..table.rows.len())
        .map(|row| table.number(row, "run_time_ms"))
        .collect();
    let times = times.filter(|times| !times.is_empty())?;
    Some(times.iter().sum::<f64>() / times.len() as f64 / 1e3)
}

/// A row with the columns `run1`, `run2`, ...
fn repeats(table: &Table, row: usize) -> Option<Repeats> {
    let values: Vec<f64> = (1..)
        .map_while(|run| table.number(row, &format!("run{run}")))
        .collect();
    let label = table.rows[row].first()?;
    (!values.is_empty()).then(|| Repeats {
        place: format!("{}, {} = {label}", table.name(), table.columns[0]),
        what: table.metric.clone().unwrap_or_default(),
        values,
    })
}

fn protocol(paper: &Paper) -> Protocol {
    let number = |name: &str| paper.protocol.get(name).and_then(as_number);
    let stated = number("threads").map(|number| Clients { number, stated: true });
    let inferred = number("threads_inferred").map(|number| Clients {
        number,
        stated: false,
    });
    let runs = number("runs").or_else(|| number("runs_inferred"));
    let numbers = |name: &str| -> Vec<f64> {
        let value = paper.protocol.get(name).and_then(Value::as_array);
        value.into_iter().flatten().filter_map(as_number).collect()
    };
    Protocol {
        clients: stated.or(inferred),
        runs: runs.map(|runs| runs as u32),
        operations: numbers("op_counts"),
        records: numbers("record_counts"),
        missing: missing(paper),
        copies: paper
            .copies
            .iter()
            .map(|copies| Copies {
                place: copies.place.clone(),
                systems: copies.systems.clone().into_iter().collect(),
            })
            .collect(),
        memory: paper
            .memory
            .iter()
            .map(|memory| Memory {
                place: memory.place.clone(),
                servers: memory.servers,
                each_gb: memory.each_gb,
                host_gb: memory.host_gb,
            })
            .collect(),
    }
}

fn as_number(value: &Value) -> Option<f64> {
    value
        .as_float()
        .or_else(|| value.as_integer().map(|number| number as f64))
}

/// What a reader would need, and the paper says nothing of.
fn missing(paper: &Paper) -> Vec<String> {
    let is_missing = |text: &str| text.contains(NOT_STATED);
    let mut missing: Vec<String> = paper
        .systems
        .iter()
        .filter(|system| is_missing(&system.version))
        .map(|system| format!("version of {}", system.id))
        .collect();
    if is_missing(&paper.head.client) {
        missing.push("version of the client".to_owned());
    }
    let protocol = paper.protocol.iter();
    missing.extend(
        protocol
            .filter(|(_, value)| value.as_str().is_some_and(|text| text.starts_with(NOT_STATED)))
            .map(|(name, _)| name.replace('_', " ")),
    );
    missing
}
