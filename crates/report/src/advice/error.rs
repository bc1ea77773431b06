//! Why no advice can be given, in words.

use std::ops::Range;

use dbdyno_trial::Level;

use super::WorkChoice;
use super::work::{Ambiguity, LoadKey};
use crate::number;

/// Why no advice can be given: need and results do not fit together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdviceError {
    /// What is wrong.
    pub message: String,
    /// What mends it.
    pub help: String,
    /// Where it stands in the need file, if it stands there.
    pub place: Option<Range<usize>>,
}

impl AdviceError {
    /// That this work means more than one thing.
    pub(super) fn ambiguous(work: &WorkChoice, why: Ambiguity) -> Self {
        let workload = &work.workload;
        let (message, help) = match why {
            Ambiguity::Levels(key, levels) => {
                let (key, levels_of_key) = match key {
                    LoadKey::Records => ("records", "records"),
                    LoadKey::Clients => ("clients", "clients"),
                    LoadKey::Rate => ("rate", "rate levels"),
                };
                let levels: Vec<String> = levels.iter().map(in_a_file).collect();
                let levels = number::list(&levels);
                (
                    format!("workload {workload} was measured with several {levels_of_key}: {levels}"),
                    format!("say which one is meant with the key `{key}`"),
                )
            }
            Ambiguity::Property { name, one, other } => (
                format!(
                    "workload {workload} differs between the folders: {name} is {} in {} and {} in {}",
                    one.0, one.1, other.0, other.1
                ),
                "run the same workload against all systems, or leave one of the folders out".to_owned(),
            ),
        };
        Self {
            message,
            help,
            place: Some(work.place.clone()),
        }
    }
}

/// A level as a file has it: words in quotes.
fn in_a_file(level: &Level) -> String {
    match level {
        Level::Unlimited => format!("\"{level}\""),
        _ => level.to_string(),
    }
}
