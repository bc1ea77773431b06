//! Whether a trial's numbers mean what they say: one rule for every command, page and format.

use std::borrow::Cow;

use crate::finding::{
    ClientThreadSaturated, CpuSaturated, DebugBuild, Errors, LoadIncomplete, OnlyErrors, TornGroup,
};
use crate::{Facts, Finding, Severity, TrialRecord, TrialStatus};

/// From this share of its operations, or of its clients' time, lost to errors a trial is invalid and keeps no objective.
pub const MOST_LOST: f64 = 0.01;

/// From this share of its clients' time lost to errors a system of which operations timed out has stopped answering.
const MOST_SILENT: f64 = 0.5;

/// The class of errors of operations that had no answer in time.
const TIMED_OUT: &str = "timeout";

/// One thing that makes a trial invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalidity<'a> {
    /// The code of the finding, or `failed`.
    pub code: &'a str,
    /// The observation, with the figures.
    pub message: Cow<'a, str>,
}

impl TrialRecord {
    /// Whether it sustained the rate that was asked for; true in a closed loop.
    #[must_use]
    pub fn sustained(&self) -> bool {
        let pacing = self.measure.as_ref().and_then(|measure| measure.pacing.as_ref());
        pacing.is_none_or(|pacing| pacing.sustained)
    }

