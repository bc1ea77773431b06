//! Studies that vary options of servers: which level is compared with which baseline.

use dbdyno_record::TrialRecord;

use crate::grouped::grouped;
use crate::{CellSystem, Metric, Pace, System, Unranked};

/// The baseline of a trial's system, as its study asked; of a baseline it is itself. `None` where nothing is varied.
pub fn of_trial(trial: &TrialRecord) -> Option<&str> {
    trial.spec.system.base.as_deref()
}

impl System {
    /// The baseline of a level; `None` for baselines themselves, and where nothing is varied.
    #[must_use]
    pub fn baseline(&self) -> Option<&str> {
        self.base.as_deref().filter(|base| *base != self.name)
    }
}

/// The levels of a study, each with its baseline, in the order of the systems; empty where nothing is varied.
pub fn levels(systems: &[System]) -> Vec<(&str, &str)> {
    let originals = systems.iter().filter(|system| system.twin_of.is_none());
    originals
        .filter_map(|system| Some((system.name.as_str(), system.baseline()?)))
        .collect()
}

/// The baselines of a study, each with its levels, in the order of the systems.
pub fn by_base(systems: &[System]) -> Vec<(&str, Vec<&str>)> {
    grouped(levels(systems).into_iter().map(|(level, base)| (base, level)))
}

/// Whether the study varies options of servers.
pub fn is_varied(systems: &[System]) -> bool {
    systems.iter().any(|system| system.base.is_some())
}

/// What distinguishes a level from its baseline, by their names: `security=tls`.
pub fn label<'a>(level: &'a str, base: &str) -> &'a str {
    level.strip_prefix(base).map_or(level, str::trim_start)
}

/// The pairs of one group that are compared, as places in the cell, and why the metric does not rank them.
pub fn pairs(
    metric: Metric,
    group: &[usize],
    measured: &[CellSystem],
    systems: &[System],
) -> Vec<(usize, usize, Option<Unranked>)> {
    let place = |name: &str| {
        let of_group =
            |index: &&usize| measured[**index].name == name && measured[**index].metric(metric).is_some();
        group.iter().find(of_group).copied()
    };
    let pace = |index: usize| -> (&str, Pace) { (&measured[index].name, measured[index].pace) };
    levels(systems)
        .into_iter()
        .filter_map(|(level, base)| {
            let (level, base) = (place(level)?, place(base)?);
            Some((level, base, Unranked::new(metric, [pace(level), pace(base)])))
        })
        .collect()
}
