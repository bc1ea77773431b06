//! A result folder: what a study leaves behind, and all that a report needs. `docs/results.md` describes every file.
//!
//! One writer at a time (a lock that ends with its process), any number of readers at any moment. Files appear whole, by
//! rename; a trial exists when its `record.json` does, which is written last.

pub mod doubts;
mod error;
mod mark;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::Serialize;

pub use error::FolderError;
pub use mark::FOLDER_FORMAT;
use mark::{MARKER, Mark};

use crate::environment::{ENVIRONMENT_FORMAT, Environment};
use crate::interval_log::{self, LoggedInterval};
use crate::plan::{PLAN_FORMAT, PlanFile, planned_name};
use crate::trial::TRIAL_FORMAT;
use crate::{IntervalRow, TrialRecord, TrialStatus, atomic, format, intervals, regular_file, sums};

const LOCK: &str = ".lock";
const STUDY: &str = "study.toml";
const PLAN: &str = "plan.json";
const ENVIRONMENT: &str = "environment.json";
const TRIALS: &str = "trials";
/// The file that a trial's folder contains once the trial is over.
pub const RECORD: &str = "record.json";
/// How long a folder's lock is waited for.
const LOCK_PATIENCE: Duration = Duration::from_millis(500);
const LOCK_STEP: Duration = Duration::from_millis(10);
/// Name of a trial's interval log, inside its folder.
pub const LATENCY_LOG: &str = "latency.hlog";
/// Name of a trial's rows over time, inside its folder.
pub const INTERVALS: &str = "intervals.csv";

/// Tells a file from another one that takes its place under the same path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileIdentity {
    device: u64,
    number: u64,
    /// The number of a file may be given to a later one.
    made: Option<SystemTime>,
}

/// An open result folder; for writing when made by [`ResultFolder::create`], else for reading.
#[derive(Debug)]
pub struct ResultFolder {
    path: PathBuf,
    /// Held, not used: closing it gives the folder free.
    lock: Option<File>,
}

impl ResultFolder {
    /// Makes a folder for a study, or goes on with the one that is there for the same study, and locks it until dropped.
    /// Leftovers of a killed writer are removed. `study_toml` is the study as run, secrets redacted.
    ///
    /// # Errors
    /// When another process writes to it, it belongs to another study, is not a result folder, is of a newer format, or
    /// cannot be written.
    pub fn create(path: &Path, study_toml: &str) -> Result<Self, FolderError> {
        let marked = path.join(MARKER).exists();
        if !marked && path.exists() && !is_empty_but_for_us(path)? {
            return Err(FolderError::Foreign {
                path: path.into(),
                reason: format!("it contains other files but no {MARKER}"),
            });
        }
        if marked {
            mark::read(path, "take another folder with --output")?;
        }
        let trials = path.join(TRIALS);
        fs::create_dir_all(&trials).map_err(|source| FolderError::io("create", &trials, source))?;
        let folder = Self {
            path: path.into(),
            lock: Some(lock(path)?),
        };
        for place in [path, &trials] {
            atomic::remove_leftovers(place).map_err(|source| FolderError::io("clean", place, source))?;
        }
        // The study before the marker: a folder with a marker always has its study.
        let study = path.join(STUDY);
        if marked {
            if folder.study_text()? != study_toml {
                return Err(FolderError::OtherStudy { path: path.into() });
            }
        } else {
            folder.write_summed(&study, study_toml.as_bytes(), &[])?;
            folder.write_json(&path.join(MARKER), &Mark::new())?;
        }
        Ok(folder)
    }

    /// Opens a folder for reading, while it is being written or years later.
    ///
    /// # Errors
    /// When it is not there, not a result folder, or of a newer format.
    pub fn open(path: &Path) -> Result<Self, FolderError> {
        if !path.is_dir() {
            return Err(FolderError::Missing { path: path.into() });
        }
        mark::check(path)?;
        Ok(Self {
            path: path.into(),
            lock: None,
        })
    }

