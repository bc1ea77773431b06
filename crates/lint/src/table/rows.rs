//! What the rows of a table say, by the meanings of its columns.

use std::fmt::Display;

use super::Table;
use super::column::{Meaning, Quantity, meaning};
use crate::{Change, Comparison, ComparisonRow, Figure, Line, Part, Place, Printed, Repeats};

impl Table {
    /// What the table says; how it was measured is stated beside it.
    #[must_use]
    pub fn printed(&self) -> Printed {
        let rows = 0..self.rows.len();
        Printed {
            lines: rows.clone().filter_map(|row| line(self, row)).collect(),
            changes: rows.clone().filter_map(|row| change(self, row)).collect(),
            repeats: rows.filter_map(|row| repeats(self, row)).collect(),
            // A change's percentages are judged with what they are of.
            comparisons: match change(self, 0) {
                Some(_) => Vec::new(),
                None => comparisons(self),
            },
            ..Printed::default()
        }
    }

    fn place(&self, row: usize, name: impl Display) -> Place {
        Place::row(self.first_row + row, format!("{}, {name}", self.name))
    }

    fn row_place(&self, row: usize) -> Place {
        self.place(row, format_args!("row {}", row + 1))
    }
}

/// Whether any rule looks at this row.
pub(super) fn is_checked(table: &Table, row: usize) -> bool {
    let is_compared = || {
        let columns = table.columns.iter();
        let mut compared =
            columns.filter(|column| matches!(meaning(column), Some(Meaning::Comparison { .. })));
        compared.any(|column| table.figure(row, column).is_some())
    };
    line(table, row).is_some() || repeats(table, row).is_some() || is_compared()
}

/// A row with columns of which one says how long or how fast it was, or several that are counts and latencies of one kind.
fn line(table: &Table, row: usize) -> Option<Line> {
    let mut line = Line {
        table: table.name.clone(),
        place: table.row_place(row),
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
fn comparisons(table: &Table) -> Vec<Comparison> {
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
                place: table.row_place(row),
                printed: table.figure(row, column)?,
                beside: others.iter().map(|other| table.figure(row, other)).collect(),
                above: row.checked_sub(1).map_or_else(Vec::new, |above| {
                    others.iter().map(|other| table.figure(above, other)).collect()
                }),
            })
        });
        Comparison {
            table: table.name.clone(),
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
fn change(table: &Table, row: usize) -> Option<Change> {
    let figure = |column: &str| table.figure(row, column);
    let label = table.rows.get(row)?.first()?;
    Some(Change {
        table: table.name.clone(),
        place: table.place(row, label),
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
        again_s: None,
    })
}

/// A row with the columns `run1`, `run2`, ...
fn repeats(table: &Table, row: usize) -> Option<Repeats> {
    let figures = (1..).map_while(|run| table.figure(row, &format!("run{run}")));
    let values: Vec<f64> = figures.map(Figure::value).collect();
    let (column, label) = (table.columns.first()?, table.rows[row].first()?);
    (!values.is_empty()).then(|| Repeats {
        place: match meaning(column) {
            Some(Meaning::Run) => table.row_place(row),
            _ => table.place(row, format_args!("{column} = {label}")),
        },
        what: table.metric.clone(),
        values,
    })
}
