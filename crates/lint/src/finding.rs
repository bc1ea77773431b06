//! What is found.

use std::fmt;

use serde::Serialize;

/// The rules, by the names that people see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// Operations over run time are the printed throughput, within what the spread of runs can explain.
    OpsOverTime,
    /// Time spent in operations over run time is at most the number of clients.
    LittlesLaw,
    /// Two printed effects that follow from each other agree.
    ThroughputVsTime,
    /// A printed percentage is that of the two numbers beside it.
    PercentageSemantics,
    /// An effect smaller than what one and the same thing differs by.
    EffectBelowNoise,
    /// A result that is what was asked for.
    InputAsResult,
    /// A run far from the median of its siblings.
    Outlier,
    /// Only means are printed, and they show that the runs differed.
    HiddenVariance,
    /// Time outside of operations that does not grow with them: setting up, counted as work.
    StartupInRuntime,
    /// With one client throughput is one over latency: two columns say one thing.
    SingleThreadTautology,
    /// Too few operations, too short a run, too small a share of the records.
    Duration,
    /// Memory of all servers against that of their host.
    OverCommit,
    /// Systems compared at different numbers of copies.
    UnequalGuarantees,
    /// What one needs to repeat it and is not stated.
    MissingProtocol,
    /// A rate at which all clients are busy: they are the ceiling.
    ClientSaturation,
    /// A figure that cannot be of what its axis or column says.
    Units,
    /// A trend that its own points do not follow.
    Trend,
    /// A claim that the author's own numbers contradict.
    ClaimVsTable,
    /// A value outside of the range that is said to hold it.
    ValueVsRange,
    /// A property that was read, not seen.
    NotProbed,
}

impl Rule {
    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpsOverTime => "ops-over-time",
            Self::LittlesLaw => "littles-law",
            Self::ThroughputVsTime => "throughput-vs-time",
            Self::PercentageSemantics => "percentage-semantics",
            Self::EffectBelowNoise => "effect-below-noise",
            Self::InputAsResult => "input-as-result",
            Self::Outlier => "outlier",
            Self::HiddenVariance => "hidden-variance",
            Self::StartupInRuntime => "startup-in-runtime",
            Self::SingleThreadTautology => "single-thread-tautology",
            Self::Duration => "duration",
            Self::OverCommit => "over-commit",
            Self::UnequalGuarantees => "unequal-guarantees",
            Self::MissingProtocol => "missing-protocol",
            Self::ClientSaturation => "client-saturation",
            Self::Units => "units",
            Self::Trend => "trend",
            Self::ClaimVsTable => "claim-vs-table",
            Self::ValueVsRange => "value-vs-range",
            Self::NotProbed => "not-probed",
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// How sure a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Certainty {
    /// The printed numbers cannot all be true.
    Certain,
    /// They can be, in ways that would need telling.
    Likely,
    /// They may be true, and say less than they seem to.
    Notice,
}

impl Certainty {
    /// As it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Certain => "certain",
            Self::Likely => "likely",
            Self::Notice => "notice",
        }
    }
}

/// One thing that a rule has found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// Where: a table and its row, a line of a file, a section.
    pub place: String,
    /// How sure it is.
    pub certainty: Certainty,
    /// The arithmetic, written out.
    pub arithmetic: String,
    /// What would explain it.
    pub explanation: String,
}
