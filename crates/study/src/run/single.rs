//! One trial of one system under one workload: `dbdyno run` and `dbdyno load`. It goes the same way as the trials of a
//! study and leaves the same kind of result folder.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::Target;
use dbdyno_engine::{EngineError, Event, Observer, Stop};
use dbdyno_record::plan::repetition_name;
use dbdyno_record::{PlanFile, PlannedStudy, PlannedTrial, ResultFolder};
use dbdyno_trial::{Factor, LevelOrder};

use crate::address;
use crate::file::single::Single;
use crate::file::workloads::without_sizes;
use crate::judge::steady::WARMUP_WINDOW;
use crate::plan::Trial;
use crate::run::error::StudyError;
use crate::run::event::{StudyEvent, StudyObserver};
use crate::run::labs::Labs;
use crate::run::live_feed::LiveFeed;
use crate::run::test_bed::{Forward, recorded};
use crate::run::trial::{self, TrialRequest, TrialResult};

/// How often a trial is tried whose load generators are gone: each time those that are left, or have come back, begin anew.
const MOST_ATTEMPTS: u32 = 3;

/// Listens to the engine alone: the only trial needs no announcement.
struct EngineOnly<'a>(&'a mut dyn Observer);

impl StudyObserver for EngineOnly<'_> {
    fn event(&mut self, event: &StudyEvent<'_>) {
        if let StudyEvent::Engine(event) = event {
            self.0.event(event);
        }
    }
}

impl Single {
    /// Runs without keeping anything but the record that is returned.
    pub fn run(&self, study: &str, observer: &mut dyn Observer, stop: &Stop) -> TrialResult {
        let (mut labs, mut attempt) = (self.labs(), 1);
        loop {
            let planned = self.planned(attempt);
            let result = trial::run(&self.request(study, &planned), &mut labs, observer, stop);
            let Some(notice) = trying_again(&result, attempt, stop) else {
                return result;
            };
            observer.event(&notice);
            attempt += 1;
        }
    }

    fn labs(&self) -> Labs {
        Labs::default().with_generators(self.generators.clone())
    }

    /// Runs, and keeps every attempt in a result folder made by [`ResultFolder::create`] with
    /// [`study_text`](Self::study_text). Whoever watches the folder sees it run, and can stop it.
    ///
    /// # Errors
    /// When the results cannot be written. A trial that fails is reported in its result.
    pub fn run_into(
        &self,
        folder: &ResultFolder,
        study: &str,
        observer: &mut dyn Observer,
        stop: &Stop,
    ) -> Result<TrialResult, StudyError> {
        let planned = self.planned(1);
        folder.write_plan(&PlanFile::new(
            PlannedStudy {
                name: study.to_owned(),
                trials: 1,
                levels: Some(LevelOrder::default()),
                workloads: [(
                    planned.spec.workload.clone(),
                    without_sizes(self.workload.specification()),
                )]
                .into(),
                ..PlannedStudy::default()
            },
            vec![planned],
        ))?;
        let mut observer = EngineOnly(observer);
        let mut feed = LiveFeed::new(folder.path().to_owned(), &mut observer, stop);
        let (mut labs, mut attempt) = (self.labs(), 1);
        let result = loop {
            let result = self.attempt(attempt, folder, study, &mut labs, &mut feed, stop)?;
            let Some(notice) = trying_again(&result, attempt, stop) else {
                break result;
            };
            feed.event(&StudyEvent::Engine(&notice));
            attempt += 1;
        };
        drop(feed);
        // Afterwards, for it measures the disk for a tenth of a second, and a single run is to start at once.
        let node_disks = labs.disks().after();
        // The machine is described as it is without servers, and with all CPUs.
        drop(labs);
        let mut environment = dbdyno_machine::capture(folder.path());
        environment
            .systems
            .insert(self.spec.system.name.clone(), result.record.system.clone());
        environment.node_disks = node_disks;
        folder.write_environment(&environment)?;
        Ok(result)
    }

    /// Tries once, and keeps what came of it.
    fn attempt(
        &self,
        attempt: u32,
        folder: &ResultFolder,
        study: &str,
        labs: &mut Labs,
        observer: &mut dyn StudyObserver,
        stop: &Stop,
    ) -> Result<TrialResult, StudyError> {
        let planned = self.planned(attempt);
        let trial = Trial {
            planned: planned.clone(),
            plot: 0,
            place_in_plot: 0,
            first_on_servers: attempt == 1,
            group: None,
        };
        let (number, total) = (1, 1);
        observer.event(&StudyEvent::TrialStarted {
            trial: &trial,
            beside: &[],
            number,
            total,
            remaining: Duration::ZERO,
            repeats: Duration::ZERO,
        });
        let request = self.request(study, &planned);
        let result = recorded(&request, folder, labs, &mut Forward(&mut *observer), stop)?;
        observer.event(&StudyEvent::TrialEnded {
            record: &result.record,
            number,
            total,
        });
        Ok(result)
    }

    fn planned(&self, attempt: u32) -> PlannedTrial {
        let mut spec = self.spec.clone();
        if spec.pace.is_some() {
            spec.factors.insert(Factor::Rate);
        }
        PlannedTrial {
            trial: repetition_name("001", attempt),
            block: 0,
            position: 0,
            seed: self.workload.seed(),
            spec,
        }
    }

    fn request<'a>(&'a self, study: &'a str, planned: &'a PlannedTrial) -> TrialRequest<'a> {
        TrialRequest {
            study,
            planned,
            target: &self.target,
            plan: trial::prepared(
                planned.spec.clone(),
                Arc::clone(&self.workload),
                self.spec.warmup.until_steady.then_some(WARMUP_WINDOW),
            ),
        }
    }
}

/// What is said before a trial is tried again because load generators are gone; `None` where it is not.
fn trying_again(result: &TrialResult, attempt: u32, stop: &Stop) -> Option<Event> {
    let error = result.error.as_ref()?;
    // Where too few are there, they have been waited for.
    let is_again = matches!(error, EngineError::Disbanded(_));
    (is_again && attempt < MOST_ATTEMPTS && !stop.is_requested()).then(|| Event::Preparing(again(error)))
}

fn again(error: &EngineError) -> String {
    format!("{error}; starting the trial again")
}

/// A name that a study file may have, from any folder's name.
#[must_use]
pub fn study_name(folder: &str) -> String {
    let name = crate::plan::file_safe(folder);
    if name.is_empty() || name.starts_with('.') {
        format!("run{name}")
    } else {
        name
    }
}

/// A name for a run's result folder that sorts by time, e.g. `20261120-233901-redb-a`.
#[must_use]
pub fn folder_name(target: &Target, workload_name: &str, parent: &Path) -> String {
    let time = jiff::Timestamp::now().strftime("%Y%m%d-%H%M%S").to_string();
    let name = format!(
        "{time}-{}-{}",
        crate::plan::file_safe(address::driver_info(target).map_or(target.scheme.as_str(), |info| info.name)),
        crate::plan::file_safe(workload_name)
    );
    let mut unique = name.clone();
    let mut number = 2;
    while parent.join(&unique).exists() {
        unique = format!("{name}-{number}");
        number += 1;
    }
    unique
}
