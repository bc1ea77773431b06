//! The common rate of a cell: how much it is, and which pilots it comes from.

use dbdyno_record::pilot::share_a_rate;
use dbdyno_record::{TrialRecord, TrialStatus};
use dbdyno_trial::Level;
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
    let asked = &trials.first()?.spec;
    if !asked.common_rate {
        return None;
    }
    let own = || pilots.iter().filter(|pilot| share_a_rate(asked, &pilot.spec));
    let throughput = |pilot: &TrialRecord| {
        let measure = pilot
            .measure
            .as_ref()
            .filter(|_| pilot.status == TrialStatus::Completed);
        Some((pilot.system.name.clone(), measure?.throughput_per_second()?))
    };
    Some(CommonRate {
        per_second: trials.iter().find_map(|trial| trial.spec.rate()),
        share: own()
            .find_map(|pilot| pilot.spec.pilot_share)
            .map_or_else(String::new, |share| Level::Share(share).to_string()),
        pilots: own().filter_map(throughput).collect(),
    })
}
