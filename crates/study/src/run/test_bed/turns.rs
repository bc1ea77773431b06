//! Carries out the trials of a cell that take turns, attempt after attempt, until one of each counts.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::time::Duration;

use dbdyno_driver::Target;
use dbdyno_engine::{EngineError, Event, Observer, Outcome, Phase, Stop};
use dbdyno_machine::{CompilerTime, HostSnapshot};
use dbdyno_record::finding::TornGroup;
use dbdyno_record::plan::planned_name;
use dbdyno_record::{Finding, Interleaving, ServerCost, TrialRecord, TrialStatus};

use super::{
    Completion, End, Forward, Place, TestBed, interrupt_without_generators, judge_setting, now, request,
};
use crate::address;
use crate::file::definition::{Restart, Study};
use crate::judge::turns;
use crate::plan::{self, Trial};
use crate::run::conditions::{ConditionsWatch, Machine};
use crate::run::error::StudyError;
use crate::run::event::{StudyEvent, StudyObserver};
use crate::run::group::{self, Member, MemberResult, RoundDesign};
use crate::run::labs::Labs;
use crate::run::recording::Recording;
use crate::run::repetition::{self, States};
use crate::run::server_watch::ServerWatch;
use crate::run::trial::{self, Ready, TrialRequest, TrialResult};

