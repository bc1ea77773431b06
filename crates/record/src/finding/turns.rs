//! Findings about trials that were measured in turns.

use std::borrow::Cow;

use dbdyno_vocabulary::{Statement, number};
use serde::{Deserialize, Serialize};

use super::Facts;
use crate::CoreMode;

/// Where the CPUs were for a part of the slices.
fn cpus(mode: CoreMode, share: f64) -> Statement {
    Statement::new(format!("the CPUs of this machine {} in ", mode.in_words()))
        .whole_share(share)
        .words(" of the slices")
}

const ONE_MODE: &str = "nothing to do for a comparison, which rests on the slices of the mode that prevailed; for absolute figures, use a \
                        machine with cores of its own";

/// The CPUs of the machine shared no cache for a part of the slices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FarCores {
    /// How many of the slices.
    pub share: f64,
}

impl Facts for FarCores {
    const CODE: &'static str = "far-cores";

    fn statement(&self) -> Statement {
        cpus(CoreMode::Far, self.share)
    }

    fn remedy(&self) -> Cow<'static, str> {
        ONE_MODE.into()
    }
}

/// The CPUs of a virtual machine shared a physical core for a part of the slices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedCore {
    /// How many of the slices.
    pub share: f64,
}

impl Facts for SharedCore {
    const CODE: &'static str = "shared-core";

    fn statement(&self) -> Statement {
        cpus(CoreMode::Shared, self.share)
    }

    fn remedy(&self) -> Cow<'static, str> {
        ONE_MODE.into()
    }
}

/// A system had work done while others were measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeferredWork {
    /// How much, as a share of the CPU time of its own slices.
    pub share: f64,
    /// Time that was added to the measured time for it, nanoseconds.
    pub charged_ns: u64,
    /// Whether its clients sent as fast as they could.
    pub closed_loop: bool,
}

impl Facts for DeferredWork {
    const CODE: &'static str = "deferred-work";

    fn statement(&self) -> Statement {
        let seconds = self.charged_ns as f64 / 1e9;
        let statement = Statement::new("work was put off and done while others were measured: ")
            .whole_share(self.share)
            .words(" of the CPU time that the system used in its own slices; ");
        match (self.charged_ns, self.closed_loop) {
            (0, true) => statement
                .words("the system's own slices had enough idle CPU time for it, so nothing was added to the measured time"),
            (0, false) => statement.words("at a rate, nothing is added to the measured time"),
            _ => statement.figure(seconds, format!("{seconds:.2} s")).words(
                " were added to the measured time, for the part that did not fit into idle CPU time of its own slices",
            ),
        }
    }

    fn remedy(&self) -> Cow<'static, str> {
        "measure for longer than it can put work off (`duration`), or one system after the other: order = \"blocks\"".into()
    }
}

/// A system was not back at speed when its slices began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShortHead {
    /// How long operations took in the second half of the heads, times those of the measured parts.
    pub late_ratio: f64,
    /// How long a head is, nanoseconds.
    pub head_ns: u64,
}

impl Facts for ShortHead {
    const CODE: &'static str = "short-head";

    fn statement(&self) -> Statement {
        Statement::new("in the second half of the head of a slice (")
            .duration_ns(self.head_ns)
            .words(", not measured), operations took ")
            .figure(self.late_ratio, number::ratio(self.late_ratio))
            .words(
                " as long as in the measured part: the system may not have been back at speed when the measured part began",
            )
    }

    fn remedy(&self) -> Cow<'static, str> {
        "use longer slices, which have longer heads (`slice = \"1s\"`), or measure one system after the other: order = \"blocks\"".into()
    }
}

/// A system read from storage or wrote to it while others were measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IoWhileParked {
    /// Then, bytes.
    pub parked_bytes: u64,
    /// In its own slices, bytes.
    pub own_bytes: u64,
}

impl Facts for IoWhileParked {
    const CODE: &'static str = "parked-io";

    fn statement(&self) -> Statement {
        Statement::new("its servers read and wrote ")
            .bytes(self.parked_bytes)
            .words(" while other systems were measured, against ")
            .bytes(self.own_bytes)
            .words(" in its own slices; if the disk is the bottleneck, this slowed the others")
    }

    fn remedy(&self) -> Cow<'static, str> {
        "nothing, unless the disk is the bottleneck; then measure one system after the other: order = \"blocks\"".into()
    }
}
