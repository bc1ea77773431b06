//! What this machine is, for the record of a study.

mod disk;
mod kernel;
mod processor;

use std::collections::BTreeMap;
use std::path::Path;

use dbdyno_record::Environment;
use dbdyno_record::environment::{ENVIRONMENT_FORMAT, LoadFacts, MemoryFacts, ToolFacts};
use sysinfo::{MemoryRefreshKind, RefreshKind, System};

pub use disk::facts as disk_facts;
pub use kernel::clock_source;

use crate::{cgroup, measure_disk, text};

/// Describes the machine, and writes to the disk of `folder` (which must exist) for about a tenth of a second.
#[must_use]
pub fn capture(folder: &Path) -> Environment {
    let refresh = RefreshKind::nothing().with_memory(MemoryRefreshKind::everything());
    let system = System::new_with_specifics(refresh).ok();
    let profile = if cfg!(debug_assertions) {
        "debug"
    } else {
        "release"
    };
    Environment {
        format: ENVIRONMENT_FORMAT.to_owned(),
        captured_at: jiff::Timestamp::now().to_string(),
        tool: ToolFacts {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            build_profile: profile.to_owned(),
            platform: format!("{}-{}", std::env::consts::OS, std::env::consts::ARCH),
        },
        processor: processor::facts(),
        memory: memory(system.as_ref()),
        kernel: kernel::facts(),
        load: LoadFacts {
            averages: System::load_average()
                .ok()
                .map(|load| [load.one, load.five, load.fifteen]),
            steal_share_since_boot: kernel::steal_share(),
        },
        disk: disk::facts(folder),
        preflight: measure_disk(folder).ok(),
        preflight_nodes: None,
        preflight_after: None,
        preflight_nodes_after: None,
        node_disks: Vec::new(),
        systems: BTreeMap::new(),
    }
}

fn memory(system: Option<&System>) -> MemoryFacts {
    let positive = |bytes: u64| (bytes > 0).then_some(bytes);
    MemoryFacts {
        total_bytes: system.and_then(|system| positive(system.total_memory())),
        available_bytes: system.and_then(|system| positive(system.available_memory())),
        // No swap is a fact when the memory itself could be read.
        swap_total_bytes: system
            .filter(|system| system.total_memory() > 0)
            .map(System::total_swap),
        cgroup_limit_bytes: cgroup::memory_limit_bytes(),
        transparent_huge_pages: text("/sys/kernel/mm/transparent_hugepage/enabled")
            .and_then(|choices| chosen(&choices)),
    }
}

/// The bracketed one of `always [madvise] never`.
fn chosen(choices: &str) -> Option<String> {
    let (_, rest) = choices.split_once('[')?;
    rest.split_once(']').map(|(choice, _)| choice.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_is_plausible_and_survives_json() {
        let folder = tempfile::tempdir().unwrap();
        let environment = capture(folder.path());
        let json = serde_json::to_string(&environment).unwrap();
        assert_eq!(serde_json::from_str::<Environment>(&json).unwrap(), environment);
        assert!(
            environment
                .memory
                .total_bytes
                .is_some_and(|bytes| bytes > 1 << 20)
        );
        assert!(environment.processor.usable.is_some_and(|count| count >= 1));
        assert!(environment.kernel.version.is_some());
        assert!(environment.disk.filesystem.is_some());
        assert!(environment.disk.total_bytes.is_some_and(|bytes| bytes > 0));
        assert!(
            environment
                .load
                .steal_share_since_boot
                .is_none_or(|share| (0.0..=1.0).contains(&share))
        );
        let preflight = environment.preflight.unwrap();
        assert!(preflight.syncs >= 1 && preflight.sync_median_ns <= preflight.sync_max_ns);
    }

    #[test]
    fn the_choice_is_in_brackets() {
        assert_eq!(chosen("always [madvise] never").as_deref(), Some("madvise"));
        assert_eq!(chosen("madvise"), None);
    }
}
