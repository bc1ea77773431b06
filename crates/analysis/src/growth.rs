//! Sizes as a factor: how each system's numbers grow with its records, and where two systems change places.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_stats::growth::{Crossing, Curves, FEWEST_SIZES, GrowthError};
use serde::Serialize;

use super::{Bounds, Cell, CellSystem, Metric, Summary, System, Unranked};
use crate::grouped::grouped;
use crate::number;

/// The factor that sizes are levels of.
const RECORDS: &str = "records";

/// What is followed over sizes.
const FOLLOWED: [Metric; 2] = [Metric::Throughput, Metric::LatencyP99];

/// Everything a study says about sizes.
#[derive(Clone, Debug, Serialize)]
pub struct GrowthOverSizes {
    /// One for each workload (and level of the other factors) and metric.
    pub charts: Vec<GrowthChart>,
    /// What is not said, and why.
    pub notes: Vec<String>,
}

/// One metric over sizes, all systems.
#[derive(Clone, Debug, Serialize)]
pub struct GrowthChart {
    /// The workload and the levels of the other factors.
    pub title: String,
    /// The metric.
    pub metric: Metric,
    /// Why there are only values; `None` when growth can be judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unranked: Option<Unranked>,
    /// The systems.
    pub curves: Vec<GrowthCurve>,
    /// Pairs of systems, and where they change places.
    pub crossings: Vec<CrossingRow>,
}

/// One system over sizes.
#[derive(Clone, Debug, Serialize)]
pub struct GrowthCurve {
    /// The system.
    pub system: String,
    /// Index of its colour.
    pub color: usize,
    /// Ascending sizes.
    pub points: Vec<GrowthPoint>,
    /// The metric grows like records to this power; `None` below three sizes.
    pub exponent: Option<f64>,
    /// The exponent's interval; `None` below six blocks.
    pub interval: Option<Bounds>,
    /// Whether it is shown to be no power of the size.
    pub bends: bool,
    /// The same in words.
    pub sentence: String,
}

/// One size of one system.
#[derive(Clone, Debug, Serialize)]
pub struct GrowthPoint {
    /// Records.
    pub records: u64,
    /// Median over trials.
    pub median: f64,
    /// Only a lower bound of the median is known.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub at_least: bool,
    /// Its interval.
    pub interval: Option<Bounds>,
}

/// Where two systems change places.
#[derive(Clone, Debug, Serialize)]
pub struct CrossingRow {
    /// The first system.
    pub a: String,
    /// The second system.
    pub b: String,
    /// The number of records at which they are equal; `None` when they cross never or several times.
    pub records: Option<f64>,
    /// From here; `None`: not known, or before the smallest size.
    pub from: Option<f64>,
    /// To here; `None`: not known, or beyond the largest size.
    pub to: Option<f64>,
    /// The same in words.
    pub sentence: String,
}

/// What the cells of a study say about sizes; `None` when it has only one.
pub fn growth(systems: &[System], cells: &[Cell]) -> Option<GrowthOverSizes> {
    let families = grouped(cells.iter().filter_map(|cell| {
        let mut others = cell.factors.clone();
        let records: u64 = others.remove(RECORDS)?.parse().ok()?;
        Some(((cell.workload.clone(), others), (records, cell)))
    }));
    let mut reported = GrowthOverSizes {
        charts: Vec::new(),
        notes: Vec::new(),
    };
    for ((workload, others), sizes) in families {
        let sizes: BTreeMap<u64, &Cell> = sizes.into_iter().collect();
        let mut title = format!("Workload {workload}");
        for (name, level) in &others {
            title.push_str(&format!(" · {name} {level}"));
        }
        let open_loop = sizes.values().any(|cell| cell.open_loop);
        for metric in FOLLOWED {
            // With a rate the throughput is what was asked for.
            if !(open_loop && metric == Metric::Throughput) && sizes.len() > 1 {
                reported.charts.push(chart(systems, &title, metric, &sizes));
            }
        }
    }
    if reported.charts.is_empty() {
        return None;
    }
    if reported
        .charts
        .iter()
        .any(|chart| chart.curves.iter().any(|curve| curve.points.len() < FEWEST_SIZES))
    {
        reported.notes.push(format!(
            "An exponent needs at least {FEWEST_SIZES} sizes: two always lie on a line."
        ));
    }
    let mut refused: Vec<String> = Vec::new();
    for chart in &reported.charts {
        refused.extend(chart.unranked.as_ref().map(|why| {
            format!(
                "Growth of {} is not comparable: {}.",
                chart.metric.name(),
                why.reason()
            )
        }));
    }
    refused.dedup();
    reported.notes.extend(refused);
    reported
        .notes
        .push("Sizes below the smallest or above the largest one measured are not covered.".to_owned());
    Some(reported)
}

