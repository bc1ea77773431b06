//! One result folder as it is now: what ran, what runs, what is still to come.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use dbdyno_record::live::{self, Asked, GeneratorRow, LatencyRow, LiveEvent, LiveReader, LiveTrial};
use dbdyno_record::plan::planned_name;
use dbdyno_record::{
    FileIdentity, FolderError, IntervalRow, PlannedTrial, ResultFolder, TrialRecord, TrialStatus,
};
use dbdyno_report::{TrialNames, single};
use dbdyno_trial::TrialSpec;
use dbdyno_vocabulary::shown_name;

use crate::failures::Failures;

/// Seconds whose latencies are kept, and drawn: more would be drawn anew each second, and not be seen.
pub const SECONDS_SHOWN: usize = 300;

/// Counts changes of all folders together, so that no two states have the same number.
static CHANGES: AtomicU64 = AtomicU64::new(0);

/// A result folder that is looked at again and again.
#[derive(Debug)]
pub struct Watched {
    folder: ResultFolder,
    /// Which folder it is: another one may take its place.
    identity: FileIdentity,
    reader: LiveReader,
    /// The records that were read.
    records: BTreeMap<String, FileIdentity>,
    planned: Vec<PlannedTrial>,
    /// What people call the trials.
    names: TrialNames,
    /// What the study calls itself; empty without a title.
    title: String,
    ended: BTreeMap<String, EndedTrial>,
    current: Option<Current>,
    is_running: bool,
    versions: Versions,
}

/// Numbers that change with what is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Versions {
    /// With anything.
    pub all: u64,
    /// With the list of trials and how each of them ended.
    pub trials: u64,
}

/// A trial that is over, as it is shown.
#[derive(Clone, Debug)]
pub struct EndedTrial {
    /// Name of the system.
    pub system: String,
    /// What it was asked to do.
    pub spec: TrialSpec,
    /// How it ended.
    pub status: TrialStatus,
    /// Successful operations per second in the measured phase.
    pub throughput: Option<f64>,
    /// 99th percentile of the latency of all operations, nanoseconds, and whether it is only a lower bound.
    pub p99: Option<(u64, bool)>,
    /// Failed operations in the measured phase.
    pub errors: u64,
    /// Failed operations by the class of their errors, where there are any.
    pub errors_by_class: BTreeMap<String, u64>,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// Whether its numbers cannot be used.
    pub is_invalid: bool,
    /// Product, version and workload, as the title of a run.
    pub title: String,
}

/// The trial that runs.
#[derive(Clone, Debug)]
pub struct Current {
    /// Which.
    pub trial: LiveTrial,
    /// The preparation, in words; empty while a phase runs.
    pub preparing: String,
    /// The phase; empty before the first.
    pub phase: String,
    /// How long the phase lasts, in seconds, where that is known.
    pub phase_expected_s: Option<f64>,
    /// How many operations it has, where that is known.
    pub phase_expected_operations: Option<u64>,
    /// Its seconds, of all phases.
    pub seconds: Vec<IntervalRow>,
    /// The latencies of the last minutes: for each second, a row for each kind of operation that had some.
    pub latencies: VecDeque<Vec<LatencyRow>>,
    /// Its failed operations, of all phases.
    pub failures: Failures,
    /// What each load generator did lately, by name; empty where this tool itself sends the load.
    pub generators: BTreeMap<String, GeneratorRow>,
    /// Whether it is over.
    pub is_over: bool,
}

