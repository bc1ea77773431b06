//! Writes what the engine tells, while a trial runs: `latency.hlog` and `intervals.csv`, in constant memory.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::time::{Duration, Instant};

use dbdyno_engine::{Event, Interval, Phase};
use dbdyno_record::Latency;
use dbdyno_record::folder::{INTERVALS, LATENCY_LOG};
use dbdyno_record::interval_log::IntervalLogWriter;
use dbdyno_record::intervals::{IntervalCounts, IntervalRow, IntervalsWriter};

/// Intervals that wait for late additions before they become a row. A later addition gets a row of its own.
const OPEN_INTERVALS: usize = 16;

/// The two files of a running trial.
pub(crate) struct Recording {
    log: IntervalLogWriter<BufWriter<File>>,
    rows: IntervalsWriter<File>,
    began: Instant,
    phase_began: Duration,
    open: VecDeque<OpenInterval>,
    /// The first failure to write: told at the trial's end, for its record matters more.
    failure: Option<io::Error>,
}

struct OpenInterval {
    phase: Phase,
    start_ns: u64,
    duration_ns: u64,
    counts: IntervalCounts,
    latency: Latency,
    client_cpu_seconds: f64,
    resident_memory_bytes: u64,
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
            phase_began: Duration::ZERO,
            open: VecDeque::new(),
            failure: None,
        })
    }

    /// Takes note of what happened.
    pub fn event(&mut self, event: &Event) {
        let outcome = match event {
            Event::PhaseStarted { .. } => {
                self.phase_began = self.began.elapsed();
                Ok(())
            }
            Event::Interval(interval) => self.interval(interval),
            Event::Preparing(_) | Event::PhaseEnded { .. } | Event::Reached(_) => Ok(()),
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
        self.log.finish()?;
        self.rows.finish()?;
        self.failure.map_or(Ok(()), Err)
    }

    fn interval(&mut self, interval: &Interval) -> io::Result<()> {
        let start = self.phase_began + Duration::from_nanos(interval.start_ns);
        let duration = Duration::from_nanos(interval.duration_ns);
        for (kind, operation) in &interval.operations {
            let tag = format!("{}.{}", interval.phase.name(), kind.name());
            if let Some(response) = &operation.response {
                self.log.write(&tag, start, duration, response)?;
                self.log
                    .write(&format!("{tag}.service"), start, duration, &operation.service)?;
            } else {
                self.log.write(&tag, start, duration, &operation.service)?;
            }
        }
        let told = self
            .open
            .iter_mut()
            .find(|open| open.phase == interval.phase && open.start_ns == interval.start_ns);
        match told {
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
}

impl OpenInterval {
    fn new(interval: &Interval) -> Self {
        let mut open = Self {
            phase: interval.phase,
            start_ns: interval.start_ns,
            duration_ns: interval.duration_ns,
            counts: IntervalCounts::default(),
            latency: Latency::new(),
            client_cpu_seconds: 0.0,
            resident_memory_bytes: 0,
        };
        open.add(interval);
        open
    }

    fn add(&mut self, interval: &Interval) {
        for operation in interval.operations.values() {
            self.counts.ok += operation.ok;
            self.counts.not_found += operation.not_found;
            self.counts.too_early += operation.too_early;
            self.counts.errors += operation.errors;
            self.latency
                .merge(operation.response.as_ref().unwrap_or(&operation.service));
        }
        if !interval.late {
            self.client_cpu_seconds = interval.client_cpu_seconds;
            self.resident_memory_bytes = interval.resident_memory_bytes;
        }
    }

    fn row(&self) -> IntervalRow {
        IntervalRow::new(
            self.phase.name(),
            self.start_ns,
            self.duration_ns,
            self.counts,
            &self.latency,
        )
        .with_client(self.client_cpu_seconds, self.resident_memory_bytes)
    }
}
