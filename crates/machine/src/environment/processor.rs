//! The processors.

use std::collections::BTreeSet;
use std::fs;
use std::thread::available_parallelism;

use dbdyno_record::environment::ProcessorFacts;
use sysinfo::{CpuRefreshKind, RefreshKind, System};

use crate::{cgroup, text};

pub(super) fn facts() -> ProcessorFacts {
    let refresh = RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing());
    let system = System::new_with_specifics(refresh).ok();
    let processors = system.as_ref().map(System::cpus).unwrap_or_default();
    let model = processors
        .first()
        .map(|processor| processor.brand().trim().to_owned());
    ProcessorFacts {
        model: model.filter(|model| !model.is_empty()),
        usable: available_parallelism().ok().map(|count| count.get() as u64),
        logical: Some(processors.len() as u64).filter(|&count| count > 0),
        physical_cores: System::physical_core_count()
            .ok()
            .map(|count| count as u64)
            .filter(|&count| count > 0),
        cgroup_limit: cgroup::cpu_limit(),
        governor: governor(),
        boost: boost(),
    }
}

fn governor() -> Option<String> {
    let mut governors = BTreeSet::new();
    for entry in fs::read_dir("/sys/devices/system/cpu").ok()?.flatten() {
        governors.extend(text(entry.path().join("cpufreq/scaling_governor")));
    }
    (!governors.is_empty()).then(|| governors.into_iter().collect::<Vec<_>>().join(","))
}

/// Two drivers say it in two ways.
fn boost() -> Option<bool> {
    let one_or_zero = |path: &str| {
        text(path)
            .and_then(|text| text.parse::<u8>().ok())
            .map(|value| value != 0)
    };
    one_or_zero("/sys/devices/system/cpu/cpufreq/boost")
        .or_else(|| one_or_zero("/sys/devices/system/cpu/intel_pstate/no_turbo").map(|off| !off))
}