impl Watched {
    /// Opens a result folder.
    ///
    /// # Errors
    /// What the folder says.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let mut watched = Self::unread(path)?;
        watched.look()?;
        Ok(watched)
    }

    /// A folder of which nothing but its place is known yet.
    fn unread(path: &Path) -> Result<Self, FolderError> {
        let folder = ResultFolder::open(path)?;
        let change = next_change();
        Ok(Self {
            identity: folder.identity()?,
            folder,
            reader: LiveReader::new(path),
            records: BTreeMap::new(),
            planned: Vec::new(),
            names: TrialNames::default(),
            title: String::new(),
            ended: BTreeMap::new(),
            current: None,
            is_running: false,
            versions: Versions {
                all: change,
                trials: change,
            },
        })
    }

    /// Takes in what happened since the look before.
    ///
    /// # Errors
    /// When the folder is damaged or gone.
    pub fn look(&mut self) -> Result<(), FolderError> {
        if self.folder.identity()? != self.identity {
            // Another folder has taken its place.
            let path = self.folder.path().to_owned();
            *self = Self::unread(&path)?;
        }
        // In this order: the record of a trial is there before the trial is over, and all of them before the study is.
        let was_running = std::mem::replace(&mut self.is_running, self.folder.is_being_written());
        let path = self.folder.path();
        let news = self.reader.look().map_err(|source| FolderError::Io {
            action: "read",
            path: path.join(live::LIVE),
            source,
        })?;
        let has_left = (news.is_new_trial || news.is_idle) && self.current.take().is_some();
        let has_news = !news.events.is_empty();
        let has_other_trial = news.is_new_trial || has_left || news.events.contains(&LiveEvent::Ended);
        for event in news.events {
            self.take(event);
        }
        let has_other_records = self.look_at_records()?;
        // A plan grows between two trials.
        let has_other_plan =
            (has_other_records || self.planned.is_empty() || news.is_new_trial) && self.look_at_plan()?;
        if has_other_trial || has_other_records || has_other_plan || was_running != self.is_running {
            self.versions.trials = next_change();
            self.versions.all = self.versions.trials;
        } else if has_news {
            self.versions.all = next_change();
        }
        Ok(())
    }

    /// Reads records that are new, and forgets those that are gone. Returns whether there were any.
    fn look_at_records(&mut self) -> Result<bool, FolderError> {
        let mut records = BTreeMap::new();
        for name in self.folder.trial_names()? {
            if let Some(identity) = self.folder.record_identity(&name) {
                records.insert(name, identity);
            }
        }
        if records == self.records {
            return Ok(false);
        }
        // Whoever removes the folder of a trial has it run again under the same name.
        let known = &self.records;
        self.ended
            .retain(|name, _| records.contains_key(name) && records.get(name) == known.get(name));
        for name in records.keys() {
            if !self.ended.contains_key(name)
                && let Some(record) = self.folder.trial(name)?
            {
                self.names.learn(&record);
                self.ended.insert(name.clone(), EndedTrial::of(&record));
            }
        }
        self.records = records;
        Ok(true)
    }

    /// Reads the plan. Returns whether it is another one.
    fn look_at_plan(&mut self) -> Result<bool, FolderError> {
        let plan = self.folder.plan()?;
        let (study, planned) = plan.map_or((None, Vec::new()), |plan| (plan.study, plan.trials));
        let study = study.unwrap_or_default();
        let is_other = planned != self.planned;
        if is_other {
            self.names
                .plan(&study, planned.iter().map(|planned| &planned.spec));
        }
        self.title = study.title.unwrap_or_default();
        self.planned = planned;
        Ok(is_other)
    }

    fn take(&mut self, event: LiveEvent) {
        match (event, &mut self.current) {
            (LiveEvent::Trial(trial), current) => {
                *current = Some(Current {
                    trial,
                    preparing: String::new(),
                    phase: String::new(),
                    phase_expected_s: None,
                    phase_expected_operations: None,
                    seconds: Vec::new(),
                    latencies: VecDeque::new(),
                    failures: Failures::default(),
                    generators: BTreeMap::new(),
                    is_over: false,
                });
            }
            // Without its first line, a file says nothing of which trial.
            (_, None) => {}
            (LiveEvent::Preparing { what }, Some(current)) => current.preparing = what,
            (
                LiveEvent::Phase {
                    phase,
                    expected_operations,
                    expected_s,
                },
                Some(current),
            ) => {
                current.preparing.clear();
                (current.phase, current.phase_expected_s) = (phase, expected_s);
                current.phase_expected_operations = expected_operations;
            }
            (LiveEvent::Second(row), Some(current)) => {
                let is_again = current
                    .seconds
                    .last()
                    .is_some_and(|last| last.phase == row.phase && last.start_s == row.start_s);
                if is_again {
                    current.seconds.pop();
                }
                current.seconds.push(row);
            }
            (LiveEvent::Latencies(row), Some(current)) => current.add_latencies(row),
            (LiveEvent::Outcomes(row), Some(current)) => current.failures.add(row),
            (LiveEvent::Generator(row), Some(current)) => {
                current.generators.insert(row.generator.clone(), row);
            }
            (LiveEvent::Ended, Some(current)) => current.is_over = true,
        }
    }

    /// The folder.
    pub fn folder(&self) -> &ResultFolder {
        &self.folder
    }

    /// The planned trials, in the order of execution.
    pub fn planned(&self) -> &[PlannedTrial] {
        &self.planned
    }

    /// What people call the trials.
    pub fn names(&self) -> &TrialNames {
        &self.names
    }

    /// What the trial of that name is asked to do; `None` of a pilot that is not over, which is in no plan.
    #[must_use]
    pub fn spec_of(&self, trial: &str) -> Option<&TrialSpec> {
        let ended = self.ended.get(trial).map(|ended| &ended.spec);
        let name = planned_name(trial);
        let planned = || self.planned.iter().find(|planned| planned.trial == name);
        ended.or_else(|| planned().map(|planned| &planned.spec))
    }

    /// The test of the trial that runs: `A: update heavy, full speed`.
    #[must_use]
    pub fn test_of(&self, running: &LiveTrial) -> String {
        match self.spec_of(&running.trial) {
            Some(spec) => self.names.test(spec),
            None => self.names.pilot(&running.workload),
        }
    }

    /// What people call the trial that runs: `redb, A: update heavy, full speed`.
    #[must_use]
    pub fn name_of(&self, running: &LiveTrial) -> String {
        format!("{}, {}", shown_name(&running.system), self.test_of(running))
    }

    /// The trials that are over, by name.
    pub fn ended(&self) -> &BTreeMap<String, EndedTrial> {
        &self.ended
    }

    /// The trial that runs; `None` when none does.
    pub fn current(&self) -> Option<&Current> {
        self.current
            .as_ref()
            .filter(|current| self.is_running && !current.is_over)
    }

    /// Whether it runs, and is asked to begin no further trial.
    pub fn is_paused(&self) -> bool {
        self.is_running && live::asked(self.folder.path()) == Asked::Pause
    }

    /// Whether a process runs this study.
    pub fn is_running(&self) -> bool {
        self.is_running
    }

    /// Whether it holds one run and no study.
    #[must_use]
    pub fn is_single(&self) -> bool {
        matches!(self.planned.as_slice(), [only] if only.trial == single::TRIAL)
    }

    /// What people call it: the title of the study, or product and workload of the run; else the name of its folder.
    #[must_use]
    pub fn title(&self, name: &str) -> String {
        let of_run = self.ended.values().next().filter(|_| self.is_single());
        let title = of_run.map_or(&self.title, |ended| &ended.title);
        if title.is_empty() { name } else { title }.to_owned()
    }

    /// When its first trial began, RFC 3339; empty before.
    #[must_use]
    pub fn started_at(&self) -> &str {
        let ended = self.ended.values().map(|ended| ended.started_at.as_str());
        let current = self
            .current
            .iter()
            .map(|current| current.trial.started_at.as_str());
        ended.chain(current).min().unwrap_or_default()
    }

    /// Numbers that change with what is shown, except for a pause.
    pub(crate) fn versions(&self) -> Versions {
        self.versions
    }

    /// How many planned trials have an attempt that counts.
    pub fn done(&self) -> usize {
        let complete = self
            .ended
            .iter()
            .filter(|(_, ended)| ended.status == TrialStatus::Completed);
        let names: BTreeSet<&str> = complete.map(|(name, _)| planned_name(name)).collect();
        let planned = self.planned.iter();
        planned
            .filter(|planned| names.contains(planned.trial.as_str()))
            .count()
    }
}

