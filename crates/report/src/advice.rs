//! Advice: which of the measured systems fits a need, how sure that is, and what rests on what.
//!
//! [`Advice::of`] turns result folders and a [`Need`] into plain data; [`Render`](crate::Render) and [`Advice::json`] only
//! write that down. `crates/decide` decides; here its figures get names, units, sentences and evidence.

mod behind;
mod build;
mod close;
mod compose;
mod error;
mod money;
mod next;
mod next_study;
mod noise;
mod published;
mod restless;
mod rows;
mod scope;
mod sentences;
mod unjudged;
mod why;
mod without;

use serde::Serialize;

use crate::indented;

pub use dbdyno_analysis::advice::{
    Budget, Catalogue, Goal, Metric, Need, Objective, Offer, Per, PublishedClaim, RateChoice, Requirement,
    RequirementKind, Source, Subject, Unit, WorkChoice, Worth, better, measure,
};
use dbdyno_analysis::advice::{
    catalogue, comparisons, doubt, gather, goals, integrity, judge, judged, metric, work,
};
pub use error::AdviceError;
pub use next_study::MADE_BY;
pub use published::{Lead, Published, Standing};

/// The version of the JSON output.
pub const ADVICE_FORMAT: &str = "dbdyno.advice/1";

/// The answer, in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// Take this one.
    Recommend,
    /// One of these.
    Shortlist,
    /// What was measured does not tell.
    Undecided,
    /// No system meets the hard requirements.
    Nobody,
    /// The systems do not promise the same, or were not measured on the same machine: they are not ranked.
    Refused,
}

impl Word {
    /// Its name in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Recommend => "recommend",
            Self::Shortlist => "shortlist",
            Self::Undecided => "undecided",
            Self::Nobody => "nobody",
            Self::Refused => "refused",
        }
    }
}

/// The answer with everything that it rests on.
#[derive(Clone, Debug, Serialize)]
pub struct Advice {
    /// [`ADVICE_FORMAT`].
    pub format: &'static str,
    /// The need's title; may be empty.
    pub title: String,
    /// The answer.
    pub word: Word,
    /// Whom it names, best first.
    pub systems: Vec<String>,
    /// Why, the most important first.
    pub why: Vec<Statement>,
    /// Hard requirements against systems.
    pub requirements: Vec<RequirementRow>,
    /// The ranking, best first; empty when systems are not ranked.
    pub ranking: Vec<RankRow>,
    /// What counts, and what each system has of it, in the order of the need.
    pub goals: Vec<GoalRow>,
    /// What would turn the answer round.
    pub sensitivity: Vec<Statement>,
    /// What to measure next, what promises most first.
    pub next: Vec<Next>,
    /// What was not measured, and what would show it.
    pub not_measured: Vec<Statement>,
    /// What to keep in mind.
    pub cautions: Vec<Statement>,
    /// What published studies claim of this need, and how these results stand to it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub published: Vec<Published>,
    /// What the answer holds for: label and value.
    pub scope: Vec<(String, String)>,
    /// What sentences and cells rest on, by number from 1.
    pub evidence: Vec<Evidence>,
}

/// A sentence with the numbers of its evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Statement {
    /// The text, without markup.
    pub text: String,
    /// Numbers of [`Advice::evidence`].
    pub evidence: Vec<usize>,
}

/// One hard requirement.
#[derive(Clone, Debug, Serialize)]
pub struct RequirementRow {
    /// In words.
    pub requirement: String,
    /// How each system stands to it, in the order of all systems.
    pub systems: Vec<RequirementCell>,
}

/// How one system stands to one requirement.
#[derive(Clone, Debug, Serialize)]
pub struct RequirementCell {
    /// Name of the system.
    pub system: String,
    /// `shown`, `not shown` or `violated`.
    #[serde(rename = "standing")]
    pub compliance: &'static str,
    /// Why, with what was seen.
    pub why: Statement,
}

/// One system in the ranking.
#[derive(Clone, Debug, Serialize)]
pub struct RankRow {
    /// Name of the system.
    pub system: String,
    /// How often nobody is as good in all and better in something.
    pub probability_non_dominated: f64,
    /// How often it is best at the stated weights.
    pub probability_first_as_stated: f64,
    /// How often it is best with the weights in doubt.
    pub probability_first: f64,
    /// Weighted sum of utilities, in doublings.
    pub score: f64,
    /// How many times as good the first one is, with its 95% interval; `None` for the first.
    pub behind: Option<(f64, f64, f64)>,
    /// Whether that may be nothing.
    pub tied: bool,
}

/// One goal.
#[derive(Clone, Debug, Serialize)]
pub struct GoalRow {
    /// Its name.
    pub goal: String,
    /// What was measured, in words.
    pub measured: String,
    /// Share of all weights.
    pub weight: f64,
    /// What values are worth, in words.
    pub worth: String,
    /// Why it does not count; `None` when it does.
    pub unjudged: Option<String>,
    /// What each system has, in the order of all systems.
    pub systems: Vec<GoalCell>,
}

/// What one system has of one goal.
#[derive(Clone, Debug, Serialize)]
pub struct GoalCell {
    /// Name of the system.
    pub system: String,
    /// The median of the trials; `None` when nothing was measured.
    pub value: Option<f64>,
    /// The same with its unit.
    pub shown: String,
    /// How many valid trials.
    pub trials: usize,
    /// How many of them are sound: neither too short, disturbed nor outlying, and in a steady state.
    pub sound_trials: usize,
    /// Weight times utility, in doublings; `None` when the system is not ranked.
    pub contribution: Option<f64>,
    /// The number of its evidence.
    pub evidence: Option<usize>,
}

/// An experiment that would help.
#[derive(Clone, Debug, Serialize)]
pub struct Next {
    /// What to measure.
    pub what: String,
    /// By how much the probability of being best is expected to move; `None` when that cannot be known beforehand.
    pub expected_change: Option<f64>,
    /// How likely it is that somebody is then best with a probability of 90%.
    pub decides: Option<f64>,
    /// About how long it takes.
    pub minutes: f64,
    /// The study file that does it.
    pub study: String,
}

/// What something rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// Its number, from 1.
    pub number: usize,
    /// What it is.
    pub what: String,
    /// Where: folders and their trials.
    pub places: Vec<EvidencePlace>,
}

/// Trials of one folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EvidencePlace {
    /// The result folder, as it was given.
    pub folder: String,
    /// The trials' names: their records are `trials/NAME/record.json` there.
    pub trials: Vec<String>,
}

impl Advice {
    /// The names of all systems that were measured, in the order of columns.
    #[must_use]
    pub fn all_systems(&self) -> Vec<&str> {
        self.goals.first().map_or(Vec::new(), |goal| {
            goal.systems.iter().map(|cell| cell.system.as_str()).collect()
        })
    }

    /// For programs.
    #[must_use]
    pub fn json(&self) -> String {
        indented::json(self)
    }
}