impl TestBed<'_> {
    /// Carries planned trials, of which none counts yet, out in turns until one attempt at each counts; what came of them, in the
    /// same order. A disturbance was one of all of them, so all are repeated. Once an attempt has ended, those that were set aside for it
    /// count no more.
    pub fn complete_in_turns(
        &mut self,
        study: &Study,
        planned: &[Trial],
        mut set_aside: Vec<TrialRecord>,
        states: &mut States,
        place: Place,
    ) -> Result<Vec<Completion>, StudyError> {
        let mut completions: Vec<Option<Completion>> = planned.iter().map(|_| None).collect();
        let mut disturbed: Vec<Vec<String>> = planned.iter().map(|_| Vec::new()).collect();
        let mut is_over = false;
        while completions.iter().any(Option::is_none) {
            self.wait_while_paused();
            let open: Vec<usize> = (0..planned.len())
                .filter(|&index| completions[index].is_none())
                .collect();
            let mut attempts = Vec::new();
            for &index in &open {
                attempts.extend(self.next_attempt(study, &planned[index], states)?);
            }
            if is_over || self.stop.is_requested() || attempts.len() < open.len() {
                for index in open {
                    completions[index] = Some(Completion {
                        disturbed: std::mem::take(&mut disturbed[index]),
                        end: self.without_attempt(&planned[index].planned.trial, states),
                    });
                }
                break;
            }
            let before = repetition::disturbed(&planned[open[0]].planned.trial, states);
            let results = self.carry_out_in_turns(study, &attempts, &mut set_aside, before, place)?;
            for (index, result) in open.into_iter().zip(results) {
                let record = &result.record;
                states.insert(record.trial.clone(), repetition::state(record));
                let is_torn = record.is_torn();
                match End::of(result) {
                    Err(_) if is_torn => {}
                    Err(trial) => disturbed[index].push(trial),
                    Ok(end) => {
                        is_over |= matches!(end, End::Stopped(_));
                        completions[index] = Some(Completion {
                            disturbed: std::mem::take(&mut disturbed[index]),
                            end,
                        });
                    }
                }
            }
        }
        Ok(completions.into_iter().flatten().collect())
    }

    /// Those of these trials, which take turns, that count already, as they are when they count no more: others are missing, and would
    /// be measured alone. In the folder they count until all have been measured again.
    pub fn set_aside(
        &self,
        group: &BTreeSet<&str>,
        states: &mut States,
    ) -> Result<Vec<TrialRecord>, StudyError> {
        let mut counted = self.folder.trials()?;
        counted.retain(|record| {
            record.status == TrialStatus::Completed && group.contains(planned_name(&record.trial))
        });
        for record in &mut counted {
            tear(record);
            states.insert(record.trial.clone(), repetition::state(record));
        }
        Ok(counted)
    }

    fn carry_out_in_turns(
        &mut self,
        study: &Study,
        trials: &[Trial],
        set_aside: &mut Vec<TrialRecord>,
        disturbed: u32,
        place: Place,
    ) -> Result<Vec<TrialResult>, StudyError> {
        let began = now();
        let mut results = self.run_in_turns(study, trials, place)?;
        results
            .iter_mut()
            .for_each(|result| interrupt_without_generators(result, self.stop));
        results
            .iter()
            .for_each(|result| self.discard_lost_servers(result));
        let time: Duration = trials
            .iter()
            .map(|trial| plan::estimated_time(study, &trial.planned.spec, false))
            .sum();
        self.judge_together(study, &mut results, disturbed, time);
        let estimated: Vec<_> = trials
            .iter()
            .map(|trial| (&trial.planned.spec, trial.estimated_time(study)))
            .collect();
        self.clock.learn(&estimated, began.elapsed());
        let is_cut = |result: &TrialResult| result.record.status == TrialStatus::Interrupted;
        if set_aside.is_empty() || !results.iter().any(is_cut) {
            for record in set_aside.drain(..) {
                self.folder.write_trial(&record)?;
            }
        } else {
            // Those that were set aside still count, and these took turns with others.
            let records = results.iter_mut().map(|result| &mut result.record);
            let ended = records.filter(|record| record.status == TrialStatus::Completed);
            ended.for_each(tear);
        }
        for (number, result) in (place.number..).zip(&results) {
            self.folder.write_trial(&result.record)?;
            self.keep(&result.record)?;
            self.observer.event(&StudyEvent::TrialEnded {
                record: &result.record,
                number,
                total: place.total,
            });
        }
        Ok(results)
    }

    /// Decides whether the trials count. What disturbed one of them disturbed all: they shared the time.
    fn judge_together(&mut self, study: &Study, results: &mut [TrialResult], disturbed: u32, time: Duration) {
        let seen = results
            .iter()
            .find(|result| !result.record.conditions.disturbed_by.is_empty())
            .map(|result| result.record.conditions.disturbed_by.clone());
        for TrialResult { record, .. } in results.iter_mut() {
            if let Some(by) = seen.as_ref().filter(|_| record.status == TrialStatus::Completed) {
                record.conditions.disturbed_by.clone_from(by);
            }
        }
        let records = results.iter_mut().map(|result| &mut result.record);
        repetition::judge(
            records,
            disturbed,
            study.repeat_disturbed,
            &mut self.repeats,
            time,
        );
        for TrialResult { record, .. } in results {
            record.findings.sort_by_key(|finding| Reverse(finding.severity));
        }
    }

    /// Carries the trials out, up to their records.
    fn run_in_turns(
        &mut self,
        study: &Study,
        trials: &[Trial],
        place: Place,
    ) -> Result<Vec<TrialResult>, StudyError> {
        let targets: Vec<Target> = trials
            .iter()
            .map(|trial| study.target(&trial.planned.spec))
            .collect();
        for (trial, target) in trials.iter().zip(&targets) {
            let is_cold = !self.labs.is_warm(&trial.planned.spec.system.name);
            if trial.planned.spec.warmup.until_steady
                && address::is_server(target)
                && is_cold
                && !self.stop.is_requested()
            {
                self.announce(trial, place);
                self.warm_servers(study, trial, target)?;
            }
        }
        let requests: Vec<TrialRequest<'_>> = trials
            .iter()
            .zip(&targets)
            .map(|(trial, target)| {
                let (warmup, window) = self.warm_up(&trial.planned.spec, target);
                request(study, trial, target, warmup, window)
            })
            .collect::<Result<_, _>>()?;
        let mut recordings = Vec::new();
        for request in &requests {
            let folder = self.folder.begin_trial(&request.planned.trial)?;
            let recording = Recording::create(&folder, &request.planned.trial);
            recordings.push(recording.map_err(|source| StudyError::IntervalLog { path: folder, source })?);
        }
        let readies: Vec<Ready> = requests
            .iter()
            .map(|request| {
                Ready::new(
                    request,
                    &mut self.labs,
                    &mut Forward(&mut *self.observer),
                    self.stop,
                )
            })
            .collect();
        let current = Cell::new(None);
        let times = (place.left, self.clock.correct_any(self.repeats.left()));
        let observer: &mut dyn StudyObserver = &mut *self.observer;
        let machine: &mut dyn Machine = &mut *self.machine;
        let (observer, machine) = (RefCell::new(observer), RefCell::new(machine));
        let mut listeners: Vec<Listener<'_, '_>> = recordings
            .into_iter()
            .zip(trials)
            .enumerate()
            .map(|(number, (recording, trial))| Listener {
                number,
                trial,
                beside: trials.iter().filter(|other| *other != trial).collect(),
                place: Place {
                    number: place.number + number,
                    ..place
                },
                times,
                recording,
                observer: &observer,
                current: &current,
            })
            .collect();
        let group = Group {
            requests: &requests,
            readies,
            labs: &self.labs,
            machine: &machine,
            design: round_design(study, trials),
        };
        let played = take_turns(group, &mut listeners, self.stop);
        let recordings: Vec<Recording> = listeners.into_iter().map(|listener| listener.recording).collect();
        let mut results = Vec::new();
        for ((mut result, interleaving), recording) in played.into_iter().zip(recordings) {
            recording.finish().map_err(|source| StudyError::IntervalLog {
                path: self.folder.trial_dir(&result.record.trial),
                source,
            })?;
            self.finish_record(study, &mut result.record, interleaving, trials);
            results.push(result);
        }
        for ((trial, target), result) in trials.iter().zip(&targets).zip(&results) {
            if result.record.measure.is_some() {
                self.labs.used(&trial.planned.spec.system.name, target);
            }
        }
        Ok(results)
    }

    /// Adds what only those around the trials know.
    fn finish_record(
        &self,
        study: &Study,
        record: &mut TrialRecord,
        interleaving: Option<Interleaving>,
        trials: &[Trial],
    ) {
        record.conditions.interleaving = interleaving;
        record.findings.extend(turns::findings(record));
        let takes_turns = |other: &&str| {
            trials
                .iter()
                .any(|trial| trial.planned.spec.system.name == **other)
        };
        let mut idle = self.labs.idle_beside(&record.system.name);
        // In a block of turns all its servers run, those of other groups too: what they use is measured, and found.
        idle.retain(|other| !takes_turns(other) && study.restart == Restart::Study);
        judge_setting(record, &self.environment, self.folder, &self.labs, &idle);
    }
}

