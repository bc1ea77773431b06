//! `live.jsonl`: the trial that runs now, an event a line, for whoever watches the result folder. The next trial replaces it, and
//! the end of the study removes it: records say what came of a trial, and nothing is derived from this file.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::{IntervalRow, atomic, regular_file};

/// The version of the lines, in the first one.
pub const LIVE_FORMAT: &str = "dbdyno.live/1";
/// The file's name in a result folder.
pub const LIVE: &str = "live.jsonl";
/// The file with the request to the study.
const ASKED: &str = ".asked";
const PAUSE: &[u8] = b"pause\n";
const STOP: &[u8] = b"stop\n";
/// The most that one look reads; the next look goes on from there. A trial of a day has 86,400 seconds, each with a line of some
/// 400 bytes, and one of up to a kilobyte for each kind of operation.
const MOST_BYTES: u64 = 64 << 20;

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum LiveEvent {
    /// A trial begins: the first line of the file.
    Trial(LiveTrial),
    /// Something is made ready: a server is fetched or started.
    Preparing {
        /// The preparation, in words.
        what: String,
    },
    /// A phase begins.
    Phase {
        /// Its name, as in [`IntervalRow::phase`].
        phase: String,
        /// How many operations it has, where that is known.
        expected_operations: Option<u64>,
        /// How long it lasts, in seconds, where that is known.
        expected_s: Option<f64>,
    },
    /// A second is over. A later line for the same second replaces it.
    Second(IntervalRow),
    /// The latencies of one kind of operation in a second. A later line for the same second and kind replaces it.
    Latencies(LatencyRow),
    /// Operations of one kind in a second that did not succeed; absent where all did. A later line for the same second and kind
    /// replaces it.
    Outcomes(OutcomeRow),
    /// What one of several load generators did lately. A later line of the same generator replaces it.
    Generator(GeneratorRow),
    /// The trial is over, and its record is on disk.
    Ended,
}

/// What one load generator did in the time since its row before: a second, or some where there are many.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GeneratorRow {
    /// Its name.
    pub generator: String,
    /// Name of the phase, as in [`IntervalRow::phase`].
    pub phase: String,
    /// Seconds from the phase's start to the row's.
    pub start_s: f64,
    /// Its length, in seconds.
    pub duration_s: f64,
    /// Successful operations.
    pub ok: u64,
    /// Failed operations.
    pub errors: u64,
    /// Processor time of its whole process, in seconds.
    pub cpu_seconds: f64,
}

impl GeneratorRow {
    /// Successful operations a second.
    #[must_use]
    pub fn per_second(&self) -> f64 {
        self.over(self.ok as f64)
    }

    /// Processors that it used.
    #[must_use]
    pub fn cpus(&self) -> f64 {
        self.over(self.cpu_seconds)
    }

    fn over(&self, amount: f64) -> f64 {
        if self.duration_s > 0.0 {
            amount / self.duration_s
        } else {
            0.0
        }
    }
}

/// The latencies of one kind of operation in one second, by [`live_buckets`](crate::live_buckets): of successful operations, from
/// their intended start with a rate, from the send without one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LatencyRow {
    /// Name of the phase, as in [`IntervalRow::phase`].
    pub phase: String,
    /// Seconds from the phase's start to the second's, as in [`IntervalRow::start_s`].
    pub offset_s: f64,
    /// Name of the kind of operation.
    pub operation: String,
    /// Buckets that are not empty, each index with its count, in ascending order.
    pub buckets: Vec<(i32, u64)>,
    /// Sum of the latencies, in seconds.
    pub sum_s: f64,
}

/// Operations of one kind in one second that did not succeed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutcomeRow {
    /// Name of the phase, as in [`IntervalRow::phase`].
    pub phase: String,
    /// Seconds from the phase's start to the second's, as in [`IntervalRow::start_s`].
    pub offset_s: f64,
    /// Name of the kind of operation.
    pub operation: String,
    /// The record was not there.
    pub not_found: u64,
    /// Not found because its insert had not been acknowledged yet.
    pub too_early: u64,
    /// Failed, of all classes.
    pub errors: u64,
    /// Failures by the name of their class; absent in files of earlier versions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub errors_by_class: BTreeMap<String, u64>,
}

/// A trial that began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LiveTrial {
    /// [`LIVE_FORMAT`].
    pub format: String,
    /// Its name.
    pub trial: String,
    /// The system.
    pub system: String,
    /// The systems of the trials with which it takes turns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub takes_turns_with: Vec<String>,
    /// The workload.
    pub workload: String,
    /// Its place among all trials, from 1.
    pub number: usize,
    /// All trials.
    pub total: usize,
    /// When it began, RFC 3339.
    pub started_at: String,
    /// About how long this trial and all later ones take, in seconds; 0 where nobody knows.
    pub remaining_s: f64,
    /// About how much longer repetitions of disturbed trials may make it, in seconds.
    pub repeats_s: f64,
}

