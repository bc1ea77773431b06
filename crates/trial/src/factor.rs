//! The names and levels of factors, as people and tables see them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::TrialSpec;

/// What the names of systems' own factors begin with: they belong to the system, and cells of one study are not told apart by
/// them.
pub const SYSTEM_FACTOR: &str = "system.";
/// The factor that marks a trial as a pilot of a common rate. Its level is the share of the slowest system's throughput that
/// becomes the common rate.
pub const PILOT: &str = "pilot";
/// The factor that says what a trial of a search or a ladder is for.
pub const PROBE: &str = "probe";
/// The level of the factor `rate` of trials at the common rate, and of their pilots.
pub const COMMON: &str = "common";
/// The level of the factor `rate` of a closed loop.
pub const UNLIMITED: &str = "unlimited";

/// A setting that every trial has, and whose level names a cell only where the study chose it. The system, the workload
/// and the clients always name it, and so do settings that are absent unless they are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Factor {
    /// Records in the table.
    Records,
    /// Operations that end the measured phase.
    Operations,
    /// The rate of an open loop.
    Rate,
}

impl Factor {
    const fn name(self) -> &'static str {
        match self {
            Self::Records => "records",
            Self::Operations => "operations",
            Self::Rate => "rate",
        }
    }

    /// The level of a trial; `None` where it has none.
    fn level(self, spec: &TrialSpec) -> Option<String> {
        match self {
            Self::Records => Some(spec.records.to_string()),
            Self::Operations => spec.limit.operations.map(|operations| operations.to_string()),
            Self::Rate => Some(match spec.pace {
                _ if spec.common_rate => COMMON.to_owned(),
                Some(pace) => pace.rate.to_string(),
                None => UNLIMITED.to_owned(),
            }),
        }
    }
}

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
            .filter_map(|factor| Some((factor.name(), factor.level(self)?)));
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
