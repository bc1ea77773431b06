//! Whether a trial kept an objective: its expectations, its rate, and no more errors than anybody accepts.

use dbdyno_vocabulary::search::Outcome;
use dbdyno_vocabulary::{Expectation, ExpectationError, MetricValue, Subject};

use serde::{Deserialize, Serialize};

use crate::finding::{ClientsStuck, DebugBuild, Errors, OnlyErrors, RateNotSustained};
use crate::{Facts, Finding, MOST_LOST, TrialRecord};

/// Findings about what an objective judges by itself, and the one that all trials of a debug build have.
const JUDGED: [&str; 5] = [
    RateNotSustained::CODE,
    Errors::CODE,
    OnlyErrors::CODE,
    ClientsStuck::CODE,
    DebugBuild::CODE,
];
/// From this share of its clients' time on the tool itself is what limits a rate.
const MOST_OF_THE_TOOL: f64 = 0.5;
/// The tool's own lag counts from here on ...
const LAG_NS: u64 = 1_000_000;
/// ... when it makes up this share of the slowest hundredth of all response times ...
const LAG_SHARE: f64 = 0.5;
/// ... and this share of all operations was sent by a client that had waited for its time.
const LAGGING_SHARE: f64 = 0.01;

/// One objective: all of its expectations hold, on response time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Objective {
    /// At least one.
    pub expectations: Vec<Expectation>,
}

impl From<Objective> for Vec<String> {
    fn from(objective: Objective) -> Self {
        let texts = objective.expectations.into_iter();
        texts.map(|expectation| expectation.text).collect()
    }
}

impl TryFrom<Vec<String>> for Objective {
    type Error = String;

    fn try_from(texts: Vec<String>) -> Result<Self, String> {
        Self::parse(texts.iter().map(String::as_str))
            .map_err(|error| format!("`{}`: {}", error.text, error.message))
    }
}

/// A trial's answer about an objective.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectiveOutcome {
    /// Whether it was kept, and what a miss says of the system.
    pub outcome: Outcome,
    /// The measured values, expectation by expectation.
    pub measured: Vec<Option<MetricValue>>,
    /// Whether the rate was sustained; true in a closed loop.
    pub sustained: bool,
    /// The share that went to errors, 0 to 1.
    pub lost: f64,
}

/// Findings that make a trial invalid whatever its rate and its latencies are: it keeps no objective, and it is no answer either.
pub fn spoiling(trial: &TrialRecord) -> impl Iterator<Item = &Finding> {
    trial
        .invalidating()
        .filter(|finding| !JUDGED.contains(&finding.code()))
}

impl Objective {
    /// Reads expectations.
    ///
    /// # Errors
    /// The first that cannot be understood.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, ExpectationError> {
        Ok(Self {
            expectations: texts
                .into_iter()
                .map(Expectation::parse)
                .collect::<Result<_, _>>()?,
        })
    }

    /// As it was written.
    #[must_use]
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self
            .expectations
            .iter()
            .map(|expectation| expectation.text.as_str())
            .collect();
        texts.join(" and ")
    }

    /// The lowest rate, operations per second, at which a trial as long as this one has enough operations for every percentile
    /// of the objective; 0 for trials that end by a count. `pilot` is a trial of the same operations.
    #[must_use]
    pub fn lowest_rate(&self, pilot: &TrialRecord) -> f64 {
        let (Some(measure), Some(duration)) = (&pilot.measure, pilot.spec.limit.duration) else {
            return 0.0;
        };
        let attempts = |subject: Subject| {
            let kind = match subject {
                Subject::All => None,
                // No operation of the measured phase is of the load.
                Subject::Load => return 0.0,
                Subject::Kind(kind) => Some(kind.name()),
            };
            let named = measure
                .operations
                .iter()
                .filter(|(name, _)| kind.is_none_or(|kind| kind == name.as_str()));
            named.map(|(_, record)| record.attempts()).sum::<u64>() as f64
        };
        let all = attempts(Subject::All);
        self.expectations
            .iter()
            .filter_map(|expectation| {
                let of_interest = attempts(expectation.metric().subject());
                let needed = expectation.fewest_operations()? as f64;
                (of_interest > 0.0).then(|| needed * all / of_interest / (duration.as_nanos() as f64 / 1e9))
            })
            .fold(0.0, f64::max)
    }

    /// Holds the objective against a trial.
    #[must_use]
    pub fn judge(&self, trial: &TrialRecord) -> ObjectiveOutcome {
        let judgements: Vec<_> = self
            .expectations
            .iter()
            .map(|expectation| trial.judge(expectation))
            .collect();
        let measure = trial.measure.as_ref();
        let sustained = trial.sustained();
        let lost = measure.map_or(1.0, |measure| measure.share_lost_to_errors(trial.spec.clients));
        let spoiled = spoiling(trial).next().is_some();
        let kept =
            judgements.iter().all(|judgement| judgement.met) && sustained && lost < MOST_LOST && !spoiled;
        // Only what is timed can suffer from a slow client: errors and missing records are the system's own.
        let timed =
            |measured: &MetricValue| matches!(measured, MetricValue::LatencyNs(_) | MetricValue::Rate(_));
        let untimed_missed = judgements
            .iter()
            .any(|judgement| !judgement.met && !judgement.measured.as_ref().is_some_and(timed));
        let client_bound = || {
            lost < MOST_LOST
                && !spoiled
                && !untimed_missed
                && measure.is_none_or(|measure| measure.drain.stuck == 0)
                && client_at_its_limit(trial)
        };
        ObjectiveOutcome {
            outcome: match (kept, trial.conditions.is_disturbed()) {
                (true, false) => Outcome::Holds,
                (true, true) => Outcome::HoldsDisturbed,
                (false, true) => Outcome::Disturbed,
                (false, false) if client_bound() => Outcome::ClientBound,
                (false, false) => Outcome::Misses,
            },
            measured: judgements
                .into_iter()
                .map(|judgement| judgement.measured)
                .collect(),
            sustained,
            lost,
        }
    }
}

