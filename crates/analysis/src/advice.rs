//! What advice rests on: which systems were measured, which of their trials are the work of a [`Need`], and how each system stands to what
//! is required.

pub mod catalogue;
pub mod comparisons;
pub mod doubt;
pub mod fault;
pub mod gather;
pub mod goals;
pub mod integrity;
pub mod judge;
pub mod judged;
pub mod kept;
pub mod levels;
pub mod metric;
pub mod need;
pub mod price;
pub mod protection;
pub mod why;

use std::ops::Range;

pub use catalogue::{Catalogue, Offer};
pub use gather::Source;
pub use metric::{Metric, Subject, Unit, better, measure};
pub use need::{Goal, Need, Objective, RateChoice, Requirement, RequirementKind, WorkChoice, Worth};

/// Why no advice can be given: need and results do not fit together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdviceError {
    /// What is wrong.
    pub message: String,
    /// What mends it.
    pub help: String,
    /// Where it stands in the need file, if it stands there.
    pub place: Option<Range<usize>>,
}
