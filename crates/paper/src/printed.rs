//! A paper's tables, as the rules of the linter take them.

use dbdyno_lint::{
    Change, Clients, Comparison, ComparisonRow, Copies, Figure, Line, Memory, Part, Place, Printed, Protocol,
    Repeats,
};
use toml::Value;

use crate::column::{Meaning, Quantity, meaning};
use crate::stated::{has_open_part, is_open};
use crate::{Paper, Table, Version, statements};

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
        .extend(paper.points.iter().map(|point| statements::point(paper, point)));
    printed.rates = statements::rates(paper);
    printed.better = statements::better(paper);
    printed.ratios = statements::ratios(paper);
    printed.differences = statements::differences(paper);
    printed.trends = statements::trends(paper);
    printed.claims = statements::claims(paper);
    printed.ranges = statements::ranges(paper);
    printed.properties = statements::properties(paper);
    printed
}

/// What tables say, with their rows by [`row_number`]; how it was measured is stated beside them.
#[must_use]
pub fn printed_tables(tables: &[Table], protocol: Protocol) -> Printed {
    let mut printed = Printed {
        protocol,
        ..Printed::default()
    };
    for (index, table) in tables.iter().enumerate() {
        let first = row_number(tables, index, 0);
        for row in 0..table.rows.len() {
            let place = |name: String| Place::row(first + row, name);
            printed.lines.extend(line(table, row, place));
            printed.changes.extend(change(table, row, place, tables));
            printed.repeats.extend(repeats(table, row, place));
        }
        // A change's percentages are judged with what they are of.
        if change(table, 0, Place::from, tables).is_none() {
            printed.comparisons.extend(comparisons(table, first));
        }
    }
    printed
}

/// The number of a row among the rows of all tables.
pub(crate) fn row_number(tables: &[Table], table: usize, row: usize) -> usize {
    let before = tables[..table].iter().map(|table| table.rows.len());
    before.sum::<usize>() + row
}

/// The name of a row in findings.
pub(crate) fn row_name(table: &Table, row: usize) -> String {
    format!("{}, row {}", table.name(), row + 1)
}

/// Whether any rule looks at this row.
pub(crate) fn is_checked(table: &Table, row: usize) -> bool {
    let is_compared = || {
        let columns = table.columns.iter();
        let mut compared =
            columns.filter(|column| matches!(meaning(column), Some(Meaning::Comparison { .. })));
        compared.any(|column| table.figure(row, column).is_some())
    };
    line(table, row, Place::from).is_some() || repeats(table, row, Place::from).is_some() || is_compared()
}

/// A row with columns of which one says how long or how fast it was, or several that are counts and latencies of one kind.
fn line(table: &Table, row: usize, place: impl Fn(String) -> Place) -> Option<Line> {
    let mut line = Line {
        table: table.name(),
        place: place(row_name(table, row)),
        ..Line::default()
    };
    let mut figures = 0;
    for column in &table.columns {
        let (Some(Meaning::Measured(quantity)), Some(figure)) = (meaning(column), table.figure(row, column))
        else {
            continue;
        };
        figures += usize::from(!matches!(quantity, Quantity::Clients | Quantity::Records));
        take(&mut line, column, &quantity, figure);
    }
    line.parts.retain(|part| {
        *part
            != Part {
                kind: part.kind.clone(),
                ..Part::default()
            }
    });
    // Rates and latencies of one kind of a mix, row by row, are no lines of their own.
    let by_kind = table.columns.iter().any(|column| column == "op");
    (figures > 1 && !by_kind).then_some(line)
}

fn take(line: &mut Line, column: &str, quantity: &Quantity, figure: Figure) {
    let (place, figure) = match quantity {
        Quantity::Clients => {
            line.clients = Some(figure.value());
            return;
        }
        Quantity::KindPercentile {
            kind,
            percentile,
            to_us,
        } => {
            let percentiles = &mut part_of(line, kind).percentiles_us;
            percentiles.push((*percentile, figure * *to_us));
            return;
        }
        Quantity::Operations => (&mut line.operations, figure),
        Quantity::RunTime { to_seconds } => (&mut line.run_time_s, figure * *to_seconds),
        Quantity::Throughput => (&mut line.throughput, figure),
        Quantity::Records => (&mut line.records, figure),
        Quantity::Rate => {
            line.throttled = true;
            (&mut line.rate, figure)
        }
        Quantity::KindCount(kind) => (&mut part_of(line, kind).count, figure),
        Quantity::KindSucceeded(kind) => (&mut part_of(line, kind).succeeded, figure),
        Quantity::KindMean { kind, to_us } => (&mut part_of(line, kind).mean_latency_us, figure * *to_us),
        Quantity::KindMin { kind, to_us } => (&mut part_of(line, kind).min_latency_us, figure * *to_us),
        Quantity::KindMax { kind, to_us } => (&mut part_of(line, kind).max_latency_us, figure * *to_us),
    };
    // A quantity may be printed in two units, e.g. run_time_s and run_time_ms: both must be true, and the one with more digits says more.
    match *place {
        Some(other) if !other.agrees(figure) => {
            let words = format!(
                "{column} says {}, and a column of another unit {}, both in {}",
                figure.value(),
                other.value(),
                base_unit(quantity)
            );
            line.contradictions.push(words);
        }
        Some(other) if other.high() - other.low() < figure.high() - figure.low() => {}
        _ => *place = Some(figure),
    }
}

