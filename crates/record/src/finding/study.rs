//! Findings about a trial as one of a study: its repetitions, its group, and what the study says of it.

use std::borrow::Cow;

use dbdyno_vocabulary::{Statement, words};
use serde::{Deserialize, Serialize};

use super::Facts;

/// The trial was disturbed, and no time was left to repeat it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RepeatBudgetSpent {}

impl Facts for RepeatBudgetSpent {
    const CODE: &'static str = "repeat-budget-spent";

    fn statement(&self) -> Statement {
        Statement::new("this trial was disturbed and is used as it is, because `repeat_budget` was spent")
    }

    fn remedy(&self) -> Cow<'static, str> {
        "measure on a quieter machine, or allow more repetitions: `repeat_budget`".into()
    }
}

/// The trial was disturbed as often as it may be repeated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AlwaysDisturbed {
    /// How many attempts there were.
    pub attempts: u32,
}

impl Facts for AlwaysDisturbed {
    const CODE: &'static str = "always-disturbed";

    fn statement(&self) -> Statement {
        Statement::new("all ")
            .count(self.attempts.into())
            .words(" attempts were disturbed; the last one is used")
    }

    fn remedy(&self) -> Cow<'static, str> {
        "measure on a quieter machine, or allow more repetitions: `repeat_disturbed`".into()
    }
}

/// Trials that took turns with this one are missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TornGroup {}

impl Facts for TornGroup {
    const CODE: &'static str = "torn-group";

    fn statement(&self) -> Statement {
        Statement::new("trials that took turns with this one are missing, so all of them are measured again")
    }

    fn remedy(&self) -> Cow<'static, str> {
        "nothing to do: the new attempts count once all of them have ended".into()
    }
}

/// The servers were protected otherwise than a factor of the system says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProtectionDiffers {
    /// The system.
    pub system: String,
    /// The factor.
    pub factor: String,
    /// Its level in the study.
    pub level: String,
    /// The protection that was seen instead.
    pub seen: Vec<String>,
}

impl Facts for ProtectionDiffers {
    const CODE: &'static str = "protection-differs";

    fn statement(&self) -> Statement {
        Statement::new("the study calls ")
            .name(self.system.as_str())
            .words(format!(" {} ", self.factor))
            .name(self.level.as_str())
            .words(", but ")
            .name(words::list(&self.seen))
    }

    fn remedy(&self) -> Cow<'static, str> {
        let Self { factor, level, .. } = self;
        format!(
            "let the lab set the level: {factor}={level} in the address, or vary = {{ {factor} = [..., \"{level}\"] }}; or correct `factors`"
        )
        .into()
    }
}