impl Current {
    /// How long the phase has lasted, in seconds, as far as its seconds are known.
    #[must_use]
    pub fn phase_s(&self) -> f64 {
        let end_s = |row: &IntervalRow| row.start_s + row.duration_s;
        self.phase_seconds().map(end_s).fold(0.0, f64::max)
    }

    /// How much of the phase is over, 0 to 1, by time or by count, whichever is further; `None` where its length is not known.
    #[must_use]
    pub fn phase_share_done(&self) -> Option<f64> {
        let by_time = self
            .phase_expected_s
            .map(|expected_s| self.phase_s() / expected_s);
        let by_count = self.phase_expected_operations.map(|expected| {
            let counts = |row: &IntervalRow| [row.ok, row.not_found, row.too_early, row.errors];
            let operations = self.phase_seconds().flat_map(counts);
            // A sum of nothing would be a negative zero.
            operations.fold(0.0, |sum, count| sum + count as f64) / expected as f64
        });
        let known = by_time.into_iter().chain(by_count);
        known
            .filter(|share| share.is_finite())
            .reduce(f64::max)
            .map(|share| share.clamp(0.0, 1.0))
    }

    fn phase_seconds(&self) -> impl Iterator<Item = &IntervalRow> {
        let from_last = self.seconds.iter().rev();
        from_last.take_while(move |row| row.phase == self.phase)
    }