    /// Whether results are meant to be there, even if they are damaged: a folder with our mark, or with trials.
    #[must_use]
    pub fn is_meant_at(path: &Path) -> bool {
        path.is_dir() && (path.join(MARKER).exists() || mark::holds_trials(path))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The study as run.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn study_text(&self) -> Result<String, FolderError> {
        let path = self.path.join(STUDY);
        let remedy = "restore the original file: it is the only record of the study";
        format::read_summed(&path, regular_file::LARGEST_DOCUMENT_BYTES, remedy)
    }

    /// Replaces the study as run by another text of it, with which the trials in the folder still mean the same.
    ///
    /// # Errors
    /// When the folder was opened for reading, or writing fails.
    pub fn replace_study(&self, study_toml: &str) -> Result<(), FolderError> {
        self.writable()?;
        self.write_summed(&self.path.join(STUDY), study_toml.as_bytes(), &[])
    }

    /// The plan; `None` when the writer did not come that far.
    ///
    /// # Errors
    /// When it is damaged or of a newer format.
    pub fn plan(&self) -> Result<Option<PlanFile>, FolderError> {
        self.read_optional(
            PLAN,
            PLAN_FORMAT,
            "restore it; or remove it and run the study again: the plan follows from the study, only reports no longer say \
             whether trials were added after a complete study",
        )
    }

    /// Writes the plan.
    ///
    /// # Errors
    /// When the folder was opened for reading, two trials share a name, a name cannot be a folder's, or writing fails.
    pub fn write_plan(&self, plan: &PlanFile) -> Result<(), FolderError> {
        let mut seen = BTreeSet::new();
        for planned in &plan.trials {
            check_name(&planned.trial)?;
            if !seen.insert(&planned.trial) {
                return Err(FolderError::BadTrialName {
                    name: planned.trial.clone(),
                    reason: "two trials of the plan have it".to_owned(),
                });
            }
        }
        self.writable()?;
        self.write_json(&self.path.join(PLAN), plan)
    }

    /// The environment; `None` when the writer did not come that far.
    ///
    /// # Errors
    /// When it is damaged or of a newer format.
    pub fn environment(&self) -> Result<Option<Environment>, FolderError> {
        self.read_optional(
            ENVIRONMENT,
            ENVIRONMENT_FORMAT,
            "remove it to continue without a description of the machine",
        )
    }

    /// Writes the environment.
    ///
    /// # Errors
    /// When the folder was opened for reading, or writing fails.
    pub fn write_environment(&self, environment: &Environment) -> Result<(), FolderError> {
        self.writable()?;
        self.write_json(&self.path.join(ENVIRONMENT), environment)
    }

    /// The folder of a trial, whether it exists or not.
    #[must_use]
    pub fn trial_dir(&self, trial: &str) -> PathBuf {
        self.path.join(TRIALS).join(trial)
    }

    /// Makes an empty folder for a trial that is about to run and gives its path: the interval log and the rows over time
    /// go there while it runs. What was left there without a record is removed.
    ///
    /// # Errors
    /// When the trial has a record already, its name cannot be a folder's, the folder was opened for reading, or writing
    /// fails.
    pub fn begin_trial(&self, trial: &str) -> Result<PathBuf, FolderError> {
        check_name(trial)?;
        self.writable()?;
        let path = self.trial_dir(trial);
        if path.exists() {
            match self.trial(trial) {
                Ok(Some(_)) => {
                    return Err(FolderError::BadTrialName {
                        name: trial.to_owned(),
                        reason: "it already has a record; another attempt needs another name".to_owned(),
                    });
                }
                // Running the trial again is the remedy for a damaged record.
                Ok(None) | Err(FolderError::Damaged { .. }) => {}
                Err(error) => return Err(error),
            }
            // The record first: without it, whatever else is left counts as nothing.
            match fs::remove_file(path.join(RECORD)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(FolderError::io("clear", &path, error));
                }
                _ => {}
            }
            fs::remove_dir_all(&path).map_err(|source| FolderError::io("clear", &path, source))?;
        }
        fs::create_dir_all(&path).map_err(|source| FolderError::io("create", &path, source))?;
        atomic::sync_folder(&self.path.join(TRIALS))
            .map_err(|source| FolderError::io("sync", &path, source))?;
        Ok(path)
    }

