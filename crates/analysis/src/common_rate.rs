//! The common rate of a cell: how much it is, and which pilots it comes from.

use dbdyno_record::pilot::{COMMON, PILOT, share_a_rate};
use dbdyno_record::{TrialRecord, TrialStatus};
use serde::Serialize;

use crate::number;

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

impl CommonRate {
    /// For titles: `common rate of 5.20k/s`.
    pub fn name(&self) -> String {
        let rate = self.per_second.map_or("unknown".to_owned(), number::rate);
        format!("common rate of {rate}")
    }

    /// Where it comes from; empty without pilots.
    pub fn origin(&self) -> String {
        if self.pilots.is_empty() {
            return String::new();
        }
        let pilots: Vec<String> = self
            .pilots
            .iter()
            .map(|(system, throughput)| format!("{system} {}", number::rate(*throughput)))
            .collect();
        format!(
            "the rate is {} of the slowest system's throughput at full speed (pilots: {})",
            self.share,
            pilots.join(", ")
        )
    }
}