    /// Keeps the latencies of one kind of operation in one second; later ones of that second replace them.
    fn add_latencies(&mut self, row: LatencyRow) {
        let is_of_last = |second: &&mut Vec<LatencyRow>| {
            let first = second.first();
            first.is_some_and(|first| first.phase == row.phase && first.offset_s == row.offset_s)
        };
        match self.latencies.back_mut().filter(is_of_last) {
            Some(second) => {
                second.retain(|known| known.operation != row.operation);
                second.push(row);
            }
            None => {
                self.latencies.push_back(vec![row]);
                if self.latencies.len() > SECONDS_SHOWN {
                    self.latencies.pop_front();
                }
            }
        }
    }
}

fn next_change() -> u64 {
    CHANGES.fetch_add(1, Ordering::Relaxed)
}

impl EndedTrial {
    fn of(record: &TrialRecord) -> Self {
        let p99 = record.latency(None).percentile(99.0);
        let measure = record.measure.as_ref();
        let mut errors_by_class: BTreeMap<String, u64> = BTreeMap::new();
        let operations = measure
            .into_iter()
            .flat_map(|measure| measure.operations.values());
        for (class, count) in operations.flat_map(|operation| &operation.errors) {
            *errors_by_class.entry(class.clone()).or_default() += count;
        }
        Self {
            system: record.system.name.clone(),
            spec: record.spec.clone(),
            status: record.status.clone(),
            throughput: measure.and_then(|measure| measure.throughput_per_second()),
            p99: p99.map(|value| (value.ns(), value.is_bound())),
            errors: measure.map_or(0, |measure| {
                measure
                    .operations
                    .values()
                    .map(|operation| operation.error_count())
                    .sum()
            }),
            errors_by_class,
            started_at: record.started_at.clone(),
            is_invalid: !record.spoiled_because().is_empty(),
            title: single::title(record),
        }
    }
}

#[cfg(test)]
#[path = "watched_tests.rs"]
pub(crate) mod tests;
