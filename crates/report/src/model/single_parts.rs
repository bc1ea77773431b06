//! The parts of the model that one trial alone is told with too.

use dbdyno_record::Latency;

pub use super::cells::throughput;
pub use super::findings::severity_name;
pub use super::sentences::{asked, skew, workload};
use super::{CurvePoint, TABLE_PERCENTILES, curve};

/// The percentiles of tables; `None` where the samples do not reach.
pub fn table_percentiles(latency: &Latency) -> Vec<CurvePoint> {
    curve::percentiles(&latency.into(), &TABLE_PERCENTILES)
}
