//! Whether a candidate kept what it had acknowledged: required of everybody, whether the need says so or not.

use dbdyno_decide::Compliance;
use dbdyno_record::finding::{NotFound, VerificationFailed};
use dbdyno_record::{Finding, OperationRecord, TrialRecord};

use super::gather::Candidate;
use super::judged::Judged;
use super::need::{Need, Requirement, RequirementKind};
use super::why::{Missed, Why};

/// The class of the errors of updates whose record was not there.
const NOT_FOUND: &str = "not-found";

/// Whether any trial of a candidate, of whatever work, missed data: a pilot, a repeated one and one that failed, too.
pub fn integrity<'a>(candidate: &Candidate<'a>) -> Judged<'a> {
    let all = || {
        let completed = candidate.trials.iter().map(|(_, trial)| *trial);
        completed.chain(candidate.others.iter().copied())
    };
    let missing: Vec<(&TrialRecord, Missed)> =
        all().filter_map(|trial| Some((trial, missed(trial)?))).collect();
    let of = |missing: &[&(&TrialRecord, Missed)]| -> Vec<(usize, &'a TrialRecord)> {
        let is_one = |trial: &TrialRecord| missing.iter().any(|(other, _)| std::ptr::eq(*other, trial));
        let cited = candidate.trials.iter().copied();
        cited.filter(|(_, trial)| is_one(trial)).collect()
    };
    // If a trial did not load the table, records may be missing for other reasons.
    let (losing, doubtful): (Vec<_>, Vec<_>) = missing.iter().partition(|(trial, _)| trial.load.is_some());
    for (missing, loaded) in [(&losing, true), (&doubtful, false)] {
        if let Some((_, first)) = missing.first() {
            let why = Why::Missed {
                trials: missing.len(),
                of: all().count(),
                first: first.clone(),
                loaded,
            };
            let compliance = if loaded {
                Compliance::Violated
            } else {
                Compliance::NotShown
            };
            return Judged::new(compliance, why, of(missing));
        }
    }
    let why = Why::Kept {
        values: all().any(|trial| counted(trial, |operation| operation.verified) > 0),
    };
    Judged::new(Compliance::Shown, why, candidate.trials.clone())
}

/// What data a trial missed.
fn missed(trial: &TrialRecord) -> Option<Missed> {
    let is_loss = |finding: &&Finding| finding.is::<VerificationFailed>() || finding.is::<NotFound>();
    if let Some(finding) = trial.invalidating().find(is_loss) {
        return Some(Missed::Finding(finding.message()));
    }
    let mangled = counted(trial, |operation| operation.verification_failures);
    if mangled > 0 {
        return Some(Missed::Values(mangled));
    }
    // Who deletes has to expect that records are gone.
    let deletes = trial.workload.properties.get("deleteproportion");
    if deletes.is_some_and(|share| share.parse().is_ok_and(|share: f64| share > 0.0)) {
        return None;
    }
    let absent = counted(trial, |operation| {
        operation.not_found + operation.errors.get(NOT_FOUND).copied().unwrap_or(0)
    });
    (absent > 0).then_some(Missed::Records(absent))
}

fn counted(trial: &TrialRecord, of: impl Fn(&OperationRecord) -> u64) -> u64 {
    let measure = trial
        .measure
        .iter()
        .flat_map(|measure| measure.operations.values());
    measure.map(of).sum()
}

/// The need, with integrity as its first requirement, called `text`, if a candidate lost data, or may have.
pub fn with_integrity(need: &Need, candidates: &[Candidate<'_>], text: &str) -> Need {
    let mut need = need.clone();
    if candidates
        .iter()
        .any(|one| integrity(one).compliance != Compliance::Shown)
    {
        let requirement = Requirement {
            text: text.to_owned(),
            kind: RequirementKind::Integrity,
        };
        need.requirements.insert(0, requirement);
    }
    need
}

/// Whether a candidate lost, mangled or hid data.
pub fn has_lost(candidate: &Candidate<'_>) -> bool {
    integrity(candidate).compliance == Compliance::Violated
}
