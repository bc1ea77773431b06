//! Studies that vary options of servers: which level is compared with which baseline.

use crate::{CellSystem, Metric, Pace, System, Unranked};

/// The levels of a study, each with its baseline, in the order of the systems; empty where nothing is varied.
pub fn levels(systems: &[System]) -> Vec<(&str, &str)> {
    let level = |system: &&System| system.twin_of.is_none();
    let with_base = systems.iter().filter(level).filter_map(|system| {
        let base = system.base.as_deref()?;
        (base != system.name).then_some((system.name.as_str(), base))
    });
    with_base.collect()
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