fn chart(systems: &[System], title: &str, metric: Metric, sizes: &BTreeMap<u64, &Cell>) -> GrowthChart {
    let measured: Vec<(&System, BySize<'_>)> = systems
        .iter()
        .filter(|system| system.twin_of.is_none())
        .map(|system| (system, by_size(&system.name, metric, sizes)))
        .filter(|(_, by_size)| !by_size.is_empty())
        .collect();
    let paces = sizes
        .values()
        .flat_map(|cell| &cell.systems)
        .filter(|own| measured.iter().any(|(system, _)| system.name == own.name))
        .map(|own| (own.name.as_str(), own.pace));
    let unranked = Unranked::new(metric, paces);
    let curves = measured
        .iter()
        .map(|(system, by_size)| curve(system, metric, by_size, unranked.is_none()))
        .collect();
    let mut crossings = Vec::new();
    let judged = if unranked.is_none() { &measured[..] } else { &[] };
    for (index, (a, first)) in judged.iter().enumerate() {
        for (b, second) in &judged[index + 1..] {
            // Those that promise different things are not ranked, at no size.
            let promises = |system: &System| (system.durability, system.consistency, system.scan_order);
            let is_sound = unreliable(first).or_else(|| unreliable(second)).is_none();
            if is_sound && promises(a) == promises(b) {
                crossings.extend(crossing(metric, (&a.name, first), (&b.name, second)));
            }
        }
    }
    GrowthChart {
        title: title.to_owned(),
        metric,
        unranked,
        curves,
        crossings,
    }
}

/// A system's part of the cell of each size, with its summary of one metric.
type BySize<'a> = BTreeMap<u64, (&'a CellSystem, &'a Summary)>;

fn by_size<'a>(system: &str, metric: Metric, sizes: &BTreeMap<u64, &'a Cell>) -> BySize<'a> {
    sizes
        .iter()
        .filter_map(|(records, cell)| {
            let own = cell.systems.iter().find(|own| own.name == system)?;
            Some((*records, (own, own.metric(metric)?)))
        })
        .collect()
}

/// Why nothing about growth rests on these cells; `None` when nothing forbids it.
fn unreliable<'a>(by_size: &BySize<'a>) -> Option<&'a str> {
    by_size.values().find_map(|(own, _)| own.unreliable.as_deref())
}

/// The blocks that have every size of all the given systems, as curves of each.
fn curves_of(of: &[&BySize<'_>]) -> Result<Vec<Curves>, GrowthError> {
    let sizes: Vec<u64> = of[0].keys().copied().collect();
    let values = |by_size: &BySize<'_>, records: u64| -> BTreeMap<u32, f64> {
        by_size.get(&records).map_or_else(BTreeMap::new, |(_, summary)| {
            summary
                .values
                .iter()
                .map(|value| (value.block, value.value))
                .collect()
        })
    };
    let columns: Vec<Vec<BTreeMap<u32, f64>>> = of
        .iter()
        .map(|by_size| sizes.iter().map(|records| values(by_size, *records)).collect())
        .collect();
    let complete: BTreeSet<u32> = columns[0][0]
        .keys()
        .copied()
        .filter(|block| columns.iter().flatten().all(|column| column.contains_key(block)))
        .collect();
    let logs: Vec<f64> = sizes.iter().map(|records| *records as f64).collect();
    columns
        .iter()
        .map(|columns| {
            let blocks: Vec<Vec<f64>> = complete
                .iter()
                .map(|block| columns.iter().map(|column| column[block]).collect())
                .collect();
            Curves::new(&logs, &blocks)
        })
        .collect()
}

