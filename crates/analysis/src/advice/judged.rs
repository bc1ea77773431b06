//! How a candidate stands to a requirement, and what that is judged with.

use dbdyno_decide::Compliance;
use dbdyno_record::TrialRecord;

use super::catalogue::Catalogue;
use super::fault::fault;
use super::gather::Candidate;
use super::need::WorkChoice;
use super::why::Why;
use super::work::NoWork;

/// How a candidate stands to a requirement, and what that rests on.
pub struct Judged<'a> {
    /// How it stands.
    pub compliance: Compliance,
    /// Why.
    pub why: Why,
    /// The trials that show it.
    pub trials: Vec<(usize, &'a TrialRecord)>,
    /// What has to be measured before it can be judged.
    pub lacking: Option<Lacking>,
}

/// What has to be measured before a requirement can be judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lacking {
    /// The system at another level. What was measured below that level does not count.
    Level {
        /// The option of the system's address that asks for it.
        option: &'static str,
        /// The level.
        wanted: String,
    },
    /// The work.
    Work,
    /// The work at a rate.
    Rate,
}

/// What a candidate is judged with.
pub struct Context<'c, 'a> {
    /// All candidates.
    pub candidates: &'c [Candidate<'a>],
    /// All work that counts, and why none of it was done where nobody did it.
    pub works: &'c [(&'c WorkChoice, Option<NoWork>)],
    /// What is known beside the results.
    pub catalogue: &'c Catalogue,
    /// The currency of the prices; `None` without prices.
    pub currency: Option<&'c str>,
}

impl<'a> Context<'_, 'a> {
    /// Another candidate of the same product and version of which this is true.
    pub fn variant(&self, of: &Candidate<'_>, is: impl Fn(&Candidate<'a>) -> bool) -> Option<&Candidate<'a>> {
        let identity = |one: &Candidate<'_>| {
            let system = one.system;
            (
                system.driver.clone(),
                system.product.clone(),
                system.version.clone(),
            )
        };
        self.candidates
            .iter()
            .find(|other| identity(other) == identity(of) && is(other))
    }

    /// Why no system has trials of this work; `None` if one has.
    pub fn absent(&self, work: &WorkChoice) -> Option<&NoWork> {
        let known = self.works.iter().find(|(known, _)| known.is_same(work));
        known.and_then(|(_, absent)| absent.as_ref())
    }
}

impl<'a> Judged<'a> {
    /// A judgement that rests on these trials.
    pub fn new(compliance: Compliance, why: Why, trials: Vec<(usize, &'a TrialRecord)>) -> Self {
        Self {
            compliance,
            why,
            trials,
            lacking: None,
        }
    }

    /// One that rests on what the system states about itself in its valid trials. Without any, nothing is shown.
    pub fn of_all(candidate: &Candidate<'a>, compliance: Compliance, why: Why) -> Self {
        let valid: Vec<(usize, &TrialRecord)> = candidate
            .trials
            .iter()
            .copied()
            .filter(|(_, trial)| fault(trial).is_none())
            .collect();
        if valid.is_empty() {
            return Self::new(Compliance::NotShown, Why::AllInvalid, candidate.trials.clone());
        }
        Self::new(compliance, why, valid)
    }
}
