//! The value of a trial that comparisons rest on: the one place that says what it is.

use dbdyno_record::TrialRecord;

use super::rates::{load_throughput, throughput};
use super::{CellSystem, MachineSpeed, Metric, Summary};

/// What a trial contributes to comparisons of a metric. Tables show medians as measured; this may differ from them.
pub fn value(metric: Metric, trial: &TrialRecord, speed: Option<&MachineSpeed>) -> Option<f64> {
    let percentile = |percentile: f64| Some(trial.latency(None).percentile(percentile)?.ns() as f64);
    match (metric, speed.filter(|_| follows_the_machine(trial))) {
        (Metric::Throughput, Some(speed)) => speed.levelled(trial),
        (Metric::Throughput, None) => throughput(trial),
        (Metric::LoadThroughput, _) => load_throughput(trial),
        (Metric::LatencyP99, _) => percentile(99.0),
        (Metric::LatencyP50, _) => percentile(50.0),
    }
}

/// Whether the throughput of a trial is compared as at the machine's usual speed. The design of the study decides, never a result:
/// a rate fixes throughput, so only closed loops follow the machine.
pub fn follows_the_machine(trial: &TrialRecord) -> bool {
    trial.settings.rate.is_none()
}

impl CellSystem {
    /// What comparisons of one metric rest on: the summary, as at the machine's usual speed where that is known.
    #[must_use]
    pub fn compared(&self, metric: Metric) -> Option<&Summary> {
        let levelled = self.levelled.as_ref().filter(|_| metric == Metric::Throughput);
        levelled.or_else(|| self.metric(metric))
    }
}