/// Makes a trial one that counts no more.
fn tear(record: &mut TrialRecord) {
    record.status = TrialStatus::Disturbed;
    record.findings.push(Finding::warning(TornGroup {}));
}

fn round_design(study: &Study, trials: &[Trial]) -> RoundDesign {
    RoundDesign {
        seed: study.seed,
        group: trials.first().and_then(|trial| trial.group).unwrap_or(0),
        slice: study.slice,
    }
}

/// Trials that take turns, and where they do.
struct Group<'a, 'm> {
    requests: &'a [TrialRequest<'a>],
    /// Their systems, in the same order.
    readies: Vec<Ready>,
    labs: &'a Labs,
    machine: &'a RefCell<&'m mut dyn Machine>,
    design: RoundDesign,
}

/// Lets the trials of a group take turns, each with its listener; the result of each.
fn take_turns(
    group: Group<'_, '_>,
    listeners: &mut [Listener<'_, '_>],
    stop: &Stop,
) -> Vec<(TrialResult, Option<Interleaving>)> {
    let Group {
        requests,
        readies,
        labs,
        machine,
        design,
    } = group;
    let systems: Vec<(&str, &Target)> = requests.iter().map(system).collect();
    let targets: Vec<Option<Target>> = readies
        .iter()
        .map(|ready| ready.target.as_ref().ok().cloned())
        .collect();
    let mut machines: Vec<SharedMachine<'_, '_>> = requests.iter().map(|_| SharedMachine(machine)).collect();
    let watched = requests.iter().zip(&mut machines).zip(listeners.iter_mut());
    let mut watches: Vec<ConditionsWatch<'_>> = watched
        .map(|((request, machine), listener)| {
            let own = system(request);
            let beside: Vec<(&str, &Target)> =
                systems.iter().copied().filter(|other| other.0 != own.0).collect();
            trial::conditions(request, labs, &beside, machine, listener)
        })
        .collect();
    let members = requests.iter().zip(&targets).zip(&mut watches);
    let members: Vec<Member<'_>> = members
        .map(|((request, target), watch)| {
            let (name, address) = system(request);
            Member {
                trial: &request.planned.trial,
                system: (name, address),
                target: target.as_ref(),
                plan: &request.plan,
                watching: ServerWatch::new(labs, name, address, watch),
            }
        })
        .collect();
    let results = group::measure(members, labs, machine, design, stop);
    let ended: Vec<_> = results.into_iter().map(ended).collect();
    let concluded = ended.into_iter().zip(readies).zip(requests).zip(watches);
    concluded
        .map(|((((outcome, interleaving), ready), request), watch)| {
            (ready.concluded(request, outcome, watch, labs), interleaving)
        })
        .collect()
}

