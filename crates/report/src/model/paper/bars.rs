//! A paper's numbers beside ours: one quantity by workload, at the largest size or as far as no sizes are printed.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_paper::measured::{Measurements, Row};
use dbdyno_paper::{Paper, PrintedNumber, Rerun};
use dbdyno_stats::{Estimate, Sample};
use serde::Serialize;

use super::sides::{is_of, is_of_part};
use crate::model::{Interval, PrintedQuantity};

/// One quantity, workload by workload.
#[derive(Clone, Debug, Serialize)]
pub struct Bars {
    /// What is shown.
    pub quantity: PrintedQuantity,
    /// The size that all of it is at, with what it is of; `None` where the paper printed no sizes.
    pub size: Option<(u64, String)>,
    /// The workloads.
    pub groups: Vec<BarGroup>,
}

/// One workload.
#[derive(Clone, Debug, Serialize)]
pub struct BarGroup {
    /// The paper's name of it.
    pub workload: String,
    /// Its systems.
    pub values: Vec<BarValue>,
}

/// One system's numbers.
#[derive(Clone, Debug, Serialize)]
pub struct BarValue {
    /// The system.
    pub system: String,
    /// What the paper printed.
    pub printed: Option<f64>,
    /// Our median.
    pub measured: Option<f64>,
    /// Its interval; `None` with too few trials.
    pub interval: Option<Interval>,
}

/// The quantities that a part has of two workloads or more: latencies by kind of operation, and others where no sizes are printed,
/// which a line over sizes cannot show.
pub(super) fn bars(paper: &Paper, rerun: &Rerun, measured: &Measurements) -> Vec<Bars> {
    // At rates the figures are over rates.
    if !rerun.rates.is_empty() {
        return Vec::new();
    }
    let printed: Vec<PrintedNumber> = dbdyno_paper::numbers(paper)
        .into_iter()
        .filter(|number| is_of_part(&number.attributes, rerun))
        .collect();
    let columns: BTreeSet<&str> = printed.iter().map(|number| number.column.as_str()).collect();
    let of = |column: &str| {
        let quantity = PrintedQuantity::of_column(column)?;
        let own: Vec<&PrintedNumber> = printed.iter().filter(|number| number.column == column).collect();
        let size = largest(&own);
        if size.is_some() && !matches!(quantity, PrintedQuantity::MeanLatency(_)) {
            return None;
        }
        let workloads: BTreeSet<&String> = own
            .iter()
            .filter_map(|number| number.attributes.get("workload"))
            .collect();
        let groups: Vec<BarGroup> = workloads
            .into_iter()
            .map(|workload| BarGroup {
                workload: workload.clone(),
                values: rerun
                    .systems
                    .iter()
                    .map(|system| value(&own, measured, (quantity, size), [workload, &system.id]))
                    .collect(),
            })
            .collect();
        (groups.len() > 1).then(|| Bars {
            quantity,
            size: size.map(|(size, of)| {
                let of = if of == "ops" { "operations" } else { of };
                (size, of.to_owned())
            }),
            groups,
        })
    };
    columns.into_iter().filter_map(of).collect()
}

/// The largest size, where all numbers are at sizes.
fn largest(own: &[&PrintedNumber]) -> Option<(u64, &'static str)> {
    ["records", "ops"].into_iter().find_map(|size| {
        let sizes: Option<Vec<u64>> = own
            .iter()
            .map(|number| number.attributes.get(size)?.parse().ok())
            .collect();
        Some((sizes?.into_iter().max()?, size))
    })
}

/// Where several numbers were printed of a system and workload, the highest throughput, or else their mean; of ours likewise.
fn value(
    own: &[&PrintedNumber],
    measured: &Measurements,
    (quantity, size): (PrintedQuantity, Option<(u64, &str)>),
    [workload, system]: [&str; 2],
) -> BarValue {
    let is_at = |attributes: &BTreeMap<String, String>| {
        let at_size = size.is_none_or(|(at, of)| is_of(attributes, of, &at.to_string()));
        at_size && is_of(attributes, "workload", workload) && is_of(attributes, "system", system)
    };
    let printed = own.iter().filter(|number| is_at(&number.attributes));
    let printed: Vec<f64> = printed.map(|number| number.value).collect();
    let is_highest = quantity == PrintedQuantity::Throughput;
    let printed = match (printed.len(), is_highest) {
        (0, _) => None,
        (_, true) => printed.iter().copied().reduce(f64::max),
        (count, false) => Some(printed.iter().sum::<f64>() / count as f64),
    };
    let rows = measured.rows.iter().filter(|row| is_at(&row.attributes));
    let estimates = rows.filter_map(|row| estimate(row, &quantity.column()));
    // Without a size of the paper, ours are at several: the highest throughput, or the longest time.
    let measured = estimates.max_by(|one, other| one.median.total_cmp(&other.median));
    BarValue {
        system: system.to_owned(),
        printed,
        measured: measured.as_ref().map(|estimate| estimate.median),
        interval: measured.and_then(|estimate| estimate.interval),
    }
}

fn estimate(row: &Row, column: &str) -> Option<Estimate> {
    let values: Vec<f64> = row.values.get(column)?.values().copied().collect();
    Some(dbdyno_stats::estimate(&Sample::new(values).ok()?))
}
