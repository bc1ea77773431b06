//! What advice is made from: one number of one trial.

use dbdyno_record::TrialRecord;
use dbdyno_stats::Better;
pub use dbdyno_vocabulary::{Metric, Subject, Unit};

/// Which direction is good.
#[must_use]
pub const fn better(metric: Metric) -> Better {
    if metric.is_higher_better() {
        Better::Higher
    } else {
        Better::Lower
    }
}

/// Whether it is the throughput of the measured phase, which a rate fixes.
pub fn is_measured_throughput(metric: Metric) -> bool {
    matches!(metric, Metric::Throughput(subject) if subject != Subject::Load)
}

/// The number of a trial; `None` where it was not measured.
#[must_use]
pub fn measure(metric: Metric, trial: &TrialRecord) -> Option<f64> {
    let value = trial.figure(metric)?.number();
    // A load without a success has no throughput to rank by.
    (metric != Metric::Throughput(Subject::Load) || value > 0.0).then_some(value)
}