/// Writes the file of one trial.
pub struct LiveWriter {
    file: File,
}

impl LiveWriter {
    /// Begins the file of a trial in a result folder, in place of that of the trial before.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(folder: &Path, trial: LiveTrial) -> io::Result<Self> {
        let path = folder.join(LIVE);
        atomic::write(&path, &line(&LiveEvent::Trial(trial))?)?;
        Ok(Self {
            file: regular_file::open_with(File::options().append(true), &path)?,
        })
    }

    /// Adds a line, which readers see at once.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&mut self, event: &LiveEvent) -> io::Result<()> {
        self.file.write_all(&line(event)?)
    }
}

/// Removes the file, and what was asked: nothing runs any more.
///
/// # Errors
/// When they are there and cannot be removed.
pub fn end(folder: &Path) -> io::Result<()> {
    let withdrawn = withdraw(folder);
    ask(folder, Asked::Run).and(withdrawn)
}

/// Removes the file alone: what runs is not shown any more.
///
/// # Errors
/// When it is there and cannot be removed.
pub fn withdraw(folder: &Path) -> io::Result<()> {
    remove(&folder.join(LIVE))
}

/// A request of whoever watches to the study that runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asked {
    /// Nothing, or to go on after a pause.
    #[default]
    Run,
    /// To begin no further trial for now.
    Pause,
    /// To stop, as ctrl-C does.
    Stop,
}

/// Asks the study that runs in a result folder, whichever process that is.
///
/// # Errors
/// When it cannot be written down.
pub fn ask(folder: &Path, asked: Asked) -> io::Result<()> {
    let path = folder.join(ASKED);
    match asked {
        Asked::Run => remove(&path),
        Asked::Pause => atomic::write(&path, PAUSE),
        Asked::Stop => atomic::write(&path, STOP),
    }
}

/// The request to the study that runs in a result folder.
#[must_use]
pub fn asked(folder: &Path) -> Asked {
    match regular_file::read(&folder.join(ASKED), regular_file::LARGEST_DOCUMENT_BYTES) {
        Ok(asked) if asked == PAUSE => Asked::Pause,
        Ok(asked) if asked == STOP => Asked::Stop,
        _ => Asked::Run,
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn line(event: &LiveEvent) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(event)?;
    line.push(b'\n');
    Ok(line)
}

/// Reads the file as it grows.
#[derive(Debug)]
pub struct LiveReader {
    path: PathBuf,
    /// Which file the offset is of: each trial has its own.
    file: Option<Identity>,
    offset: u64,
}

/// The result of a look.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveNews {
    /// Whether the lines are those of another trial than at the look before, from its beginning.
    pub is_new_trial: bool,
    /// Whether there is no file: nothing runs.
    pub is_idle: bool,
    /// Whole lines that were added.
    pub events: Vec<LiveEvent>,
}

impl LiveReader {
    /// Of a result folder, from the beginning.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self {
            path: folder.join(LIVE),
            file: None,
            offset: 0,
        }
    }

    /// What was added since the look before. Lines of later versions that this one does not know are passed over.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn look(&mut self) -> io::Result<LiveNews> {
        let mut file = match regular_file::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.file = None;
                return Ok(LiveNews {
                    is_idle: true,
                    ..LiveNews::default()
                });
            }
            Err(error) => return Err(error),
        };
        let metadata = file.metadata()?;
        let identity = identity(&metadata);
        let is_new_trial = self.file != Some(identity) || metadata.len() < self.offset;
        if is_new_trial {
            (self.file, self.offset) = (Some(identity), 0);
        }
        file.seek(SeekFrom::Start(self.offset))?;
        let mut bytes = Vec::new();
        file.take(MOST_BYTES).read_to_end(&mut bytes)?;
        // A line without its end is still being written, unless it is longer than any of ours: that one is passed over.
        let whole = match bytes.iter().rposition(|&byte| byte == b'\n') {
            Some(end) => end + 1,
            None if bytes.len() as u64 == MOST_BYTES => bytes.len(),
            None => 0,
        };
        self.offset += whole as u64;
        let lines = bytes[..whole].split(|&byte| byte == b'\n');
        Ok(LiveNews {
            is_new_trial,
            is_idle: false,
            events: lines
                .filter_map(|line| serde_json::from_slice(line).ok())
                .collect(),
        })
    }
}

