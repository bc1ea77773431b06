//! The plan of a study: every trial, its order and its seed.

use dbdyno_trial::TrialSpec;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use dbdyno_trial::SYSTEM_FACTOR;

use crate::PlannedStudy;
use crate::asked::{self, Factors};

/// The version of the format, in `format` of `plan.json`.
pub const PLAN_FORMAT: &str = "dbdyno.plan/6";

/// `plan.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanFile {
    /// [`PLAN_FORMAT`].
    pub format: String,
    /// The study's question; `None` in plans of formats 1 and 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub study: Option<PlannedStudy>,
    /// Every trial, in the order of execution.
    pub trials: Vec<PlannedTrial>,
}

/// One planned trial.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedTrial {
    /// Name of the trial's folder, unique in the study.
    pub trial: String,
    /// Which randomised complete block, from 0.
    pub block: u32,
    /// Place in the order of execution, from 0.
    pub position: u32,
    /// The workload's seed.
    pub seed: u64,
    /// Its specification. Files keep the factors that follow from it, too.
    pub spec: TrialSpec,
}

/// A planned trial as files keep it.
#[derive(Serialize, Deserialize)]
#[serde(remote = "PlannedTrial", deny_unknown_fields)]
struct OnDisk {
    trial: String,
    block: u32,
    position: u32,
    seed: u64,
    #[serde(getter = "factors")]
    factors: Factors,
    /// `None` in plans of format 1, and of imported results.
    #[serde(getter = "spec", default, skip_serializing_if = "Option::is_none")]
    spec: Option<TrialSpec>,
}

fn factors(planned: &PlannedTrial) -> Factors {
    asked::factors_of(&planned.spec)
}

fn spec(planned: &PlannedTrial) -> Option<TrialSpec> {
    asked::whole(&planned.spec)
}

impl From<OnDisk> for PlannedTrial {
    fn from(read: OnDisk) -> Self {
        Self {
            spec: read.spec.unwrap_or_else(|| asked::spec_of(&read.factors)),
            trial: read.trial,
            block: read.block,
            position: read.position,
            seed: read.seed,
        }
    }
}

impl Serialize for PlannedTrial {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        OnDisk::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for PlannedTrial {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        OnDisk::deserialize(deserializer)
    }
}

/// The sign between a trial's name and the number of its repetition.
const REPETITION: char = '~';

/// The name of the `number`-th attempt at a planned trial, from 1: the repetitions of `017-redb-a` are `017-redb-a~2` and
/// so on, and sort after it.
#[must_use]
pub fn repetition_name(planned: &str, number: u32) -> String {
    if number <= 1 {
        planned.to_owned()
    } else {
        format!("{planned}{REPETITION}{number}")
    }
}

/// The planned trial that a trial is, or repeats.
#[must_use]
pub fn planned_name(trial: &str) -> &str {
    trial.split_once(REPETITION).map_or(trial, |(planned, _)| planned)
}

/// Which attempt at its planned trial a trial is, from 1: 2 of `017-redb-a~2`.
#[must_use]
pub fn attempt_of(trial: &str) -> u32 {
    let attempt = trial.split_once(REPETITION);
    attempt.and_then(|(_, number)| number.parse().ok()).unwrap_or(1)
}

/// The number that a planned trial's name begins with, as it is written: of `017-redb-a` it is `017`.
#[must_use]
pub fn trial_number(trial: &str) -> &str {
    let digits = trial.bytes().take_while(u8::is_ascii_digit).count();
    &trial[..digits]
}

/// The numbers of pilots, which are counted apart, begin behind those of planned trials.
const PILOTS: u32 = 1_000_000;

/// A number by which a trial can be told from all others of its study: its own, or, of the pilot `pilot-02-redb-a`, 1,000,002. A signal
/// handler can write it down. `None` where the name has none.
#[must_use]
pub fn number_of(trial: &str) -> Option<u32> {
    let (name, before) = match trial.strip_prefix("pilot-") {
        Some(rest) => (rest, PILOTS),
        None => (trial, 0),
    };
    let number: u32 = trial_number(name).parse().ok()?;
    number.checked_add(before)
}

impl PlanFile {
    /// A plan of these trials, in the present format.
    #[must_use]
    pub fn new(study: PlannedStudy, trials: Vec<PlannedTrial>) -> Self {
        Self {
            format: PLAN_FORMAT.to_owned(),
            study: Some(study),
            trials,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_lead_back_to_what_they_repeat() {
        assert_eq!(repetition_name("017-redb-a", 1), "017-redb-a");
        assert_eq!(repetition_name("017-redb-a", 2), "017-redb-a~2");
        assert_eq!(planned_name("017-redb-a~2"), "017-redb-a");
        assert_eq!(planned_name("017-redb-a"), "017-redb-a");
        assert_eq!((attempt_of("017-redb-a~2"), attempt_of("017-redb-a")), (2, 1));
        assert_eq!(trial_number("017-redb-a~2"), "017");
        assert_eq!(trial_number("pilot-redb"), "");
        assert_eq!(number_of("017-redb-a~2"), Some(17));
        assert_eq!(number_of("pilot-02-redb-a"), Some(1_000_002));
        assert_eq!((number_of("pilot-redb"), number_of("redb")), (None, None));
        assert!("017-redb-a" < "017-redb-a~2" && "017-redb-a~2" < "018-fjall-a");
    }
}
