//! When operations should start, given a rate.

use crate::random::positive_unit;

pub use dbdyno_trial::{Arrivals, UnknownArrivals};

/// Gaps are summed as integers of 1/1024 ns, so that the sum does not depend on how operations were claimed.
pub(crate) const GAP_UNITS_PER_NS: u64 = 1024;

/// One exponential gap, in 1/1024 ns, for 64 random bits.
pub(crate) fn exponential_gap(draw: u64, mean_ns: f64) -> u64 {
    (-positive_unit(draw).ln() * mean_ns * GAP_UNITS_PER_NS as f64) as u64
}
