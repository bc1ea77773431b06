//! One result folder as it is now: what ran, what runs, what is still to come.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use dbdyno_record::live::{self, Asked, LiveEvent, LiveReader, LiveTrial};
use dbdyno_record::plan::planned_name;
use dbdyno_record::{FolderError, IntervalRow, PlannedTrial, ResultFolder, TrialRecord, TrialStatus};

/// A result folder that is looked at again and again.
#[derive(Debug)]
pub(crate) struct Watched {
    folder: ResultFolder,
    reader: LiveReader,
    planned: Vec<PlannedTrial>,
    ended: BTreeMap<String, EndedTrial>,
    current: Option<Current>,
    is_running: bool,
}

/// What is shown of a trial that is over.
#[derive(Clone, Debug)]
pub(crate) struct EndedTrial {
    /// Name of the system.
    pub system: String,
    /// Name of the workload.
    pub workload: String,
    /// How it ended.
    pub status: TrialStatus,
    /// Successful operations per second in the measured phase.
    pub throughput: Option<f64>,
    /// 99th percentile of the latency of all operations, nanoseconds, and whether it is only a lower bound.
    pub p99: Option<(u64, bool)>,
    /// Failed operations in the measured phase.
    pub errors: u64,
}

/// The trial that runs.
#[derive(Clone, Debug)]
pub(crate) struct Current {
    /// Which.
    pub trial: LiveTrial,
    /// What is made ready, in words; empty while a phase runs.
    pub preparing: String,
    /// The phase; empty before the first.
    pub phase: String,
    /// How long the phase lasts, in seconds, where that is known.
    pub phase_expected_s: Option<f64>,
    /// Its seconds, of all phases.
    pub seconds: Vec<IntervalRow>,
    /// Whether it is over.
    pub is_over: bool,
}

impl Watched {
    /// Opens a result folder.
    ///
    /// # Errors
    /// What the folder says.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        let mut watched = Self {
            folder: ResultFolder::open(path)?,
            reader: LiveReader::new(path),
            planned: Vec::new(),
            ended: BTreeMap::new(),
            current: None,
            is_running: false,
        };
        watched.look()?;
        Ok(watched)
    }

    /// Takes in what happened since the look before.
    ///
    /// # Errors
    /// When the folder is damaged or gone.
    pub fn look(&mut self) -> Result<(), FolderError> {
        // In this order: the record of a trial is there before the trial is over, and all of them before the study is.
        self.is_running = self.folder.is_being_written();
        let path = self.folder.path();
        let news = self.reader.look().map_err(|source| FolderError::Io {
            action: "read",
            path: path.join(live::LIVE),
            source,
        })?;
        if news.is_new_trial || news.is_idle {
            self.current = None;
        }
        for event in news.events {
            self.take(event);
        }
        // A plan grows between two trials.
        let mut is_longer = self.planned.is_empty() || news.is_new_trial;
        for name in self.folder.trial_names()? {
            if !self.ended.contains_key(&name)
                && let Some(record) = self.folder.trial(&name)?
            {
                self.ended.insert(name, EndedTrial::of(&record));
                is_longer = true;
            }
        }
        if is_longer {
            self.planned = self.folder.plan()?.map_or_else(Vec::new, |plan| plan.trials);
        }
        Ok(())
    }

    fn take(&mut self, event: LiveEvent) {
        match (event, &mut self.current) {
            (LiveEvent::Trial(trial), current) => {
                *current = Some(Current {
                    trial,
                    preparing: String::new(),
                    phase: String::new(),
                    phase_expected_s: None,
                    seconds: Vec::new(),
                    is_over: false,
                });
            }
            // Without its first line, a file says nothing of which trial.
            (_, None) => {}
            (LiveEvent::Preparing { what }, Some(current)) => current.preparing = what,
            (
                LiveEvent::Phase {
                    phase, expected_s, ..
                },
                Some(current),
            ) => {
                current.preparing.clear();
                (current.phase, current.phase_expected_s) = (phase, expected_s);
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

impl EndedTrial {
    fn of(record: &TrialRecord) -> Self {
        let p99 = record.latency(None).percentile(99.0);
        let measure = record.measure.as_ref();
        Self {
            system: record.system.name.clone(),
            workload: record.workload.name.clone(),
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
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use dbdyno_record::Latency;
    use dbdyno_record::intervals::IntervalCounts;
    use dbdyno_record::live::{LIVE_FORMAT, LiveWriter};

    use super::*;

    /// A second with 50 operations.
    pub(crate) fn row(phase: &str, start_s: u64) -> IntervalRow {
        let mut latency = Latency::new();
        latency.record_many(1_000_000, 50);
        let counts = IntervalCounts {
            ok: 50,
            ..IntervalCounts::default()
        };
        IntervalRow::new(phase, start_s * 1_000_000_000, 1_000_000_000, counts, &latency)
    }

    pub(crate) fn trial() -> LiveTrial {
        LiveTrial {
            format: LIVE_FORMAT.to_owned(),
            trial: "001-redb-a".to_owned(),
            system: "redb".to_owned(),
            workload: "a".to_owned(),
            number: 1,
            total: 2,
            started_at: "2026-11-23T19:00:00Z".to_owned(),
            remaining_s: 20.0,
            repeats_s: 4.0,
        }
    }

    /// A trial in its measured phase.
    pub(crate) fn current(rows: &[IntervalRow]) -> Current {
        Current {
            trial: trial(),
            preparing: String::new(),
            phase: "measure".to_owned(),
            phase_expected_s: Some(10.0),
            seconds: rows.to_vec(),
            is_over: false,
        }
    }

    #[test]
    fn a_trial_is_followed_from_its_first_line_to_its_end() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("results");
        let writing = ResultFolder::create(&path, "name = \"x\"\n").unwrap();
        let mut watched = Watched::open(&path).unwrap();
        assert!(watched.is_running() && watched.current().is_none());
        let mut writer = LiveWriter::begin(&path, trial()).unwrap();
        writer.write(&LiveEvent::Second(row("measure", 0))).unwrap();
        // The same second again, with what came late.
        writer.write(&LiveEvent::Second(row("measure", 0))).unwrap();
        writer.write(&LiveEvent::Second(row("measure", 1))).unwrap();
        watched.look().unwrap();
        assert_eq!(watched.current().unwrap().seconds.len(), 2);
        writer.write(&LiveEvent::Ended).unwrap();
        watched.look().unwrap();
        assert!(watched.current().is_none());
        drop(writing);
        watched.look().unwrap();
        assert!(!watched.is_running());
    }

    #[test]
    fn what_a_killed_study_leaves_does_not_run() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("results");
        drop(ResultFolder::create(&path, "name = \"x\"\n").unwrap());
        drop(LiveWriter::begin(&path, trial()).unwrap());
        let watched = Watched::open(&path).unwrap();
        assert!(!watched.is_running() && watched.current().is_none());
    }
}
