//! One trial of one system under one workload: `dbdyno run` and `dbdyno load`. It goes the same way as the trials of a
//! study and leaves the same kind of result folder.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::Target;
use dbdyno_engine::{Limit, Observer, Pace, Phases, Reset, Stop};
use dbdyno_record::{PlanFile, PlannedTrial, ResultFolder};
use dbdyno_workload::Workload;

use crate::error::StudyError;
use crate::labs::{self, Labs};
use crate::steady::WARMUP_WINDOW;
use crate::test_bed::recorded;
use crate::trial::{self, TrialRequest, TrialResult};

/// A trial to be carried out.
pub struct Single {
    /// The system.
    pub target: Target,
    /// The workload.
    pub workload: Arc<Workload>,
    /// Its name in tables.
    pub workload_name: String,
    /// Clients.
    pub clients: u32,
    /// Threads that carry them, where they can share; `None`: one per processor.
    pub client_threads: Option<u32>,
    /// The rate of an open loop.
    pub pace: Option<Pace>,
    /// The warm-up; the longest, when it ends by itself.
    pub warmup: Duration,
    /// Whether the warm-up ends when the system is steady.
    pub warmup_until_rest: bool,
    /// The measured phase's end.
    pub limit: Limit,
    /// What becomes of data that is there.
    pub reset: Reset,
    /// Which phases run.
    pub phases: Phases,
}

impl Single {
    /// What varies between such runs.
    fn factors(&self, system_name: &str) -> BTreeMap<String, String> {
        let mut factors = BTreeMap::from([
            ("system".to_owned(), system_name.to_owned()),
            ("workload".to_owned(), self.workload_name.clone()),
            ("clients".to_owned(), self.clients.to_string()),
            (
                "records".to_owned(),
                self.workload.specification().records.to_string(),
            ),
        ]);
        if let Some(pace) = self.pace {
            factors.insert("rate".to_owned(), pace.rate.to_string());
        }
        factors
    }

    /// The system's name in tables: the driver's.
    fn system_name(&self) -> String {
        labs::driver_info(&self.target)
            .map_or(self.target.scheme.as_str(), |info| info.name)
            .to_owned()
    }

    /// Runs without keeping anything but the record that is returned.
    pub fn run(&self, study: &str, observer: &mut dyn Observer, stop: &Stop) -> TrialResult {
        let (system_name, planned) = self.planned();
        trial::run(
            &self.request(study, &system_name, &planned),
            &mut Labs::default(),
            observer,
            stop,
        )
    }

    /// Runs, and keeps everything in a result folder made by [`ResultFolder::create`] with
    /// [`study_text`](Self::study_text).
    ///
    /// # Errors
    /// When the results cannot be written. A trial that cannot be carried out is told by its result.
    pub fn run_into(
        &self,
        folder: &ResultFolder,
        study: &str,
        observer: &mut dyn Observer,
        stop: &Stop,
    ) -> Result<TrialResult, StudyError> {
        let (system_name, planned) = self.planned();
        folder.write_plan(&PlanFile::new(vec![planned.clone()]))?;
        let result = recorded(
            &self.request(study, &system_name, &planned),
            folder,
            &mut Labs::default(),
            observer,
            stop,
        )?;
        // Afterwards, for it measures the disk for a tenth of a second, and a single run is to start at once.
        let mut environment = dbdyno_machine::capture(folder.path());
        environment
            .systems
            .insert(system_name, result.record.system.clone());
        folder.write_environment(&environment)?;
        Ok(result)
    }

    fn planned(&self) -> (String, PlannedTrial) {
        let system_name = self.system_name();
        let planned = PlannedTrial {
            trial: "001".to_owned(),
            block: 0,
            position: 0,
            seed: self.workload.seed(),
            factors: self.factors(&system_name),
        };
        (system_name, planned)
    }

    fn request<'a>(
        &'a self,
        study: &'a str,
        system_name: &'a str,
        planned: &'a PlannedTrial,
    ) -> TrialRequest<'a> {
        TrialRequest {
            study,
            planned,
            system_name,
            target: &self.target,
            workload_name: &self.workload_name,
            workload: Arc::clone(&self.workload),
            clients: self.clients,
            client_threads: self.client_threads,
            pace: self.pace,
            warmup: self.warmup,
            warmup_window: self.warmup_until_rest.then_some(WARMUP_WINDOW),
            limit: self.limit,
            reset: self.reset,
            phases: self.phases,
        }
    }

    /// The study file that would repeat this run, for the result folder.
    #[must_use]
    pub fn study_text(&self, name: &str) -> String {
        crate::file::of_single(self, name).to_text(
            "# Made by `dbdyno run` or `dbdyno load`; as a study it repeats the run with a fresh table.\n",
        )
    }
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
        crate::plan::file_safe(labs::driver_info(target).map_or(target.scheme.as_str(), |info| info.name)),
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
