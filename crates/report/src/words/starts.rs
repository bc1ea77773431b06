//! Trials on one start of servers are one value, in words.

use dbdyno_analysis::{CellSystem, Estimate};

use crate::number;

/// `6 trials`, or `6 trials, 6 starts`.
pub fn counted(estimate: &Estimate) -> String {
    let trials = number::plural(estimate.trials(), "trial", "trials");
    match estimate.trials_on_starts {
        None => trials,
        Some(_) => format!("{trials}, {}", number::plural(estimate.n, "start", "starts")),
    }
}

/// Says so where an estimate of a system has no interval because it counts starts.
pub fn tell(system: &mut CellSystem) {
    let own = [&mut system.throughput, &mut system.levelled, &mut system.load];
    let operations = system.operations.iter_mut();
    let all = own
        .into_iter()
        .chain(operations.flat_map(|own| [&mut own.p50, &mut own.p99]));
    for estimate in all.flatten().map(|summary| &mut summary.estimate) {
        if let Some(why) = estimate.why_no_interval.take() {
            estimate.why_no_interval = Some(match estimate.shares_starts() {
                true => format!(
                    "{} of the servers; trials on one start are one value: {why}",
                    counted(estimate)
                ),
                false => why,
            });
        }
    }
}