    /// Writes a trial's record, which makes the trial exist. On return it is on the disk.
    ///
    /// # Errors
    /// When its name cannot be a folder's, the folder was opened for reading, or writing fails.
    pub fn write_trial(&self, record: &TrialRecord) -> Result<(), FolderError> {
        check_name(&record.trial)?;
        self.writable()?;
        let path = self.trial_dir(&record.trial);
        fs::create_dir_all(&path).map_err(|source| FolderError::io("create", &path, source))?;
        // All of the trial is written by now: what is damaged later differs from these sums.
        self.write_summed(
            &path.join(RECORD),
            &encoded(&path, record)?,
            &[LATENCY_LOG, INTERVALS],
        )
    }

    /// Whether a process writes to it now.
    #[must_use]
    pub fn is_being_written(&self) -> bool {
        // Whoever may read the folder may ask: a shared lock needs no right to write.
        let held = regular_file::open(&self.path.join(LOCK));
        // Held for a moment, for which a writer that begins waits.
        held.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Which folder this is: another one under the same path has another identity.
    ///
    /// # Errors
    /// When it is gone.
    pub fn identity(&self) -> Result<FileIdentity, FolderError> {
        let path = self.path.join(MARKER);
        identity(&path).map_err(|source| FolderError::io("read", &path, source))
    }

    /// Which record a trial has; `None` when it has none (yet).
    #[must_use]
    pub fn record_identity(&self, trial: &str) -> Option<FileIdentity> {
        identity(&self.trial_dir(trial).join(RECORD)).ok()
    }

    /// One trial's record; `None` when it has none (yet).
    ///
    /// # Errors
    /// When it is damaged or of a newer format.
    pub fn trial(&self, trial: &str) -> Result<Option<TrialRecord>, FolderError> {
        let path = self.trial_dir(trial).join(RECORD);
        if !path.exists() {
            return Ok(None);
        }
        let record: TrialRecord = format::read_json(&path, TRIAL_FORMAT, REPEAT)?;
        if record.trial != trial {
            return Err(FolderError::Damaged {
                path,
                reason: format!(
                    "it is the record of trial {:?} in the folder of {trial:?}",
                    record.trial
                ),
                remedy: REPEAT.to_owned(),
            });
        }
        Ok(Some(record))
    }

    /// The records of all trials of the plan, in its order, repetitions after what they repeat; pilots come last, by name. Records of
    /// other trials are not among them ([`trials_and_doubts`](Self::trials_and_doubts) names
    /// them). In a folder without a plan all count.
    ///
    /// # Errors
    /// When one is damaged or of a newer format.
    pub fn trials(&self) -> Result<Vec<TrialRecord>, FolderError> {
        Ok(self.trials_by_plan()?.0)
    }

    /// Those of the plan, and all others.
    fn trials_by_plan(&self) -> Result<(Vec<TrialRecord>, Vec<TrialRecord>), FolderError> {
        let names = self.trial_names()?;
        let records = names.iter().filter_map(|name| self.trial(name).transpose());
        let mut records = records.collect::<Result<Vec<_>, _>>()?;
        // Read after the records: a study that runs writes a longer plan before the trials that it adds.
        let plan = self.plan()?;
        let mut order = BTreeMap::new();
        for (place, planned) in plan.iter().flat_map(|plan| &plan.trials).enumerate() {
            order.insert(planned.trial.as_str(), place);
        }
        // Names are in order already, and the sort keeps it.
        records.sort_by_key(|record| {
            let place = order.get(planned_name(&record.trial)).copied();
            place.unwrap_or(usize::MAX)
        });
        Ok(records
            .into_iter()
            .partition(|record| doubts::is_planned(plan.as_ref(), record)))
    }

    /// Names of the trials that ran to their limit. Failed and interrupted ones are not among them.
    ///
    /// # Errors
    /// When a record is damaged or of a newer format.
    pub fn completed_trials(&self) -> Result<BTreeSet<String>, FolderError> {
        // Whole records are read, not only how they ended: a damaged one must show before the study goes on.
        let complete = |record: &TrialRecord| record.status == TrialStatus::Completed;
        Ok(self
            .trials()?
            .into_iter()
            .filter(complete)
            .map(|record| record.trial)
            .collect())
    }

    /// A trial's rows over time; none when it wrote none.
    ///
    /// # Errors
    /// When the file is damaged.
    pub fn intervals(&self, trial: &str) -> Result<Vec<IntervalRow>, FolderError> {
        intervals::read(&self.trial_dir(trial).join(INTERVALS))
    }

    /// Visits the lines of a trial's interval log whose tag is `wanted`, e.g. `measure.read`; none when it wrote no log.
    ///
    /// # Errors
    /// When the file is damaged.
    pub fn latency_log(
        &self,
        trial: &str,
        wanted: impl Fn(&str) -> bool,
        visit: impl FnMut(&LoggedInterval),
    ) -> Result<(), FolderError> {
        interval_log::read(&self.trial_dir(trial).join(LATENCY_LOG), wanted, visit)
    }

    /// Writes a file that follows from the others (`report.html`, `results.csv`): it needs no lock.
    ///
    /// # Errors
    /// When writing fails.
    pub fn write_derived(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, FolderError> {
        let path = self.path.join(name);
        self.write(&path, bytes)?;
        Ok(path)
    }

    /// Names of all trials that have a folder, with a record or (yet) without.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn trial_names(&self) -> Result<Vec<String>, FolderError> {
        let path = self.path.join(TRIALS);
        let failed = |source| FolderError::io("read", &path, source);
        let mut names = Vec::new();
        for entry in fs::read_dir(&path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if entry.file_type().map_err(failed)?.is_dir() {
                names.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
        names.sort();
        Ok(names)
    }

    fn read_optional<T: serde::de::DeserializeOwned>(
        &self,
        name: &str,
        known: &str,
        remedy: &str,
    ) -> Result<Option<T>, FolderError> {
        let path = self.path.join(name);
        if !path.exists() {
            return Ok(None);
        }
        format::read_json(&path, known, remedy).map(Some)
    }

    /// Whether this is the folder's writer, and the folder is still where it was.
    fn writable(&self) -> Result<(), FolderError> {
        let path = || self.path.clone();
        match &self.lock {
            None => Err(FolderError::ReadOnly { path: path() }),
            Some(lock) if is_at(lock, &self.path.join(LOCK)) => Ok(()),
            Some(_) => Err(FolderError::Gone { path: path() }),
        }
    }

    fn write_json(&self, path: &Path, value: &impl Serialize) -> Result<(), FolderError> {
        self.write_summed(path, &encoded(path, value)?, &[])
    }

    /// Writes a file with its sum and those of `others`, which lie beside it.
    fn write_summed(&self, path: &Path, bytes: &[u8], others: &[&str]) -> Result<(), FolderError> {
        sums::write(path, bytes, others).map_err(|source| FolderError::io("write", path, source))
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> Result<(), FolderError> {
        atomic::write(path, bytes).map_err(|source| FolderError::io("write", path, source))
    }
}

fn encoded(path: &Path, value: &impl Serialize) -> Result<Vec<u8>, FolderError> {
    let mut text = serde_json::to_vec_pretty(value)
        .map_err(|error| FolderError::io("encode", path, io::Error::other(error)))?;
    text.push(b'\n');
    Ok(text)
}

const REPEAT: &str = "remove this trial's folder and run the study again: it repeats only what is missing";

/// A writer killed before it wrote the marker leaves at most these.
fn is_empty_but_for_us(path: &Path) -> Result<bool, FolderError> {
    let failed = |source| FolderError::io("read", path, source);
    for entry in fs::read_dir(path).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let name = name.to_string_lossy();
        let empty_trials =
            || fs::read_dir(path.join(TRIALS)).is_ok_and(|mut entries| entries.next().is_none());
        let ours = name == LOCK
            || name.starts_with(".dbdyno-")
            || (name == STUDY || name == sums::FILE) && path.join(LOCK).exists()
            || name == TRIALS && empty_trials();
        if !ours {
            return Ok(false);
        }
    }
    Ok(true)
}

fn lock(path: &Path) -> Result<File, FolderError> {
    lock_waiting(path, || std::thread::sleep(LOCK_STEP))
}

/// Locks the folder, as [`lock`] does; `wait` waits for a [`LOCK_STEP`].
fn lock_waiting(path: &Path, mut wait: impl FnMut()) -> Result<File, FolderError> {
    let lock_path = path.join(LOCK);
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    let file = regular_file::open_with(&mut options, &lock_path);
    let file = file.map_err(|source| FolderError::io("open", &lock_path, source))?;
    let mut waited = Duration::ZERO;
    loop {
        match file.try_lock() {
            // Somebody may have put another folder in its place meanwhile, which another process has locked.
            Ok(()) if is_at(&file, &lock_path) => return Ok(file),
            Err(TryLockError::Error(source)) => return Err(FolderError::io("lock", &lock_path, source)),
            Ok(()) => return Err(FolderError::Gone { path: path.into() }),
            Err(TryLockError::WouldBlock) if waited >= LOCK_PATIENCE => {
                return Err(FolderError::InUse { path: path.into() });
            }
            // A process that was just killed holds it until the kernel is done with it.
            Err(TryLockError::WouldBlock) => {
                wait();
                waited += LOCK_STEP;
            }
        }
    }
}

fn identity(path: &Path) -> io::Result<FileIdentity> {
    use std::os::unix::fs::MetadataExt;
    let found = fs::metadata(path)?;
    Ok(FileIdentity {
        device: found.dev(),
        number: found.ino(),
        made: found.created().or_else(|_| found.modified()).ok(),
    })
}

/// Whether this open file is the one that has this name now.
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |found: fs::Metadata| (found.dev(), found.ino());
    let held = file.metadata().map(identity);
    held.is_ok_and(|held| fs::metadata(path).is_ok_and(|found| identity(found) == held))
}

fn check_name(name: &str) -> Result<(), FolderError> {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "-_.+=@~".contains(letter);
    let reason = if name.is_empty() || name.len() > 200 {
        "it must have 1 to 200 letters"
    } else if name.starts_with('.') {
        "it must not start with a dot"
    } else if !name.chars().all(allowed) {
        "only ASCII letters, digits and - _ . + = @ ~ are allowed"
    } else {
        return Ok(());
    };
    Err(FolderError::BadTrialName {
        name: name.to_owned(),
        reason: reason.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_writer_that_is_just_ending_is_waited_for() {
        let place = tempfile::tempdir().unwrap();
        let mut writer = Some(ResultFolder::create(place.path(), "").unwrap());
        let mut waits = 0;
        let locked = lock_waiting(place.path(), || {
            waits += 1;
            if waits == 3 {
                writer = None;
            }
        });
        assert!(locked.is_ok(), "{locked:?}");
        assert_eq!(waits, 3);
    }

    #[test]
    fn a_writer_that_goes_on_is_not_waited_for_long() {
        let place = tempfile::tempdir().unwrap();
        let _writer = ResultFolder::create(place.path(), "").unwrap();
        let mut waits = 0;
        let locked = lock_waiting(place.path(), || waits += 1);
        assert!(matches!(locked, Err(FolderError::InUse { .. })), "{locked:?}");
        assert_eq!(LOCK_STEP * waits, LOCK_PATIENCE);
    }
}
