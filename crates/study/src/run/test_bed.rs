//! Where trials run: one study, one machine, one result folder, servers that stay from trial to trial.

mod completion;
mod observers;
mod turns;

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dbdyno_driver::Target;
use dbdyno_engine::{EngineError, EngineErrorClass, Event, Observer, Stop};
use dbdyno_machine::{measure_disk, measure_disk_by};
use dbdyno_record::environment::{DiskPreflight, NodeDisk};
use dbdyno_record::finding::NeverWarm;
use dbdyno_record::live::{self, Asked};
use dbdyno_record::{Environment, ReferenceWork, ResultFolder, TrialRecord, TrialStatus};
use dbdyno_trial::{Limit, TrialSpec, WarmUp};
use dbdyno_workload::{Specification, Workload};

use crate::address;
use crate::file::definition::{Restart, Study};
use crate::file::effort::LONGEST_WARMUP_AGAIN;
use crate::file::workloads;
use crate::judge::setting::{self, Setting};
use crate::judge::steady::{WARMUP_AGAIN_WINDOW, WARMUP_WINDOW};
use crate::plan::reference;
use crate::plan::{self, Trial};
use crate::run::conditions::{Machine, ThisMachine};
use crate::run::error::StudyError;
use crate::run::estimate::Estimate;
use crate::run::event::{StudyEvent, StudyObserver};
use crate::run::labs::Labs;
use crate::run::recording::Recording;
use crate::run::repetition::{self, Budget, States};
use crate::run::rising_load::Kind;
use crate::run::trial::{self, TrialRequest, TrialResult};
use completion::interrupt_without_generators;
pub(crate) use completion::{Completion, End};
pub(crate) use observers::Forward;
use observers::Tee;

/// Between two looks at whether a pause is over.
const PAUSE_STEP: Duration = Duration::from_millis(200);

/// The message at the beginning of a pause.
const PAUSED: &str = "Paused between two trials, as asked on a page of `dbdyno serve`; it goes on from there, and Ctrl-C stops it";

/// The folder, the machine and the servers with which conductors carry trials out.
pub(crate) struct TestBed<'a> {
    pub folder: &'a ResultFolder,
    pub observer: &'a mut dyn StudyObserver,
    pub stop: &'a Stop,
    /// How long trials really take.
    pub clock: Estimate,
    /// How long trials may be repeated that the machine disturbed.
    pub repeats: Budget,
    /// How the machine differs from the one the study began on.
    pub environment_changes: Vec<String>,
    machine: &'a mut dyn Machine,
    labs: Labs,
    /// The plot whose servers run, where each plot has servers of its own.
    plot: Option<u32>,
    /// Nodes of the study's largest cluster on this machine.
    nodes: usize,
    environment: Environment,
}

/// Where a study runs, and who hears of it.
pub(crate) struct Site<'a> {
    pub machine: &'a mut dyn Machine,
    /// Its servers, of which none runs yet.
    pub labs: Labs,
    pub folder: &'a ResultFolder,
    pub observer: &'a mut dyn StudyObserver,
    pub stop: &'a Stop,
}

/// Where in a study a trial stands, for people.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// From 1.
    pub number: usize,
    /// Trials of the plan.
    pub total: usize,
    /// About how long the trials that are left take, this one included.
    pub left: Duration,
}

impl<'a> TestBed<'a> {
    /// Describes the machine in the result folder, or finds it described by the run that began the study.
    pub fn new(study: &Study, site: Site<'a>) -> Result<Self, StudyError> {
        let Site {
            machine,
            labs,
            folder,
            observer,
            stop,
        } = site;
        let mut here = dbdyno_machine::capture(folder.path());
        let nodes = address::most_nodes(study.systems.iter().map(|system| &system.target));
        here.preflight_nodes = by_nodes(folder, nodes);
        let (environment, environment_changes) = match folder.environment()? {
            None => (here, Vec::new()),
            Some(earlier) => {
                let changes = earlier.differences(&here);
                (earlier, changes)
            }
        };
        folder.write_environment(&environment)?;
        Ok(Self {
            folder,
            observer,
            stop,
            clock: Estimate::default(),
            repeats: Budget::default(),
            environment_changes,
            machine,
            labs,
            plot: None,
            nodes,
            environment,
        })
    }

