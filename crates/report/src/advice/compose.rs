//! What advice is composed from: the pieces that sentences and tables are made of, and the list of evidence.

use dbdyno_decide::{Decision, Observation, Problem};
use dbdyno_record::TrialRecord;

use super::gather::{Candidate, Source};
use super::judge::Judged;
use super::{Evidence, EvidencePlace, Need, Told};

/// Everything that is known before it is told.
pub struct Pieces<'a> {
    pub need: &'a Need,
    pub candidates: &'a [Candidate<'a>],
    /// By candidate and requirement.
    pub judged: &'a [Vec<Judged<'a>>],
    pub problem: &'a Problem,
    pub decision: &'a Decision,
    /// Numbers of the evidence of goals, by candidate and goal.
    pub of_goals: Vec<Vec<Option<usize>>>,
    /// Numbers of the evidence of requirements, by candidate and requirement.
    pub of_requirements: Vec<Vec<Option<usize>>>,
}

impl Pieces<'_> {
    /// A candidate's name.
    pub fn name(&self, candidate: usize) -> &str {
        &self.candidates[candidate].label
    }

    /// The numbers of all evidence that the goals of these candidates rest on.
    pub fn goals_of(&self, candidates: &[usize]) -> Vec<usize> {
        candidates
            .iter()
            .flat_map(|candidate| self.of_goals[*candidate].iter().copied().flatten())
            .collect()
    }

    /// What was observed of a goal.
    pub fn observed(&self, candidate: usize, goal: usize) -> &[Observation] {
        &self.problem.candidates[candidate].evidence[goal]
    }
}

/// A sentence.
pub fn told(text: impl Into<String>, evidence: Vec<usize>) -> Told {
    Told {
        text: text.into(),
        evidence,
    }
}

/// The list of evidence, as it grows.
#[derive(Default)]
pub struct Citations(pub Vec<Evidence>);

impl Citations {
    /// The number of this evidence; `None` when there is no trial.
    pub fn cite(
        &mut self,
        what: String,
        trials: &[(usize, &TrialRecord)],
        sources: &[Source<'_>],
    ) -> Option<usize> {
        let mut places: Vec<EvidencePlace> = Vec::new();
        for (source, trial) in trials {
            let folder = sources[*source].name;
            match places.iter_mut().find(|place| place.folder == folder) {
                Some(place) => place.trials.push(trial.trial.clone()),
                None => places.push(EvidencePlace {
                    folder: folder.to_owned(),
                    trials: vec![trial.trial.clone()],
                }),
            }
        }
        if places.is_empty() {
            return None;
        }
        let number = self.0.len() + 1;
        self.0.push(Evidence { number, what, places });
        Some(number)
    }
}
