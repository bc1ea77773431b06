//! What a paper says of its numbers, as the rules of the linter take it.

use std::collections::BTreeMap;

use dbdyno_lint::{Better, Claim, Line, Part, Properties, Range, Rates, Trend};

use crate::model::Point;
use crate::predicate::{Verdict, evaluate, parse};
use crate::{Cell, Paper, Table};

/// Shares of the kinds of operations of a workload.
fn mix<'a>(paper: &'a Paper, workload: &str) -> Option<&'a BTreeMap<String, f64>> {
    let known = paper.workloads.iter().find(|known| known.id == workload);
    known.map(|known| &known.mix)
}

fn text<'a>(table: &'a Table, row: usize, column: &str) -> Option<&'a str> {
    let column = table.columns.iter().position(|name| name == column)?;
    match table.rows.get(row)?.get(column)? {
        Cell::Text(text) => Some(text),
        Cell::Number(_) => None,
    }
}

/// A point of a figure, measured at a rate.
pub fn point(paper: &Paper, point: &Point) -> Line {
    let share = |kind: &String| mix(paper, &point.workload).and_then(|mix| mix.get(kind)).copied();
    Line {
        table: point.place.clone(),
        place: point.place.clone(),
        throughput: Some(point.throughput_ops_s),
        throttled: true,
        parts: point
            .latency_ms
            .iter()
            .filter_map(|(kind, latency_ms)| {
                Some(Part {
                    kind: kind.clone(),
                    count: share(kind)?,
                    mean_latency_us: latency_ms * 1e3,
                })
            })
            .collect(),
        ..Line::default()
    }
}

/// Table, system and workload.
type Place<'a> = (String, &'a str, &'a str);

/// Rates that a table tells by kind of operation, by system and workload.
pub fn rates(paper: &Paper) -> Vec<Rates> {
    let mut found: BTreeMap<Place<'_>, Vec<(String, f64, f64)>> = BTreeMap::new();
    for table in &paper.tables {
        for row in 0..table.rows.len() {
            let of = |column: &str| text(table, row, column);
            let (Some(system), Some(workload), Some(kind)) = (of("system"), of("workload"), of("op")) else {
                continue;
            };
            let share = mix(paper, workload).and_then(|mix| mix.get(kind));
            if let (Some(share), Some(rate)) = (share, table.number(row, "throughput_ops_s")) {
                let rates = found.entry((table.name(), system, workload)).or_default();
                rates.push((kind.to_owned(), *share, rate));
            }
        }
    }
    let several = found.into_iter().filter(|(_, kinds)| kinds.len() > 1);
    several
        .map(|((table, system, workload), kinds)| Rates {
            place: format!("{table}, {system}, workload {workload}"),
            kinds,
        })
        .collect()
}

/// Percentages of the text.
pub fn better(paper: &Paper) -> Vec<Better> {
    let told = paper.better.iter();
    told.map(|better| Better {
        place: better.place.clone(),
        times: better.times,
        percent: better.percent,
    })
    .collect()
}

/// Trends that claims tell of.
pub fn trends(paper: &Paper) -> Vec<Trend> {
    let claimed = paper.claims.iter().filter_map(|claim| {
        let trend = claim.trend.as_ref()?;
        let table = paper.tables.iter().find(|table| table.id == trend.table)?;
        let points = (0..table.rows.len()).filter_map(|row| {
            let runs = trend.runs.iter().filter_map(|run| table.number(row, run));
            Some((table.number(row, &trend.over)?, runs.collect()))
        });
        Some(Trend {
            place: format!("claim {}, {}", claim.id, table.name()),
            upwards: trend.upwards,
            points: points.collect(),
        })
    });
    claimed.collect()
}

/// Claims, with what the printed tables say against them.
pub fn claims(paper: &Paper) -> Vec<Claim> {
    let judged = paper.claims.iter().filter_map(|claim| {
        let predicate = parse(claim.predicate.as_deref()?).ok()?;
        let against = match evaluate(&predicate, &paper.tables).0 {
            Verdict::Fails { against, .. } => against,
            _ => Vec::new(),
        };
        Some(Claim {
            place: format!("claim {}", claim.id),
            text: claim.text.clone(),
            against,
        })
    });
    judged.collect()
}

/// Rows with the columns `system`, `workload`, `what`, `low` and `high`, where `what` is a kind of operation and `_us`, beside
/// single values of the same (`op` and `avg_latency_us`).
pub fn ranges(paper: &Paper) -> Vec<Range> {
    let mut ranges = Vec::new();
    for table in &paper.tables {
        for row in 0..table.rows.len() {
            let of = |column: &str| text(table, row, column);
            let (Some(system), Some(workload), Some(what)) = (of("system"), of("workload"), of("what"))
            else {
                continue;
            };
            let (Some(low), Some(high)) = (table.number(row, "low"), table.number(row, "high")) else {
                continue;
            };
            let Some(kind) = what.strip_suffix("_us") else {
                continue;
            };
            ranges.push(Range {
                place: format!("{}, {system}, {workload}, {kind}", table.name()),
                unit: "us".to_owned(),
                low,
                high,
                values: values(paper, system, workload, kind),
            });
        }
    }
    ranges
}

/// Single mean latencies of a kind of operation, wherever they stand.
fn values(paper: &Paper, system: &str, workload: &str, kind: &str) -> Vec<(String, f64)> {
    let mut values = Vec::new();
    for table in &paper.tables {
        for row in 0..table.rows.len() {
            let of = |column: &str| text(table, row, column);
            let same =
                of("system") == Some(system) && of("workload") == Some(workload) && of("op") == Some(kind);
            if let Some(value) = table.number(row, "avg_latency_us").filter(|_| same) {
                values.push((format!("{}, row {}", table.name(), row + 1), value));
            }
        }
    }
    values
}

/// Tables of properties: all cells but the labels.
pub fn properties(paper: &Paper) -> Vec<Properties> {
    let told = paper.tables.iter().filter_map(|table| {
        let observed = table.observed?;
        let stated = table.rows.iter().map(|row| row.len().saturating_sub(1)).sum();
        Some(Properties {
            place: table.name(),
            stated,
            observed: if observed { stated } else { 0 },
        })
    });
    told.collect()
}
