//! Runs a study, or goes on where it stopped.
//!
//! The result folder is the only memory: a trial that has a record that says `completed` is done, every other one is
//! still to come. So a kill at any moment costs the trial that was running, and nothing else. Repetitions of disturbed
//! trials ([`repetition`]) and further blocks ([`precision`]) follow from the folder too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use dbdyno_engine::{EngineErrorClass, LoadGenerators, Stop};
use dbdyno_record::plan::number_of;
use dbdyno_record::{FolderError, ResultFolder, TrialRecord, TrialStatus, live};

use crate::file::CheckedStudy;
use crate::file::definition::{Rate, Study};
use crate::judge::precision;
use crate::plan::pilot;
use crate::plan::{self, Plan, Trial};
use crate::run::conditions::{Machine, ThisMachine};
use crate::run::error::{ABORTED, StudyError};
use crate::run::event::StudyObserver;
use crate::run::extension;
use crate::run::labs::Labs;
use crate::run::live_feed::LiveFeed;
use crate::run::order;
use crate::run::repetition::{self, Budget, States};
use crate::run::rising_load::{self, Kind};
use crate::run::summary::Summary;
use crate::run::test_bed::{End, Place, Site, TestBed};

/// Opens the result folder of a study for writing: a new one, or the one it was stopped in.
///
/// # Errors
/// When its trials would mean something else in this study (the error names the keys that changed), the study asks for fewer
/// trials than were begun, or the folder is in use, foreign, damaged or not writable.
pub fn open_folder(file: &CheckedStudy, output: &Path) -> Result<ResultFolder, StudyError> {
    let folder = match ResultFolder::create(output, &file.text) {
        Err(FolderError::OtherStudy { path }) => extension::go_on(file, &path)?,
        folder => {
            let folder = folder?;
            folder.refuse_unplanned()?;
            extension::check_workloads(&file.study, &folder, &folder.trials()?)?;
            folder
        }
    };
    // Requests to an earlier run are over. Requests from here on count, while the systems are made ready, too.
    let _ = live::end(folder.path());
    Ok(folder)
}

/// Whether nothing of a study is left to run in its folder: it can be shown again without its systems.
///
/// # Errors
/// When a record is damaged.
pub fn is_complete(file: &CheckedStudy, folder: &ResultFolder) -> Result<bool, StudyError> {
    let (study, records) = (&extension::in_its_order(&file.study, folder)?, folder.trials()?);
    if study.kind != Kind::Comparison {
        return Ok(rising_load::conductor::is_complete(study, records));
    }
    let (blocks, _) = precision::blocks(study, &records);
    let blocks = blocks.max(extension::begun(&records));
    let states = repetition::states(&records);
    let is_left = |trial: &Trial| repetition::next(&trial.planned.trial, &states).is_some();
    Ok(!Plan::of_blocks(study, blocks).trials.iter().any(is_left))
}

/// A study that is run, or goes on.
pub struct StudyRun<'a> {
    /// The study.
    pub file: &'a CheckedStudy,
    /// Its results.
    pub folder: &'a ResultFolder,
    /// Numbers ([`number_of`]) of the trials in which a client library ended the process of an earlier run: their systems are left out
    /// until the end of this one, and their records say so. The others go on.
    pub aborted: &'a [u32],
    /// Who sends the load; `None`: this process.
    pub generators: Option<Arc<dyn LoadGenerators>>,
}

/// Runs every trial of the plan that is not complete. Records are on disk the moment their trial ends.
///
/// # Errors
/// When results cannot be written. A trial that fails is not an error of the study: its record says so.
pub fn run(
    file: &CheckedStudy,
    folder: &ResultFolder,
    observer: &mut dyn StudyObserver,
    stop: &Stop,
) -> Result<Summary, StudyError> {
    let run = StudyRun {
        file,
        folder,
        aborted: &[],
        generators: None,
    };
    run_with(run, observer, stop)
}

/// Runs a study, as [`run`] does.
///
/// # Errors
/// See [`run`].
pub fn run_with(
    run: StudyRun<'_>,
    observer: &mut dyn StudyObserver,
    stop: &Stop,
) -> Result<Summary, StudyError> {
    let site = Site {
        machine: &mut ThisMachine::default(),
        labs: Labs::default().with_generators(run.generators),
        folder: run.folder,
        observer,
        stop,
    };
    run_at(site, run.file, run.aborted)
}

