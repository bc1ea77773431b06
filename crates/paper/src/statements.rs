//! What a paper claims about its numbers, as the rules of the linter take it.

use std::collections::BTreeMap;

use dbdyno_lint::{
    Better, Claim, Difference, Figure, Line, Part, Place, Placement, Properties, Range, Rates, Ratio, Trend,
};

use crate::model::Point;
use crate::predicate::{PrintedVerdict, evaluate, parse};
use crate::{Paper, Table};

/// Shares of the kinds of operations of a workload.
fn mix<'a>(paper: &'a Paper, workload: &str) -> Option<&'a BTreeMap<String, f64>> {
    let known = paper.workloads.iter().find(|known| known.id == workload);
    known.map(|known| &known.mix)
}

fn text<'a>(table: &'a Table, row: usize, column: &str) -> Option<&'a str> {
    let column = table.columns.iter().position(|name| name == column)?;
    table.rows.get(row)?.get(column)?.text()
}

/// A point of a figure, measured at a rate.
pub fn point(paper: &Paper, point: &Point) -> Line {
    let share = |kind: &String| mix(paper, &point.workload).and_then(|mix| mix.get(kind)).copied();
    Line {
        table: point.place.clone(),
        place: point.place.as_str().into(),
        throughput: Some(Figure::of_shortest_decimal(point.throughput_ops_s)),
        throttled: true,
        parts: point
            .latency_ms
            .iter()
            .filter_map(|(kind, latency_ms)| Some(Part::new(kind, share(kind)?, latency_ms * 1e3)))
            .collect(),
        ..Line::default()
    }
}

/// Table, system and workload.
type Mix<'a> = (String, &'a str, &'a str);

/// Rates that a table lists by kind of operation, by system and workload.
pub fn rates(paper: &Paper) -> Vec<Rates> {
    let mut found: BTreeMap<Mix<'_>, Vec<(String, f64, f64)>> = BTreeMap::new();
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
            place: format!("{table}, {system}, workload {workload}").into(),
            kinds,
        })
        .collect()
}

/// Percentages of the text.
pub fn better(paper: &Paper) -> Vec<Better> {
    let reported = paper.better.iter();
    reported
        .map(|better| Better {
            place: better.place.as_str().into(),
            times: better.times.map(Figure::of_shortest_decimal),
            percent: Figure::of_shortest_decimal(better.percent),
        })
        .collect()
}

/// Ratios of the text whose two numbers were printed, too.
pub fn ratios(paper: &Paper) -> Vec<Ratio> {
    let reported = paper.ratios.iter().filter_map(|ratio| {
        let records = ratio.records.as_integer()? as f64;
        let tables = paper
            .tables
            .iter()
            .filter(|table| table.workload.as_ref() == Some(&ratio.workload));
        let rows = tables.flat_map(|table| (0..table.rows.len()).map(move |row| (table, row)));
        let mut matching = rows.filter(|(table, row)| table.number(*row, "records") == Some(records));
        let (table, row) = matching.next()?;
        let time = |system: &str| {
            let column = format!("{system}_s");
            let printed = !table.is_derived(row, &column);
            table.figure(row, &column).filter(|_| printed)
        };
        let slower = paper.systems.iter().find(|system| system.id != ratio.faster)?;
        Some(Ratio {
            place: format!("text, workload {}, {records} records", ratio.workload).into(),
            ratio: Figure::of_shortest_decimal(ratio.value?),
            of: [time(&slower.id)?, time(&ratio.faster)?],
        })
    });
    reported.collect()
}

/// Differences of the text.
pub fn differences(paper: &Paper) -> Vec<Difference> {
    let reported = paper.differences.iter();
    reported
        .map(|difference| Difference {
            place: difference.place.as_str().into(),
            seconds: difference.seconds,
            resolution_s: difference.resolution_s,
        })
        .collect()
}

/// Instances on machines.
pub fn placements(paper: &Paper) -> Vec<Placement> {
    let reported = paper.placements.iter();
    reported
        .map(|placement| Placement {
            place: placement.place.as_str().into(),
            instances: placement.instances,
            machines: placement.machines,
        })
        .collect()
}

/// Workloads of which no table, figure, ratio or claim says anything.
pub fn unreported(paper: &Paper) -> Vec<String> {
    let asks = |claim: &crate::Claim, workload: &str| {
        let texts = [&claim.predicate, &claim.again].into_iter().flatten();
        texts
            .filter_map(|text| parse(text).ok())
            .any(|predicate| predicate.names("workload", workload))
    };
    let is_reported = |workload: &str| {
        paper.tables.iter().any(|table| {
            table.workload.as_deref() == Some(workload)
                || (0..table.rows.len()).any(|row| text(table, row, "workload") == Some(workload))
        }) || paper.points.iter().any(|point| point.workload == workload)
            || paper.ratios.iter().any(|ratio| ratio.workload == workload)
            || paper.claims.iter().any(|claim| asks(claim, workload))
    };
    let workloads = paper.workloads.iter().map(|workload| workload.id.clone());
    workloads.filter(|workload| !is_reported(workload)).collect()
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
            place: format!("claim {}, {}", claim.id, table.name()).into(),
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
        let (verdict, cells) = evaluate(&predicate, &paper.tables);
        let against = match verdict {
            PrintedVerdict::Fails { against, .. } => against,
            _ => Vec::new(),
        };
        Some(Claim {
            place: format!("claim {}", claim.id).into(),
            text: claim.text.clone(),
            against,
            read_off: cells.iter().any(|(table, ..)| paper.tables[*table].approx),
        })
    });
    judged.collect()
}

/// Rows with the columns `system`, `workload`, `what`, `low` and `high`, where `what` is a kind of operation and `_us`, beside
/// single values of the same (`op` and `avg_latency_us`); `from_ops` is the smallest number of operations that the range is stated for.
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
                place: format!("{}, {system}, {workload}, {kind}", table.name()).into(),
                unit: "us".to_owned(),
                low,
                high,
                values: values(
                    paper,
                    system,
                    workload,
                    kind,
                    table.number(row, "from_ops").unwrap_or(0.0),
                ),
            });
        }
    }
    ranges
}

/// Single mean latencies of a kind of operation, wherever they stand, over this many operations and more.
fn values(paper: &Paper, system: &str, workload: &str, kind: &str, from_ops: f64) -> Vec<(Place, f64)> {
    let mut values = Vec::new();
    for (index, table) in paper.tables.iter().enumerate() {
        for row in 0..table.rows.len() {
            let of = |column: &str| text(table, row, column);
            let same =
                of("system") == Some(system) && of("workload") == Some(workload) && of("op") == Some(kind);
            let same = same && table.number(row, "ops").is_none_or(|ops| ops >= from_ops);
            if let Some(value) = table.number(row, "avg_latency_us").filter(|_| same) {
                let number = paper.row_number(index, row);
                let name = format!("{}, row {}", table.name(), row + 1);
                values.push((Place::row(number, name), value));
            }
        }
    }
    values
}

/// Tables of properties: all cells but the labels.
pub fn properties(paper: &Paper) -> Vec<Properties> {
    let reported = paper.tables.iter().filter_map(|table| {
        let observed = table.observed?;
        let stated = table.rows.iter().map(|row| row.len().saturating_sub(1)).sum();
        Some(Properties {
            place: table.name().into(),
            stated,
            observed: if observed { stated } else { 0 },
        })
    });
    reported.collect()
}
