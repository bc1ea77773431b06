//! Whether a candidate kept what it had acknowledged: required of everybody, whether the need says so or not.

use dbdyno_decide::Standing;
use dbdyno_record::{Severity, TrialRecord};

use super::gather::Candidate;
use super::judge::Judged;
use super::need::{Need, Requirement, RequirementKind};
use crate::number;

/// Findings that say that a system lost, mangled or hid what it had acknowledged.
const LOST: [&str; 2] = ["verification-failed", "not-found"];

/// Whether any trial of a candidate, of whatever work, missed data.
pub fn integrity<'a>(candidate: &Candidate<'a>) -> Judged<'a> {
    // If this trial did not load the table, records may be missing for other reasons.
    let loss = |trial: &'a TrialRecord| {
        trial.load.as_ref()?;
        let mut invalid = trial
            .findings
            .iter()
            .filter(|finding| finding.severity == Severity::Invalid);
        invalid.find(|finding| LOST.contains(&finding.code.as_str()))
    };
    let losing: Vec<(usize, &TrialRecord)> = candidate
        .trials
        .iter()
        .copied()
        .filter(|(_, trial)| loss(trial).is_some())
        .collect();
    match losing.first().and_then(|(_, trial)| loss(trial)) {
        None => Judged::new(
            Standing::Shown,
            "none was missed in any trial".to_owned(),
            candidate.trials.clone(),
        ),
        Some(finding) => Judged::new(
            Standing::Violated,
            format!(
                "missed in {} of {}; in the first of them, {}",
                losing.len(),
                number::plural(candidate.trials.len(), "trial", "trials"),
                finding.message.trim_end_matches('.')
            ),
            losing,
        ),
    }
}

/// The need, with integrity as its first requirement if a candidate lost data.
pub fn with_integrity(need: &Need, candidates: &[Candidate<'_>]) -> Need {
    let mut need = need.clone();
    if candidates.iter().any(has_lost) {
        let requirement = Requirement {
            text: "no acknowledged data lost".to_owned(),
            kind: RequirementKind::Integrity,
        };
        need.requirements.insert(0, requirement);
    }
    need
}

/// Whether a candidate lost, mangled or hid data.
pub fn has_lost(candidate: &Candidate<'_>) -> bool {
    integrity(candidate).standing == Standing::Violated
}