/// Runs a study, as [`run`] does, on a machine whose counters the caller supplies.
///
/// # Errors
/// See [`run`].
pub fn run_on(
    machine: &mut dyn Machine,
    file: &CheckedStudy,
    folder: &ResultFolder,
    observer: &mut dyn StudyObserver,
    stop: &Stop,
) -> Result<Summary, StudyError> {
    let site = Site {
        machine,
        labs: Labs::default(),
        folder,
        observer,
        stop,
    };
    run_at(site, file, &[])
}

/// Runs a study at this site, after a client library ended the process in trials of the numbers `aborted`.
fn run_at(site: Site<'_>, file: &CheckedStudy, aborted: &[u32]) -> Result<Summary, StudyError> {
    let Site {
        machine,
        labs,
        folder,
        observer,
        stop,
    } = site;
    let study = &extension::as_extended(&file.study, folder)?;
    let mut feed = LiveFeed::new(folder.path().to_owned(), observer, stop);
    let watched = Site {
        machine,
        labs,
        folder,
        observer: &mut feed,
        stop,
    };
    let mut bed = TestBed::new(study, watched)?;
    let mut summary = match study.kind {
        Kind::Comparison => compare(study, aborted, &mut bed)?,
        Kind::Capacity(_) | Kind::Sweep(_) => rising_load::conductor::run(study, aborted, &mut bed)?,
    };
    if summary.completed > 0 {
        summary.disk_change = bed.measure_disk_again()?;
    }
    Ok(summary)
}

/// Carries out every cell in randomised complete blocks.
fn compare(study: &Study, aborted: &[u32], bed: &mut TestBed<'_>) -> Result<Summary, StudyError> {
    let folder = bed.folder;
    let records = folder.trials()?;
    // Another `precision` may ask for fewer blocks than there are by now, and none of them is dropped.
    let (blocks, _) = precision::blocks(study, &records);
    let plan = Plan::of_blocks(study, blocks.max(extension::begun(&records)));
    order::check(folder, &plan, &records)?;
    folder.write_plan(&plan.to_file(study))?;
    let states = repetition::states(&records);
    bed.number_starts_after(&records);
    bed.repeats = repeats(study, &plan, &states);
    drop(records);
    let missing = |trial: &&Trial| repetition::next(&trial.planned.trial, &states).is_some();
    let names = plan.trials.iter().map(|trial| &trial.planned.trial);
    let given_up: Vec<String> = names
        .filter(|name| repetition::is_given_up(name, &states))
        .cloned()
        .collect();
    let summary = Summary {
        total: plan.trials.len(),
        already_done: plan.trials.iter().filter(|trial| !missing(trial)).count() - given_up.len(),
        given_up,
        environment_changes: std::mem::take(&mut bed.environment_changes),
        ..Summary::default()
    };
    let mut course = Course {
        study,
        bed,
        plan,
        states,
        rates: pilot::Rates::new(),
        left_out: BTreeMap::new(),
        summary,
    };
    course.leave_out(aborted);
    course.run()?;
    let mut summary = course.summary;
    let records = folder.trials()?;
    let invalid = records
        .iter()
        .filter(|record| record.status == TrialStatus::Completed && !record.spoiled_because().is_empty());
    summary.invalid = invalid.map(|record| record.trial.clone()).collect();
    Ok(summary)
}

/// The time for repetitions of disturbed trials, and how much of it those in the folder took.
fn repeats(study: &Study, plan: &Plan, states: &States) -> Budget {
    let spent = plan.trials.iter().map(|trial| {
        let times = repetition::disturbed(&trial.planned.trial, states);
        plan::estimated_time(study, &trial.planned.spec, false) * times
    });
    Budget {
        whole: plan::time_for_repeats(study, plan.estimated_time(study)),
        spent: spent.sum(),
    }
}

/// A study that is being run.
struct Course<'a, 'b> {
    study: &'a Study,
    bed: &'a mut TestBed<'b>,
    plan: Plan,
    states: States,
    /// The common rates, once their pilots have run.
    rates: pilot::Rates,
    /// Systems whose client library ended the process, with the trial in which it did.
    left_out: BTreeMap<String, String>,
    summary: Summary,
}

