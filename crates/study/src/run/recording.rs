//! Writes what the engine reports while a trial runs: `latency.hlog` and `intervals.csv`, in constant memory. Their rows are
//! seconds, however short the windows by which the trial is judged.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::time::{Duration, Instant};

use dbdyno_engine::{Event, Interval, Phase, ServerUse};
use dbdyno_record::Latency;
use dbdyno_record::folder::{INTERVALS, LATENCY_LOG};
use dbdyno_record::interval_log::IntervalLogWriter;
use dbdyno_record::intervals::{IntervalCounts, IntervalRow, IntervalServers, IntervalsWriter};

/// The rows of both files.
const ROW_NS: u64 = 1_000_000_000;
/// Rows that wait for late additions before they are written. A later addition gets a row of its own.
const OPEN_INTERVALS: usize = 16;

/// The two files of a running trial.
pub(crate) struct Recording {
    log: IntervalLogWriter<BufWriter<File>>,
    rows: IntervalsWriter<File>,
    began: Instant,
    /// When each phase began since the trial did. The last intervals of a phase come when the next one has begun.
    phases_began: BTreeMap<Phase, Duration>,
    open: VecDeque<OpenInterval>,
    /// The histograms of the second that is not over yet.
    second: Option<Second>,
    /// The first failure to write: told at the trial's end, for its record matters more.
    failure: Option<io::Error>,
}

/// A second, as the log will hold it.
struct Second {
    phase: Phase,
    /// Its beginning since that of the trial.
    start: Duration,
    start_ns: u64,
    duration_ns: u64,
    tags: BTreeMap<String, Latency>,
}

/// A row that grows.
pub(super) struct OpenInterval {
    phase: Phase,
    start_ns: u64,
    duration_ns: u64,
    counts: IntervalCounts,
    latency: Latency,
    client_cpu_seconds: f64,
    resident_memory_bytes: u64,
    servers: Option<IntervalServers>,
}

#[expect(
    clippy::disallowed_methods,
    reason = "only the offset of phases in a log of seconds"
)]
fn now() -> Instant {
    Instant::now()
}

impl Recording {
    /// Begins both files in a trial's folder.
    pub fn create(folder: &Path, trial: &str) -> io::Result<Self> {
        Ok(Self {
            log: IntervalLogWriter::create(
                &folder.join(LATENCY_LOG),
                jiff::Timestamp::now(),
                &format!(
                    "dbdyno, trial {trial}; tags are phase.operation, with a rate also phase.operation.service"
                ),
            )?,
            rows: IntervalsWriter::create(&folder.join(INTERVALS))?,
            began: now(),
            phases_began: BTreeMap::new(),
            open: VecDeque::new(),
            second: None,
            failure: None,
        })
    }

    /// Takes note of what happened.
    pub fn event(&mut self, event: &Event) {
        let outcome = match event {
            Event::PhaseStarted { phase, .. } => {
                self.phases_began.insert(*phase, self.began.elapsed());
                Ok(())
            }
            Event::Interval(interval) => self.interval(interval),
            Event::Servers(servers) => {
                self.servers(servers);
                Ok(())
            }
            // The record has what each load generator did, and no rows of it.
            Event::Generator(_)
            | Event::Preparing(_)
            | Event::PhaseEnded { .. }
            | Event::Reached(_)
            | Event::SliceStarted
            | Event::SliceEnded => Ok(()),
        };
        if let Err(error) = outcome {
            self.failure.get_or_insert(error);
        }
    }

    /// Writes what is open and makes the files last.
    pub fn finish(mut self) -> io::Result<()> {
        while let Some(interval) = self.open.pop_front() {
            self.rows.write(&interval.row())?;
        }
        self.write_second()?;
        self.log.finish()?;
        self.rows.finish()?;
        self.failure.map_or(Ok(()), Err)
    }

    fn interval(&mut self, interval: &Interval) -> io::Result<()> {
        let start_ns = row_start_ns(interval);
        let began = self
            .phases_began
            .get(&interval.phase)
            .copied()
            .unwrap_or_default();
        let is_open = |second: &Second| second.phase == interval.phase && second.start_ns == start_ns;
        match &mut self.second {
            Some(second) if is_open(second) => second.add(interval),
            // The second is over: a late addition has lines of its own.
            Some(_) if interval.late => Second::new(began, interval).write(&mut self.log)?,
            _ => {
                self.write_second()?;
                self.second = Some(Second::new(began, interval));
            }
        }
        match self.open.iter_mut().find(|open| open.holds(interval)) {
            Some(open) => open.add(interval),
            None => self.open.push_back(OpenInterval::new(interval)),
        }
        while self.open.len() > OPEN_INTERVALS {
            if let Some(oldest) = self.open.pop_front() {
                self.rows.write(&oldest.row())?;
            }
        }
        Ok(())
    }

