//! Effects of factors with what stands beside them, in words.

use dbdyno_analysis::effects::{self, LeftOut, NoEffect, Promise};
use dbdyno_vocabulary::{Text, named, text};
use serde::Serialize;

use super::{Comparison, Noise, Word};
use crate::words::remarks;

/// The effects of a study, and the noise that they stand beside.
#[derive(Clone, Debug, Serialize)]
pub struct Effects {
    /// The noise of the study, in words; empty where nothing shows it.
    pub beside: Text,
    /// What tests owe to the speed of the machine, in words, where they are compared as at its usual one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machine_speed: Option<String>,
    /// One for each factor, cell, metric and level but the first.
    pub rows: Vec<Effect>,
    /// What could not be compared, and why.
    pub notes: Vec<Text>,
}

/// One level of a factor against the first one.
#[derive(Clone, Debug, Serialize)]
pub struct Effect {
    /// Name of the factor.
    pub factor: String,
    /// What it is measured against.
    pub base: String,
    /// The level in question.
    pub level: String,
    /// The cell and, where the system is the same, the system.
    pub at: Text,
    /// The figures: `a` is the level, `b` the base.
    pub comparison: Comparison,
    /// The verdict about the level, corrected for all effects of this metric.
    pub word: Word,
    /// Why, in a sentence.
    pub reason: String,
}

impl From<effects::Effect> for Effect {
    fn from(found: effects::Effect) -> Self {
        let comparison = remarks::tell(found.comparison);
        Self {
            factor: found.factor,
            base: found.base,
            level: found.level,
            at: found.at,
            word: comparison.word,
            reason: comparison.reason.clone(),
            comparison,
        }
    }
}

impl Effects {
    /// In words; `between_tests` is what throughputs of different tests owe to the speed of the machine, a sentence.
    pub fn new(found: effects::Effects, noise: Option<&Noise>, between_tests: Option<String>) -> Self {
        Self {
            beside: noise.map(|noise| noise.sentence.clone()).unwrap_or_default(),
            machine_speed: between_tests.filter(|_| found.compares_tests),
            rows: found.rows.into_iter().map(Effect::from).collect(),
            notes: found.left_out.iter().map(note).collect(),
        }
    }
}

fn note(left_out: &LeftOut) -> Text {
    let LeftOut { factor, systems, why } = left_out;
    let [one, other] = systems;
    let both = text![format!("{factor}: "), named(one), " and ", named(other)];
    both.plain(match why {
        NoEffect::SameLevel { driver, level } => {
            format!(" are both {driver} with {factor} {level}; give them a factor that distinguishes them.")
        }
        NoEffect::AlsoDiffer(promise) => format!(
            " also differ in {}, so they do not show the effect of {factor} alone.",
            match promise {
                Promise::Durability => "durability",
                Promise::Consistency => "consistency",
                Promise::ScanOrder => "the order of scans",
            }
        ),
    })
}