impl Course<'_, '_> {
    /// Leaves the systems of these trials out.
    fn leave_out(&mut self, aborted: &[u32]) {
        let pilots = pilot::trials(self.study);
        for number in aborted {
            let is_it = |trial: &&Trial| number_of(&trial.planned.trial) == Some(*number);
            if let Some(trial) = self.plan.trials.iter().chain(&pilots).find(is_it) {
                let system = trial.planned.spec.system.name.clone();
                let first = self.left_out.entry(system);
                first.or_insert_with(|| trial.planned.trial.clone());
            }
        }
    }

    /// Keeps missing trials of systems that are left out as failed; the others are returned.
    fn without_left_out(&mut self, trials: Vec<Trial>, number: usize) -> Result<Vec<Trial>, StudyError> {
        let mut others = Vec::new();
        for (number, trial) in (number..).zip(trials) {
            let place = Place {
                number,
                total: self.plan.trials.len(),
                left: self.left(number - 1, &[]),
            };
            if !self.is_left_out(&trial, place)? {
                others.push(trial);
            }
        }
        Ok(others)
    }

    /// Whether a trial's system is left out; then it is kept as failed, if it is missing.
    fn is_left_out(&mut self, trial: &Trial, place: Place) -> Result<bool, StudyError> {
        let Some(aborted_in) = self.left_out.get(&trial.planned.spec.system.name) else {
            return Ok(false);
        };
        let Some(attempt) = repetition::next(&trial.planned.trial, &self.states) else {
            return Ok(true);
        };
        let reason = if *aborted_in == trial.planned.trial {
            ABORTED.to_owned()
        } else {
            format!("left out since an earlier trial, in which {ABORTED}")
        };
        let attempt = trial.repetition(attempt);
        self.bed
            .refuse(self.study, &attempt, &mut self.states, &reason, place)?;
        let failed = (trial.planned.trial.clone(), EngineErrorClass::Unreachable);
        self.summary.failed.push(failed);
        Ok(true)
    }

    fn run(&mut self) -> Result<(), StudyError> {
        self.find_rates()?;
        if self.summary.interrupted {
            return Ok(());
        }
        let mut index = 0;
        loop {
            while let Some(trial) = self.plan.trials.get(index).cloned() {
                let takes_turns = |other: &&Trial| trial.group.is_some() && other.group == trial.group;
                let own = self.plan.trials[index..].iter().take_while(takes_turns);
                let group: Vec<Trial> = match own.count() {
                    0 => vec![trial],
                    count => self.plan.trials[index..index + count].to_vec(),
                };
                let count = group.len();
                match self.without_left_out(group, index + 1)?.as_slice() {
                    [] => {}
                    [single] => self.attempt(single, index + 1)?,
                    group => self.attempt_in_turns(group, index + 1)?,
                }
                index += count;
                if self.summary.interrupted {
                    return Ok(());
                }
            }
            if !self.extend()? {
                return Ok(());
            }
        }
    }

    /// Attempts the trials of a group in turns; `number` is the place of the first in the plan, from 1. Where some of them count
    /// already and others are missing, all are measured again: what the machine does would happen to some of them alone.
    fn attempt_in_turns(&mut self, group: &[Trial], number: usize) -> Result<(), StudyError> {
        // Who has no rate, because its pilot failed, keeps no other from its turns.
        let (without, others): (Vec<_>, Vec<_>) = (number..)
            .zip(group)
            .partition(|(_, trial)| matches!(self.rate_of(trial), Some(Err(_))));
        for (number, trial) in without {
            self.attempt(trial, number)?;
        }
        if !others.iter().any(|(_, trial)| self.is_missing(trial)) {
            return Ok(());
        }
        let names: BTreeSet<&str> = others
            .iter()
            .map(|(_, trial)| trial.planned.trial.as_str())
            .collect();
        let torn = self.bed.set_aside(&names, &mut self.states)?;
        let missing: Vec<_> = others
            .into_iter()
            .filter(|(_, trial)| self.is_missing(trial))
            .collect();
        if let [(number, alone)] = missing.as_slice() {
            return self.attempt(alone, *number);
        }
        let asked: Vec<Trial> = missing.iter().map(|(_, trial)| self.at_rate(trial)).collect();
        let place = Place {
            number,
            total: self.plan.trials.len(),
            left: self.left(number - 1, &[]),
        };
        self.bed.enter_plot(self.study, asked[0].plot);
        let completions = self
            .bed
            .complete_in_turns(self.study, &asked, torn, &mut self.states, place)?;
        for completion in &completions {
            self.summary.note(completion);
        }
        Ok(())
    }