    fn servers(&mut self, servers: &ServerUse) {
        let mut rows = self.open.iter_mut().rev();
        if let Some(open) = rows.find(|open| open.holds_servers(servers)) {
            open.add_servers(servers);
        }
    }

    fn write_second(&mut self) -> io::Result<()> {
        match self.second.take() {
            Some(second) => second.write(&mut self.log),
            None => Ok(()),
        }
    }
}

/// The beginning of the row that an interval belongs to, since that of its phase.
fn row_start_ns(interval: &Interval) -> u64 {
    second_of(interval.start_ns)
}

fn second_of(start_ns: u64) -> u64 {
    start_ns / ROW_NS * ROW_NS
}

impl Second {
    fn new(phase_began: Duration, interval: &Interval) -> Self {
        let start_ns = row_start_ns(interval);
        let mut second = Self {
            phase: interval.phase,
            start: phase_began + Duration::from_nanos(start_ns),
            start_ns,
            duration_ns: 0,
            tags: BTreeMap::new(),
        };
        second.add(interval);
        second
    }

    fn write(&self, log: &mut IntervalLogWriter<BufWriter<File>>) -> io::Result<()> {
        let duration = Duration::from_nanos(self.duration_ns);
        for (tag, latency) in &self.tags {
            log.write(tag, self.start, duration, latency)?;
        }
        Ok(())
    }

    fn add(&mut self, interval: &Interval) {
        // Late additions repeat the length of an interval that is counted already, unless they stand alone.
        if !interval.late || self.duration_ns == 0 {
            self.duration_ns += interval.duration_ns;
        }
        for (kind, operation) in &interval.operations {
            let tag = format!("{}.{}", interval.phase.name(), kind.name());
            let mut merge = |tag: String, latency| self.tags.entry(tag).or_default().merge(latency);
            if let Some(response) = &operation.response {
                merge(format!("{tag}.service"), &operation.service);
                merge(tag, response);
            } else {
                merge(tag, &operation.service);
            }
        }
    }
}

impl OpenInterval {
    pub(super) fn new(interval: &Interval) -> Self {
        let mut open = Self {
            phase: interval.phase,
            start_ns: row_start_ns(interval),
            duration_ns: 0,
            counts: IntervalCounts::default(),
            latency: Latency::new(),
            client_cpu_seconds: 0.0,
            resident_memory_bytes: 0,
            servers: None,
        };
        open.add(interval);
        open
    }

    /// Whether an interval belongs to this row.
    pub(super) fn holds(&self, interval: &Interval) -> bool {
        self.phase == interval.phase && self.start_ns == row_start_ns(interval)
    }

    /// Whether the use of servers belongs to this row.
    pub(super) fn holds_servers(&self, servers: &ServerUse) -> bool {
        self.phase == servers.phase && self.start_ns == second_of(servers.start_ns)
    }

    pub(super) fn add(&mut self, interval: &Interval) {
        for operation in interval.operations.values() {
            self.counts.ok += operation.ok;
            self.counts.not_found += operation.not_found;
            self.counts.too_early += operation.too_early;
            self.counts.errors += operation.errors;
            self.latency
                .merge(operation.response.as_ref().unwrap_or(&operation.service));
        }
        if !interval.late || self.duration_ns == 0 {
            self.duration_ns += interval.duration_ns;
        }
        if !interval.late {
            self.client_cpu_seconds += interval.client_cpu_seconds;
            self.resident_memory_bytes = interval.resident_memory_bytes;
        }
    }

    pub(super) fn add_servers(&mut self, servers: &ServerUse) {
        let sum = self.servers.get_or_insert_default();
        sum.cpu_seconds += servers.cpu_seconds;
        sum.memory_bytes = servers.resident_bytes;
        sum.read_bytes += servers.read_bytes;
        if let Some(bytes) = servers.written_bytes {
            *sum.written_bytes.get_or_insert_default() += bytes;
        }
    }

