//! WHAT it means: pure functions over checked samples.
//!
//! A [`Sample`] is one number per trial. [`estimate()`] condenses it to a median with an interval, [`compare()`] sets two
//! systems side by side and gives a [`Word`], [`outliers`] points at trials that differ from their siblings. Nothing
//! here reads a file or a clock: the same numbers give the same answer, always. Only [`changepoint`] draws random numbers, from
//! constant seeds. [`pooled`] compares all systems of a study at once.
//! `docs/analysis.md` describes the whole way from an operation to a verdict.

/// The practical margin, as a share: a smaller difference does not matter, and intervals within it show systems equivalent.
pub const MARGIN: f64 = 0.05;

/// The band of verdicts, as a share: an interval within it is an answer, "neither is more than 1.12x as fast", even where it shows no winner.
///
/// A difference below 15% seldom changes which database one takes: the next version, another value size or a busier machine
/// moves throughput by as much.
pub const BAND: f64 = 0.15;

/// The fewest blocks with which a comparison of a study gets a verdict (see [`pooled`]). With fewer, its own noise is hardly seen, and that of the study
/// would decide alone: if one cell of seven is eight times as noisy as the others, two blocks give a false verdict in 16% of studies,
/// three in 7%, four in 4% (simulated).
pub const FEWEST_BLOCKS: usize = 4;

pub mod blocks;
pub mod budget;
pub mod capacity;
pub mod changepoint;
pub mod compare;
pub mod correction;
pub mod covariate;
pub mod estimate;
pub mod family;
pub mod growth;
pub mod holm;
pub mod knee;
pub mod median_interval;
pub mod outlier;
pub mod permutation;
pub mod planning;
pub mod pooled;
pub mod power;
pub mod precision;
pub mod sample;
pub mod signed_rank;
pub mod trend;

pub use changepoint::{ChangePoint, Detection, change_points, segments};
pub use compare::{Better, Comparison, Method, PairQuestion, Pairing, Word, compare, compare_among};
pub use estimate::{CONFIDENCE, Estimate, Interval, estimate};
pub use holm::holm;
pub use knee::knee;
pub use outlier::{Outlier, outliers};
pub use planning::trials_needed;
pub use sample::{Sample, SampleError};
pub use trend::drift;
