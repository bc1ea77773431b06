//! What was counted in one result folder so far: from the records of trials that are over, and from `live.jsonl` of the one that
//! runs. A record replaces what was counted live of its trial, so counters end at the figures of the records.

mod counts;
mod live;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use dbdyno_record::folder::RECORD;
use dbdyno_record::live::{LIVE, LiveEvent, LiveReader};
use dbdyno_record::{FileIdentity, FolderError, ResultFolder, TrialRecord, TrialState};

use self::counts::Sum as _;
use self::live::LiveTally;

pub(crate) use self::counts::{Cell, OperationKey, Operations, Usage};

/// Phases whose operations a record has, if they began.
const LOAD: &str = "load";
const MEASURE: &str = "measure";
/// The kind of operation of which the load phase consists.
const INSERT: &str = "insert";

/// A trial that is over.
#[derive(Clone, Debug)]
pub(crate) struct TrialEnd {
    pub trial: String,
    pub cell: Cell,
    pub state: TrialState,
    /// Whether no finding makes it invalid.
    pub is_valid: bool,
    /// When its record was written.
    pub at: SystemTime,
}

/// A record that was counted.
#[derive(Debug)]
struct Known {
    identity: FileIdentity,
    /// The phases of which it has the operations: a trial that failed has none, or only its load.
    phases: Vec<&'static str>,
}

/// The counts of one result folder.
#[derive(Debug)]
pub(crate) struct Tally {
    folder: ResultFolder,
    /// Which folder it is: another one may take its place.
    identity: FileIdentity,
    reader: LiveReader,
    /// The records that were counted.
    known: BTreeMap<String, Known>,
    /// Of trials that are over.
    operations: BTreeMap<OperationKey, Operations>,
    /// By cell, operation and error class.
    errors: BTreeMap<(Cell, String, String), u64>,
    /// Of trials that were live before or ended since the first look, by cell and phase.
    usage: BTreeMap<(Cell, String), Usage>,
    ended: Vec<TrialEnd>,
    live: Option<LiveTally>,
    has_looked: bool,
}

impl Tally {
    fn open(path: &Path) -> Result<Self, FolderError> {
        let folder = ResultFolder::open(path)?;
        Ok(Self {
            identity: folder.identity()?,
            folder,
            reader: LiveReader::new(path),
            known: BTreeMap::new(),
            operations: BTreeMap::new(),
            errors: BTreeMap::new(),
            usage: BTreeMap::new(),
            ended: Vec::new(),
            live: None,
            has_looked: false,
        })
    }

    /// Whether everything that was counted is still there: who removes the folder of a trial has it run again.
    fn is_current(&self) -> bool {
        let is_same = |(name, known): (&String, &Known)| {
            self.folder.record_identity(name).as_ref() == Some(&known.identity)
        };
        self.folder
            .identity()
            .is_ok_and(|identity| identity == self.identity)
            && self.known.iter().all(is_same)
    }

    /// Takes in what happened since the look before.
    fn look(&mut self) -> Result<(), FolderError> {
        let news = self.reader.look().map_err(|source| FolderError::Io {
            action: "read",
            path: self.folder.path().join(LIVE),
            source,
        })?;
        let mut left = if news.is_new_trial || news.is_idle {
            self.live.take()
        } else {
            None
        };
        for event in news.events {
            match (event, &mut self.live) {
                (LiveEvent::Trial(trial), live) => *live = Some(LiveTally::new(trial)),
                (event, Some(live)) => live.take(event),
                // Without its first line, a file says nothing of which trial.
                (_, None) => {}
            }
        }
        for name in self.folder.trial_names()? {
            if !self.known.contains_key(&name)
                && let Some(identity) = self.folder.record_identity(&name)
                && let Some(record) = self.folder.trial(&name)?
            {
                let path = self.folder.trial_dir(&name).join(RECORD);
                let written = fs::metadata(path).and_then(|metadata| metadata.modified());
                self.add(&record, written.unwrap_or(SystemTime::UNIX_EPOCH));
                let load = record.load.is_some().then_some(LOAD);
                let measure = record.measure.is_some().then_some(MEASURE);
                let phases = load.into_iter().chain(measure).collect();
                if self.has_looked {
                    self.add_usage(&name, cell_of(&record), left.as_mut());
                }
                self.known.insert(name, Known { identity, phases });
            }
        }
        // After the records: its own may be among them.
        if let Some(left) = left {
            self.keep(&left);
        }
        self.has_looked = true;
        Ok(())
    }