fn base_unit(quantity: &Quantity) -> &'static str {
    match quantity {
        Quantity::RunTime { .. } => "seconds",
        _ => "microseconds",
    }
}

fn part_of<'a>(line: &'a mut Line, kind: &str) -> &'a mut Part {
    if kind.is_empty() {
        return &mut line.all;
    }
    let index = line
        .parts
        .iter()
        .position(|part| part.kind == kind)
        .unwrap_or_else(|| {
            line.parts.push(Part {
                kind: kind.to_owned(),
                ..Part::default()
            });
            line.parts.len() - 1
        });
    &mut line.parts[index]
}

/// Columns of percentages, ratios and speed-ups, each beside all other columns of numbers.
fn comparisons(table: &Table, first_row: usize) -> Vec<Comparison> {
    let is_comparison = |column: &&String| matches!(meaning(column), Some(Meaning::Comparison { .. }));
    let others: Vec<&String> = table
        .columns
        .iter()
        .filter(|column| !is_comparison(column))
        .filter(|column| (0..table.rows.len()).any(|row| table.figure(row, column).is_some()))
        .collect();
    let compared = table.columns.iter().filter(is_comparison).map(|column| {
        let rows = (0..table.rows.len()).filter_map(|row| {
            Some(ComparisonRow {
                place: Place::row(first_row + row, row_name(table, row)),
                printed: table.figure(row, column)?,
                beside: others.iter().map(|other| table.figure(row, other)).collect(),
                above: row.checked_sub(1).map_or_else(Vec::new, |above| {
                    others.iter().map(|other| table.figure(above, other)).collect()
                }),
            })
        });
        Comparison {
            table: table.name(),
            column: column.clone(),
            percent: matches!(meaning(column), Some(Meaning::Comparison { percent: true })),
            others: others.iter().map(|other| (*other).clone()).collect(),
            rows: rows.collect(),
        }
    });
    compared
        .filter(|comparison| !comparison.rows.is_empty())
        .collect()
}

/// A row that states what encryption changed.
fn change(table: &Table, row: usize, place: impl Fn(String) -> Place, tables: &[Table]) -> Option<Change> {
    let figure = |column: &str| table.figure(row, column);
    let label = table.rows.get(row)?.first()?;
    Some(Change {
        table: table.name(),
        place: place(format!("{}, {label}", table.name())),
        run_time_s: [
            figure("plain_run_time_ms")? * 1e-3,
            figure("encrypted_run_time_ms")? * 1e-3,
        ],
        throughput: [
            figure("plain_throughput_ops_s")?,
            figure("encrypted_throughput_ops_s")?,
        ],
        time_percent: figure("time_overhead_pct")?,
        throughput_percent: figure("throughput_overhead_pct")?,
        again_s: table
            .again
            .get(&label.to_string())
            .and_then(|id| tables.iter().find(|table| table.id == *id))
            .and_then(mean_run_time_s)
            .map(Figure::exact),
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
fn repeats(table: &Table, row: usize, place: impl Fn(String) -> Place) -> Option<Repeats> {
    let values: Vec<f64> = (1..)
        .map_while(|run| table.number(row, &format!("run{run}")))
        .collect();
    let (column, label) = (table.columns.first()?, table.rows[row].first()?);
    let name = match meaning(column) {
        Some(Meaning::Run) => row_name(table, row),
        _ => format!("{}, {column} = {label}", table.name()),
    };
    (!values.is_empty()).then(|| Repeats {
        place: place(name),
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
                place: copies.place.as_str().into(),
                systems: copies.systems.clone().into_iter().collect(),
                nodes: copies.nodes,
            })
            .collect(),
        memory: paper
            .memory
            .iter()
            .map(|memory| Memory {
                place: memory.place.as_str().into(),
                servers: memory.servers,
                each_gb: memory.each_gb,
                host_gb: memory.host_gb,
            })
            .collect(),
        placements: statements::placements(paper),
        unreported: statements::unreported(paper),
    }
}

fn as_number(value: &Value) -> Option<f64> {
    value
        .as_float()
        .or_else(|| value.as_integer().map(|number| number as f64))
}

/// What a reader would need, and the paper says nothing of.
fn missing(paper: &Paper) -> Vec<String> {
    let mut missing: Vec<String> = paper
        .systems
        .iter()
        .filter(|system| matches!(system.version, Version::NotStated(_)))
        .map(|system| format!("version of {}", system.id))
        .collect();
    if has_open_part(&paper.head.client) {
        missing.push("version of the client".to_owned());
    }
    let protocol = paper.protocol.iter();
    missing.extend(
        protocol
            .filter(|(_, value)| is_open(value))
            .map(|(name, _)| name.replace('_', " ")),
    );
    missing
}