fn curve(system: &System, metric: Metric, by_size: &BySize<'_>, is_judged: bool) -> GrowthCurve {
    let points: Vec<GrowthPoint> = by_size
        .iter()
        .map(|(records, (own, summary))| GrowthPoint {
            records: *records,
            median: summary.estimate.median,
            at_least: own.is_bound(metric),
            interval: summary.estimate.interval,
        })
        .collect();
    let mut reported = GrowthCurve {
        system: system.name.clone(),
        color: system.color,
        points,
        exponent: None,
        interval: None,
        bends: false,
        sentence: String::new(),
    };
    if !is_judged {
        let values: Vec<String> = reported
            .points
            .iter()
            .map(|point| {
                format!(
                    "{} at {} records",
                    metric.bounded(point.median, point.at_least),
                    number::quantity(point.records as f64)
                )
            })
            .collect();
        reported.sentence = format!("{}: {}; not comparable.", system.name, number::list(&values));
        return reported;
    }
    if let Some(reason) = unreliable(by_size) {
        reported.sentence = format!("{}: no exponent, {reason}.", system.name);
        return reported;
    }
    let growth = match curves_of(&[by_size]) {
        Ok(curves) => curves[0].growth(),
        Err(reason) => {
            reported.sentence = format!("{}: no exponent, {reason}.", system.name);
            return reported;
        }
    };
    reported.exponent = Some(growth.exponent);
    reported.interval = growth.interval.map(|(low, high)| Bounds {
        low,
        high,
        confidence: dbdyno_stats::CONFIDENCE,
    });
    reported.bends = growth.bends;
    let interval = match growth.interval {
        Some((low, high)) => format!("95% interval {} to {}", power(low), power(high)),
        None => format!(
            "no interval from {}",
            number::plural(growth.blocks, "block", "blocks")
        ),
    };
    let bend = if growth.bends {
        " The curve bends: the last step differs from the first, so this exponent is an average."
    } else {
        ""
    };
    reported.sentence = format!(
        "{}: {} ~ records^{} ({interval}); with ten times the records, {} is {}.{bend}",
        system.name,
        metric.name(),
        power(growth.exponent),
        metric.name(),
        number::times(10_f64.powf(growth.exponent), None, number::Quantity::Level, None),
    );
    reported
}

/// An exponent, never `-0.000`.
fn power(exponent: f64) -> String {
    let text = format!("{exponent:.3}");
    if text == "-0.000" {
        "0.000".to_owned()
    } else {
        text
    }
}

type SystemBySize<'a> = (&'a str, &'a BySize<'a>);

fn crossing(metric: Metric, a: SystemBySize<'_>, b: SystemBySize<'_>) -> Option<CrossingRow> {
    if !a.1.keys().eq(b.1.keys()) {
        return None;
    }
    let curves = curves_of(&[a.1, b.1]).ok()?;
    let found = curves[0].crossing(&curves[1])?;
    let records = |size: f64| number::quantity(size);
    let range = || {
        let ends = (a.1.keys().next().copied(), a.1.keys().next_back().copied());
        let end = |end: Option<u64>| records(end.unwrap_or_default() as f64);
        (end(ends.0), end(ends.1))
    };
    let name = metric.name();
    let mut row = CrossingRow {
        a: a.0.to_owned(),
        b: b.0.to_owned(),
        records: None,
        from: None,
        to: None,
        sentence: String::new(),
    };
    row.sentence = match found {
        Crossing::None { first_higher, shown } => {
            let (higher, lower) = if first_higher { (a.0, b.0) } else { (b.0, a.0) };
            let (low, high) = range();
            if shown {
                format!(
                    "{higher} has the higher {name} than {lower} at every size from {low} to {high} records."
                )
            } else {
                format!(
                    "{higher} and {lower} do not change places in {name} from {low} to {high} records as measured, but \
                     the difference is not shown at every size."
                )
            }
        }
        Crossing::Several(times) => {
            format!(
                "{} and {} change places in {name} {times} times: no single crossover.",
                a.0, b.0
            )
        }
        Crossing::Once {
            size,
            interval,
            first_higher_above,
        } => {
            row.records = Some(size);
            (row.from, row.to) = interval.unwrap_or_default();
            let winner = if first_higher_above { a.0 } else { b.0 };
            let loser = if first_higher_above { b.0 } else { a.0 };
            let (low, high) = range();
            let interval = match interval {
                None => "no interval from so few blocks".to_owned(),
                Some((from, to)) => format!(
                    "95% interval {} to {}",
                    from.map_or_else(|| format!("below {low}"), records),
                    to.map_or_else(|| format!("above {high}"), records)
                ),
            };
            format!(
                "From {} records on ({interval}), {winner} has the higher {name}; below, {loser}.",
                records(size)
            )
        }
    };
    Some(row)
}
