//! The common rate of a cell: how much it is, and which pilots it comes from.

use dbdyno_record::pilot::{COMMON, PILOT, share_a_rate};
use dbdyno_record::{TrialRecord, TrialStatus};
use serde::Serialize;

/// One rate at which all systems of a cell were measured.
#[derive(Clone, Debug, Serialize)]
pub struct CommonRate {
    /// Operations per second; `None` when no trial was begun at it.
    pub per_second: Option<f64>,
    /// The share of the slowest system's closed-loop throughput, as the study says it; empty without pilots.
    pub share: String,
    /// The pilots that completed, system by system: throughput of a closed loop.
    pub pilots: Vec<(String, f64)>,
}

/// Of the cell with these trials; `None` when its rate is no common one.
pub fn common_rate(trials: &[&TrialRecord], pilots: &[TrialRecord]) -> Option<CommonRate> {
    let factors = &trials.first()?.factors;
    if factors.get("rate").is_none_or(|rate| rate != COMMON) {
        return None;
    }
    let own = || {
        pilots
            .iter()
            .filter(|pilot| share_a_rate(factors, &pilot.factors))
    };
    let throughput = |pilot: &TrialRecord| {
        let measure = pilot
            .measure
            .as_ref()
            .filter(|_| pilot.status == TrialStatus::Completed);
        Some((pilot.system.name.clone(), measure?.throughput_per_second()?))
    };
    Some(CommonRate {
        per_second: trials.iter().find_map(|trial| trial.settings.rate),
        share: own()
            .find_map(|pilot| pilot.factors.get(PILOT).cloned())
            .unwrap_or_default(),
        pilots: own().filter_map(throughput).collect(),
    })
}