fn system<'a>(request: &'a TrialRequest<'_>) -> (&'a str, &'a Target) {
    (request.plan.spec.system.name.as_str(), request.target)
}

/// What came of the engine, with what the servers used in the measured parts of the trial's own slices, and with the time that
/// work took that was put off.
fn ended(result: MemberResult<'_>) -> (Option<Result<Outcome, EngineError>>, Option<Interleaving>) {
    let work = result.interleaving.as_ref().and_then(|turns| turns.work);
    // Heads ask for as much as the rest does.
    let of_measured = |bytes: u64| (bytes as f64 * result.measured_share) as u64;
    let server = result.watching.finish().map(|server| ServerCost {
        cpu_seconds: work.map_or(server.cpu_seconds, |work| {
            work.own_cpu_seconds * result.measured_share + work.deferred_cpu_seconds
        }),
        read_bytes: of_measured(server.read_bytes),
        written_bytes: server.written_bytes.map(of_measured),
        ..server
    });
    let mut outcome = trial::with_server(result.outcome, server);
    if let (Some(Ok(outcome)), Some(work)) = (&mut outcome, work)
        && let Some(measure) = &mut outcome.measure
    {
        measure.duration_ns += work.charged_ns;
    }
    (outcome, result.interleaving)
}

/// The machine, shared by those who watch trials on this thread.
struct SharedMachine<'a, 'b>(&'a RefCell<&'b mut dyn Machine>);

impl Machine for SharedMachine<'_, '_> {
    fn snapshot(&mut self) -> HostSnapshot {
        self.0.borrow_mut().snapshot()
    }

    fn compilers(&mut self, processes: &[u32]) -> CompilerTime {
        self.0.borrow_mut().compilers(processes)
    }
}

/// Records what happens in a trial. Whoever watches the study follows one trial at a time: the one that was made ready last.
struct Listener<'a, 'b> {
    number: usize,
    trial: &'a Trial,
    /// The others.
    beside: Vec<&'a Trial>,
    place: Place,
    /// Time that is left for the study, and for its repetitions.
    times: (Duration, Duration),
    recording: Recording,
    observer: &'a RefCell<&'b mut dyn StudyObserver>,
    current: &'a Cell<Option<usize>>,
}

impl Observer for Listener<'_, '_> {
    fn event(&mut self, event: &Event) {
        self.recording.event(event);
        let mut observer = self.observer.borrow_mut();
        // It may wait for its load generators long before it connects.
        let begins = matches!(
            event,
            Event::Preparing(_)
                | Event::PhaseStarted {
                    phase: Phase::Connect,
                    ..
                }
        );
        if begins && self.current.replace(Some(self.number)) != Some(self.number) {
            observer.event(&StudyEvent::TrialStarted {
                trial: self.trial,
                beside: &self.beside,
                number: self.place.number,
                total: self.place.total,
                remaining: self.times.0,
                repeats: self.times.1,
            });
        }
        if self.current.get() == Some(self.number) {
            observer.event(&StudyEvent::Engine(event));
        }
    }
}
