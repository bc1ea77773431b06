//! What the numbers of a cell hold for: the work, as asked.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_record::TrialRecord;
use dbdyno_trial::AskedRate;
use serde::Serialize;

/// The work of a cell. Two cells of any studies with the same scope did the same work.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Scope {
    /// Records in the table.
    pub records: BTreeSet<u64>,
    /// Clients with one operation in flight each.
    pub clients: BTreeSet<u32>,
    /// At which rates.
    pub rate: BTreeSet<AskedRate>,
    /// Every property of the workload.
    pub properties: BTreeMap<String, BTreeSet<String>>,
}

impl Scope {
    /// Of these trials.
    pub fn new(trials: &[&TrialRecord]) -> Self {
        let mut properties: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (name, value) in trials.iter().flat_map(|trial| &trial.workload.properties) {
            properties.entry(name.clone()).or_default().insert(value.clone());
        }
        Self {
            records: trials.iter().map(|trial| trial.workload.records).collect(),
            clients: trials.iter().map(|trial| trial.spec.clients).collect(),
            rate: trials.iter().map(|trial| AskedRate(trial.spec.pace)).collect(),
            properties,
        }
    }

    /// Of several cells together.
    pub fn union<'a>(scopes: impl Iterator<Item = &'a Self>) -> Self {
        let mut all = Self::default();
        for scope in scopes {
            all.records.extend(&scope.records);
            all.clients.extend(&scope.clients);
            all.rate.extend(&scope.rate);
            for (name, values) in &scope.properties {
                let known = all.properties.entry(name.clone()).or_default();
                known.extend(values.iter().cloned());
            }
        }
        all
    }
}
