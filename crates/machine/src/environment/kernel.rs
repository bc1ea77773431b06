//! Operating system, kernel, and what they run in.

use std::path::Path;

use dbdyno_record::environment::KernelFacts;
use sysinfo::System;

use crate::tables::{CpuInfo, Current as _};
use crate::{snapshot, text};

pub(super) fn facts() -> KernelFacts {
    KernelFacts {
        system: System::long_os_version().ok(),
        version: System::kernel_version().ok(),
        clock_source: clock_source(),
        virtualisation: virtualisation(),
        container: container(),
    }
}

/// The source of the kernel's clock, e.g. `tsc`.
#[must_use]
pub fn clock_source() -> Option<String> {
    text("/sys/devices/system/clocksource/clocksource0/current_clocksource")
}

fn virtualisation() -> Option<String> {
    let vendor = text("/sys/class/dmi/id/sys_vendor");
    let product = text("/sys/class/dmi/id/product_name");
    let firmware = [vendor, product]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join(" ");
    let kind = text("/sys/hypervisor/type");
    let cpus = CpuInfo::current().ok()?;
    hypervisor(cpus.flags(0).as_deref(), kind.as_deref(), &firmware)
}

/// x86 CPUs show by a flag whether a hypervisor is under them; other CPUs have no such flag, and nothing is known unless the
/// kernel names the hypervisor.
fn hypervisor(flags: Option<&[&str]>, kind: Option<&str>, firmware: &str) -> Option<String> {
    let flagged = flags.is_some_and(|flags| flags.contains(&"hypervisor"));
    match (flagged, kind) {
        (true, kind) => {
            let name = kind.unwrap_or("a hypervisor");
            Some(if firmware.is_empty() {
                name.to_owned()
            } else {
                format!("{name} ({firmware})")
            })
        }
        (false, Some(kind)) => Some(kind.to_owned()),
        (false, None) => flags.map(|_| "none".to_owned()),
    }
}

fn container() -> Option<String> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let hint = if Path::new("/.dockerenv").exists() {
        "docker"
    } else if Path::new("/run/.containerenv").exists() {
        "podman"
    } else if std::env::var_os("KUBERNETES_SERVICE_HOST").is_some() {
        "kubernetes"
    } else {
        "none"
    };
    Some(hint.to_owned())
}

/// Share of CPU time since boot that the hypervisor gave to other guests.
pub(super) fn steal_share() -> Option<f64> {
    let time = snapshot::cpu_time()?;
    (time.total > 0.0).then(|| time.stolen / time.total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hypervisor_shows_by_flag_or_name() {
        let virtual_x86 = Some(&["fpu", "hypervisor", "sse"][..]);
        let real_x86 = Some(&["fpu", "sse"][..]);
        assert_eq!(hypervisor(virtual_x86, None, "").as_deref(), Some("a hypervisor"));
        assert_eq!(
            hypervisor(virtual_x86, Some("xen"), "Amazon EC2").as_deref(),
            Some("xen (Amazon EC2)")
        );
        assert_eq!(hypervisor(real_x86, None, "Dell").as_deref(), Some("none"));
        assert_eq!(hypervisor(None, None, ""), None, "CPUs without flags: unknown");
    }
}
