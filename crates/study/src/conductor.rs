//! Runs a study, or goes on where it stopped.
//!
//! The result folder is the only memory: a trial that has a record that says `completed` is done, every other one is
//! still to come. So a kill at any moment costs the trial that was running, and nothing else. Repetitions of disturbed
//! trials ([`repetition`]) and further blocks ([`precision`]) follow from the folder too.

use std::cmp::Reverse;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dbdyno_engine::{EngineErrorClass, Event, Observer, Pace, Phases, Reset, Stop};
use dbdyno_record::environment::{measure_disk, measure_disk_by};
use dbdyno_record::{Environment, FolderError, ResultFolder, TrialRecord, TrialStatus};
use dbdyno_workload::Workload;

use crate::conditions::{Machine, ThisMachine};
use crate::definition::Study;
use crate::error::StudyError;
use crate::event::{StudyEvent, StudyObserver};
use crate::file::StudyFile;
use crate::labs::{self, Labs};
use crate::plan::{self, Plan, Trial};
use crate::precision;
use crate::recording::Recording;
use crate::repetition::{self, States};
use crate::setting::{self, Setting};
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
    /// Trials that the machine disturbed, and that were repeated.
    pub disturbed: Vec<String>,
    /// What came of the wish for precision, in words; `None` without one, or before its end.
    pub precision: Option<String>,
    /// How the disk of the results changed meanwhile, in words.
    pub disk_change: Option<String>,
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
    run_on(&mut ThisMachine, file, folder, observer, stop)
}

/// The same, on a machine whose counters are somebody's.
///
/// # Errors
/// See [`run`].
pub fn run_on(
    machine: &mut dyn Machine,
    file: &StudyFile,
    folder: &ResultFolder,
    observer: &mut dyn StudyObserver,
    stop: &Stop,
) -> Result<Summary, StudyError> {
    let study = &file.study;
    let mut here = Environment::capture(folder.path());
    let nodes = labs::most_nodes(study.systems.iter().map(|system| &system.target));
    if nodes > 1 {
        here.preflight_nodes = measure_disk_by(folder.path(), nodes).ok();
    }
    let (environment, environment_changes) = match folder.environment()? {
        None => (here, Vec::new()),
        Some(earlier) => {
            let changes = earlier.differences(&here);
            (earlier, changes)
        }
    };
    folder.write_environment(&environment)?;
    let records = folder.trials()?;
    let plan = Plan::of_blocks(study, precision::blocks(study, &records).0);
    folder.write_plan(&plan.to_file())?;
    let states = repetition::states(&records);
    drop(records);
    let missing = |trial: &&Trial| repetition::next(&trial.planned.trial, &states).is_some();
    let summary = Summary {
        total: plan.trials.len(),
        already_done: plan.trials.iter().filter(|trial| !missing(trial)).count(),
        environment_changes,
        ..Summary::default()
    };
    let left = plan.trials.iter().filter(missing);
    let left = left.map(|trial| plan::estimated_time(study, &trial.cell)).sum();
    let mut course = Course {
        study,
        folder,
        machine,
        observer,
        stop,
        labs: Labs::default(),
        environment,
        plan,
        states,
        clock: Estimate::default(),
        left,
        summary,
    };
    course.run()?;
    if course.summary.completed > 0 {
        course.measure_disk_again()?;
    }
    Ok(course.summary)
}

/// A study that is being run.
struct Course<'a> {
    study: &'a Study,
    folder: &'a ResultFolder,
    machine: &'a mut dyn Machine,
    observer: &'a mut dyn StudyObserver,
    stop: &'a Stop,
    labs: Labs,
    environment: Environment,
    plan: Plan,
    states: States,
    clock: Estimate,
    /// Estimated time of the trials that are left.
    left: Duration,
    summary: Summary,
}

