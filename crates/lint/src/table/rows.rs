//! What the rows of a table say, by the meanings of its columns.

use std::fmt::Display;

use super::Table;
use super::column::{Meaning, meaning};
use crate::{
    Change, Comparison, ComparisonRow, Figure, Line, Number, OfChange, OfKind, Part, Place, Printed,
    Quantity, Repeats, Side,
};

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
        let (Some(Meaning::Measured { quantity, unit }), Some(figure)) =
            (meaning(column), table.figure(row, column))
        else {
            continue;
        };
        figures += usize::from(!matches!(quantity, Quantity::Clients | Quantity::Records));
        take(&mut line, column, &quantity, figure * unit);
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
    let place = match quantity {
        Quantity::Clients => {
            line.clients = Some(figure.value());
            return;
        }
        Quantity::OfKind(kind, OfKind::Percentile(percentile)) => {
            part_of(line, kind).percentiles_us.push((*percentile, figure));
            return;
        }
        Quantity::Operations => &mut line.operations,
        Quantity::RunTime => &mut line.run_time_s,
        Quantity::Throughput => &mut line.throughput,
        Quantity::Records => &mut line.records,
        Quantity::Rate => {
            line.throttled = true;
            &mut line.rate
        }
        Quantity::OfKind(kind, OfKind::Count) => &mut part_of(line, kind).count,
        Quantity::OfKind(kind, OfKind::Succeeded) => &mut part_of(line, kind).succeeded,
        Quantity::OfKind(kind, OfKind::Mean) => &mut part_of(line, kind).mean_latency_us,
        Quantity::OfKind(kind, OfKind::Min) => &mut part_of(line, kind).min_latency_us,
        Quantity::OfKind(kind, OfKind::Max) => &mut part_of(line, kind).max_latency_us,
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
        Quantity::RunTime => "seconds",
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

/// Columns of a change, with what turns their unit into that of the number.
const OF_CHANGE: [(&str, OfChange, f64); 6] = [
    ("plain_run_time_ms", OfChange::RunTime(Side::Before), 1e-3),
    ("encrypted_run_time_ms", OfChange::RunTime(Side::After), 1e-3),
    ("plain_throughput_ops_s", OfChange::Throughput(Side::Before), 1.0),
    (
        "encrypted_throughput_ops_s",
        OfChange::Throughput(Side::After),
        1.0,
    ),
    ("time_overhead_pct", OfChange::TimePercent, 1.0),
    ("throughput_overhead_pct", OfChange::ThroughputPercent, 1.0),
];

/// Which number of its row a column of this name holds, and what turns the column's unit into that of the number. A column that says
/// how others compare goes by its name alone, [`Number::Column`].
#[must_use]
pub fn number_in(column: &str) -> Option<(Number, f64)> {
    if let Some((_, number, unit)) = OF_CHANGE.iter().find(|(name, ..)| *name == column) {
        return Some(((*number).into(), *unit));
    }
    match meaning(column)? {
        Meaning::Measured { quantity, unit } => Some((quantity.into(), unit)),
        Meaning::Run(run) => Some((Number::Run(run), 1.0)),
        Meaning::Comparison { .. } | Meaning::Label => None,
    }
}

/// A row that states what encryption changed.
fn change(table: &Table, row: usize) -> Option<Change> {
    let figure = |number: OfChange| {
        let (column, _, unit) = OF_CHANGE.iter().find(|(_, known, _)| *known == number)?;
        Some(table.figure(row, column)? * *unit)
    };
    let sides = |of: fn(Side) -> OfChange| Some([figure(of(Side::Before))?, figure(of(Side::After))?]);
    Some(Change {
        table: table.name.clone(),
        place: table.place(row, table.rows.get(row)?.first()?),
        run_time_s: sides(OfChange::RunTime)?,
        throughput: sides(OfChange::Throughput)?,
        time_percent: figure(OfChange::TimePercent)?,
        throughput_percent: figure(OfChange::ThroughputPercent)?,
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
            Some(Meaning::Run(_)) => table.row_place(row),
            _ => table.place(row, format_args!("{column} = {label}")),
        },
        what: table.metric.clone(),
        values,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_one_number_in_two_units_hold_the_same() {
        for (column, number, unit) in [
            ("run_time_ms", Quantity::RunTime.into(), 1e-3),
            ("threads", Quantity::Clients.into(), 1.0),
            ("read_avg_ms", OfKind::Mean.of("read").into(), 1e3),
            ("run2", Number::Run(2), 1.0),
            (
                "encrypted_run_time_ms",
                OfChange::RunTime(Side::After).into(),
                1e-3,
            ),
        ] {
            assert_eq!(number_in(column), Some((number, unit)), "{column}");
        }
        assert_eq!(number_in("speedup"), None);
    }
}
