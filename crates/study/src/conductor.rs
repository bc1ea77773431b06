//! Runs a study, or goes on where it stopped.
//!
//! The result folder is the only memory: a trial that has a record that says `completed` is done, every other one is
//! still to come. So a kill at any moment costs the trial that was running, and nothing else.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dbdyno_engine::{EngineErrorClass, Event, Observer, Pace, Phases, Stop};
use dbdyno_record::{Environment, FolderError, ResultFolder, TrialRecord, TrialStatus};
use dbdyno_workload::Workload;

use crate::definition::Study;
use crate::error::StudyError;
use crate::event::{StudyEvent, StudyObserver};
use crate::file::StudyFile;
use crate::labs::Labs;
use crate::ladder::Kind;
use crate::plan::{self, Plan, Trial};
use crate::recording::Recording;
use crate::trial::{self, TrialRequest, TrialResult};
use crate::workloads;

/// What came of running a study.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Trials of the plan.
    pub total: usize,
    /// Trials that were complete before.
    pub already_done: usize,
    /// Trials completed now.
    pub completed: usize,
    /// Trials that failed now, with the kind of failure.
    pub failed: Vec<(String, EngineErrorClass)>,
    /// How the machine differs from the one the study began on, one sentence each.
    pub environment_changes: Vec<String>,
    /// Whether it was stopped.
    pub interrupted: bool,
}

/// Opens the result folder of a study for writing: a new one, or the one it was stopped in.
///
/// # Errors
/// When it belongs to another study (then what differs is told), is in use, foreign, damaged or not writable.
pub fn open_folder(file: &StudyFile, output: &Path) -> Result<ResultFolder, StudyError> {
    match ResultFolder::create(output, &file.text) {
        Ok(folder) => Ok(folder),
        Err(FolderError::OtherStudy { path }) => {
            let earlier = ResultFolder::open(&path).and_then(|folder| folder.study_text())?;
            Err(StudyError::Changed {
                difference: first_difference(&earlier, &file.text),
                path,
            })
        }
        Err(error) => Err(error.into()),
    }
}

/// Runs every trial of the plan that is not complete. Records are on disk the moment their trial ends.
///
/// # Errors
/// When results cannot be written. A trial that cannot be carried out is no error of the study: its record says so.
pub fn run(
    file: &StudyFile,
    folder: &ResultFolder,
    observer: &mut dyn StudyObserver,
    stop: &Stop,
) -> Result<Summary, StudyError> {
    let study = &file.study;
    if study.kind != Kind::Comparison {
        return crate::ladder::conductor::run(study, folder, observer, stop);
    }
    let plan = Plan::new(study);
    folder.write_plan(&plan.to_file())?;
    let (mut environment, environment_changes) = surroundings(folder)?;
    let done = folder.completed_trials()?;
    let missing = |trial: &&Trial| !done.contains(&trial.planned.trial);
    let mut summary = Summary {
        total: plan.trials.len(),
        already_done: plan.trials.iter().filter(|trial| !missing(trial)).count(),
        environment_changes,
        ..Summary::default()
    };
    let mut labs = Labs::default();
    let mut clock = Estimate::default();
    let mut left: Duration = plan
        .trials
        .iter()
        .filter(missing)
        .map(|trial| plan::estimated_time(study, &trial.cell))
        .sum();
    for (index, trial) in plan.trials.iter().enumerate() {
        if !missing(&trial) {
            continue;
        }
        if stop.is_requested() {
            summary.interrupted = true;
            break;
        }
        let (number, total) = (index + 1, plan.trials.len());
        observer.event(&StudyEvent::TrialStarted {
            trial,
            number,
            total,
            remaining: clock.correct(left),
        });
        let estimated = plan::estimated_time(study, &trial.cell);
        let began = now();
        let result = run_trial(study, trial, folder, &mut labs, observer, stop)?;
        clock.learn(estimated, began.elapsed());
        left = left.saturating_sub(estimated);
        remember(&mut environment, &result.record, folder)?;
        observer.event(&StudyEvent::TrialEnded {
            record: &result.record,
            number,
            total,
        });
        match (&result.record.status, result.error) {
            (TrialStatus::Completed, _) => summary.completed += 1,
            (TrialStatus::Interrupted, _) => {
                summary.interrupted = true;
                break;
            }
            (TrialStatus::Failed { .. }, error) => {
                let class = error.map_or(EngineErrorClass::Internal, |error| error.class());
                summary.failed.push((trial.planned.trial.clone(), class));
            }
        }
    }
    Ok(summary)
}

/// The machine, as it was when the study began, and how it differs from that now.
pub(crate) fn surroundings(folder: &ResultFolder) -> Result<(Environment, Vec<String>), StudyError> {
    let here = Environment::capture(folder.path());
    let (environment, changes) = match folder.environment()? {
        None => (here, Vec::new()),
        Some(earlier) => {
            let changes = earlier.differences(&here);
            (earlier, changes)
        }
    };
    folder.write_environment(&environment)?;
    Ok((environment, changes))
}

