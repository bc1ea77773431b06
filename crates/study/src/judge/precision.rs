//! How many blocks a study needs for the precision it wants.
//!
//! Whole blocks are added until the interval of every comparison is narrow enough, and confirmed to be: the rule is
//! `stats::precision`, where it is simulated.

use std::collections::BTreeSet;
use std::time::Duration;

use dbdyno_record::plan::planned_name;
use dbdyno_record::{TrialRecord, TrialStatus};
use dbdyno_stats::precision::{Stopping, half_width};
use dbdyno_stats::{Sample, estimate};
use dbdyno_vocabulary::number;

use crate::file::definition::{Precision, Study};
use crate::plan::Plan;
use crate::plan::analysis::{self, value};

/// Whether a study needs more blocks.
#[derive(Clone, Debug, PartialEq)]
pub enum Need {
    /// Blocks that were begun are not complete.
    Trials,
    /// Every interval is narrow enough; the widest one's half-width, as a share.
    Nothing(f64),
    /// Every interval is narrow enough, but the blocks that would confirm it do not fit, and an unconfirmed width holds less often.
    Unconfirmed(&'static str, f64),
    /// It would take more, but there are as many blocks as there may be, or the time is up; the widest one's half-width, when
    /// there are intervals at all.
    Stopped(&'static str, Option<f64>),
}

/// How many blocks a study has by now, and what it needs beyond them. It follows from the records alone, block by block, so
/// that a study that was killed takes the same way again.
#[must_use]
pub fn blocks(study: &Study, records: &[TrialRecord]) -> (u32, Need) {
    let mut blocks = study.trials;
    let mut stopping = study.precision.map(|precision| Stopping::new(precision.share));
    let measured = || records.iter().filter(|record| !record.spec.is_pilot());
    loop {
        let first: Vec<&TrialRecord> = measured().filter(|record| record.block < blocks).collect();
        if !complete(&Plan::of_blocks(study, blocks), &first) {
            return (blocks, Need::Trials);
        }
        let (Some(precision), Some(stopping)) = (study.precision, &mut stopping) else {
            return (blocks, Need::Nothing(0.0));
        };
        let widest = widest(&first);
        let end = match () {
            () if blocks >= precision.most_trials => Some("`max_trials` is reached"),
            () if over_budget(&precision, &first, blocks) => Some("the `budget` is spent"),
            () => None,
        };
        if stopping.enough(blocks, widest) {
            return (blocks, Need::Nothing(widest.unwrap_or_default()));
        }
        if let Some(why) = end {
            if let Some(widest) = widest.filter(|_| stopping.narrow(widest)) {
                return (blocks, Need::Unconfirmed(why, widest));
            }
            return (blocks, Need::Stopped(why, widest));
        }
        blocks += 1;
    }
}

/// Whether the target was met, in words; `None` while trials are missing.
#[must_use]
pub fn sentence(target: &Precision, blocks: u32, need: &Need) -> Option<String> {
    let wanted = number::share(target.share);
    match need {
        Need::Trials => None,
        Need::Nothing(share) => Some(format!(
            "after {blocks} blocks, every interval is within {} (requested: {wanted})",
            number::share(*share)
        )),
        Need::Unconfirmed(why, share) => Some(format!(
            "after {blocks} blocks, {why}: every interval is within {} (requested: {wanted}), but further blocks did not confirm it",
            number::share(*share)
        )),
        Need::Stopped(why, widest) => {
            let widest = widest.map_or_else(
                || "not every comparison has an interval".to_owned(),
                |share| format!("the widest interval is within {}", number::share(share)),
            );
            Some(format!(
                "after {blocks} blocks, {why}: {widest} (requested: {wanted})"
            ))
        }
    }
}

fn complete(plan: &Plan, records: &[&TrialRecord]) -> bool {
    let completed = records
        .iter()
        .filter(|record| record.status == TrialStatus::Completed);
    let done: BTreeSet<&str> = completed.map(|record| planned_name(&record.trial)).collect();
    plan.trials
        .iter()
        .all(|trial| done.contains(trial.planned.trial.as_str()))
}

/// Whether one more block like those before would take longer than there is time. The phases' time counts, disturbed trials
/// with it: pauses between two runs of the study do not.
fn over_budget(precision: &Precision, records: &[&TrialRecord], blocks: u32) -> bool {
    let Some(budget) = precision.budget else {
        return false;
    };
    let spent: Duration = records.iter().map(|record| spent(record)).sum();
    spent + spent / blocks.max(1) > budget
}

fn spent(record: &TrialRecord) -> Duration {
    let load_ns = record.load.as_ref().map_or(0, |load| load.duration_ns);
    let measured_ns = record.measure.as_ref().map_or(0, |measure| measure.duration_ns);
    let steady = record.conditions.warmup_ns.map(Duration::from_nanos);
    Duration::from_nanos(load_ns + measured_ns) + steady.unwrap_or(record.spec.warmup.longest)
}

/// The half-width of the widest interval, as a share: of the ratio of every two systems of a cell that are compared, as reports
/// analyse them; where a cell has one system only, of its median. `None` while one of them has no interval.
fn widest(records: &[&TrialRecord]) -> Option<f64> {
    let mut widest = 0.0_f64;
    for metric in analysis::metrics(records.iter().copied(), value)? {
        for systems in metric.systems().filter(|systems| systems.len() == 1) {
            for only in systems.values() {
                let sample = Sample::new(only.values().copied().collect()).ok()?;
                widest = widest.max(half_width(&estimate(&sample).interval?));
            }
        }
        let analysis = metric.analyse();
        for comparison in analysis.comparisons.iter().chain(&analysis.twins) {
            widest = widest.max(half_width(&comparison.interval?));
        }
    }
    Some(widest)
}

#[cfg(test)]
#[path = "precision_tests.rs"]
mod tests;