    /// Starts of servers are numbered after those of these records.
    pub fn number_starts_after(&mut self, records: &[TrialRecord]) {
        self.labs.number_after(records);
    }

    /// Ends the servers of the plot before, where each plot has its own.
    pub fn enter_plot(&mut self, study: &Study, plot: u32) {
        if self.plot.replace(plot) != Some(plot) && study.restart == Restart::Block {
            self.labs.stop_all();
        }
    }

    /// Carries a planned trial, of which none counts yet, out until one does. `states` are those of the folder's trials, and kept
    /// up to date.
    pub fn complete(
        &mut self,
        study: &Study,
        planned: &Trial,
        states: &mut States,
        place: Place,
    ) -> Result<Completion, StudyError> {
        let Place { number, total, .. } = place;
        let mut disturbed = Vec::new();
        let end = loop {
            self.wait_while_paused();
            let trial = self.next_attempt(study, planned, states)?;
            let Some(trial) = trial.filter(|_| !self.stop.is_requested()) else {
                break self.without_attempt(&planned.planned.trial, states);
            };
            self.announce(&trial, place);
            let TrialResult { record, error } = self.carry_out(
                study,
                &trial,
                repetition::disturbed(&planned.planned.trial, states),
            )?;
            states.insert(record.trial.clone(), record.status.clone());
            self.observer.event(&StudyEvent::TrialEnded {
                record: &record,
                number,
                total,
            });
            match End::of(TrialResult { record, error }) {
                Ok(end) => break end,
                Err(trial) => disturbed.push(trial),
            }
        };
        Ok(Completion { disturbed, end })
    }

    /// The end of a planned trial of which there is no further attempt: the study was stopped, or too many attempts failed.
    fn without_attempt(&self, planned: &str, states: &States) -> End {
        match repetition::is_given_up(planned, states) && !self.stop.is_requested() {
            true => End::Failed(planned.to_owned(), EngineErrorClass::Generators),
            false => End::Stopped(None),
        }
    }

    /// The next attempt at a planned trial; `None` when one counts, or too many failed. Attempts of which a kill left no record are
    /// kept: they are attempts all the same, or killing would be a free choice of results.
    fn next_attempt(
        &mut self,
        study: &Study,
        planned: &Trial,
        states: &mut States,
    ) -> Result<Option<Trial>, StudyError> {
        while let Some(number) = repetition::next(&planned.planned.trial, states) {
            let trial = planned.repetition(number);
            if !self.folder.trial_dir(&trial.planned.trial).exists() {
                return Ok(Some(trial));
            }
            let record = self.keep_without_outcome(study, &trial, TrialStatus::Interrupted)?;
            states.insert(record.trial, record.status);
        }
        Ok(None)
    }

    /// Reports that a trial begins.
    fn announce(&mut self, trial: &Trial, place: Place) {
        self.observer.event(&StudyEvent::TrialStarted {
            trial,
            beside: &[],
            number: place.number,
            total: place.total,
            remaining: place.left,
            repeats: self.clock.correct_any(self.repeats.left()),
        });
    }

    /// Waits between two trials while whoever watches asks for it.
    fn wait_while_paused(&mut self) {
        let mut is_told = false;
        while !self.stop.is_requested() {
            match live::asked(self.folder.path()) {
                Asked::Run => return,
                Asked::Pause => {
                    // Who sits at the terminal need not be who asked.
                    if !std::mem::replace(&mut is_told, true) {
                        let paused = Event::Preparing(PAUSED.to_owned());
                        self.observer.event(&StudyEvent::Engine(&paused));
                    }
                    std::thread::sleep(PAUSE_STEP);
                }
                Asked::Stop => self.stop.request(),
            }
        }
    }

