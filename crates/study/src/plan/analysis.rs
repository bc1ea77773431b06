//! The comparisons of a study as `stats` analyses them: what its records measured, cell by cell.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_record::{TrialRecord, TrialStatus, attempted};
use dbdyno_stats::pooled::{Analysis, CellValues, Pair, Question, analyse};
use dbdyno_stats::{Better, MARGIN};
use dbdyno_trial::FactorLevels;
use dbdyno_vocabulary::twin_original;

/// The workload and the levels of all factors but the system's.
pub(crate) type Cell<'a> = (&'a str, FactorLevels);
/// The values of every system's trials, by block.
type Systems<'a> = BTreeMap<&'a str, BTreeMap<u32, f64>>;

/// One metric of a study: throughput of the closed loops, or latency at a rate.
#[derive(Debug, Default)]
pub struct MetricValues<'a> {
    cells: BTreeMap<Cell<'a>, Systems<'a>>,
    bases: BTreeMap<&'a str, &'a str>,
}

/// What the completed trials measured: closed loops, then trials at a rate, each one metric. `value` is what a trial is about; `None`
/// when it has none.
pub fn metrics<'a>(
    records: impl IntoIterator<Item = &'a TrialRecord>,
    value: impl Fn(&TrialRecord) -> Option<f64>,
) -> Option<[MetricValues<'a>; 2]> {
    let mut metrics = [MetricValues::default(), MetricValues::default()];
    for record in records {
        if record.status != TrialStatus::Completed {
            continue;
        }
        let metric = &mut metrics[usize::from(record.spec.rate().is_some())];
        let systems = metric.cells.entry(record.spec.cell()).or_default();
        let of_system = systems.entry(record.system.name.as_str()).or_default();
        of_system.insert(record.block, value(record)?);
        if let Some(base) = record.spec.system.base.as_deref() {
            metric.bases.insert(record.system.name.as_str(), base);
        }
    }
    Some(metrics)
}

/// What the trial is about: its throughput or, with a rate, which fixes that, its 99th percentile.
pub fn value(record: &TrialRecord) -> Option<f64> {
    let measure = record.measure.as_ref()?;
    if record.spec.rate().is_none() {
        return measure.throughput_per_second().filter(|&rate| rate > 0.0);
    }
    let p99 = attempted(measure.operations.values()).percentile(99.0)?;
    Some(p99.ns() as f64)
}

impl<'a> MetricValues<'a> {
    /// The values of every system, cell by cell.
    pub fn systems(&self) -> impl Iterator<Item = &Systems<'a>> {
        self.cells.values()
    }

    /// Every two systems of a cell that are compared, A/A twins apart; where the study varies options of servers, a level and its baseline.
    pub fn analyse(&self) -> Analysis {
        let (mut cells, mut pairs, mut twins) = (Vec::new(), Vec::new(), Vec::new());
        for (cell, systems) in self.cells.values().enumerate() {
            let names: Vec<&str> = systems.keys().copied().collect();
            let place = |name: &str| names.iter().position(|own| *own == name);
            let copies: BTreeSet<usize> = names
                .iter()
                .enumerate()
                .filter_map(|(copy, name)| {
                    let original = place(twin_original(name)?)?;
                    twins.push(Pair {
                        cell,
                        a: copy,
                        b: original,
                    });
                    Some(copy)
                })
                .collect();
            let compared = |a: usize, b: usize| {
                !copies.contains(&a) && !copies.contains(&b) && self.are_compared(names[a], names[b])
            };
            for a in 0..names.len() {
                let others = (0..names.len()).filter(|&b| a != b && compared(a, b));
                // Without baselines, each pair once.
                let once = others.filter(|&b| !self.bases.is_empty() || a < b);
                pairs.extend(once.map(|b| Pair { cell, a, b }));
            }
            cells.push(CellValues {
                systems: systems.values().cloned().collect(),
            });
        }
        analyse(&Question {
            cells: &cells,
            pairs: &pairs,
            twins: &twins,
            // The width of an interval does not depend on it.
            better: Better::Higher,
            margin: MARGIN,
        })
    }

    fn are_compared(&self, system: &str, other: &str) -> bool {
        self.bases.is_empty() || self.bases.get(system).is_some_and(|base| *base == other)
    }
}