    /// About how long these pilots take, and what is missing of the plan from this place on, from 0.
    fn left(&self, from: usize, pilots: &[Trial]) -> Duration {
        let is_asked = |trial: &&Trial| {
            self.is_missing(trial) && !self.left_out.contains_key(&trial.planned.spec.system.name)
        };
        let missing = self.plan.trials[from..].iter().filter(is_asked);
        let time = |trial: &Trial| {
            let estimate = trial.estimated_time(self.study);
            self.bed.clock.correct(&trial.planned.spec, estimate)
        };
        missing.chain(pilots).map(time).sum()
    }

    fn is_missing(&self, trial: &Trial) -> bool {
        repetition::next(&trial.planned.trial, &self.states).is_some()
    }

    /// The common rate of a trial, or why it has none; `None` where it is not asked for one.
    fn rate_of(&self, trial: &Trial) -> Option<&Result<f64, String>> {
        let rate = self.rates.iter().find(|(cell, _)| *cell == trial.planned.spec);
        rate.map(|(_, rate)| rate)
    }

    /// The trial at its common rate, if it has one.
    fn at_rate(&self, trial: &Trial) -> Trial {
        let mut asked = trial.clone();
        if let Some(Ok(rate)) = self.rate_of(trial) {
            asked.planned.spec.pace = self.study.pace(Some(*rate));
        }
        asked
    }

    /// Carries out the pilots that are missing, and finds the common rates.
    fn find_rates(&mut self) -> Result<(), StudyError> {
        let pilots = repetition::missing_pilots(self.study, &self.plan, &self.states);
        for (index, trial) in pilots.iter().enumerate() {
            let place = Place {
                number: index + 1,
                total: pilots.len(),
                left: self.left(0, &pilots[index..]),
            };
            if self.is_left_out(trial, place)? {
                continue;
            }
            self.bed.enter_plot(self.study, trial.plot);
            match self.bed.complete(self.study, trial, &mut self.states, place)?.end {
                End::Counts(_) => {}
                End::Failed(name, class) => self.summary.failed.push((name, class)),
                End::Stopped(reason) => {
                    self.summary.note_stop(reason);
                    return Ok(());
                }
            }
        }
        if self.study.rates.contains(&Rate::Common) {
            self.rates = pilot::rates(self.study, &self.bed.folder.trials()?);
        }
        Ok(())
    }

    /// Adds the blocks that the target precision needs.
    fn extend(&mut self) -> Result<bool, StudyError> {
        let Some(target) = self.study.precision else {
            return Ok(false);
        };
        let (blocks, need) = precision::blocks(self.study, &self.bed.folder.trials()?);
        let longer = Plan::of_blocks(self.study, blocks);
        let more = longer.trials.len() > self.plan.trials.len();
        if more {
            self.bed.folder.write_plan(&longer.to_file(self.study))?;
            self.summary.total = longer.trials.len();
            self.plan = longer;
            self.bed.repeats = repeats(self.study, &self.plan, &self.states);
        }
        self.summary.precision = precision::sentence(&target, blocks, &need);
        Ok(more)
    }

    /// Attempts a planned trial until one attempt counts; `number` is its place in the plan, from 1.
    fn attempt(&mut self, planned: &Trial, number: usize) -> Result<(), StudyError> {
        if repetition::next(&planned.planned.trial, &self.states).is_none() {
            return Ok(());
        }
        let place = Place {
            number,
            total: self.plan.trials.len(),
            left: self.left(number - 1, &[]),
        };
        match self.rate_of(planned).cloned() {
            Some(Err(reason)) => {
                let states = &mut self.states;
                self.bed.refuse(self.study, planned, states, &reason, place)?;
                let failed = (planned.planned.trial.clone(), EngineErrorClass::Database);
                self.summary.failed.push(failed);
            }
            Some(Ok(_)) | None => {
                let trial = self.at_rate(planned);
                self.bed.enter_plot(self.study, trial.plot);
                let completion = self.bed.complete(self.study, &trial, &mut self.states, place)?;
                self.summary.note(&completion);
            }
        }
        Ok(())
    }
}

/// The records that are there, for a report in the middle of a study.
///
/// # Errors
/// When one is damaged.
pub fn records(folder: &ResultFolder) -> Result<Vec<TrialRecord>, StudyError> {
    Ok(folder.trials()?)
}

#[cfg(test)]
#[path = "plot_tests.rs"]
mod plot_tests;