impl Course<'_> {
    fn run(&mut self) -> Result<(), StudyError> {
        let mut index = 0;
        loop {
            while let Some(trial) = self.plan.trials.get(index).cloned() {
                index += 1;
                self.settle(&trial, index)?;
                if self.summary.interrupted {
                    return Ok(());
                }
            }
            if !self.extend()? {
                return Ok(());
            }
        }
    }

    /// Whether the disk is still as it was when the study began.
    fn measure_disk_again(&mut self) -> Result<(), StudyError> {
        let after = measure_disk(self.folder.path()).ok();
        let before = self.environment.preflight.as_ref();
        self.summary.disk_change = before
            .zip(after.as_ref())
            .and_then(|(before, after)| before.change(after));
        self.environment.preflight_after = after;
        Ok(self.folder.write_environment(&self.environment)?)
    }

    /// Adds the blocks that the wish for precision asks for.
    fn extend(&mut self) -> Result<bool, StudyError> {
        let Some(wish) = self.study.precision else {
            return Ok(false);
        };
        let (blocks, need) = precision::blocks(self.study, &self.folder.trials()?);
        let longer = Plan::of_blocks(self.study, blocks);
        let more = longer.trials.len() > self.plan.trials.len();
        if more {
            self.folder.write_plan(&longer.to_file())?;
            let added = &longer.trials[self.plan.trials.len()..];
            let times = added
                .iter()
                .map(|trial| plan::estimated_time(self.study, &trial.cell));
            self.left += times.sum::<Duration>();
            self.summary.total = longer.trials.len();
            self.plan = longer;
        }
        self.summary.precision = precision::told(&wish, blocks, &need);
        Ok(more)
    }

    /// Carries a planned trial out until one carrying out counts; `number` is its place in the plan, from 1.
    fn settle(&mut self, planned: &Trial, number: usize) -> Result<(), StudyError> {
        let estimated = plan::estimated_time(self.study, &planned.cell);
        let mut repeats = false;
        while let Some(attempt) = repetition::next(&planned.planned.trial, &self.states) {
            if self.stop.is_requested() {
                self.summary.interrupted = true;
                return Ok(());
            }
            if repeats {
                self.left += estimated;
            }
            repeats = true;
            let trial = planned.repetition(attempt);
            let total = self.plan.trials.len();
            self.observer.event(&StudyEvent::TrialStarted {
                trial: &trial,
                number,
                total,
                remaining: self.clock.correct(self.left),
            });
            let began = now();
            let result = self.run_trial(&trial, attempt)?;
            self.clock.learn(estimated, began.elapsed());
            self.left = self.left.saturating_sub(estimated);
            self.keep(&result.record)?;
            self.observer.event(&StudyEvent::TrialEnded {
                record: &result.record,
                number,
                total,
            });
            match (&result.record.status, result.error) {
                (TrialStatus::Completed, _) => self.summary.completed += 1,
                (TrialStatus::Disturbed, _) => self.summary.disturbed.push(result.record.trial),
                (TrialStatus::Interrupted, _) => {
                    self.summary.interrupted = true;
                    return Ok(());
                }
                (TrialStatus::Failed { .. }, error) => {
                    let class = error.map_or(EngineErrorClass::Internal, |error| error.class());
                    self.summary.failed.push((result.record.trial, class));
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// What later trials and the folder need to know of one that ended.
    fn keep(&mut self, record: &TrialRecord) -> Result<(), StudyError> {
        self.states.insert(record.trial.clone(), record.status.clone());
        let system = &record.system;
        if !system.product.is_empty() && self.environment.systems.get(&system.name) != Some(system) {
            self.environment
                .systems
                .insert(system.name.clone(), system.clone());
            self.folder.write_environment(&self.environment)?;
        }
        Ok(())
    }

    fn run_trial(&mut self, trial: &Trial, attempt: u32) -> Result<TrialResult, StudyError> {
        let (study, cell) = (self.study, &trial.cell);
        let choice = &study.workloads[cell.workload];
        let records = study.records_of(cell);
        let limit = study.limit_of(cell);
        let specification = workloads::resolve_for(choice, records, limit.operations)
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
            warmup_until_rest: study.warmup_until_rest,
            limit,
            reset: Reset::Fresh,
            phases: Phases::LoadAndRun,
            interval: trial::INTERVAL,
        };
        let (machine, labs) = (&mut *self.machine, &mut self.labs);
        let (environment, folder) = (&self.environment, self.folder);
        let settle = |record: &mut TrialRecord, labs: &Labs| {
            let (servers, data) = labs.data_of(&target).unzip();
            let setting = Setting::of(environment, servers.unwrap_or(0), data, folder.path());
            record.findings.extend(setting::findings(record, &setting));
            repetition::settle(record, attempt, study.repeat_disturbed);
            record.findings.sort_by_key(|finding| Reverse(finding.severity));
        };
        let mut observer = Forward(&mut *self.observer);
        recorded_on(machine, &request, folder, labs, &mut observer, self.stop, settle)
    }
}

/// Carries out a trial, its course over time and its record in the result folder.
pub(crate) fn recorded(
    request: &TrialRequest<'_>,
    folder: &ResultFolder,
    labs: &mut Labs,
    observer: &mut dyn Observer,
    stop: &Stop,
) -> Result<TrialResult, StudyError> {
    recorded_on(&mut ThisMachine, request, folder, labs, observer, stop, |_, _| {})
}

/// The same, on a machine whose counters are somebody's; `settle` has the last word on the record.
fn recorded_on(
    machine: &mut dyn Machine,
    request: &TrialRequest<'_>,
    folder: &ResultFolder,
    labs: &mut Labs,
    observer: &mut dyn Observer,
    stop: &Stop,
    settle: impl FnOnce(&mut TrialRecord, &Labs),
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
    let mut result = trial::run_on(machine, request, labs, &mut tee, stop);
    settle(&mut result.record, labs);
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
struct Estimate {
    estimated: Duration,
    actual: Duration,
}

impl Estimate {
    fn learn(&mut self, estimated: Duration, actual: Duration) {
        self.estimated += estimated;
        self.actual += actual;
    }

    fn correct(&self, estimate: Duration) -> Duration {
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
fn now() -> Instant {
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