    /// Why its numbers cannot be used: it failed, a finding makes it invalid, or it lost too much to errors. Empty where they can.
    ///
    /// Imported records and those of earlier versions have no finding about the errors of a load, or a milder one about those of a run:
    /// their counts say the same.
    #[must_use]
    pub fn invalid_because(&self) -> Vec<Invalidity<'_>> {
        let failed = match &self.status {
            TrialStatus::Failed { reason, .. } => Some(Invalidity {
                code: "failed",
                message: Cow::Borrowed(reason.as_str()),
            }),
            _ => None,
        };
        let found = self.invalidating().map(|finding| Invalidity {
            code: finding.code(),
            message: Cow::Owned(finding.message()),
        });
        let mut reasons: Vec<Invalidity<'_>> = failed.into_iter().chain(found).collect();
        let counted = [
            (LoadIncomplete::CODE, self.incomplete_load()),
            (Errors::CODE, self.too_many_errors()),
        ];
        for (code, message) in counted {
            let is_known = |reason: &Invalidity<'_>| reason.code == code || reason.code == OnlyErrors::CODE;
            if let Some(message) = message.filter(|_| !reasons.iter().any(is_known)) {
                let message = Cow::Owned(message);
                reasons.push(Invalidity { code, message });
            }
        }
        reasons
    }

    /// Whether its numbers can be used. An interrupted trial is valid for the time that it lasted.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.invalid_because().is_empty()
    }

    /// Whether it was measured again for others alone: trials that took turns with it were missing.
    #[must_use]
    pub fn is_torn(&self) -> bool {
        let is_said = self.findings.iter().any(Finding::is::<TornGroup>);
        self.status == TrialStatus::Disturbed && is_said
    }

    /// Why its numbers cannot be used, but for what a debug build of dbdyno says of its own trials: of those no result is valid, which
    /// alone would hide from developers how every command ends.
    #[must_use]
    pub fn spoiled_because(&self) -> Vec<Invalidity<'_>> {
        let mut reasons = self.invalid_because();
        reasons.retain(|reason| !cfg!(debug_assertions) || reason.code != DebugBuild::CODE);
        reasons
    }

    /// Whether its system stopped answering: operations timed out, and in its last level or slice none succeeded, or those that failed
    /// took half of the clients' time: where a phase is short, its end may be no level.
    #[must_use]
    pub fn fell_silent(&self) -> bool {
        let operations = self
            .measure
            .iter()
            .flat_map(|measure| measure.operations.values());
        let timed_out = operations
            .filter_map(|operation| operation.errors.get(TIMED_OUT))
            .any(|count| *count > 0);
        let steady = self.conditions.steady.as_ref();
        let level = steady.and_then(|steady| steady.levels.last());
        let measure = self.measure.as_ref();
        let lost = measure.map_or(0.0, |measure| {
            measure.share_of_time_lost_to_errors(self.spec.clients)
        });
        let turns = self.conditions.interleaving.as_ref();
        let slice = turns.and_then(|turns| turns.slices.last());
        let is_silent = level.is_some_and(|level| level.throughput_per_second == 0.0)
            || slice.is_some_and(|slice| slice.ok == 0)
            || lost >= MOST_SILENT;
        timed_out && is_silent
    }

    /// Whether the load generator was short of CPU time, so that a missed rate may be its fault. An embedded store shares the CPUs with it:
    /// that finding is only a note and does not count.
    #[must_use]
    pub fn client_cpu_saturated(&self) -> bool {
        self.findings.iter().any(|finding| {
            let is_busy = finding.is::<CpuSaturated>() || finding.is::<ClientThreadSaturated>();
            is_busy && finding.severity >= Severity::Warning
        })
    }

    /// The findings that make it invalid.
    pub fn invalidating(&self) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(|finding| finding.severity == Severity::Invalid)
    }

    fn incomplete_load(&self) -> Option<String> {
        let failed = self.load.as_ref()?.inserts.error_count();
        (failed > 0).then(|| format!("{failed} records could not be loaded, so the table is incomplete"))
    }

    fn too_many_errors(&self) -> Option<String> {
        let measure = self.measure.as_ref()?;
        let lost = measure.share_lost_to_errors(self.spec.clients);
        (lost >= MOST_LOST).then(|| {
            let operations = || measure.operations.values();
            let errors: u64 = operations().map(crate::OperationRecord::error_count).sum();
            let attempts: u64 = operations().map(crate::OperationRecord::attempts).sum();
            format!(
                "{errors} of {attempts} operations failed, which cost {} of the run",
                dbdyno_vocabulary::number::share(lost)
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::tests::example;
    use crate::{Interleaving, Level, SliceRecord, Steadiness, SteadyState};

    fn sound() -> TrialRecord {
        let mut trial = example("t");
        trial.findings.clear();
        trial.status = TrialStatus::Completed;
        let operations = trial
            .measure
            .iter_mut()
            .flat_map(|measure| &mut measure.operations);
        operations.for_each(|(_, operation)| operation.errors.clear());
        let inserts = trial.load.iter_mut().map(|load| &mut load.inserts);
        inserts.for_each(|inserts| inserts.errors.clear());
        trial
    }

    fn codes_of(trial: &TrialRecord) -> Vec<&str> {
        trial.invalid_because().iter().map(|reason| reason.code).collect()
    }

    fn finding(code: &str, severity: Severity) -> Finding {
        Finding::in_words(severity, code, format!("{code} was seen"), "")
    }

    #[test]
    fn every_finding_of_this_severity_makes_a_trial_invalid_and_no_other_does() {
        let mut trial = sound();
        assert!(trial.is_valid(), "{:?}", trial.invalid_because());
        trial.findings = vec![
            finding("few-samples", Severity::Warning),
            finding("too-early", Severity::Note),
        ];
        assert!(trial.is_valid());
        trial.findings.push(finding("table-not-kept", Severity::Invalid));
        trial
            .findings
            .push(finding("found-by-a-later-version", Severity::Invalid));
        assert_eq!(codes_of(&trial), ["table-not-kept", "found-by-a-later-version"]);
        assert_eq!(trial.invalid_because()[0].message, "table-not-kept was seen");
    }

    #[test]
    fn a_system_is_silent_that_answers_nothing_at_the_end_and_lets_operations_time_out() {
        let with_lost = |timeouts: u64, levels: &[f64], slices: &[u64], lost: f64| {
            let mut trial = sound();
            let measure = trial.measure.as_mut().unwrap();
            let lost_ns = (lost * measure.whole_ns() as f64) as u64 * u64::from(trial.spec.clients) / 4;
            let read = measure.operations.get_mut("read").unwrap();
            read.errors.insert(TIMED_OUT.to_owned(), timeouts);
            read.failed = crate::Latency::new();
            read.failed.record_many(lost_ns, 4);
            let level = |throughput: &f64| Level {
                from_ns: 0,
                throughput_per_second: *throughput,
                latency_p50_ns: None,
            };
            trial.conditions.steady = Some(SteadyState {
                steadiness: Steadiness::NotJudged,
                judged_by: "throughput".to_owned(),
                windows: 20,
                window_ns: 1,
                levels: levels.iter().map(level).collect(),
                pauses: None,
            });
            let slice = |ok: &u64| SliceRecord {
                round: 0,
                ok: *ok,
                measured_ns: 1,
                reference: None,
                reference_after: None,
                parked: None,
                head: None,
            };
            trial.conditions.interleaving = Some(Interleaving {
                beside: Vec::new(),
                head_ns: 0,
                slice_ns: 1,
                slices: slices.iter().map(slice).collect(),
                work: None,
            });
            trial.fell_silent()
        };
        let with = |timeouts, levels: &[f64], slices: &[u64]| with_lost(timeouts, levels, slices, 0.0);
        assert!(with(2, &[900.0, 0.0], &[]));
        assert!(with(2, &[900.0], &[100, 0]));
        assert!(!with(0, &[900.0, 0.0], &[100, 0]), "nothing timed out");
        assert!(!with(2, &[0.0, 900.0], &[0, 100]), "it came back");
        assert!(!with(2, &[], &[]));
        assert!(with_lost(4, &[900.0], &[], 0.6));
        assert!(!with_lost(4, &[900.0], &[], 0.4), "most of it was answered");
        assert!(!with_lost(0, &[900.0], &[], 0.6), "nothing timed out");
    }

    #[test]
    fn a_failed_trial_is_invalid_and_an_interrupted_one_is_not() {
        let mut trial = sound();
        trial.status = TrialStatus::Interrupted;
        assert!(trial.is_valid());
        trial.status = TrialStatus::failed("no route to host".to_owned());
        assert_eq!(codes_of(&trial), ["failed"]);
    }

    #[test]
    fn one_percent_lost_is_too_much_whatever_the_finding_of_an_older_version_says() {
        let mut trial = sound();
        let measure = trial.measure.as_mut().unwrap();
        measure.operations.retain(|kind, _| kind == "read");
        let read = measure.operations.get_mut("read").unwrap();
        (read.ok, read.not_found, read.too_early) = (990, 0, 0);
        read.failed = crate::Latency::new();
        read.errors.insert("timeout".to_owned(), 9);
        assert!(trial.is_valid(), "{:?}", trial.invalid_because());
        let read = trial
            .measure
            .as_mut()
            .unwrap()
            .operations
            .get_mut("read")
            .unwrap();
        read.errors.insert("timeout".to_owned(), 10);
        trial.findings = vec![finding(Errors::CODE, Severity::Warning)];
        assert_eq!(codes_of(&trial), [Errors::CODE]);
        assert!(
            trial.invalid_because()[0]
                .message
                .starts_with("10 of 1000 operations failed")
        );
        // It is said once.
        trial.findings[0].severity = Severity::Invalid;
        assert_eq!(codes_of(&trial), [Errors::CODE]);
        trial.findings[0] = finding(OnlyErrors::CODE, Severity::Invalid);
        assert_eq!(codes_of(&trial), [OnlyErrors::CODE]);
    }

    #[test]
    fn a_load_with_errors_is_incomplete() {
        let mut trial = sound();
        trial.load = Some(crate::LoadRecord {
            duration_ns: 1,
            inserts: crate::OperationRecord::default(),
        });
        assert!(trial.is_valid());
        let inserts = &mut trial.load.as_mut().unwrap().inserts;
        inserts.errors.insert("timeout".to_owned(), 3);
        assert_eq!(codes_of(&trial), [LoadIncomplete::CODE]);
    }
}