    /// Carries out one trial of the study, which was disturbed so often before.
    fn carry_out(&mut self, study: &Study, trial: &Trial, disturbed: u32) -> Result<TrialResult, StudyError> {
        let began = now();
        let result = self.run_trial(study, trial, disturbed)?;
        self.discard_lost_servers(&result);
        let estimated = match study.kind {
            Kind::Comparison => trial.estimated_time(study),
            Kind::Capacity(_) | Kind::Sweep(_) => plan::estimated_time(study, &trial.planned.spec, false),
        };
        self.clock
            .learn(&[(&trial.planned.spec, estimated)], began.elapsed());
        self.keep(&result.record)?;
        Ok(result)
    }

    /// Ends servers of the lab that died, hang or cannot be reached: the next trial starts them anew.
    fn discard_lost_servers(&mut self, TrialResult { record, error }: &TrialResult) {
        let error = error.as_ref().map(EngineError::class);
        if self.labs.lost(record).is_some() || error == Some(EngineErrorClass::Unreachable) {
            self.labs.discard(&record.system.name);
        }
    }

    /// Keeps how the system of a trial described itself.
    fn keep(&mut self, record: &TrialRecord) -> Result<(), StudyError> {
        let system = &record.system;
        if let Some(disks) = self.labs.disks().news(&self.environment.node_disks) {
            self.environment.node_disks = disks;
            self.folder.write_environment(&self.environment)?;
        }
        if !system.product.is_empty() && self.environment.systems.get(&system.name) != Some(system) {
            self.environment
                .systems
                .insert(system.name.clone(), system.clone());
            self.folder.write_environment(&self.environment)?;
        }
        Ok(())
    }

    /// How the disk differs from what it was when the study began, in words; `None` when it does not.
    pub fn measure_disk_again(&mut self) -> Result<Option<String>, StudyError> {
        let environment = &mut self.environment;
        environment.preflight_after = measure_disk(self.folder.path()).ok();
        environment.preflight_nodes_after = by_nodes(self.folder, self.nodes);
        let change = [
            (&environment.preflight, &environment.preflight_after),
            (&environment.preflight_nodes, &environment.preflight_nodes_after),
        ]
        .into_iter()
        .find_map(|(before, after)| before.as_ref()?.change(after.as_ref()?));
        let disks = self.labs.disks().after();
        let change = change.or_else(|| disks.iter().find_map(NodeDisk::change));
        if !disks.is_empty() {
            environment.node_disks = disks;
        }
        self.folder.write_environment(&self.environment)?;
        Ok(change)
    }

    /// Keeps a planned trial that cannot be begun as failed, with the reason.
    pub fn refuse(
        &mut self,
        study: &Study,
        trial: &Trial,
        states: &mut States,
        reason: &str,
        place: Place,
    ) -> Result<(), StudyError> {
        let Place { number, total, .. } = place;
        self.announce(trial, place);
        let reason = reason.to_owned();
        let record = self.keep_without_outcome(study, trial, TrialStatus::failed(reason))?;
        states.insert(record.trial.clone(), record.status.clone());
        self.observer.event(&StudyEvent::TrialEnded {
            record: &record,
            number,
            total,
        });
        Ok(())
    }

    /// Writes the record of an attempt that has no outcome.
    fn keep_without_outcome(
        &mut self,
        study: &Study,
        trial: &Trial,
        status: TrialStatus,
    ) -> Result<TrialRecord, StudyError> {
        let target = study.target(&trial.planned.spec);
        let request = request(study, trial, &target, trial.planned.spec.warmup, None)?;
        let record = trial::without_outcome(&request, status);
        if !self.folder.trial_dir(&record.trial).exists() {
            self.folder.begin_trial(&record.trial)?;
        }
        self.folder.write_trial(&record)?;
        Ok(record)
    }