    pub(super) fn row(&self) -> IntervalRow {
        IntervalRow::new(
            self.phase.name(),
            self.start_ns,
            self.duration_ns,
            self.counts,
            &self.latency,
        )
        .with_client(self.client_cpu_seconds, self.resident_memory_bytes)
        .with_servers(self.servers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_engine::IntervalOperation;
    use dbdyno_workload::OperationKind;

    fn interval(start_ms: u64, ok: u64, late: bool) -> Event {
        let mut operation = IntervalOperation {
            ok,
            ..IntervalOperation::default()
        };
        (0..ok).for_each(|_| operation.service.record(1_000));
        Event::Interval(Interval {
            phase: Phase::Measure,
            start_ns: start_ms * 1_000_000,
            duration_ns: 250_000_000,
            operations: BTreeMap::from([(OperationKind::Read, operation)]),
            client_cpu_seconds: if late { 0.0 } else { 0.25 },
            resident_memory_bytes: 1,
            late,
        })
    }

    #[test]
    fn rows_are_seconds_whatever_the_windows() {
        let folder = tempfile::tempdir().unwrap();
        let mut recording = Recording::create(folder.path(), "t").unwrap();
        for start_ms in (0..2500).step_by(250) {
            recording.event(&interval(start_ms, 10, false));
        }
        recording.event(&interval(750, 3, true));
        recording.event(&interval(2250, 1, true));
        recording.finish().unwrap();
        let rows = dbdyno_record::intervals::read(&folder.path().join(INTERVALS)).unwrap();
        let reported: Vec<(f64, f64, u64)> = rows
            .iter()
            .map(|row| (row.start_s, row.duration_s, row.ok))
            .collect();
        assert_eq!(reported, [(0.0, 1.0, 43), (1.0, 1.0, 40), (2.0, 0.5, 21)]);
        let log = std::fs::read_to_string(folder.path().join(LATENCY_LOG)).unwrap();
        let lines: Vec<&str> = log.lines().filter(|line| line.starts_with("Tag=")).collect();
        // One line a second, and one for what came when its second was over.
        assert_eq!(lines.len(), 4, "{log}");
        assert!(lines[0].starts_with("Tag=measure.read,0.000,1.000,"), "{log}");
    }

    #[test]
    fn the_end_of_a_phase_keeps_its_place_when_the_next_phase_has_begun() {
        let folder = tempfile::tempdir().unwrap();
        let mut recording = Recording::create(folder.path(), "t").unwrap();
        let begins = |phase| Event::PhaseStarted {
            phase,
            expected_operations: None,
            expected_duration: None,
        };
        recording.event(&begins(Phase::Measure));
        recording.event(&interval(0, 10, false));
        std::thread::sleep(Duration::from_millis(20));
        recording.event(&begins(Phase::Drain));
        recording.event(&interval(750, 10, false));
        recording.event(&interval(1000, 1, false));
        recording.finish().unwrap();
        let log = std::fs::read_to_string(folder.path().join(LATENCY_LOG)).unwrap();
        let starts: Vec<f64> = log
            .lines()
            .filter_map(|line| {
                line.strip_prefix("Tag=measure.read,")?
                    .split(',')
                    .next()?
                    .parse()
                    .ok()
            })
            .collect();
        assert_eq!(starts.len(), 2, "the second that two phases share is one: {log}");
        assert!((starts[1] - starts[0] - 1.0).abs() < 1e-9, "{log}");
    }

    #[test]
    fn the_use_of_servers_is_in_the_row_of_its_second() {
        let folder = tempfile::tempdir().unwrap();
        let mut recording = Recording::create(folder.path(), "t").unwrap();
        let used = |start_ms: u64, cpu_seconds| {
            Event::Servers(ServerUse {
                phase: Phase::Measure,
                start_ns: start_ms * 1_000_000,
                cpu_seconds,
                resident_bytes: start_ms,
                read_bytes: 1,
                written_bytes: (start_ms < 1000).then_some(5),
            })
        };
        for start_ms in (0..2000).step_by(250) {
            recording.event(&interval(start_ms, 10, false));
            if start_ms == 750 || start_ms == 1500 || start_ms == 1750 {
                recording.event(&used(start_ms, 0.25));
            }
        }
        // Of a phase that has no row, nothing is kept.
        recording.event(&used(9000, 7.0));
        recording.finish().unwrap();
        let rows = dbdyno_record::intervals::read(&folder.path().join(INTERVALS)).unwrap();
        let servers: Vec<_> = rows
            .iter()
            .map(|row| {
                (
                    row.server_cpu_seconds,
                    row.server_memory_bytes,
                    row.server_read_bytes,
                    row.server_written_bytes,
                )
            })
            .collect();
        assert_eq!(
            servers,
            [
                (Some(0.25), Some(750), Some(1), Some(5)),
                (Some(0.5), Some(1750), Some(2), None)
            ]
        );
    }
}