    fn add(&mut self, record: &TrialRecord, at: SystemTime) {
        let cell = cell_of(record);
        let load = record.load.iter().map(|load| (LOAD, INSERT, &load.inserts));
        let measure = record.measure.iter().flat_map(|measure| &measure.operations);
        let measure = measure.map(|(operation, counts)| (MEASURE, operation.as_str(), counts));
        for (phase, operation, counts) in load.chain(measure) {
            let key = OperationKey {
                cell: cell.clone(),
                phase: phase.to_owned(),
                operation: operation.to_owned(),
            };
            self.operations
                .entry(key)
                .or_default()
                .add(&Operations::of(counts));
            for (class, count) in &counts.errors {
                let key = (cell.clone(), operation.to_owned(), class.clone());
                let sum = self.errors.entry(key).or_default();
                *sum = sum.saturating_add(*count);
            }
        }
        self.ended.push(TrialEnd {
            trial: record.trial.clone(),
            cell,
            state: record.status.state(),
            is_valid: record.is_valid(),
            at,
        });
    }

    /// Adds what client and servers used in a trial that ended since the look before: the rows of its seconds have also those that
    /// nobody looked at. Where they cannot be read, what was seen live counts.
    fn add_usage(&mut self, trial: &str, cell: Cell, left: Option<&mut LiveTally>) {
        let mut used: BTreeMap<String, Usage> = BTreeMap::new();
        for row in self.folder.intervals(trial).unwrap_or_default() {
            let of_row = Usage::of(&row);
            used.entry(row.phase).or_default().add(&of_row);
        }
        let live = left.into_iter().chain(self.live.as_mut());
        for (phase, seen) in live
            .filter(|live| live.trial == trial)
            .flat_map(LiveTally::end_usage)
        {
            let of_phase = used.entry(phase).or_default();
            *of_phase = of_phase.at_least(&seen);
        }
        for (phase, of_phase) in used {
            self.usage
                .entry((cell.clone(), phase))
                .or_default()
                .add(&of_phase);
        }
    }

    /// Keeps what no record has of the trial that was live: its warm-up, what client and servers used by phase, and all of it where
    /// it failed or its process was killed. A counter that shrank would look like one that began anew.
    fn keep(&mut self, live: &LiveTally) {
        for (key, counted) in self.unrecorded(live) {
            self.operations.entry(key).or_default().add(&counted);
        }
        for (phase, seconds) in &live.usage {
            let key = (live.cell.clone(), phase.clone());
            self.usage.entry(key).or_default().add(&seconds.total());
        }
    }

    /// The operations of a live trial that its record does not have.
    fn unrecorded(&self, live: &LiveTally) -> Vec<(OperationKey, Operations)> {
        let recorded = self
            .known
            .get(&live.trial)
            .map_or(&[][..], |known| known.phases.as_slice());
        live.operations()
            .filter(|(key, _)| !recorded.contains(&key.phase.as_str()))
            .collect()
    }

    /// Operations of all trials so far.
    pub fn operations(&self) -> BTreeMap<OperationKey, Operations> {
        let mut operations = self.operations.clone();
        for (key, counted) in self.live.iter().flat_map(|live| self.unrecorded(live)) {
            operations.entry(key).or_default().add(&counted);
        }
        operations
    }

    /// What client and servers used while this tally looked, by cell and phase.
    pub fn usage(&self) -> BTreeMap<(Cell, String), Usage> {
        let mut usage = self.usage.clone();
        if let Some(live) = &self.live {
            for (phase, seconds) in &live.usage {
                let key = (live.cell.clone(), phase.clone());
                usage.entry(key).or_default().add(&seconds.total());
            }
        }
        usage
    }

