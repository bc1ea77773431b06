//! The name of what trials share.

use dbdyno_record::TrialRecord;

/// What trials must share to be runs of the same thing.
#[must_use]
pub fn cell_name(trial: &TrialRecord) -> String {
    let factors = trial
        .factors
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "system" | "workload"));
    let factors: String = factors
        .map(|(name, value)| format!(", {name} = {value}"))
        .collect();
    format!("{}, workload {}{factors}", trial.system.name, trial.workload.name)
}
