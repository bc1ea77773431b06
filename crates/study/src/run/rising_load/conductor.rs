//! Carries out the searches of a study in turns.
//!
//! Nobody knows all trials beforehand, so the plan in the result folder grows: a trial is written into it before it begins.

use std::collections::BTreeSet;
use std::time::Duration;

use dbdyno_engine::EngineErrorClass;
use dbdyno_record::plan::number_of;
use dbdyno_record::{PlanFile, PlannedTrial, TrialRecord, TrialStatus};
use dbdyno_trial::TrialSpec;

use super::tasks::{self, Task};
use crate::address;
use crate::file::definition::{Order, Study};
use crate::plan::{Trial, estimated_time, time_for_repeats};
use crate::plan::{order, turns};
use crate::run::error::{ABORTED, StudyError};
use crate::run::repetition::{self, Budget, States};
use crate::run::summary::Summary;
use crate::run::test_bed::{End, Place, TestBed};

/// Goes on until every search has its answer, one cannot go on, or it is stopped. Systems whose client library ended the process, in trials
/// of these numbers, are left out.
pub(crate) fn run(study: &Study, aborted: &[u32], bed: &mut TestBed<'_>) -> Result<Summary, StudyError> {
    let mut plan: Vec<PlannedTrial> = bed.folder.plan()?.map_or(Vec::new(), |plan| plan.trials);
    // A new title or objective is shown even where nothing is left to measure.
    if !plan.is_empty() {
        bed.folder
            .write_plan(&PlanFile::new(study.planned(), plan.clone()))?;
    }
    let mut done: Vec<TrialRecord> = bed.folder.trials()?;
    let mut states = repetition::states(&done);
    bed.number_starts_after(&done);
    bed.repeats = repeats(study, &done);
    done.retain(|record| record.status == TrialStatus::Completed);
    let mut summary = Summary {
        already_done: done.len(),
        environment_changes: std::mem::take(&mut bed.environment_changes),
        ..Summary::default()
    };
    let cells = study.cells();
    let (mut broken, failed) = left_out(study, aborted, &plan, &mut states, bed)?;
    let failed = failed
        .into_iter()
        .map(|trial| (trial, EngineErrorClass::Unreachable));
    summary.failed.extend(failed);
    let mut asked = BTreeSet::new();
    loop {
        let round = turn(study, &cells, &broken, &done);
        let Some(&(first, _)) = round.first() else { break };
        if bed.stop.is_requested() {
            summary.interrupted = true;
            break;
        }
        let left = left(study, &cells, &done);
        let others = u32::try_from(left.saturating_sub(round.len())).unwrap_or(u32::MAX);
        let cell = &cells[first];
        let mut time = bed.clock.correct(cell, estimated_time(study, cell, false)) * others;
        let mut trials = Vec::with_capacity(round.len());
        for (index, task) in &round {
            // Whoever stopped the study may have stopped the server, too.
            let system = study.system_of(&cells[*index]);
            let is_cold = asked.insert(&system.name) && address::is_server(&system.target);
            let mut task = task.clone();
            if is_cold {
                task.wait_for_cold_server();
            }
            let estimate = estimated_time(study, &task.spec, is_cold);
            time += bed.clock.correct(&task.spec, estimate);
            trials.push(Trial {
                planned: PlannedTrial {
                    spec: task.spec.clone(),
                    ..enter(study, &task, &states, &mut plan)
                },
                // Searches keep their servers.
                plot: 0,
                place_in_plot: 0,
                group: (round.len() > 1).then_some(done.len() as u32),
                first_on_servers: false,
            });
        }
        bed.folder
            .write_plan(&PlanFile::new(study.planned(), plan.clone()))?;
        let place = Place {
            number: done.len() + 1,
            total: done.len() + left.max(round.len()),
            left: time,
        };
        let completions = match trials.as_slice() {
            [trial] => vec![bed.complete(study, trial, &mut states, place)?],
            trials => bed.complete_in_turns(study, trials, Vec::new(), &mut states, place)?,
        };
        let mut is_stopped = false;
        for ((index, _), completion) in round.iter().zip(completions) {
            summary.note(&completion);
            match completion.end {
                End::Counts(record) => done.push(*record),
                End::Stopped(_) => is_stopped = true,
                // Its next trial would be the same one: it is tried again when the study goes on.
                End::Failed(..) => {
                    broken.insert(*index);
                }
            }
        }
        if is_stopped {
            break;
        }
    }
    summary.total = done.len() + left(study, &cells, &done);
    Ok(summary)
}

