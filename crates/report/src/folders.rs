//! The comparable part of a result folder: its cells, each with its conditions and one value for each trial.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_analysis::CellName;
use dbdyno_analysis::level_order;
use dbdyno_analysis::metrics::measured;
use dbdyno_analysis::systems::systems;
use dbdyno_record::{Doubts, Environment, FolderError, ResultFolder, TrialRecord, TrialStatus};
use dbdyno_trial::LevelOrder;
use dbdyno_vocabulary::natural::NaturalKey;

use crate::conditions::{Conditions, conditions};
use crate::printed::mark_impossible;
use crate::sample::MetricSample;

/// What one folder holds.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// Its trials.
    pub trials: &'a [TrialRecord],
    /// Its machine, where it is known.
    pub environment: Option<&'a Environment>,
    /// The order of its study's levels.
    pub levels: &'a LevelOrder,
}

/// What a result folder holds that can be compared.
#[derive(Clone, Debug)]
pub struct FolderContent {
    /// Its trials, except pilots, which no estimate uses.
    pub trials: Vec<TrialRecord>,
    /// What in the folder its writer did not put there.
    pub doubts: Doubts,
    /// Its machine, where it is known.
    pub environment: Option<Environment>,
    /// The order of its study's levels.
    pub levels: LevelOrder,
}

impl FolderContent {
    /// Reads a result folder.
    ///
    /// # Errors
    /// When a file of it is damaged.
    pub fn read(folder: &ResultFolder) -> Result<Self, FolderError> {
        let (mut trials, doubts) = folder.trials_and_doubts()?;
        trials.retain(|trial| !trial.spec.is_pilot());
        // No verdict rests on numbers that cannot be true.
        mark_impossible(&mut trials);
        let plan = folder.plan()?;
        let planned = plan.as_ref().and_then(|plan| plan.study.as_ref());
        // It orders what is shown and decides nothing, so results without it are compared all the same.
        let study_text = folder.study_text().unwrap_or_default();
        Ok(Self {
            trials,
            doubts,
            environment: folder.environment()?,
            levels: level_order::of_folder(planned, &study_text),
        })
    }

    /// As what is compared takes it.
    #[must_use]
    pub fn side(&self) -> Side<'_> {
        Side {
            trials: &self.trials,
            environment: self.environment.as_ref(),
            levels: &self.levels,
        }
    }
}

/// One system under one workload, ready to be compared.
#[derive(Clone, Debug, PartialEq)]
pub struct CellFacts {
    /// System, workload and factors.
    pub cell: CellName,
    /// What must be the same.
    pub conditions: Conditions,
    /// Versions of the product, as read back. They may differ: changes of version are what folders are compared for.
    pub versions: BTreeSet<String>,
    /// One value for each trial.
    pub metrics: Vec<MetricSample>,
}

/// Completed trials of a folder by what they must share, system by system, each in the order of its levels.
#[must_use]
pub fn cells_of(side: Side<'_>) -> Vec<CellFacts> {
    let mut cells: BTreeMap<CellName, Vec<&TrialRecord>> = BTreeMap::new();
    for trial in side.trials {
        if trial.status == TrialStatus::Completed {
            cells.entry(CellName::of(trial)).or_default().push(trial);
        }
    }
    let order = side.levels;
    let systems = systems(side.trials, order);
    let mut cells: Vec<(CellName, Vec<&TrialRecord>)> = cells.into_iter().collect();
    cells.sort_by_cached_key(|(name, trials)| {
        let first = trials[0];
        let system = systems.iter().position(|own| own.name == first.system.name);
        let workload = NaturalKey::new(&first.workload.name);
        (
            system,
            workload,
            order.places(&first.spec.factors()),
            name.clone(),
        )
    });
    let facts = cells.into_iter().map(|(cell, trials)| CellFacts {
        cell,
        conditions: conditions(&trials, side.environment),
        versions: trials.iter().map(|trial| trial.system.version.clone()).collect(),
        metrics: measured(&trials).into_iter().map(MetricSample::from).collect(),
    });
    facts.collect()
}
