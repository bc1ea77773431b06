//! What is found.

use std::fmt;

use serde::Serialize;

use crate::{Number, Place};

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
    /// A value outside of the range that is claimed to hold it.
    ValueVsRange,
    /// A property that was read, not seen.
    NotProbed,
    /// A time, a count or a rate that is zero or negative.
    ImpossibleValue,
    /// A mean above the maximum, a minimum above the mean, percentiles out of order.
    Order,
    /// Counts that do not add up.
    Counts,
    /// Two results with the same numbers.
    Copied,
    /// A percentage, a ratio or a speed-up that the columns beside it do not give.
    ComparisonColumn,
    /// More operations in the time than the stated rate allows.
    RateExceeded,
    /// A mean of few runs that one of them decides.
    MeanVsMedian,
    /// A printed ratio that is not that of the printed numbers.
    RatioVsTable,
    /// A difference that the printed clock cannot show.
    ClockResolution,
    /// More instances than machines, more copies than nodes.
    Placement,
    /// A workload that is defined, and of which nothing is reported.
    Unreported,
    /// One thing that is printed twice, and differently.
    Contradiction,
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
            Self::ImpossibleValue => "impossible-value",
            Self::Order => "order",
            Self::Counts => "counts",
            Self::Copied => "copied",
            Self::ComparisonColumn => "comparison-column",
            Self::RateExceeded => "rate-exceeded",
            Self::MeanVsMedian => "mean-vs-median",
            Self::RatioVsTable => "ratio-vs-table",
            Self::ClockResolution => "clock-resolution",
            Self::Placement => "placement",
            Self::Unreported => "unreported",
            Self::Contradiction => "contradiction",
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
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// Where.
    pub place: Place,
    /// How sure it is.
    pub certainty: Certainty,
    /// The arithmetic, written out.
    pub arithmetic: String,
    /// What would explain it.
    pub explanation: String,
    /// Other places where the same rule found the same, with their arithmetic.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Case>,
    /// The cells that are in doubt for it, here and in the other places.
    #[serde(skip)]
    pub doubts: Vec<Doubt>,
}

/// Another place of the same finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Case {
    /// Where.
    pub place: Place,
    /// The arithmetic there.
    pub arithmetic: String,
}

/// A printed number that may be wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Doubt {
    /// The place of its line, change or runs.
    pub place: Place,
    /// Which of its numbers.
    pub number: Number,
    /// What it would be if the numbers beside it are right; `None` where they do not tell.
    pub instead: Option<f64>,
}

impl Finding {
    /// One finding in one place that doubts no cell.
    pub(crate) fn new(
        rule: Rule,
        certainty: Certainty,
        place: &Place,
        arithmetic: String,
        explanation: impl Into<String>,
    ) -> Self {
        Self {
            rule,
            place: place.clone(),
            certainty,
            arithmetic,
            explanation: explanation.into(),
            also: Vec::new(),
            doubts: Vec::new(),
        }
    }

    /// The same, with a number of its place that it doubts.
    pub(crate) fn doubting(self, number: impl Into<Number>, instead: Option<f64>) -> Self {
        let place = self.place.clone();
        self.doubting_in(&place, number, instead)
    }

    /// The same, with a number of the line, change or runs of this place that it doubts.
    pub(crate) fn doubting_in(
        mut self,
        place: &Place,
        number: impl Into<Number>,
        instead: Option<f64>,
    ) -> Self {
        self.doubts.push(Doubt {
            place: place.clone(),
            number: number.into(),
            instead,
        });
        self
    }

    /// All places, the first one first.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        std::iter::once(&self.place).chain(self.also.iter().map(|case| &case.place))
    }
}

/// Findings of one rule that say the same of several places become one. What differs from place to place is the arithmetic.
pub(crate) fn grouped(findings: Vec<Finding>) -> Vec<Finding> {
    let mut groups: Vec<Finding> = Vec::new();
    for finding in findings {
        let same = groups.iter_mut().find(|group| {
            (group.rule, group.certainty, &group.explanation)
                == (finding.rule, finding.certainty, &finding.explanation)
        });
        match same {
            Some(group) => {
                group.also.push(Case {
                    place: finding.place,
                    arithmetic: finding.arithmetic,
                });
                group.doubts.extend(finding.doubts);
            }
            None => groups.push(finding),
        }
    }
    groups
}
