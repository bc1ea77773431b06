//! What advice rests on: which systems were measured, which of their trials are the work of a [`Need`], and how each system stands to what
//! is required.

pub mod budget;
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
pub mod work;

pub use catalogue::{Catalogue, Offer};
pub use gather::Source;
pub use metric::{Metric, Subject, Unit, better, measure};
pub use need::{
    Budget, Goal, Need, Objective, Per, PublishedClaim, RateChoice, Requirement, RequirementKind, WorkChoice,
    Worth,
};
