//! What advice is composed from: the pieces that sentences and tables are made of, and the list of evidence.

use dbdyno_decide::{Decision, Problem};
use dbdyno_record::TrialRecord;

use super::catalogue::Catalogue;
use super::doubt::Value;
use super::gather::{Candidate, Source};
use super::goals::Unjudged;
use super::judged::{Judged, Lacking};
use super::work::NoWork;
use super::{Evidence, EvidencePlace, Goal, Need, Statement, WorkChoice};
use crate::number;

/// Everything that the sentences are made of.
pub struct Pieces<'a> {
    /// Trials that were given more than once.
    pub given_again: usize,
    /// The need with the goals that can be judged; with all of them when none can.
    pub need: &'a Need,
    /// All goals, each with why it cannot be judged.
    pub goals: &'a [(Goal, Option<Unjudged>)],
    /// All work that counts, each with why nobody did it.
    pub works: &'a [(&'a WorkChoice, Option<NoWork>)],
    pub catalogue: &'a Catalogue,
    pub candidates: &'a [Candidate<'a>],
    /// By candidate and requirement.
    pub judged: &'a [Vec<Judged<'a>>],
    /// What was measured, by candidate and goal of `need`.
    pub values: &'a [Vec<Vec<Value<'a>>>],
    pub problem: &'a Problem,
    pub decision: &'a Decision,
    /// Numbers of the evidence of goals, by candidate and goal of `need`.
    pub of_goals: Vec<Vec<Option<usize>>>,
    /// The same by candidate and goal of `goals`.
    pub of_all_goals: Vec<Vec<Option<usize>>>,
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

    /// The levels at which a candidate has to be measured before it can be ranked: options of its address with their values.
    pub fn levels(&self, candidate: usize) -> Vec<(&'static str, &str)> {
        levels(&self.judged[candidate])
    }
}

/// The levels that these judgements of one candidate lack.
pub fn levels<'j>(judged: &'j [Judged<'_>]) -> Vec<(&'static str, &'j str)> {
    let level = |one: &'j Judged<'_>| match &one.lacking {
        Some(Lacking::Level { option, wanted }) => Some((*option, wanted.as_str())),
        _ => None,
    };
    judged.iter().filter_map(level).collect()
}

/// A sentence.
pub fn statement(text: impl Into<String>, evidence: Vec<usize>) -> Statement {
    Statement {
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

/// The names of these candidates.
pub fn names(pieces: &Pieces<'_>, who: &[usize]) -> String {
    number::list(
        &who.iter()
            .map(|candidate| pieces.name(*candidate))
            .collect::<Vec<_>>(),
    )
}
