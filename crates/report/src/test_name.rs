//! How people call a test: its workload with YCSB's meaning, how hard it was asked, and the system.

use std::collections::BTreeMap;

use dbdyno_analysis::Pace;
use dbdyno_record::WorkloadRecord;
use dbdyno_trial::{Level, RATE};
use dbdyno_vocabulary::{Text, named, text, twin_original};

use crate::conditions;
use crate::folders::CellFacts;
use crate::model::kind;
use crate::model::place;
use crate::words::load::Load;

/// One system under one workload and load.
#[derive(Clone, Debug, PartialEq)]
pub struct TestName {
    /// The system.
    pub system: String,
    /// The workload, e.g. `A: update heavy`.
    pub work: String,
    /// How hard it was asked.
    pub load: Load,
    /// The levels of the other factors, e.g. `clients` and `4`.
    pub levels: Vec<(String, String)>,
    /// The product, where it is known.
    pub product: String,
}

impl TestName {
    /// Of a cell.
    #[must_use]
    pub fn of(facts: &CellFacts) -> Self {
        let only = |name: &str| {
            let values = facts.conditions.get(name).filter(|values| values.len() == 1);
            values.and_then(|values| values.first()).cloned()
        };
        let names = facts.conditions.keys();
        let properties: BTreeMap<String, String> = names
            .filter_map(|name| Some((name.clone(), only(name)?)))
            .collect();
        let workload = WorkloadRecord {
            name: facts.cell.workload.clone(),
            records: 0,
            properties,
        };
        let work = if workload.name.is_empty() {
            String::new()
        } else {
            kind::label(&workload)
        };
        let rate = || only(conditions::RATE).and_then(|rate| rate.parse().ok());
        // The load before a measured phase has no pace of its own.
        let load = match facts.metrics.first().map(|metric| metric.pace) {
            Some(Pace::Sustained { rate, .. } | Pace::Missed { rate, .. }) => Load::Rate(rate),
            Some(Pace::NotRecorded) => rate().map_or(Load::Same, Load::Rate),
            Some(Pace::Mixed) => Load::Same,
            Some(Pace::ClosedLoop) | None => Load::FullSpeed,
        };
        let levels = facts.cell.levels.iter().filter(|(factor, _)| factor != RATE);
        Self {
            system: facts.cell.system.clone(),
            work,
            load,
            levels: levels.cloned().collect(),
            product: only("product").unwrap_or_default(),
        }
    }

    /// The system that this one repeats, or itself.
    #[must_use]
    pub fn original(&self) -> &str {
        twin_original(&self.system).unwrap_or(&self.system)
    }

    /// `A: update heavy, 16 clients`, without the levels that all tests share.
    #[must_use]
    pub fn place(&self, shared: &[(String, String)]) -> String {
        let own = self.levels.iter().filter(|level| !shared.contains(level));
        own.fold(self.work.clone(), |place, level| {
            format!("{place}, {}", of_level(level))
        })
    }

    /// `A: update heavy, 16 clients, full speed`.
    #[must_use]
    pub fn work_and_load(&self, shared: &[(String, String)]) -> String {
        let place = self.place(shared);
        let load = self.load.words();
        if self.work.is_empty() {
            load
        } else {
            format!("{place}, {load}")
        }
    }

    /// `A: update heavy, 16 clients, full speed, fjall`.
    #[must_use]
    pub fn text(&self, shared: &[(String, String)]) -> Text {
        text![self.work_and_load(shared), ", ", named(&self.system)]
    }
}

/// `16 clients`.
pub fn of_level((factor, level): &(String, String)) -> String {
    place::of_level(factor, &Level::read(factor, level))
}

/// The levels that all tests share, e.g. `clients` and `4`.
pub fn shared(tests: &[&TestName]) -> Vec<(String, String)> {
    let Some((first, others)) = tests.split_first() else {
        return Vec::new();
    };
    let levels = first.levels.iter();
    levels
        .filter(|level| others.iter().all(|other| other.levels.contains(level)))
        .cloned()
        .collect()
}