    fn run_trial(&mut self, study: &Study, trial: &Trial, disturbed: u32) -> Result<TrialResult, StudyError> {
        let (name, target) = (
            trial.planned.spec.system.name.as_str(),
            study.target(&trial.planned.spec),
        );
        let asked = trial.planned.spec.warmup;
        if asked.until_steady && address::is_server(&target) && !self.labs.is_warm(name) {
            self.warm_servers(study, trial, &target)?;
        }
        let (warmup, window) = self.warm_up(&trial.planned.spec, &target);
        let request = request(study, trial, &target, warmup, window)?;
        // A rate needs no precision, and all systems get the same one.
        let most_repeats = match trial.planned.spec.pilot_share {
            Some(_) => 0,
            None => study.repeat_disturbed,
        };
        let time = plan::estimated_time(study, &trial.planned.spec, false);
        let (machine, labs, budget) = (&mut *self.machine, &mut self.labs, &mut self.repeats);
        let (environment, folder, stop) = (&self.environment, self.folder, self.stop);
        let span = reference::span(trial.planned.spec.limit.duration);
        let before = reference::is_looked_at(study)
            .then(|| machine.reference_work(span))
            .flatten();
        let judge = |result: &mut TrialResult, labs: &Labs, machine: &mut dyn Machine| {
            interrupt_without_generators(result, stop);
            let record = &mut result.record;
            let reference = before.filter(|_| record.measure.is_some()).and_then(|before_ns| {
                let after_ns = machine.reference_work(span)?;
                Some(ReferenceWork { before_ns, after_ns })
            });
            record.conditions.reference = reference;
            judge_setting(record, environment, folder, labs, &labs.idle_beside(name));
            repetition::judge([&mut *record], disturbed, most_repeats, budget, time);
            record.findings.sort_by_key(|finding| Reverse(finding.severity));
        };
        let surroundings = Surroundings {
            machine,
            labs,
            folder,
            observer: &mut Forward(&mut *self.observer),
            stop: self.stop,
        };
        let result = recorded_on(&request, surroundings, judge)?;
        if result.record.measure.is_some() {
            self.labs.used(name, &target);
        }
        Ok(result)
    }

    /// Warms up servers that have done nothing yet until they are steady, with the operations of all workloads of the study: what Java's
    /// compilers make of the code depends on what they see first, and every start is to see the same. The first trial begins with a
    /// load of its own after that: the records have been updated for a minute, and reads of such are slower.
    fn warm_servers(&mut self, study: &Study, trial: &Trial, target: &Target) -> Result<(), StudyError> {
        let name = trial.planned.spec.system.name.as_str();
        let (machine, labs, stop) = (&mut *self.machine, &mut self.labs, self.stop);
        let mut observer = Forward(&mut *self.observer);
        let all_work = workloads::resolve_all(&study.workloads, trial.planned.spec.records)
            .map_err(|error| StudyError::Workload(workloads::from_property(error.first())))?;
        let all_work = prepared(all_work, trial.planned.seed)?;
        let spec = TrialSpec {
            limit: Limit {
                operations: None,
                duration: Some(WARMUP_WINDOW),
            },
            ..trial.planned.spec.clone()
        };
        let warm_up = TrialRequest {
            study: &study.name,
            planned: &trial.planned,
            target,
            plan: trial::prepared(spec, all_work, Some(WARMUP_WINDOW)),
        };
        let result = trial::run_on(machine, &warm_up, labs, &mut observer, stop);
        // Where it failed, the trial will fail too, and its record says why.
        if result.record.measure.is_some() && !self.stop.is_requested() {
            let never_warm = result
                .record
                .findings
                .into_iter()
                .find(|finding| finding.is::<NeverWarm>());
            self.labs
                .warmed(name, result.record.conditions.warmup_ns, never_warm);
        }
        Ok(())
    }

    /// The warm-up of the next trial, with its windows where it ends by itself. Servers are waited for once; on those that are warm a
    /// short one is enough.
    fn warm_up(&self, spec: &TrialSpec, target: &Target) -> (WarmUp, Option<Duration>) {
        let asked = spec.warmup;
        if !asked.until_steady {
            (asked, None)
        } else if address::is_server(target) && self.labs.is_warm(&spec.system.name) {
            let again = WarmUp {
                longest: asked.longest.min(LONGEST_WARMUP_AGAIN),
                ..asked
            };
            (again, Some(WARMUP_AGAIN_WINDOW))
        } else {
            (asked, Some(WARMUP_WINDOW))
        }
    }
}

