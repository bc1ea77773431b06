//! The rates of one trial.

use dbdyno_record::TrialRecord;

/// Successful operations per second of the measured phase.
pub fn throughput(trial: &TrialRecord) -> Option<f64> {
    trial.measure.as_ref()?.throughput_per_second()
}

/// Successful inserts per second of the load phase.
pub fn load_throughput(trial: &TrialRecord) -> Option<f64> {
    let load = trial.load.as_ref()?;
    (load.duration_ns > 0 && load.inserts.ok > 0)
        .then(|| load.inserts.ok as f64 * 1e9 / load.duration_ns as f64)
}