    /// Failed operations of trials that are over, by cell, operation and class.
    pub fn errors(&self) -> &BTreeMap<(Cell, String, String), u64> {
        &self.errors
    }

    /// The trials that are over.
    pub fn ended(&self) -> &[TrialEnd] {
        &self.ended
    }
}

fn cell_of(record: &TrialRecord) -> Cell {
    Cell {
        system: record.system.name.clone(),
        workload: record.workload.name.clone(),
    }
}

/// The tallies of the folders that somebody asked for.
#[derive(Debug, Default)]
pub(crate) struct Tallies(Mutex<BTreeMap<PathBuf, Tally>>);

impl Tallies {
    /// What `take` says of the tally of a folder as it is now; of other folders than `wanted` nothing is remembered.
    pub fn look<T>(
        &self,
        wanted: &BTreeSet<PathBuf>,
        path: &Path,
        take: impl FnOnce(&Tally) -> T,
    ) -> Result<T, FolderError> {
        let mut tallies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tallies.retain(|known, _| wanted.contains(known));
        let mut tally = match tallies.remove(path).filter(Tally::is_current) {
            Some(tally) => tally,
            None => Tally::open(path)?,
        };
        // A tally that could not look is opened anew by the next request.
        tally.look()?;
        let taken = take(&tally);
        tallies.insert(path.to_owned(), tally);
        Ok(taken)
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_record::folder::INTERVALS;
    use dbdyno_record::intervals::{IntervalCounts, IntervalsWriter};
    use dbdyno_record::live::{LatencyRow, LiveWriter, OutcomeRow};
    use dbdyno_record::{IntervalRow, Latency, OperationRecord, live_buckets};

    use super::*;
    use crate::test_record::live_trial;

    fn latencies(phase: &str, offset_s: f64, count: u64) -> LiveEvent {
        LiveEvent::Latencies(LatencyRow {
            phase: phase.to_owned(),
            offset_s,
            operation: "read".to_owned(),
            buckets: vec![(live_buckets::index(1_000_000), count)],
            sum_s: 0.001 * count as f64,
        })
    }

    fn ok(tally: &Tally, phase: &str) -> u64 {
        let operations = tally.operations();
        let of_phase = operations.iter().filter(|(key, _)| key.phase == phase);
        of_phase.map(|(_, operations)| operations.ok).sum()
    }

    #[test]
    fn a_later_line_of_a_second_replaces_the_earlier_one() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("results");
        let _writing = ResultFolder::create(&path, "name = \"x\"\n").unwrap();
        let mut writer = LiveWriter::begin(&path, live_trial("001")).unwrap();
        for (offset_s, count) in [(0.0, 5), (0.0, 7), (1.0, 10), (1.0, 11)] {
            writer.write(&latencies("measure", offset_s, count)).unwrap();
        }
        let failed = OutcomeRow {
            phase: "measure".to_owned(),
            offset_s: 0.0,
            operation: "read".to_owned(),
            not_found: 1,
            too_early: 0,
            errors: 2,
            errors_by_class: BTreeMap::new(),
        };
        writer.write(&LiveEvent::Outcomes(failed)).unwrap();
        let mut tally = Tally::open(&path).unwrap();
        tally.look().unwrap();
        let operations = tally.operations();
        let read = operations.values().next().unwrap();
        assert_eq!((read.ok, read.not_found, read.errors), (18, 1, 2));
        assert_eq!(read.latency.count(), 18);
        assert!((read.latency.sum_s() - 0.018).abs() < 1e-12);
    }