/// Keeps the trials of these numbers as failed; the cells of their systems, and the trials, which reached no server.
fn left_out(
    study: &Study,
    aborted: &[u32],
    plan: &[PlannedTrial],
    states: &mut States,
    bed: &mut TestBed<'_>,
) -> Result<(BTreeSet<usize>, Vec<String>), StudyError> {
    let cells = study.cells();
    let mut broken = BTreeSet::new();
    let mut failed = Vec::new();
    for number in aborted {
        let planned = plan
            .iter()
            .find(|planned| number_of(&planned.trial) == Some(*number));
        let Some(planned) = planned.filter(|planned| planned.spec.is_whole()) else {
            continue;
        };
        let of_system = |(index, cell): (usize, &TrialSpec)| {
            (cell.system.name == planned.spec.system.name).then_some(index)
        };
        broken.extend(cells.iter().enumerate().filter_map(of_system));
        let Some(attempt) = repetition::next(&planned.trial, states) else {
            continue;
        };
        let trial = Trial {
            planned: planned.clone(),
            plot: 0,
            place_in_plot: 0,
            group: None,
            first_on_servers: false,
        };
        let place = Place {
            number: planned.position as usize + 1,
            total: plan.len(),
            left: Duration::ZERO,
        };
        bed.refuse(study, &trial.repetition(attempt), states, ABORTED, place)?;
        failed.push(planned.trial.clone());
    }
    Ok((broken, failed))
}

/// Whether every search has its answer in these records.
pub(crate) fn is_complete(study: &Study, mut records: Vec<TrialRecord>) -> bool {
    records.retain(|record| record.status == TrialStatus::Completed);
    turn(study, &study.cells(), &BTreeSet::new(), &records).is_empty()
}

/// The time for repetitions of disturbed trials, and how much of it those in the folder took.
fn repeats(study: &Study, records: &[TrialRecord]) -> Budget {
    let disturbed: Vec<TrialRecord> = records
        .iter()
        .filter(|record| record.status == TrialStatus::Disturbed)
        .cloned()
        .collect();
    let spent = study.cells().into_iter().map(|cell| {
        let times = tasks::of_cell(&cell, &disturbed).len() as u32;
        estimated_time(study, &cell, false) * times
    });
    Budget {
        whole: time_for_repeats(study, about(study).1),
        spent: spent.sum(),
    }
}

/// The search whose turn it is, and its next trial: the one with the fewest trials so far, among equals in a random order
/// that changes from round to round. Where systems are measured in turns, with it those that have as many trials and differ in
/// their system alone. Nothing where every search is over.
fn turn(
    study: &Study,
    cells: &[TrialSpec],
    broken: &BTreeSet<usize>,
    done: &[TrialRecord],
) -> Vec<(usize, Task)> {
    let mut waiting: Vec<((usize, usize), (usize, Task))> = cells
        .iter()
        .enumerate()
        .filter(|(index, _)| !broken.contains(index))
        .filter_map(|(index, cell)| {
            let own = tasks::of_cell(cell, done);
            let task = tasks::next(study, cell, &own)?;
            let round = own.len();
            let order = order::of_block(study.seed, round as u32, cells.len());
            let place = order.iter().position(|&at| at == index)?;
            Some(((round, place), (index, task)))
        })
        .collect();
    waiting.sort_by_key(|(key, _)| *key);
    let Some(&((round, _), (first, _))) = waiting.first() else {
        return Vec::new();
    };
    waiting.retain(|&((of_round, _), (index, _))| {
        let is_beside = study.order == Order::Interleaved
            && of_round == round
            && turns::belong_together(&cells[index], &cells[first]);
        index == first || is_beside
    });
    waiting.into_iter().map(|(_, next)| next).collect()
}

/// About how many trials are left in all searches.
fn left(study: &Study, cells: &[TrialSpec], done: &[TrialRecord]) -> usize {
    cells
        .iter()
        .map(|cell| tasks::about_left(study, cell, &tasks::of_cell(cell, done)))
        .sum()
}

/// The trial's place in the plan: the one it had when it was begun before and did not come to count, else a new one at the end.
fn enter(study: &Study, task: &Task, states: &States, plan: &mut Vec<PlannedTrial>) -> PlannedTrial {
    let new = task.planned(study, plan.len() as u32);
    let begun = plan.iter().find(|planned| {
        planned.block == new.block
            && planned.spec.factors() == new.spec.factors()
            && repetition::next(&planned.trial, states).is_some()
    });
    if let Some(begun) = begun {
        return begun.clone();
    }
    plan.push(new.clone());
    new
}

/// About how long a study of this kind takes from its beginning.
pub(crate) fn about(study: &Study) -> (usize, Duration) {
    let cells = study.cells();
    let trials = left(study, &cells, &[]);
    let time: Duration = cells
        .iter()
        .map(|cell| estimated_time(study, cell, false) * tasks::about_left(study, cell, &[]) as u32)
        .sum();
    (trials, time)
}