/// The number of a file may be given to a later one, so the time of its making belongs to it.
type Identity = (u64, Option<SystemTime>);

fn identity(metadata: &fs::Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt as _;
    (metadata.ino(), metadata.created().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Latency;
    use crate::intervals::IntervalCounts;

    fn trial(name: &str) -> LiveTrial {
        LiveTrial {
            format: LIVE_FORMAT.to_owned(),
            trial: name.to_owned(),
            system: "redb".to_owned(),
            takes_turns_with: Vec::new(),
            workload: "a".to_owned(),
            number: 1,
            total: 2,
            started_at: "2026-11-23T19:00:00Z".to_owned(),
            remaining_s: 20.0,
            repeats_s: 4.0,
        }
    }

    fn second(start_s: u64) -> LiveEvent {
        LiveEvent::Second(IntervalRow::new(
            "measure",
            start_s * 1_000_000_000,
            1_000_000_000,
            IntervalCounts::default(),
            &Latency::new(),
        ))
    }

    #[test]
    fn a_reader_sees_each_line_once_and_each_trial_from_its_beginning() {
        let folder = tempfile::tempdir().unwrap();
        let mut reader = LiveReader::new(folder.path());
        assert!(reader.look().unwrap().is_idle);
        let mut writer = LiveWriter::begin(folder.path(), trial("001")).unwrap();
        writer.write(&second(0)).unwrap();
        let news = reader.look().unwrap();
        assert!(news.is_new_trial && !news.is_idle);
        assert_eq!(news.events, [LiveEvent::Trial(trial("001")), second(0)]);
        assert_eq!(reader.look().unwrap(), LiveNews::default());
        writer.write(&second(1)).unwrap();
        assert_eq!(reader.look().unwrap().events, [second(1)]);
        let mut writer = LiveWriter::begin(folder.path(), trial("002")).unwrap();
        let news = reader.look().unwrap();
        assert!(news.is_new_trial);
        assert_eq!(news.events, [LiveEvent::Trial(trial("002"))]);
        writer.write(&LiveEvent::Ended).unwrap();
        end(folder.path()).unwrap();
        end(folder.path()).unwrap();
        assert!(reader.look().unwrap().is_idle);
    }

    #[test]
    fn what_is_asked_holds_until_it_is_taken_back_or_nothing_runs() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(asked(folder.path()), Asked::Run);
        for wanted in [Asked::Pause, Asked::Stop, Asked::Run, Asked::Pause] {
            ask(folder.path(), wanted).unwrap();
            assert_eq!(asked(folder.path()), wanted);
        }
        end(folder.path()).unwrap();
        assert_eq!(asked(folder.path()), Asked::Run);
        fs::write(folder.path().join(ASKED), "something else").unwrap();
        assert_eq!(asked(folder.path()), Asked::Run);
    }

    #[test]
    fn latencies_and_outcomes_come_back_as_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = LiveWriter::begin(folder.path(), trial("001")).unwrap();
        let latencies = LiveEvent::Latencies(LatencyRow {
            phase: "measure".to_owned(),
            offset_s: 12.0,
            operation: "read".to_owned(),
            buckets: vec![(-120, 3), (-119, 17)],
            sum_s: 0.0123,
        });
        let outcomes = LiveEvent::Outcomes(OutcomeRow {
            phase: "measure".to_owned(),
            offset_s: 12.0,
            operation: "read".to_owned(),
            not_found: 1,
            too_early: 2,
            errors: 3,
            errors_by_class: BTreeMap::from([("timeout".to_owned(), 3)]),
        });
        writer.write(&latencies).unwrap();
        writer.write(&outcomes).unwrap();
        let text = fs::read_to_string(folder.path().join(LIVE)).unwrap();
        let line = r#"{"event":"latencies","phase":"measure","offset_s":12.0,"operation":"read","buckets":[[-120,3],[-119,17]],"sum_s":0.0123}"#;
        assert!(text.lines().any(|written| written == line), "{text}");
        let read = LiveReader::new(folder.path()).look().unwrap().events;
        assert_eq!(read[1..], [latencies, outcomes]);
    }

    #[test]
    fn an_unfinished_line_waits_and_an_unknown_one_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = LiveWriter::begin(folder.path(), trial("001")).unwrap();
        let mut reader = LiveReader::new(folder.path());
        reader.look().unwrap();
        writer
            .file
            .write_all(b"{\"event\":\"of a later version\"}\n{\"event\":\"en")
            .unwrap();
        assert_eq!(reader.look().unwrap().events, []);
        writer.file.write_all(b"ded\"}\n").unwrap();
        assert_eq!(reader.look().unwrap().events, [LiveEvent::Ended]);
    }
}
