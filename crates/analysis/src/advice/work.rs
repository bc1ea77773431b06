//! Whether results hold the work that a need speaks of, once and not in several variants.

use std::collections::BTreeSet;

use dbdyno_record::TrialRecord;
use dbdyno_trial::Level;

use super::gather::{Candidate, Source, did_work, of_the_run};
use super::need::WorkChoice;
use crate::is_same_workload;

/// Why no trial is of a work.
#[derive(Clone, Debug, PartialEq)]
pub enum NoWork {
    /// No completed trial has a workload of this name.
    Workload(String),
    /// None of this workload has the records, clients and rate.
    Loads {
        /// The workload.
        workload: String,
        /// What its trials have.
        measured: Vec<Load>,
    },
}

/// Records, clients and rate of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Load {
    /// Records in the table.
    pub records: u64,
    /// Clients.
    pub clients: u32,
    /// Operations a second; `None` without a rate.
    pub rate: Option<f64>,
}

/// A key of a need that says which of several levels is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadKey {
    /// Records in the table.
    Records,
    /// Clients.
    Clients,
    /// Operations a second.
    Rate,
}

/// Why a work means more than one thing.
#[derive(Clone, Debug, PartialEq)]
pub enum Ambiguity {
    /// Several levels were measured.
    Levels(LoadKey, BTreeSet<Level>),
    /// A property of the workload differs between the folders.
    Property {
        /// The property.
        name: String,
        /// A value and its folder.
        one: (String, String),
        /// Another value and its folder.
        other: (String, String),
    },
}

/// Why there is no trial of this work; `None` when there are trials.
///
/// # Errors
/// When the choice means more than one thing.
pub fn check_work(
    candidates: &[Candidate<'_>],
    sources: &[Source<'_>],
    work: &WorkChoice,
) -> Result<Option<NoWork>, Ambiguity> {
    let trials: Vec<(usize, &TrialRecord)> = candidates.iter().flat_map(|one| did_work(one, work)).collect();
    let Some((first_source, first)) = trials.first() else {
        return Ok(Some(nobody_did(candidates, work)));
    };
    for key in [LoadKey::Records, LoadKey::Clients, LoadKey::Rate] {
        let levels: BTreeSet<Level> = trials.iter().map(|(_, trial)| key.level(trial)).collect();
        if levels.len() > 1 {
            return Err(Ambiguity::Levels(key, levels));
        }
    }
    let differs = trials.iter().find_map(|(source, trial)| {
        let names = trial
            .workload
            .properties
            .keys()
            .chain(first.workload.properties.keys());
        let mut names = names.filter(|name| !of_the_run(name));
        let name = names
            .find(|name| trial.workload.properties.get(*name) != first.workload.properties.get(*name))?;
        Some((*source, *trial, name))
    });
    let Some((source, trial, name)) = differs else {
        return Ok(None);
    };
    let value = |source: usize, trial: &TrialRecord| {
        let value = trial.workload.properties.get(name).cloned().unwrap_or_default();
        (value, sources[source].name.to_owned())
    };
    Err(Ambiguity::Property {
        name: name.clone(),
        one: value(*first_source, first),
        other: value(source, trial),
    })
}

impl LoadKey {
    /// The level of a trial.
    fn level(self, trial: &TrialRecord) -> Level {
        match self {
            Self::Records => Level::Count(trial.workload.records),
            Self::Clients => Level::Count(trial.spec.clients.into()),
            Self::Rate => trial.spec.rate().map_or(Level::Unlimited, Level::Rate),
        }
    }
}

/// A rate as the key `rate` of a need takes it.
#[must_use]
pub fn rate_level(rate: Option<f64>) -> String {
    rate.map_or_else(|| "\"unlimited\"".to_owned(), |rate| rate.to_string())
}

fn nobody_did(candidates: &[Candidate<'_>], work: &WorkChoice) -> NoWork {
    let all = candidates.iter().flat_map(|one| &one.trials);
    let own = all.filter(|(_, trial)| is_same_workload(&trial.workload.name, &work.workload));
    let measured: Vec<Load> = own
        .map(|(_, trial)| Load {
            records: trial.workload.records,
            clients: trial.spec.clients,
            rate: trial.spec.rate(),
        })
        .collect();
    match measured.is_empty() {
        true => NoWork::Workload(work.workload.clone()),
        false => NoWork::Loads {
            workload: work.workload.clone(),
            measured,
        },
    }
}