    #[test]
    fn the_record_replaces_what_was_live_and_the_warm_up_stays() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("results");
        let writing = ResultFolder::create(&path, "name = \"x\"\n").unwrap();
        let mut writer = LiveWriter::begin(&path, live_trial("001")).unwrap();
        writer.write(&latencies("warm-up", 0.0, 3)).unwrap();
        writer.write(&latencies("measure", 0.0, 5)).unwrap();
        let mut tally = Tally::open(&path).unwrap();
        tally.look().unwrap();
        assert_eq!((ok(&tally, "warm-up"), ok(&tally, "measure")), (3, 5));
        let mut record = crate::test_record::record("001");
        let mut reads = OperationRecord {
            ok: 6,
            ..OperationRecord::default()
        };
        let mut latency = Latency::new();
        latency.record_many(1_000_000, 6);
        reads.service = latency;
        record.measure.as_mut().unwrap().operations = [("read".to_owned(), reads)].into();
        writing.begin_trial("001").unwrap();
        writing.write_trial(&record).unwrap();
        tally.look().unwrap();
        assert_eq!((ok(&tally, "warm-up"), ok(&tally, "measure")), (3, 6));
        assert_eq!(tally.ended().len(), 1);
        // The next trial.
        drop(LiveWriter::begin(&path, live_trial("002")).unwrap());
        tally.look().unwrap();
        assert_eq!((ok(&tally, "warm-up"), ok(&tally, "measure")), (3, 6));
    }

    #[test]
    fn what_no_record_has_stays_counted() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("results");
        let writing = ResultFolder::create(&path, "name = \"x\"\n").unwrap();
        let mut writer = LiveWriter::begin(&path, live_trial("001")).unwrap();
        writer.write(&latencies("measure", 0.0, 5)).unwrap();
        let mut tally = Tally::open(&path).unwrap();
        tally.look().unwrap();
        // It failed: its record has no measured phase.
        let mut record = crate::test_record::record("001");
        record.measure = None;
        writing.begin_trial("001").unwrap();
        writing.write_trial(&record).unwrap();
        tally.look().unwrap();
        assert_eq!(ok(&tally, "measure"), 5);
        // The process of the next one was killed, and it runs again.
        for count in [7, 9] {
            let mut writer = LiveWriter::begin(&path, live_trial("002")).unwrap();
            writer.write(&latencies("measure", 0.0, count)).unwrap();
            tally.look().unwrap();
        }
        assert_eq!(ok(&tally, "measure"), 5 + 7 + 9);
    }

    #[test]
    fn the_use_of_a_trial_is_whole_however_rarely_somebody_looks() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("results");
        let writing = ResultFolder::create(&path, "name = \"x\"\n").unwrap();
        let row = |second: u64| {
            let counts = IntervalCounts::default();
            let start_ns = second * 1_000_000_000;
            IntervalRow::new("measure", start_ns, 1_000_000_000, counts, &Latency::new())
                .with_client(0.25, 1 << 20)
        };
        let end = |name: &str| {
            let dir = writing.begin_trial(name).unwrap();
            let mut rows = IntervalsWriter::create(&dir.join(INTERVALS)).unwrap();
            for second in 0..4 {
                rows.write(&row(second)).unwrap();
            }
            rows.finish().unwrap();
            writing.write_trial(&crate::test_record::record(name)).unwrap();
        };
        let used_s = |tally: &Tally| -> f64 { tally.usage().values().map(|usage| usage.client_cpu_s).sum() };
        end("001");
        let mut writer = LiveWriter::begin(&path, live_trial("002")).unwrap();
        writer.write(&LiveEvent::Second(row(0))).unwrap();
        let mut tally = Tally::open(&path).unwrap();
        tally.look().unwrap();
        assert_eq!(used_s(&tally), 0.25, "not of what ended before");
        end("002");
        tally.look().unwrap();
        assert_eq!(used_s(&tally), 1.0);
        writer.write(&LiveEvent::Second(row(3))).unwrap();
        tally.look().unwrap();
        assert_eq!(used_s(&tally), 1.0, "each second once");
        end("003");
        drop(LiveWriter::begin(&path, live_trial("004")).unwrap());
        tally.look().unwrap();
        assert_eq!(used_s(&tally), 2.0, "nobody looked while it ran");
    }
}
