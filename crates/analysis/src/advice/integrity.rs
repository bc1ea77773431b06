//! Whether a candidate kept what it had acknowledged: required of everybody, whether the need says so or not.

use dbdyno_decide::Compliance;
use dbdyno_record::finding::{NotFound, VerificationFailed};
use dbdyno_record::{Finding, OperationRecord, TrialRecord};

use super::gather::Candidate;
use super::judged::Judged;
use super::need::{Need, Requirement, RequirementKind};
use super::why::Why;
use crate::number;

/// The class of the errors of updates whose record was not there.
const NOT_FOUND: &str = "not-found";

/// Whether any trial of a candidate, of whatever work, missed data: a pilot, a repeated one and one that failed, too.
pub fn integrity<'a>(candidate: &Candidate<'a>) -> Judged<'a> {
    let all = || {
        let completed = candidate.trials.iter().map(|(_, trial)| *trial);
        completed.chain(candidate.others.iter().copied())
    };
    let missing: Vec<(&TrialRecord, String)> =
        all().filter_map(|trial| Some((trial, missed(trial)?))).collect();
    let count = number::plural(all().count(), "trial", "trials");
    let of = |missing: &[&(&TrialRecord, String)]| -> Vec<(usize, &'a TrialRecord)> {
        let is_one = |trial: &TrialRecord| missing.iter().any(|(other, _)| std::ptr::eq(*other, trial));
        let cited = candidate.trials.iter().copied();
        cited.filter(|(_, trial)| is_one(trial)).collect()
    };
    // If a trial did not load the table, records may be missing for other reasons.
    let (losing, doubtful): (Vec<_>, Vec<_>) = missing.iter().partition(|(trial, _)| trial.load.is_some());
    if let Some((_, first)) = losing.first() {
        let why = format!(
            "missed in {} of {count}; in the first of them, {first}",
            losing.len()
        );
        return Judged::new(Compliance::Violated, Why::Words(why), of(&losing));
    }
    if let Some((_, first)) = doubtful.first() {
        let why = format!(
            "{} of {count} missed data but did not load the table themselves, so the records may never have been there; in the first of them, {first}",
            doubtful.len()
        );
        return Judged::new(Compliance::NotShown, Why::Words(why), of(&doubtful));
    }
    let compared = all().any(|trial| counted(trial, |operation| operation.verified) > 0);
    let why = if compared {
        "every read found its record, and every value was the one written".to_owned()
    } else {
        "every read found its record; values were not compared with what was written (dataintegrity)"
            .to_owned()
    };
    Judged::new(Compliance::Shown, Why::Words(why), candidate.trials.clone())
}

/// What data a trial missed, in words.
fn missed(trial: &TrialRecord) -> Option<String> {
    let is_loss = |finding: &&Finding| finding.is::<VerificationFailed>() || finding.is::<NotFound>();
    if let Some(finding) = trial.invalidating().find(is_loss) {
        return Some(finding.message());
    }
    let mangled = counted(trial, |operation| operation.verification_failures);
    if mangled > 0 {
        let values = number::plural(mangled as usize, "value was", "values were");
        return Some(format!("{values} missing or not what was written"));
    }
    // Who deletes has to expect that records are gone.
    let deletes = trial.workload.properties.get("deleteproportion");
    if deletes.is_some_and(|share| share.parse().is_ok_and(|share: f64| share > 0.0)) {
        return None;
    }
    let absent = counted(trial, |operation| {
        operation.not_found + operation.errors.get(NOT_FOUND).copied().unwrap_or(0)
    });
    (absent > 0).then(|| {
        let operations = number::plural(absent as usize, "operation", "operations");
        format!("{operations} did not find their record")
    })
}

fn counted(trial: &TrialRecord, of: impl Fn(&OperationRecord) -> u64) -> u64 {
    let measure = trial
        .measure
        .iter()
        .flat_map(|measure| measure.operations.values());
    measure.map(of).sum()
}

/// The need, with integrity as its first requirement if a candidate lost data, or may have.
pub fn with_integrity(need: &Need, candidates: &[Candidate<'_>]) -> Need {
    let mut need = need.clone();
    if candidates
        .iter()
        .any(|one| integrity(one).compliance != Compliance::Shown)
    {
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
    integrity(candidate).compliance == Compliance::Violated
}
