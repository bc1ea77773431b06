//! The level of every factor of a trial, derived from what it is asked to do.

use std::collections::BTreeMap;

use crate::Level;
use crate::factor::{CLIENTS, Factor, PILOT, PROBE, SYSTEM_FACTOR};
use crate::spec::{Origin, TrialSpec};

/// Levels by the name of their factor.
pub type FactorLevels = BTreeMap<String, Level>;

impl TrialSpec {
    /// The level of every factor by its name, as tables show them and group by them.
    #[must_use]
    pub fn factors(&self) -> FactorLevels {
        let word = |word: &String| Level::Word(word.clone());
        let of_system = self
            .system
            .factors
            .iter()
            .map(|(name, level)| (format!("{SYSTEM_FACTOR}{name}"), word(level)));
        let named = [("system", &self.system.name), ("workload", &self.workload)];
        named
            .map(|(name, level)| (name.to_owned(), word(level)))
            .into_iter()
            .chain(self.cell_levels())
            .chain(of_system)
            .collect()
    }

    /// What is the same for all systems of a cell: the workload, and the levels that tell its cells apart.
    #[must_use]
    pub fn cell(&self) -> (&str, FactorLevels) {
        (&self.workload, self.cell_levels())
    }

    /// The levels of the factors that tell cells of one workload apart: all but the workload, the system and the system's own.
    #[must_use]
    pub fn cell_levels(&self) -> FactorLevels {
        let is_own = !matches!(self.origin, Origin::Log { .. });
        let clients = is_own.then(|| (CLIENTS, Level::Count(u64::from(self.clients))));
        let chosen = self
            .factors
            .iter()
            .filter_map(|factor| Some((factor.name(), level(*factor, self)?)));
        let purpose = self
            .purpose
            .map(|purpose| (PROBE, Level::Word(purpose.name().to_owned())));
        let pilot = self.pilot_share.map(|share| (PILOT, Level::Share(share)));
        let durability = self
            .durability
            .map(|level| ("durability", Level::Durability(level)));
        let consistency = self
            .consistency
            .map(|level| ("consistency", Level::Consistency(level)));
        clients
            .into_iter()
            .chain(chosen)
            .chain(durability)
            .chain(consistency)
            .chain(purpose)
            .chain(pilot)
            .map(|(name, level)| (name.to_owned(), level))
            .collect()
    }
}

/// The level of a factor in a trial; `None` where it has none.
fn level(factor: Factor, spec: &TrialSpec) -> Option<Level> {
    match factor {
        Factor::Records => Some(Level::Count(spec.records)),
        Factor::Operations => spec.limit.operations.map(Level::Count),
        Factor::Rate => Some(match spec.pace {
            _ if spec.common_rate => Level::Common,
            Some(pace) => Level::Rate(pace.rate),
            None => Level::Unlimited,
        }),
    }
}
