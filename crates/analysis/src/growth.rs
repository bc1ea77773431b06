//! Sizes as a factor: how each system's numbers grow with its records, and where two systems change places.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_stats::growth::{Crossing, Curves, Growth, GrowthError};
use dbdyno_trial::{FactorLevels, Level};
use serde::Serialize;

use super::{Cell, CellSystem, Interval, Metric, Summary, System, Unranked};
use crate::grouped::grouped;
use crate::validity::Unreliable;

/// The factor that sizes are levels of.
const RECORDS: &str = "records";

/// What is followed over sizes.
const FOLLOWED: [Metric; 2] = [Metric::Throughput, Metric::LatencyP99];

/// One metric over sizes, all systems.
#[derive(Clone, Debug)]
pub struct GrowthChart {
    /// The workload.
    pub workload: String,
    /// The levels of the other factors.
    pub factors: FactorLevels,
    /// The metric.
    pub metric: Metric,
    /// Why there are only values; `None` when growth can be judged.
    pub unranked: Option<Unranked>,
    /// The systems.
    pub curves: Vec<GrowthCurve>,
    /// Pairs of systems, and where they change places.
    pub crossings: Vec<SystemsCrossing>,
}

/// One system over sizes.
#[derive(Clone, Debug)]
pub struct GrowthCurve {
    /// The system.
    pub system: String,
    /// Index of its colour.
    pub color: usize,
    /// Ascending sizes.
    pub points: Vec<GrowthPoint>,
    /// How the metric grows, or why nobody can say.
    pub growth: Result<Growth, NoGrowth>,
}

/// Why there is no exponent.
#[derive(Clone, Debug, PartialEq)]
pub enum NoGrowth {
    /// The metric ranks nothing, so that its values are all there is.
    Unranked,
    /// No verdict rests on the system's trials, for this reason.
    Unreliable(Unreliable),
    /// There is nothing to fit.
    Unfitted(GrowthError),
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
    pub interval: Option<Interval>,
}

/// Where two systems change places.
#[derive(Clone, Debug)]
pub struct SystemsCrossing {
    /// The first system.
    pub a: String,
    /// The second system.
    pub b: String,
    /// The smallest and the largest size of both.
    pub sizes: (u64, u64),
    /// Where their curves cross.
    pub crossing: Crossing,
}

/// What the cells of a study say about sizes; nothing when it has only one.
pub fn growth(systems: &[System], cells: &[Cell]) -> Vec<GrowthChart> {
    let families = grouped(cells.iter().filter_map(|cell| {
        let mut others = cell.factors.clone();
        let Level::Count(records) = others.remove(RECORDS)? else {
            return None;
        };
        Some(((cell.workload.clone(), others), (records, cell)))
    }));
    let mut charts = Vec::new();
    for (work, sizes) in families {
        let sizes: BTreeMap<u64, &Cell> = sizes.into_iter().collect();
        let open_loop = sizes.values().any(|cell| cell.open_loop);
        for metric in FOLLOWED {
            // With a rate the throughput is what was asked for.
            if !(open_loop && metric == Metric::Throughput) && sizes.len() > 1 {
                charts.push(chart(systems, &work, metric, &sizes));
            }
        }
    }
    charts
}

fn chart(
    systems: &[System],
    (workload, factors): &(String, FactorLevels),
    metric: Metric,
    sizes: &BTreeMap<u64, &Cell>,
) -> GrowthChart {
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
                crossings.extend(crossing((&a.name, first), (&b.name, second)));
            }
        }
    }
    GrowthChart {
        workload: workload.clone(),
        factors: factors.clone(),
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
fn unreliable<'a>(by_size: &BySize<'a>) -> Option<&'a Unreliable> {
    by_size.values().find_map(|(own, _)| own.doubt.as_ref())
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
    GrowthCurve {
        system: system.name.clone(),
        color: system.color,
        points,
        growth: if is_judged {
            follow(by_size)
        } else {
            Err(NoGrowth::Unranked)
        },
    }
}

fn follow(by_size: &BySize<'_>) -> Result<Growth, NoGrowth> {
    if let Some(reason) = unreliable(by_size) {
        return Err(NoGrowth::Unreliable(reason.clone()));
    }
    let curves = curves_of(&[by_size]).map_err(NoGrowth::Unfitted)?;
    Ok(curves[0].growth())
}

type SystemBySize<'a> = (&'a str, &'a BySize<'a>);

fn crossing(a: SystemBySize<'_>, b: SystemBySize<'_>) -> Option<SystemsCrossing> {
    if !a.1.keys().eq(b.1.keys()) {
        return None;
    }
    let curves = curves_of(&[a.1, b.1]).ok()?;
    Some(SystemsCrossing {
        a: a.0.to_owned(),
        b: b.0.to_owned(),
        sizes: (*a.1.keys().next()?, *a.1.keys().next_back()?),
        crossing: curves[0].crossing(&curves[1])?,
    })
}
