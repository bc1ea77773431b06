//! The latencies of a single trial: how many operations took how long, and when.

use dbdyno_record::TrialRecord;

use super::{CurvePoint, curve};
use crate::LatencyOverTime;

/// The percentiles that are marked.
const MARKED: [f64; 2] = [50.0, 99.0];

/// How the latencies of one trial are distributed.
#[derive(Clone, Debug)]
pub struct Distribution {
    /// Name of the trial.
    pub trial: String,
    /// The latencies of successful operations, in nanoseconds and ascending, each with its number.
    pub counts: Vec<(u64, u64)>,
    /// Median and 99th percentile of all operations, with an answer or without.
    pub marked: Vec<CurvePoint>,
    /// The same latencies over time; `None` without an interval log.
    pub over_time: Option<LatencyOverTime>,
}

/// Of a trial; `None` without a histogram, as in an imported result.
pub fn distribution(trial: &TrialRecord, over_time: Option<&LatencyOverTime>) -> Option<Distribution> {
    let latency = trial.latency(None);
    let counts: Vec<(u64, u64)> = latency.answered().histogram()?.counts().collect();
    (!counts.is_empty()).then(|| Distribution {
        trial: trial.trial.clone(),
        counts,
        marked: curve::of_all(&latency, &MARKED),
        over_time: over_time.cloned(),
    })
}
