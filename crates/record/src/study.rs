//! What a study asks, as its plan keeps it: a report needs no study file.

use std::collections::BTreeMap;

use dbdyno_trial::LevelOrder;
use serde::{Deserialize, Serialize};

use crate::Objective;

/// A study, apart from its trials.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedStudy {
    /// Its name, which names the result folder, too.
    pub name: String,
    /// One line for people, where the study has one.
    pub title: Option<String>,
    /// Whether it is a quick look, which decides nothing.
    pub quick: bool,
    /// Its kind.
    pub kind: Kind,
    /// Blocks; in a search, trials of a confirmed rate or of a step.
    pub trials: u32,
    /// Numbers of trials after which more were added, although all of them had run: their results could be seen before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub extended_after: Vec<u32>,
    /// How its trials take turns; `None`: one after the other, in blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<PlannedOrder>,
    /// What servers may take of the memory together, bytes, where their systems run in batches; `None`: all at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_of_batches: Option<u64>,
    /// The levels of its factors in the order of its file; `None` in plans up to format 4, beside which the file says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub levels: Option<LevelOrder>,
    /// What each workload does, by its name: properties in force, apart from sizes. Empty in plans up to format 5.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub workloads: BTreeMap<String, BTreeMap<String, String>>,
    /// Which published study it measures again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paper: Option<PlannedPaper>,
}

/// How the trials of a study take turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlannedOrder {
    /// The systems of a cell in slices, one after the other.
    Interleaved,
}

/// The question of a study.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Every cell `trials` times, in randomised complete blocks.
    #[default]
    Comparison,
    /// The highest rate that keeps an objective.
    Capacity(Capacity),
    /// Latency at rising load.
    Sweep(Sweep),
}

/// The search for a capacity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capacity {
    /// The expectations that must hold.
    pub objective: Objective,
    /// Relative step between tested rates.
    pub step: f64,
    /// Clients; `None`: the pilot finds how many are of use.
    pub clients: Option<u32>,
}

/// Latency at rising load, step by step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sweep {
    /// Its steps.
    pub steps: Steps,
    /// Clients of all steps at rates; `None`: the pilot finds how many are of use.
    pub clients: Option<u32>,
    /// An objective to hold the steps against.
    pub objective: Option<Objective>,
}

/// The steps of a sweep.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Steps {
    /// Tenths of what a closed loop reaches.
    Automatic,
    /// Open loops at these rates.
    Rates(Vec<f64>),
    /// Closed loops with these clients.
    Clients(Vec<u32>),
}

/// The published study that is measured again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedPaper {
    /// Its name, as listed by `dbdyno paper list`.
    pub id: String,
    /// Which part of it.
    pub part: String,
    /// The claims that it is measured for; without any, all that the part can judge.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<String>,
    /// The factor of its sizes.
    pub scale: f64,
    /// What is assumed, replaced and changed, one sentence each.
    pub notes: Vec<String>,
    /// The paper's numbers of records, by ours.
    pub records: BTreeMap<u64, u64>,
    /// The paper's numbers of operations, by ours.
    pub operations: BTreeMap<u64, u64>,
}

impl Kind {
    /// The expectations that must hold, where the study says so.
    #[must_use]
    pub fn objective(&self) -> Option<&Objective> {
        match self {
            Self::Comparison => None,
            Self::Capacity(capacity) => Some(&capacity.objective),
            Self::Sweep(sweep) => sweep.objective.as_ref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_trial::{Level, RATE};

    use super::*;

    #[test]
    fn what_a_study_asks_is_read_back_as_it_was_written() {
        let objective = Objective::parse(["p99(read)<10ms", "errors<0.1%"]).unwrap();
        let kinds = [
            Kind::Comparison,
            Kind::Capacity(Capacity {
                objective: objective.clone(),
                step: 0.05,
                clients: None,
            }),
            Kind::Sweep(Sweep {
                steps: Steps::Rates(vec![1500.0, 0.5]),
                clients: Some(16),
                objective: Some(objective),
            }),
            Kind::Sweep(Sweep {
                steps: Steps::Automatic,
                clients: None,
                objective: None,
            }),
        ];
        let mut levels = LevelOrder::default();
        levels.list(RATE, [Level::Unlimited, Level::Rate(0.5)]);
        for kind in kinds {
            let study = PlannedStudy {
                name: "x".to_owned(),
                title: Some("A study".to_owned()),
                quick: true,
                kind,
                trials: 12,
                extended_after: vec![5],
                order: Some(PlannedOrder::Interleaved),
                memory_of_batches: Some(18 << 30),
                levels: Some(levels.clone()),
                workloads: [(
                    "a".to_owned(),
                    [("readproportion".to_owned(), "1".to_owned())].into(),
                )]
                .into(),
                paper: Some(PlannedPaper {
                    id: "abramova-2013".to_owned(),
                    part: "single".to_owned(),
                    claims: vec!["C4".to_owned()],
                    scale: 0.02,
                    notes: vec!["Assumed: all of it.".to_owned()],
                    records: [(2000, 100_000)].into(),
                    operations: BTreeMap::new(),
                }),
            };
            let text = serde_json::to_string(&study).unwrap();
            assert_eq!(
                serde_json::from_str::<PlannedStudy>(&text).unwrap(),
                study,
                "{text}"
            );
        }
    }

    #[test]
    fn a_study_that_was_not_extended_does_not_mention_it() {
        let text = serde_json::to_string(&PlannedStudy::default()).unwrap();
        assert!(!text.contains("extended_after"), "{text}");
        assert_eq!(
            serde_json::from_str::<PlannedStudy>(&text).unwrap(),
            PlannedStudy::default()
        );
    }

    #[test]
    fn an_objective_is_a_list_of_texts() {
        let objective = Objective::parse(["p99(read)<10ms"]).unwrap();
        assert_eq!(serde_json::to_string(&objective).unwrap(), "[\"p99(read)<10ms\"]");
        let error = serde_json::from_str::<Objective>("[\"p99(reed)<10ms\"]").unwrap_err();
        assert!(error.to_string().contains("p99(reed)<10ms"), "{error}");
    }
}
