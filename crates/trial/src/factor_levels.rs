//! The level of every factor of a trial, derived from what it is asked to do.

use std::collections::BTreeMap;

use crate::factor::{COMMON, Factor, PILOT, PROBE, SYSTEM_FACTOR, UNLIMITED};
use crate::spec::TrialSpec;

impl TrialSpec {
    /// The level of every factor by its name, as tables show them and group by them.
    #[must_use]
    pub fn factors(&self) -> BTreeMap<String, String> {
        let always = [
            ("system", self.system.name.clone()),
            ("workload", self.workload.clone()),
            ("clients", self.clients.to_string()),
        ];
        let chosen = self
            .factors
            .iter()
            .filter_map(|factor| Some((factor.name(), level(*factor, self)?)));
        let purpose = self.purpose.map(|purpose| (PROBE, purpose.name().to_owned()));
        let pilot = self
            .pilot_share
            .map(|share| (PILOT, format!("{:.0}%", share * 100.0)));
        let durability = self
            .durability
            .map(|level| ("durability", level.name().to_owned()));
        let consistency = self
            .consistency
            .map(|level| ("consistency", level.name().to_owned()));
        let of_system = self
            .system
            .factors
            .iter()
            .map(|(name, level)| (format!("{SYSTEM_FACTOR}{name}"), level.clone()));
        always
            .into_iter()
            .chain(chosen)
            .chain(durability)
            .chain(consistency)
            .chain(purpose)
            .chain(pilot)
            .map(|(name, level)| (name.to_owned(), level))
            .chain(of_system)
            .collect()
    }
}

/// The level of a factor in a trial; `None` where it has none.
fn level(factor: Factor, spec: &TrialSpec) -> Option<String> {
    match factor {
        Factor::Records => Some(spec.records.to_string()),
        Factor::Operations => spec.limit.operations.map(|operations| operations.to_string()),
        Factor::Rate => Some(match spec.pace {
            _ if spec.common_rate => COMMON.to_owned(),
            Some(pace) => pace.rate.to_string(),
            None => UNLIMITED.to_owned(),
        }),
    }
}
