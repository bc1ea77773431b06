//! WHICH one to take: from criteria measured in repeated trials, and from what somebody needs, to an answer and its doubt.
//!
//! A [`Problem`] goes in (candidates with one number for each trial and criterion, weights, a margin, a seed), a
//! [`Decision`] comes out: the Pareto front, the ranking, how sure both are, which change of weights would turn the answer
//! round, and a [`Recommendation`]. Nothing here knows a database or a record, reads a file or a clock, or draws a number that does
//! not follow from the seed. `docs/advise.md` describes the whole way.

mod decision;
mod draws;
mod experiment;
mod flip;
mod problem;
mod random;
mod ranking;
mod requirement;
mod score;
mod verdict;

pub use decision::{Decision, decide};
pub use experiment::{Experiment, Prospect, prospects};
pub use flip::{Flip, Shift, flips, smallest_shift};
pub use problem::{Candidate, Compliance, Criterion, LevelRange, Observation, Problem, Utility};
pub use ranking::{Advantage, Contribution, Ranked};
pub use requirement::{BesideLimit, Held, held};
pub use verdict::{Obstacle, Recommendation};

/// The probability of being best from which a candidate may be recommended.
pub const SURE: f64 = 0.9;

/// With more of the stated weights on criteria that could not be judged, nothing is recommended: the rest is the smaller part of
/// what counts.
pub const MOST_UNJUDGED: f64 = 0.5;

/// The fewest sound trials of a criterion from which anything may be recommended: with fewer, not even complete separation of
/// two samples is significant (`docs/analysis.md`).
pub const FEWEST_TRIALS: usize = 4;
