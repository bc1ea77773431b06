//! Points of a history that hold trials of an earlier point: counted again, they would be evidence of nothing.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_analysis::CellName;
use dbdyno_record::HistoryEntry;
use serde::Serialize;

use crate::history_line::measured;
use crate::same_trials;
use crate::sample::MetricSample;

/// A point whose trials an earlier one holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct CopiedPoint {
    /// The point.
    pub label: String,
    /// The earlier one.
    pub of: String,
    /// Trials of a test that both have.
    pub trials: usize,
}

/// One test at one point.
struct AtPoint<'a> {
    label: &'a str,
    places: Vec<usize>,
    metrics: Vec<MetricSample>,
}

/// The places of the lines that hold trials of an earlier point of their test, each with what is known of its point.
pub fn copied_lines(entries: &[HistoryEntry]) -> BTreeMap<usize, CopiedPoint> {
    let mut tests: BTreeMap<(&str, CellName), Vec<AtPoint<'_>>> = BTreeMap::new();
    for (place, entry) in entries.iter().enumerate() {
        let cell = CellName::read(&entry.cell).common();
        let points = tests.entry((&entry.study, cell)).or_default();
        let known = points.iter().position(|point| point.label == entry.label);
        let at = known.unwrap_or_else(|| {
            points.push(AtPoint {
                label: &entry.label,
                places: Vec::new(),
                metrics: Vec::new(),
            });
            points.len() - 1
        });
        points[at].places.push(place);
        points[at].metrics.push(measured(entry));
    }
    let mut copied = BTreeMap::new();
    for points in tests.into_values() {
        let mut kept: Vec<AtPoint<'_>> = Vec::new();
        let mut values: BTreeSet<u64> = BTreeSet::new();
        for point in points {
            let own: Vec<u64> = all_values(&point).collect();
            // Every pair of points would take long where there are a thousand, and hardly any point shares a value with others.
            let is_new = own.iter().all(|value| !values.contains(value));
            let holder = kept.iter().filter(|_| !is_new).find_map(|earlier| {
                let trials = same_trials::shared(&earlier.metrics, &point.metrics);
                (trials > 0).then(|| CopiedPoint {
                    label: point.label.to_owned(),
                    of: earlier.label.to_owned(),
                    trials,
                })
            });
            match holder {
                Some(holder) => copied.extend(point.places.iter().map(|place| (*place, holder.clone()))),
                None => {
                    values.extend(own);
                    kept.push(point);
                }
            }
        }
    }
    copied
}

/// The values that may identify a trial.
fn all_values(point: &AtPoint<'_>) -> impl Iterator<Item = u64> {
    let all = point.metrics.iter().flat_map(|metric| &metric.values);
    all.filter(|value| value.fract() != 0.0)
        .map(|value| value.to_bits())
}

/// Whether `added` holds trials of a point of `known` already: the first such point.
#[must_use]
pub fn already_held(known: &[HistoryEntry], added: &[HistoryEntry]) -> Option<CopiedPoint> {
    let all = [known, added].concat();
    let mut copied = copied_lines(&all).into_iter();
    copied.find_map(|(place, point)| (place >= known.len()).then_some(point))
}