/// Whether the load generator, not the system, is what a rate fails on: short of processor time, busy with itself, or late by
/// itself. A store in this process shares the processors, so their being busy says nothing against it.
fn client_at_its_limit(trial: &TrialRecord) -> bool {
    let Some(measure) = &trial.measure else {
        return false;
    };
    let carriers = f64::from(trial.spec.clients.min(trial.threads.max(1)));
    let operations = measure
        .operations
        .values()
        .map(crate::OperationRecord::attempts)
        .sum::<u64>() as f64;
    let of_the_tool = operations * trial.floor.operation_ns / (measure.whole_ns() as f64 * carriers);
    let late = measure.pacing.as_ref().is_some_and(|pacing| {
        // At a rate beyond the system's no client is ever free: the lag of the first few operations is in no percentile.
        let is_in_percentiles = pacing.scheduling_lag.count() as f64 >= operations * LAGGING_SHARE;
        let lag_ns = pacing.scheduling_lag.percentile_ns(99.0).unwrap_or(0);
        let p99_ns = trial
            .latency(None)
            .percentile(99.0)
            .map_or(0, crate::Quantile::ns);
        is_in_percentiles && lag_ns >= LAG_NS && lag_ns as f64 >= p99_ns as f64 * LAG_SHARE
    });
    trial.client_cpu_saturated() || of_the_tool >= MOST_OF_THE_TOOL || late
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::trial::tests::example;
    use crate::{Finding, Latency, Pacing, Severity};

    /// The example at a rate: reads of 1 µs to 1 ms, and 2 of 1507 operations failed.
    fn at_a_rate(sustained: bool) -> TrialRecord {
        let mut trial = example("t");
        let measure = trial.measure.as_mut().unwrap();
        measure.operations.remove("update");
        measure.pacing = Some(Pacing {
            asked_rate: 100.0,
            achieved_rate: 100.0,
            sustained,
            backlog: 0,
            scheduling_lag: Latency::new(),
        });
        trial.findings.clear();
        trial.conditions.disturbed_by.clear();
        trial.floor.operation_ns = 1.0;
        trial
    }

    fn judge(text: &str, trial: &TrialRecord) -> ObjectiveOutcome {
        Objective::parse([text]).unwrap().judge(trial)
    }

    #[test]
    fn latency_rate_and_errors_all_count() {
        assert_eq!(judge("p99(read)<5ms", &at_a_rate(true)).outcome, Outcome::Holds);
        assert!(!judge("p99(read)<5us", &at_a_rate(true)).outcome.holds());
        let slow = judge("p99(read)<5ms", &at_a_rate(false));
        assert!(slow.outcome == Outcome::Misses && !slow.sustained);
        let mut failing = at_a_rate(true);
        let read = failing
            .measure
            .as_mut()
            .unwrap()
            .operations
            .get_mut("read")
            .unwrap();
        read.errors.insert("timeout".to_owned(), 100);
        let failing = judge("p99(read)<5ms", &failing);
        assert!(!failing.outcome.holds() && failing.lost > 0.05, "{failing:?}");
    }

    #[test]
    fn a_percentile_wants_operations() {
        let lowest = |text: &str, trial: &TrialRecord| Objective::parse([text]).unwrap().lowest_rate(trial);
        let mut trial = at_a_rate(true);
        trial.spec.limit.duration = Some(Duration::from_secs(10));
        assert_eq!(lowest("p99(read)<5ms", &trial), 10.0, "100 operations in 10 s");
        assert_eq!(lowest("p50(read)<5ms", &trial), 1.0, "ten at least");
        assert_eq!(lowest("mean<5ms", &trial), 0.0);
        let measure = trial.measure.as_mut().unwrap();
        let reads = measure.operations["read"].clone();
        measure.operations.insert("update".to_owned(), reads);
        assert_eq!(lowest("p99.9(read)<5ms", &trial), 200.0, "half of all are reads");
        trial.spec.limit.duration = None;
        assert_eq!(lowest("p99(read)<5ms", &trial), 0.0);
    }

    #[test]
    fn an_invalid_trial_keeps_nothing() {
        let mut wrong = at_a_rate(true);
        let mut found = |code: &str| {
            wrong.findings = vec![Finding::in_words(Severity::Invalid, code, "", "")];
            judge("p99(read)<5ms", &wrong).outcome.holds()
        };
        for code in ["verification-failed", "table-not-kept", "clock-drift"] {
            assert!(!found(code), "{code}");
        }
        // It was sustained, and nothing failed: the objective looks at the figures themselves.
        for code in [RateNotSustained::CODE, Errors::CODE, DebugBuild::CODE] {
            assert!(found(code), "{code}");
        }
    }

    #[test]
    fn what_is_missed_while_disturbed_says_nothing() {
        let mut disturbed = at_a_rate(false);
        disturbed.floor.operation_ns = 1e12;
        disturbed.conditions.disturbed_by = vec!["host-steal".to_owned()];
        let judged = judge("p99(read)<5ms", &disturbed);
        assert_eq!(judged.outcome, Outcome::Disturbed);
        let mut kept = at_a_rate(true);
        kept.conditions.disturbed_by = vec!["host-steal".to_owned()];
        let judged = judge("p99(read)<5ms", &kept);
        assert_eq!(
            judged.outcome,
            Outcome::HoldsDisturbed,
            "what is kept nevertheless is kept"
        );
    }

    #[test]
    fn a_client_at_its_limit_is_named() {
        let mut busy = at_a_rate(false);
        busy.findings
            .push(Finding::in_words(Severity::Warning, "cpu-saturated", "", ""));
        assert_eq!(judge("p99<5ms", &busy).outcome, Outcome::ClientBound);
        busy.findings[0] = Finding::in_words(Severity::Warning, "client-thread-saturated", "", "");
        assert_eq!(judge("p99<5ms", &busy).outcome, Outcome::ClientBound);
        // Of a store inside the process it is only noted: there the processors are the system's, too.
        busy.findings[0].severity = Severity::Note;
        assert!(judge("p99<5ms", &busy).outcome != Outcome::ClientBound);

        let mut slow_tool = at_a_rate(false);
        slow_tool.floor.operation_ns = 1e12;
        assert_eq!(judge("p99<5ms", &slow_tool).outcome, Outcome::ClientBound);

        let mut late = at_a_rate(false);
        let measure = late.measure.as_mut().unwrap();
        let lag = &mut measure.pacing.as_mut().unwrap().scheduling_lag;
        lag.record(30_000_000);
        assert!(
            judge("p99<5us", &late).outcome != Outcome::ClientBound,
            "one operation of 1507 was sent late"
        );
        let lag = &mut late
            .measure
            .as_mut()
            .unwrap()
            .pacing
            .as_mut()
            .unwrap()
            .scheduling_lag;
        (0..100).for_each(|_| lag.record(30_000_000));
        assert_eq!(judge("p99<5us", &late).outcome, Outcome::ClientBound);
        assert!(
            judge("p99<5s", &at_a_rate(true)).outcome != Outcome::ClientBound,
            "it is kept"
        );
        assert!(
            judge("not-found<1", &slow_tool).outcome != Outcome::ClientBound,
            "missing records are no matter of time"
        );
    }
}
