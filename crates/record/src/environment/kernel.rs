//! Operating system, kernel, and what they run in.

use std::fs;
use std::path::Path;

use sysinfo::System;

use super::{KernelFacts, text};

pub(super) fn facts() -> KernelFacts {
    KernelFacts {
        system: System::long_os_version().ok(),
        version: System::kernel_version().ok(),
        clock_source: text("/sys/devices/system/clocksource/clocksource0/current_clocksource"),
        virtualisation: virtualisation(),
        container: container(),
    }
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
    let processors = fs::read_to_string("/proc/cpuinfo").ok()?;
    hypervisor(&processors, kind.as_deref(), &firmware)
}

/// x86 processors tell by a flag whether a hypervisor is under them; other processors have no such flag, and nothing is
/// known unless the kernel names the hypervisor.
fn hypervisor(processors: &str, kind: Option<&str>, firmware: &str) -> Option<String> {
    let flags = processors.lines().find(|line| line.starts_with("flags"));
    let flagged = flags.is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"));
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

/// Share of processor time since boot that the hypervisor gave to others.
pub(super) fn steal_share() -> Option<f64> {
    steal_share_of(&fs::read_to_string("/proc/stat").ok()?)
}

/// The first line of proc_stat(5): user, nice, system, idle, iowait, irq, softirq, steal; guest time is in user time.
fn steal_share_of(stat: &str) -> Option<f64> {
    let times: Vec<f64> = stat
        .lines()
        .next()?
        .strip_prefix("cpu ")?
        .split_whitespace()
        .take(8)
        .map(|ticks| ticks.parse().ok())
        .collect::<Option<_>>()?;
    let total: f64 = times.iter().sum();
    let steal = times.get(7)?;
    (total > 0.0).then(|| steal / total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steal_is_a_share_of_all_time() {
        assert_eq!(
            steal_share_of("cpu  40 0 10 40 0 0 0 10 5 0\ncpu0 1 1\n"),
            Some(0.1)
        );
        assert_eq!(
            steal_share_of("cpu  40 0 10 40\n"),
            None,
            "old kernels do not say"
        );
        assert_eq!(steal_share_of("intr 5\n"), None);
    }

    #[test]
    fn a_hypervisor_shows_by_flag_or_name() {
        let (virtual_x86, real_x86) = ("flags\t: fpu hypervisor sse", "flags\t: fpu sse");
        assert_eq!(hypervisor(virtual_x86, None, "").as_deref(), Some("a hypervisor"));
        assert_eq!(
            hypervisor(virtual_x86, Some("xen"), "Amazon EC2").as_deref(),
            Some("xen (Amazon EC2)")
        );
        assert_eq!(hypervisor(real_x86, None, "Dell").as_deref(), Some("none"));
        assert_eq!(
            hypervisor("Features\t: fp asimd", None, ""),
            None,
            "another processor: unknown"
        );
    }
}
