//! What a report is made from: the records of a study, loaded by the caller.

use std::collections::BTreeMap;

use dbdyno_record::{
    Doubts, Environment, FolderError, IntervalRow, PlanFile, PlannedStudy, ResultFolder, TrialRecord,
};

use crate::audit::AuditReport;
use crate::cost::{self, Prices};
use crate::latency_over_time::LatencyOverTime;
use crate::level_order;

/// Studies of at most so many trials show the latencies of a system's only trial by themselves.
pub const MOST_SHOWN_ALONE: usize = 6;

/// Everything a result folder holds, as plain data.
#[derive(Clone, Debug, Default)]
pub struct StudyResults {
    /// Name of the study.
    pub name: String,
    /// What the study asks.
    pub asked: PlannedStudy,
    /// The study file as it was run, secrets redacted; empty when there is none.
    pub study_text: String,
    /// Names of all planned trials in the order of the plan; empty when there is no plan.
    pub planned: Vec<String>,
    /// The records there are, in any order, without pilots of common rates.
    pub trials: Vec<TrialRecord>,
    /// The pilots, of which no estimate is made.
    pub pilots: Vec<TrialRecord>,
    /// What happened over time, by trial name; trials may be absent.
    pub timelines: BTreeMap<String, Vec<TimelinePoint>>,
    /// The latencies of each column of time, by trial name; of a run and of other small studies, as far as there are logs.
    pub latency_over_time: BTreeMap<String, LatencyOverTime>,
    /// The machine; `None` when it is not known.
    pub environment: Option<Environment>,
    /// Security audits of the study's systems, which stand beside what was measured and change none of it.
    pub audits: Vec<AuditReport>,
    /// What in the folder its writer did not put there.
    pub doubts: Doubts,
    /// What the systems cost: the prices of the study's text, unless others are asked for.
    pub prices: Option<Prices>,
    /// Rank systems that promise different things against each other all the same; the flags then say so.
    pub across_promises: bool,
}

impl StudyResults {
    /// Reads a result folder, whose plan says what the study asks.
    ///
    /// # Errors
    /// What the folder says: a damaged file, a newer format, a file that cannot be read.
    pub fn read(folder: &ResultFolder, plan: PlanFile) -> Result<Self, FolderError> {
        let (trials, doubts) = folder.trials_and_doubts()?;
        let (pilots, trials): (Vec<_>, Vec<_>) = trials.into_iter().partition(|trial| trial.spec.is_pilot());
        let mut timelines = BTreeMap::new();
        for trial in &trials {
            let rows = folder.intervals(&trial.trial)?;
            if !rows.is_empty() {
                timelines.insert(
                    trial.trial.clone(),
                    rows.into_iter().map(TimelinePoint::from).collect(),
                );
            }
        }
        let mut latency_over_time = BTreeMap::new();
        if trials.len() <= MOST_SHOWN_ALONE {
            for trial in trials.iter().filter(|trial| trial.measure.is_some()) {
                if let Some(columns) = LatencyOverTime::read(folder, &trial.trial)? {
                    latency_over_time.insert(trial.trial.clone(), columns);
                }
            }
        }
        let folder_name = || {
            folder
                .path()
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
        };
        let study_text = folder.study_text()?;
        let levels = level_order::of_folder(plan.study.as_ref(), &study_text);
        Ok(Self {
            asked: PlannedStudy {
                levels: Some(levels),
                ..plan.study.unwrap_or_default()
            },
            name: trials
                .first()
                .map(|trial| trial.study.clone())
                .or_else(folder_name)
                .unwrap_or_default(),
            prices: cost::of_study(&study_text),
            study_text,
            planned: plan.trials.into_iter().map(|planned| planned.trial).collect(),
            timelines,
            latency_over_time,
            environment: folder.environment()?,
            trials,
            pilots,
            audits: Vec::new(),
            doubts,
            across_promises: false,
        })
    }
}

/// One interval (normally a second) of one trial, all operations together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimelinePoint {
    /// Name of the phase: `load`, `warm-up`, `measure`, ...
    pub phase: String,
    /// Start of the interval since the phase's start, seconds.
    pub start_s: f64,
    /// Length of the interval, seconds; the last one of a phase is often cut short.
    pub duration_s: f64,
    /// Successful operations per second.
    pub rate: f64,
    /// 99th percentile of the interval's latencies, nanoseconds; `None` without operations.
    pub p99_ns: Option<f64>,
    /// Failed operations.
    pub errors: u64,
    /// CPU time of the client process in the interval, seconds; `None`, as the next ones, where it was not measured.
    pub client_cpu_seconds: Option<f64>,
    /// Resident memory of the client process at the end of the interval, bytes.
    pub client_memory_bytes: Option<u64>,
    /// CPU time of the servers in the interval, seconds.
    pub server_cpu_seconds: Option<f64>,
    /// Resident memory of the servers at the end of the interval, bytes.
    pub server_memory_bytes: Option<u64>,
    /// Read from storage by the servers, bytes.
    pub server_read_bytes: Option<u64>,
    /// Written to storage with the servers' data, bytes.
    pub server_written_bytes: Option<u64>,
}

impl From<IntervalRow> for TimelinePoint {
    fn from(row: IntervalRow) -> Self {
        // Every process has memory: without any, nobody looked at it.
        let is_client_known = row.resident_memory_bytes > 0;
        Self {
            phase: row.phase,
            start_s: row.start_s,
            duration_s: row.duration_s,
            rate: row.rate,
            p99_ns: row.p99_us.map(|microseconds| microseconds * 1e3),
            errors: row.errors,
            client_cpu_seconds: is_client_known.then_some(row.client_cpu_seconds),
            client_memory_bytes: is_client_known.then_some(row.resident_memory_bytes),
            server_cpu_seconds: row.server_cpu_seconds,
            server_memory_bytes: row.server_memory_bytes,
            server_read_bytes: row.server_read_bytes,
            server_written_bytes: row.server_written_bytes,
        }
    }
}
