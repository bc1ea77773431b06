//! Why a comparison of two sets of trials is undecided.

use serde::Serialize;

/// Why a comparison of two sets of trials is undecided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Undecided {
    /// There are too few trials for an interval.
    TooFewTrials,
    /// The interval is too wide.
    Noise,
    /// The interval excludes equality, but among so many comparisons the difference may be chance.
    ManyTests,
    /// There is a difference; whether it exceeds the margin is open.
    NearMargin,
    /// Trials are marked invalid.
    Invalid,
    /// Too many operations had no answer.
    NoAnswers,
    /// Half of the trials or more never reached a steady state.
    NeverSteady,
    /// The CPUs of the machine stood in another mode.
    OtherCores,
    /// Values of zero have no ratio.
    NoRatio,
    /// Both sides have trials in common.
    SameTrials,
}
