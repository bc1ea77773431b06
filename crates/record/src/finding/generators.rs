//! Findings about load generators that ran a trial together.

use std::borrow::Cow;

use dbdyno_vocabulary::{Statement, number};
use serde::{Deserialize, Serialize};

use super::Facts;

/// One load generator did much less than the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlowGenerator {
    /// Its name.
    pub generator: String,
    /// Operations per second of one of its clients.
    pub client_per_second: f64,
    /// The same of the others: their median.
    pub others_per_second: f64,
}

impl Facts for SlowGenerator {
    const CODE: &'static str = "slow-generator";

    fn statement(&self) -> Statement {
        Statement::new("load generator ")
            .name(format!("`{}`", self.generator))
            .words(" sent ")
            .rate(self.client_per_second)
            .words(" with each client, the others ")
            .rate(self.others_per_second)
    }

    fn remedy(&self) -> Cow<'static, str> {
        "check its CPUs and its network to the database: the database serves all clients alike, so the difference is not its own; or leave that machine out"
            .into()
    }
}

/// At a rate, the operations of one load generator took much longer than those of the others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LateGenerator {
    /// Its name.
    pub generator: String,
    /// 99th percentile of its operations, nanoseconds.
    pub p99_ns: u64,
    /// The same of the others: their median.
    pub others_p99_ns: u64,
}

impl Facts for LateGenerator {
    const CODE: &'static str = "late-generator";

    fn statement(&self) -> Statement {
        Statement::new("1% of the operations of load generator ")
            .name(format!("`{}`", self.generator))
            .words(" took more than ")
            .duration_ns(self.p99_ns)
            .words(", of the others more than ")
            .duration_ns(self.others_p99_ns)
    }

    fn remedy(&self) -> Cow<'static, str> {
        "the percentiles of the whole are its own: check whether it stood still, its CPUs and its network to the database; or leave that machine out"
            .into()
    }
}

/// The clock of a load generator was not known well enough for a common start.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratorStart {
    /// Its name.
    pub generator: String,
    /// How far from the agreed start it may have begun, nanoseconds.
    pub apart_ns: u64,
    /// The interval that is measured, nanoseconds.
    pub interval_ns: u64,
}

impl Facts for GeneratorStart {
    const CODE: &'static str = "generator-start";

    fn statement(&self) -> Statement {
        Statement::new("load generator ")
            .name(format!("`{}`", self.generator))
            .words(" may have begun ")
            .duration_ns(self.apart_ns)
            .words(" before or after the others, more than 1% of an interval of ")
            .duration_ns(self.interval_ns)
    }

    fn remedy(&self) -> Cow<'static, str> {
        "use a faster network between the load generators and the NATS server, or measure for longer".into()
    }
}

/// The host took processor time away from a load generator's machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratorSteal {
    /// Its name, or that of the first one on the machine.
    pub generator: String,
    /// How much of the CPU time.
    pub share: f64,
    /// More than this is much.
    pub limit_share: f64,
}

impl Facts for GeneratorSteal {
    const CODE: &'static str = "generator-steal";

    fn statement(&self) -> Statement {
        Statement::new("on the machine of load generator ")
            .name(format!("`{}`", self.generator))
            .words(", the hypervisor gave ")
            .share(self.share)
            .words(format!(
                " of CPU time to other guests (limit: {})",
                number::share(self.limit_share)
            ))
    }

    fn remedy(&self) -> Cow<'static, str> {
        "use a dedicated machine for it, or a virtual machine with dedicated CPUs".into()
    }
}

/// A load generator was held back by its quota.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GeneratorThrottled {
    /// Its name.
    pub generator: String,
    /// How much of the time.
    pub share: f64,
}

impl Facts for GeneratorThrottled {
    const CODE: &'static str = "generator-throttled";

    fn statement(&self) -> Statement {
        Statement::new("the control group's CPU limit throttled load generator ")
            .name(format!("`{}`", self.generator))
            .words(" for ")
            .share(self.share)
            .words(" of the time")
    }

    fn remedy(&self) -> Cow<'static, str> {
        "give its container or job more CPUs, or use more agents".into()
    }
}
