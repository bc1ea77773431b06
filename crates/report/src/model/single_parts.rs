//! The parts of the model that a single trial shows too.

use dbdyno_analysis::curve;
use dbdyno_record::Attempted;

pub use super::sentences::{asked, skew, workload};
use super::{CurvePoint, TABLE_PERCENTILES};

/// The percentiles of tables; `None` where the samples do not reach.
pub fn table_percentiles(attempted: &Attempted<'_>) -> Vec<CurvePoint> {
    curve::of_all(attempted, &TABLE_PERCENTILES)
}