/// Keeps how the system of a trial described itself.
pub(crate) fn remember(
    environment: &mut Environment,
    record: &TrialRecord,
    folder: &ResultFolder,
) -> Result<(), StudyError> {
    let system = &record.system;
    if !system.product.is_empty() && environment.systems.get(&system.name) != Some(system) {
        environment.systems.insert(system.name.clone(), system.clone());
        folder.write_environment(environment)?;
    }
    Ok(())
}

pub(crate) fn run_trial(
    study: &Study,
    trial: &Trial,
    folder: &ResultFolder,
    labs: &mut Labs,
    observer: &mut dyn StudyObserver,
    stop: &Stop,
) -> Result<TrialResult, StudyError> {
    let cell = &trial.cell;
    let choice = &study.workloads[cell.workload];
    let records = study.records_of(cell);
    let specification = workloads::resolve_for(choice, records, study.limit.operations)
        .map_err(|error| StudyError::Workload(workloads::from_property(&error)))?;
    let workload = Workload::new(specification, trial.planned.seed)
        .map_err(|error| StudyError::Workload(workloads::from_workload(&choice.name, &error)))?;
    let target = study.target(cell);
    let request = TrialRequest {
        study: &study.name,
        planned: &trial.planned,
        system_name: &study.systems[cell.system].name,
        target: &target,
        workload_name: &choice.name,
        workload: Arc::new(workload),
        clients: study.clients[cell.clients],
        client_threads: study.client_threads,
        pace: study.rates[cell.rate].map(|rate| Pace {
            rate,
            arrivals: study.arrivals,
        }),
        warmup: study.warmup,
        limit: study.limit,
        reset: study.reset,
        phases: Phases::LoadAndRun,
        interval: trial::INTERVAL,
    };
    recorded(&request, folder, labs, &mut Forward(observer), stop)
}

/// Carries out a trial, its course over time and its record in the result folder.
pub(crate) fn recorded(
    request: &TrialRequest<'_>,
    folder: &ResultFolder,
    labs: &mut Labs,
    observer: &mut dyn Observer,
    stop: &Stop,
) -> Result<TrialResult, StudyError> {
    let trial_folder = folder.begin_trial(&request.planned.trial)?;
    let failed = |source| StudyError::IntervalLog {
        path: trial_folder.clone(),
        source,
    };
    let mut tee = Tee {
        recording: Recording::create(&trial_folder, &request.planned.trial).map_err(failed)?,
        observer,
    };
    let result = trial::run(request, labs, &mut tee, stop);
    let logged = tee.recording.finish();
    folder.write_trial(&result.record)?;
    logged.map_err(failed)?;
    Ok(result)
}

/// The records that are there, for a report in the middle of a study.
///
/// # Errors
/// When one is damaged.
pub fn records(folder: &ResultFolder) -> Result<Vec<TrialRecord>, StudyError> {
    Ok(folder.trials()?)
}

struct Forward<'a>(&'a mut dyn StudyObserver);

impl Observer for Forward<'_> {
    fn event(&mut self, event: &Event) {
        self.0.event(&StudyEvent::Engine(event));
    }
}

struct Tee<'a> {
    recording: Recording,
    observer: &'a mut dyn Observer,
}

impl Observer for Tee<'_> {
    fn event(&mut self, event: &Event) {
        self.recording.event(event);
        self.observer.event(event);
    }
}

/// Learns from finished trials how far off the estimate is.
#[derive(Default)]
pub(crate) struct Estimate {
    estimated: Duration,
    actual: Duration,
}

impl Estimate {
    pub(crate) fn learn(&mut self, estimated: Duration, actual: Duration) {
        self.estimated += estimated;
        self.actual += actual;
    }

    pub(crate) fn correct(&self, estimate: Duration) -> Duration {
        if self.estimated.is_zero() {
            return estimate;
        }
        estimate.mul_f64(self.actual.as_secs_f64() / self.estimated.as_secs_f64())
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long whole trials take, for the estimate of the rest"
)]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// Where two texts begin to differ, in words.
fn first_difference(earlier: &str, now: &str) -> String {
    let mut lines = (earlier.lines(), now.lines());
    let mut number = 0;
    loop {
        number += 1;
        return match (lines.0.next(), lines.1.next()) {
            (Some(before), Some(after)) if before == after => continue,
            (Some(before), Some(after)) => format!("line {number} was `{before}` and is `{after}` now"),
            (Some(before), None) => format!("line {number}, `{before}`, is gone"),
            (None, Some(after)) => format!("line {number}, `{after}`, is new"),
            (None, None) => "only line ends differ".to_owned(),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_name_the_line() {
        assert_eq!(
            first_difference("a = 1\nb = 2\n", "a = 1\nb = 3\n"),
            "line 2 was `b = 2` and is `b = 3` now"
        );
        assert_eq!(first_difference("a\nb", "a"), "line 2, `b`, is gone");
        assert_eq!(first_difference("a", "a\nb"), "line 2, `b`, is new");
    }

    #[test]
    fn the_estimate_learns() {
        let mut estimate = Estimate::default();
        let second = Duration::from_secs(1);
        assert_eq!(estimate.correct(second * 10), second * 10);
        estimate.learn(second, second * 2);
        assert_eq!(estimate.correct(second * 10), second * 20);
    }
}