/// Adds what the machine and the system's servers say of a trial, beside which these systems' servers were idle.
fn judge_setting(
    record: &mut TrialRecord,
    environment: &Environment,
    folder: &ResultFolder,
    labs: &Labs,
    idle: &[&str],
) {
    let name = record.system.name.clone();
    let (servers, data) = labs.data_of(&name).unzip();
    let setting = Setting::of(environment, servers.unwrap_or(0), data, folder.path());
    record.findings.extend(setting::findings(record, &setting));
    record.findings.extend(setting::idle_servers(idle));
    if let Some(never_warm) = labs.never_warm(&name) {
        record.findings.retain(|finding| !finding.is::<NeverWarm>());
        record.findings.push(never_warm.clone());
    }
    if let Some(reason) = labs
        .lost(record)
        .filter(|_| record.status == TrialStatus::Completed)
    {
        record.status = TrialStatus::failed(reason);
    }
}

fn prepared(specification: Specification, seed: u64) -> Result<Arc<Workload>, StudyError> {
    let name = specification.name.clone();
    Workload::new(specification, seed)
        .map(Arc::new)
        .map_err(|error| StudyError::Workload(workloads::from_workload(&name, &error)))
}

/// Makes what a trial of the study needs.
fn request<'a>(
    study: &'a Study,
    trial: &'a Trial,
    target: &'a Target,
    warmup: WarmUp,
    warmup_window: Option<Duration>,
) -> Result<TrialRequest<'a>, StudyError> {
    let spec = TrialSpec {
        warmup,
        ..trial.planned.spec.clone()
    };
    let choice = study.workload_of(&spec);
    let specification = workloads::resolve_for(choice, spec.records, spec.limit.operations)
        .map_err(|error| StudyError::Workload(workloads::from_property(error.first())))?;
    let workload = prepared(specification, trial.planned.seed)?;
    Ok(TrialRequest {
        study: &study.name,
        planned: &trial.planned,
        target,
        plan: trial::prepared(spec, workload, warmup_window),
    })
}

/// Carries out a trial, its course over time and its record in the result folder.
pub(crate) fn recorded(
    request: &TrialRequest<'_>,
    folder: &ResultFolder,
    labs: &mut Labs,
    observer: &mut dyn Observer,
    stop: &Stop,
) -> Result<TrialResult, StudyError> {
    let surroundings = Surroundings {
        machine: &mut ThisMachine::default(),
        labs,
        folder,
        observer,
        stop,
    };
    recorded_on(request, surroundings, |_, _, _| {})
}

/// Where one trial runs, and who hears of it.
struct Surroundings<'a> {
    /// Its counters are those that the record is judged by.
    machine: &'a mut dyn Machine,
    labs: &'a mut Labs,
    folder: &'a ResultFolder,
    observer: &'a mut dyn Observer,
    stop: &'a Stop,
}

/// Carries out a trial as [`recorded`] does, in these surroundings. `judge` may change the record before it is written.
fn recorded_on(
    request: &TrialRequest<'_>,
    surroundings: Surroundings<'_>,
    judge: impl FnOnce(&mut TrialResult, &Labs, &mut dyn Machine),
) -> Result<TrialResult, StudyError> {
    let Surroundings {
        machine,
        labs,
        folder,
        observer,
        stop,
    } = surroundings;
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
    judge(&mut result, labs, machine);
    let logged = tee.recording.finish();
    folder.write_trial(&result.record)?;
    logged.map_err(failed)?;
    Ok(result)
}

/// The disk as the nodes of a cluster on it find it; `None` without a cluster, or where it cannot be measured.
fn by_nodes(folder: &ResultFolder, nodes: usize) -> Option<DiskPreflight> {
    (nodes > 1)
        .then(|| measure_disk_by(folder.path(), nodes).ok())
        .flatten()
}

#[expect(
    clippy::disallowed_methods,
    reason = "how long whole trials take, for the estimate of the rest"
)]
fn now() -> Instant {
    Instant::now()
}
