//! The names and levels of factors, as people and tables see them.

use serde::{Deserialize, Serialize};

/// What the names of systems' own factors begin with: they belong to the system, and cells of one study are not told apart by
/// them.
pub const SYSTEM_FACTOR: &str = "system.";
/// The factor that marks a trial as a pilot of a common rate. Its level is the share of the slowest system's throughput that
/// becomes the common rate.
pub const PILOT: &str = "pilot";
/// The factor with the number of clients.
pub const CLIENTS: &str = "clients";
/// The factor with the rate asked for.
pub const RATE: &str = "rate";
/// The factor that says what a trial of a search or a sweep is for.
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
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Records, Self::Operations, Self::Rate];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Records => "records",
            Self::Operations => "operations",
            Self::Rate => RATE,
        }
    }
}
