//! Findings about this program: whether it was fast enough not to disturb, and whether its clock kept time.

use std::borrow::Cow;
use std::collections::BTreeMap;

use dbdyno_vocabulary::{Statement, number};
use serde::{Deserialize, Serialize};

use super::Facts;

/// It was built without optimisation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DebugBuild {}

impl Facts for DebugBuild {
    const CODE: &'static str = "debug-build";

    fn statement(&self) -> Statement {
        Statement::new(
            "dbdyno was built without optimisation, so its overhead is many times higher than it should be",
        )
    }

    fn remedy(&self) -> Cow<'static, str> {
        "build it with --release".into()
    }
}

/// Its clock did not keep time during a phase.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockDrift {
    /// Which phase: `load` or `measured`.
    pub phase: String,
    /// How much faster it ran than the operating system's clock, parts per million; below 0 where it ran slower.
    pub faster_ppm: f64,
}

impl Facts for ClockDrift {
    const CODE: &'static str = "clock-drift";

    fn statement(&self) -> Statement {
        let drift = self.faster_ppm.abs();
        Statement::new(format!("during the {} phase, dbdyno's clock ran ", self.phase))
            .figure(drift, format!("{drift:.0} ppm"))
            .words(if self.faster_ppm > 0.0 {
                " faster"
            } else {
                " slower"
            })
            .words(" than the operating system's clock; latencies and rates are wrong by the same amount")
    }

    fn remedy(&self) -> Cow<'static, str> {
        "run again; if this happens again, check the kernel log for `clocksource`, and that the machine was not suspended or migrated and \
         that its time was not adjusted during the run"
            .into()
    }
}

/// It sent operations late although a client was free.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SchedulingLag {
    /// 99th percentile of its delay, nanoseconds.
    pub p99_ns: u64,
}

impl Facts for SchedulingLag {
    const CODE: &'static str = "scheduling-lag";

    fn statement(&self) -> Statement {
        Statement::new("dbdyno sent 1% of operations more than ")
            .duration_ns(self.p99_ns)
            .words(" late, although a client was free")
    }

    fn remedy(&self) -> Cow<'static, str> {
        "the client's CPUs are too busy: use fewer threads or another machine, or leave a CPU free".into()
    }
}

/// Its own cost is a large part of the latency.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolIsBottleneck {
    /// The time that it adds to the latency of an operation, nanoseconds.
    pub timing_ns: u64,
    /// The time that an operation costs it in all, nanoseconds.
    pub operation_ns: f64,
    /// More than this share of the median latency is much.
    pub limit_share: f64,
    /// The medians of the kinds of operations of which it is more, nanoseconds.
    pub medians_ns: BTreeMap<String, u64>,
}

impl Facts for ToolIsBottleneck {
    const CODE: &'static str = "tool-is-bottleneck";

    fn statement(&self) -> Statement {
        let medians = self.medians_ns.iter();
        Statement::new("dbdyno's overhead per operation (")
            .duration_ns(self.timing_ns)
            .words(" of timing, ")
            .figure(self.operation_ns, number::duration_ns(self.operation_ns))
            .words(format!(
                " in total) exceeds {} of the median latency of ",
                number::share(self.limit_share)
            ))
            .by_name(medians.map(|(kind, median_ns)| {
                let median = *median_ns as f64;
                (kind.clone(), median, number::duration_ns(median))
            }))
    }

    fn remedy(&self) -> Cow<'static, str> {
        "the system is about as fast as dbdyno itself: true differences between such systems are larger than measured".into()
    }
}

/// The load generator, or the embedded store with it, used nearly all CPUs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CpuSaturated {
    /// How much of all CPUs.
    pub share: f64,
    /// Whether the store runs on the threads of the clients.
    pub with_store: bool,
}

impl Facts for CpuSaturated {
    const CODE: &'static str = "cpu-saturated";

    fn statement(&self) -> Statement {
        Statement::new(if self.with_store {
            "the database and the load generator together used "
        } else {
            "the load generator used "
        })
        .share(self.share)
        .words(" of all CPUs")
    }

    fn remedy(&self) -> Cow<'static, str> {
        if self.with_store {
            "the store runs in this process: CPU is the limit, so more clients will not help"
        } else {
            "it may limit the results: use fewer clients, or a machine with more CPUs"
        }
        .into()
    }
}

/// One thread of the load generator used nearly all of its CPU.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClientThreadSaturated {
    /// Name of the thread.
    pub thread: String,
    /// How much of one CPU.
    pub share: f64,
    /// Whether every operation was sent on time all the same.
    pub on_time: bool,
    /// How there could be more threads.
    pub more_threads: MoreThreads,
}

/// How the load generator gets more threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MoreThreads {
    /// There are CPUs for more of them.
    Spare,
    /// Each client has a thread of its own.
    OneForEachClient,
    /// Every CPU has one already.
    None,
}

impl Facts for ClientThreadSaturated {
    const CODE: &'static str = "client-thread-saturated";

    fn statement(&self) -> Statement {
        Statement::new("client thread ")
            .name(format!("`{}`", self.thread))
            .words(" used ")
            .share(self.share)
            .words(if self.on_time {
                " of one CPU; every operation was still sent on time"
            } else {
                " of one CPU; the load generator may limit the results"
            })
    }

    fn remedy(&self) -> Cow<'static, str> {
        match self.more_threads {
            MoreThreads::Spare => "use more --client-threads",
            MoreThreads::None => {
                "use fewer clients, or run dbdyno on another machine or on one with more or faster CPUs"
            }
            MoreThreads::OneForEachClient => {
                "use more clients, because each has its own thread, or run dbdyno on a machine with more or faster CPUs"
            }
        }
        .into()
    }
}
