//! The study files that repeat what a command line asked for.

use dbdyno_files::values::{
    ArrivalSpacing, Clients, Count, Operations, PhaseTime, Rate, Seed, Text, Trials, WarmUp,
};
use dbdyno_files::{List, Properties, StudyFile, Tables, WorkloadTable};

use crate::file::single::Single;

impl Single {
    /// The study file that would repeat this run, for the result folder.
    #[must_use]
    pub fn study_text(&self, name: &str) -> String {
        of_single(self, name).to_text(
            "# Made by `dbdyno run` or `dbdyno load`; as a study, it repeats the run with a fresh table.\n",
        )
    }
}

/// The study file that repeats a single run. Its address shows no secret.
fn of_single(single: &Single, name: &str) -> StudyFile {
    StudyFile {
        trials: Some(Trials(1).into()),
        ..of_trial(single, name)
    }
}

/// A trial with its clients and its rate.
pub(super) fn of_trial(single: &Single, name: &str) -> StudyFile {
    let file = StudyFile {
        clients: List::of([Clients(single.spec.clients)]),
        ..of_work(single, name)
    };
    match single.spec.pace {
        None => file,
        Some(pace) => StudyFile {
            rates: List::of([Rate::PerSecond(pace.rate)]),
            arrivals: Some(ArrivalSpacing(pace.arrivals).into()),
            ..file
        },
    }
}

/// Which system does which work, how much of it, from which threads.
pub(super) fn of_work(single: &Single, name: &str) -> StudyFile {
    let specification = single.workload.specification();
    let properties = specification.properties();
    let own = properties
        .iter()
        .filter(|(key, _)| crate::file::workloads::key_of_property(key).is_none())
        // A load of all records is what `records` asks for, and would be beyond the default of a workload.
        .filter(|(key, _)| specification.insert_start != 0 || key.as_str() != "insertcount")
        .map(|(key, value)| (key.as_str(), value.as_str()));
    let warmup = if single.spec.warmup.until_steady {
        WarmUp::Auto
    } else {
        WarmUp::Fixed(single.spec.warmup.longest)
    };
    let limit = single.spec.limit;
    StudyFile {
        name: Text::from(name).into(),
        seed: Some(Seed(single.workload.seed()).into()),
        systems: List::of([Text(single.target.to_string())]),
        records: List::of([Count(specification.records)]),
        client_threads: single.spec.client_threads.map(|threads| Clients(threads).into()),
        operations: List::of(limit.operations.map(Operations::Count)),
        duration: limit.duration.map(|duration| PhaseTime(duration).into()),
        warmup: Some(warmup.into()),
        workload: Tables::of([WorkloadTable {
            name: Some(Text::from(single.spec.workload.as_str()).into()),
            properties: Some(Properties::of(own).into()),
            ..WorkloadTable::default()
        }]),
        ..StudyFile::default()
    }
}
