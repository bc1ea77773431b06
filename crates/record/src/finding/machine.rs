//! Findings about what else the machine did.

use std::borrow::Cow;

use dbdyno_vocabulary::{Statement, number};
use serde::{Deserialize, Serialize};

use super::{Facts, Finding, GeneratorSteal, GeneratorThrottled};

/// Whether a finding is about what else the machine did.
#[must_use]
pub fn is_of_host(finding: &Finding) -> bool {
    [
        HostSteal::CODE,
        HostOtherProcesses::CODE,
        HostOtherIo::CODE,
        HostThrottled::CODE,
        HostSwapped::CODE,
        HostMemoryPressure::CODE,
        GeneratorSteal::CODE,
        GeneratorThrottled::CODE,
    ]
    .contains(&finding.code())
}

/// The host took processor time away from this machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostSteal {
    /// How much of the CPU time.
    pub share: f64,
    /// More than this is much.
    pub limit_share: f64,
}

impl Facts for HostSteal {
    const CODE: &'static str = "host-steal";

    fn statement(&self) -> Statement {
        Statement::new("the hypervisor gave ")
            .share(self.share)
            .words(format!(
                " of CPU time to other guests (limit: {})",
                number::share(self.limit_share)
            ))
    }

    fn remedy(&self) -> Cow<'static, str> {
        "measure on a dedicated machine, or on a virtual machine with dedicated CPUs".into()
    }
}

/// Other processes used the processors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostOtherProcesses {
    /// How much of the CPU time.
    pub share: f64,
    /// More than this is much.
    pub limit_share: f64,
    /// The one that used most, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest: Option<String>,
}

impl Facts for HostOtherProcesses {
    const CODE: &'static str = "host-other-processes";

    fn statement(&self) -> Statement {
        let busiest = self.busiest.as_ref();
        Statement::new("other processes used ")
            .share(self.share)
            .words(" of CPU time")
            .clause(busiest.map(|name| Statement::new(", most of it ").name(format!("`{name}`"))))
            .words(format!(" (limit: {})", number::share(self.limit_share)))
    }

    fn remedy(&self) -> Cow<'static, str> {
        "stop other processes, or measure when the machine is idle".into()
    }
}

/// Other processes used the disks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostOtherIo {
    /// Bytes that they read and wrote, per second.
    pub bytes_per_second: f64,
    /// More than this is much.
    pub limit_bytes_per_second: f64,
}

impl Facts for HostOtherIo {
    const CODE: &'static str = "host-other-io";

    fn statement(&self) -> Statement {
        Statement::new("other processes read and wrote ")
            .figure(
                self.bytes_per_second,
                format!("{:.0} MB/s", self.bytes_per_second / 1e6),
            )
            .words(format!(
                " of storage (limit: {:.0})",
                self.limit_bytes_per_second / 1e6
            ))
    }

    fn remedy(&self) -> Cow<'static, str> {
        "stop other processes, or give the databases their own disk".into()
    }
}

/// The container was held back by its quota.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostThrottled {
    /// How much of the time.
    pub share: f64,
}

impl Facts for HostThrottled {
    const CODE: &'static str = "host-throttled";

    fn statement(&self) -> Statement {
        Statement::new("the control group's CPU limit throttled work for ")
            .share(self.share)
            .words(" of the time")
    }

    fn remedy(&self) -> Cow<'static, str> {
        "give the container or job more CPUs, or use fewer clients".into()
    }
}

/// Memory was swapped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostSwapped {
    /// How many pages.
    pub pages: u64,
}

impl Facts for HostSwapped {
    const CODE: &'static str = "host-swapped";

    fn statement(&self) -> Statement {
        Statement::default()
            .count(self.pages)
            .words(" pages were swapped in or out")
    }

    fn remedy(&self) -> Cow<'static, str> {
        "memory is over-committed: use smaller heaps and caches, fewer nodes, or `swapoff`".into()
    }
}

/// Processes waited for memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostMemoryPressure {
    /// How much of the time.
    pub share: f64,
}

impl Facts for HostMemoryPressure {
    const CODE: &'static str = "host-memory-pressure";

    fn statement(&self) -> Statement {
        Statement::new("tasks waited for memory for ")
            .share(self.share)
            .words(" of the time")
    }

    fn remedy(&self) -> Cow<'static, str> {
        "memory is over-committed: use smaller heaps and caches, or fewer nodes".into()
    }
}
