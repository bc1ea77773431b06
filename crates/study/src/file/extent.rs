//! How large a study may be.

use std::ops::Range;

use dbdyno_files::Mistake;

use crate::file::definition::Study;

/// The most trials of a study: at a second each they take a day. Every one of them is in the plan, which is held in memory.
pub(crate) const MOST_TRIALS_IN_ALL: u64 = 100_000;

/// Refuses a study whose plan would be too large, before any of its cells is made. `place` is where the file says so.
pub(crate) fn check(study: &Study, place: &Range<usize>) -> Result<(), Mistake> {
    let blocks = study
        .precision
        .as_ref()
        .map_or(0, |precision| precision.most_trials);
    let trials = [
        study.systems.len(),
        study.workloads.len(),
        study.records.len().max(1),
        study.operations.len().max(1),
        study.clients.len(),
        study.rates.len(),
        study.consistencies.len(),
        study.durabilities.len(),
    ]
    .into_iter()
    .fold(u64::from(study.trials.max(blocks)), |trials, levels| {
        trials.saturating_mul(levels as u64)
    });
    if trials <= MOST_TRIALS_IN_ALL {
        return Ok(());
    }
    Err(Mistake::new(
        place.clone(),
        format!("this study has {trials} trials; the maximum is {MOST_TRIALS_IN_ALL}"),
        "lower `trials`, or use fewer systems, workloads, clients, rates, records or operations",
    ))
}
