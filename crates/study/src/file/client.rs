//! CPUs that the load generator has for itself: one process drives all systems of a study, so they agree on them.

use dbdyno_files::{Mistake, Placed};
use dbdyno_lab::{CLIENT_OPTION, client_cpus};
use dbdyno_machine::CpuList;

use crate::address;
use crate::file::definition::System;

/// Refuses systems of which some separate the load generator's CPUs, and others do not or name others.
pub(super) fn check(systems: &[Placed<System>]) -> Result<(), Mistake> {
    let cpus = |system: &System| -> Option<CpuList> {
        let system = address::read(&system.target)?.ok()?;
        client_cpus(&system.request).ok().flatten()
    };
    let mut all = systems.iter().map(|system| (system, cpus(&system.value)));
    let Some((first, of_first)) = all.next() else {
        return Ok(());
    };
    let Some((other, _)) = all.find(|(_, cpus)| *cpus != of_first) else {
        return Ok(());
    };
    let name = CLIENT_OPTION.name;
    Err(Mistake::new(
        other.span.clone(),
        format!(
            "`{}` and `{}` differ in `{name}`: one load generator drives both, and has the same CPUs for both",
            first.value.name, other.value.name
        ),
        format!(
            "write the same `{name}` in the address of every system of the lab, and measure other systems in a study of their own"
        ),
    ))
}
