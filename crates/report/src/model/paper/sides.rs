//! A paper's numbers beside ours: one quantity under one workload, over sizes or rates.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_paper::measured::Measurements;
use dbdyno_paper::{LOAD, Paper, PrintedNumber, Rerun};
use dbdyno_stats::Sample;
use serde::Serialize;

use crate::model::{Interval, PrintedQuantity};

/// One quantity under one workload, over sizes.
#[derive(Clone, Debug, Serialize)]
pub struct Side {
    /// The paper's name of the workload.
    pub workload: String,
    /// What is shown.
    pub quantity: PrintedQuantity,
    /// What the sizes are: `records` or `operations`.
    pub size: String,
    /// One line of the chart for each system.
    pub systems: Vec<SideSystem>,
}

/// One system's numbers, the paper's and ours.
#[derive(Clone, Debug, Serialize)]
pub struct SideSystem {
    /// The paper's name of it, and ours.
    pub name: String,
    /// By the paper's sizes.
    pub points: Vec<SidePoint>,
}

/// The numbers of one size.
#[derive(Clone, Debug, Serialize)]
pub struct SidePoint {
    /// The paper's size.
    pub size: u64,
    /// What the paper printed.
    pub printed: Option<f64>,
    /// Our median.
    pub measured: Option<f64>,
    /// Its interval; `None` with too few trials.
    pub interval: Option<Interval>,
    /// Our trials.
    pub trials: usize,
}

impl Side {
    /// Whether we measured any of it.
    #[must_use]
    pub fn is_measured(&self) -> bool {
        let mut points = self.systems.iter().flat_map(|system| &system.points);
        points.any(|point| point.measured.is_some())
    }

    /// How many times the second system's number the first one's is, at one size: printed and measured. Sizes differ between the
    /// paper and a run of another scale, and ratios can be compared all the same.
    #[must_use]
    pub fn ratios(&self, size: u64) -> [Option<f64>; 2] {
        let at = |system: usize| {
            let points = &self.systems.get(system)?.points;
            points.iter().find(|point| point.size == size)
        };
        let of = |value: fn(&SidePoint) -> Option<f64>| Some(value(at(0)?)? / value(at(1)?)?);
        [of(|point| point.printed), of(|point| point.measured)]
    }

    /// All sizes, ascending.
    #[must_use]
    pub fn sizes(&self) -> Vec<u64> {
        let sizes: BTreeSet<u64> = self
            .systems
            .iter()
            .flat_map(|system| system.points.iter().map(|point| point.size))
            .collect();
        sizes.into_iter().collect()
    }
}

/// Every quantity that the paper printed of a part's workloads at several sizes or rates, or that we measured there.
pub(super) fn sides(paper: &Paper, rerun: &Rerun, measured: &Measurements) -> Vec<Side> {
    let printed: Vec<PrintedNumber> = dbdyno_paper::numbers(paper)
        .into_iter()
        .filter(|number| is_of_part(&number.attributes, rerun))
        .collect();
    let columns: BTreeSet<(&str, &str)> = printed
        .iter()
        .filter_map(|number| {
            Some((
                number.attributes.get("workload")?.as_str(),
                number.column.as_str(),
            ))
        })
        .collect();
    let sides = columns.into_iter().filter_map(|(workload, column)| {
        let quantity = PrintedQuantity::of_column(column)?;
        let printed: Vec<&PrintedNumber> = printed
            .iter()
            .filter(|number| number.column == column && is_of(&number.attributes, "workload", workload))
            .collect();
        // What the paper's sizes are of: its own attribute, the one that has numbers.
        let size = SIZES.into_iter().find(|size| {
            let is_rated = *size != "rate" || !rerun.rates.is_empty();
            is_rated
                && printed
                    .iter()
                    .any(|number| size_of(&number.attributes, size).is_some())
        })?;
        let systems: Vec<SideSystem> = rerun
            .systems
            .iter()
            .map(|system| SideSystem {
                name: system.id.clone(),
                points: points(&printed, measured, (workload, column, size), &system.id),
            })
            .collect();
        Some(Side {
            workload: workload.to_owned(),
            quantity,
            size: match size {
                "ops" => "operations".to_owned(),
                other => other.to_owned(),
            },
            systems,
        })
    });
    sides.collect()
}

/// What a paper's tables vary.
const SIZES: [&str; 3] = ["records", "ops", "rate"];

/// Whether a printed number is of what a part measures.
pub(super) fn is_of_part(attributes: &BTreeMap<String, String>, rerun: &Rerun) -> bool {
    let topology = attributes.get("topology");
    let workload = attributes.get("workload");
    topology.is_none_or(|topology| *topology == rerun.topology)
        && workload.is_some_and(|workload| {
            workload == LOAD || rerun.workloads.iter().any(|known| known.id == *workload)
        })
}

pub(super) fn is_of(attributes: &BTreeMap<String, String>, name: &str, value: &str) -> bool {
    attributes.get(name).is_some_and(|own| own == value)
}

fn size_of(attributes: &BTreeMap<String, String>, size: &str) -> Option<u64> {
    let number: f64 = attributes.get(size)?.parse().ok()?;
    Some(number.round() as u64)
}

/// One system's numbers by size. Of several that were printed for one size, their mean.
fn points(
    printed: &[&PrintedNumber],
    measured: &Measurements,
    (workload, column, size): (&str, &str, &str),
    system: &str,
) -> Vec<SidePoint> {
    let is_of_system = |attributes: &BTreeMap<String, String>| {
        is_of(attributes, "workload", workload) && is_of(attributes, "system", system)
    };
    let mut points: BTreeMap<u64, SidePoint> = BTreeMap::new();
    let mut of_size: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for number in printed.iter().filter(|number| is_of_system(&number.attributes)) {
        if let Some(at) = size_of(&number.attributes, size) {
            of_size.entry(at).or_default().push(number.value);
        }
    }
    for (at, values) in of_size {
        point(&mut points, at).printed = Some(values.iter().sum::<f64>() / values.len() as f64);
    }
    for row in measured.rows.iter().filter(|row| is_of_system(&row.attributes)) {
        let at = size_of(&row.attributes, size);
        let sample = row
            .values
            .get(column)
            .map(|blocks| blocks.values().copied().collect());
        if let (Some(at), Some(Ok(sample))) = (at, sample.map(Sample::new)) {
            let estimate = dbdyno_stats::estimate(&sample);
            let point = point(&mut points, at);
            point.measured = Some(estimate.median);
            point.interval = estimate.interval;
            point.trials = estimate.n;
        }
    }
    points.into_values().collect()
}

fn point(points: &mut BTreeMap<u64, SidePoint>, size: u64) -> &mut SidePoint {
    points.entry(size).or_insert(SidePoint {
        size,
        printed: None,
        measured: None,
        interval: None,
        trials: 0,
    })
}
