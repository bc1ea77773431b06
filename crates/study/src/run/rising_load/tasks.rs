//! The next trial of each search: a function of the records that are there, and of nothing else.

use dbdyno_record::rising_load::{pilots, points, seen, surveyed};
use dbdyno_record::{PlannedTrial, Purpose, RisingLoadPoint, TrialRecord};
use dbdyno_stats::capacity::{self, Pilot, Role, Survey};

use dbdyno_trial::{Factor, TrialSpec, WarmUp};

use super::{Capacity, Kind, Steps, Sweep};
use crate::file::definition::Study;
use crate::file::effort::LONGEST_WARMUP;
use crate::plan::file_safe;
use crate::plan::order;

/// Steps of an automatic sweep: tenths of what a closed loop reaches.
const TENTHS: u32 = 10;
/// About how many probes a search takes, for the estimate of what is left.
const USUAL_SEARCHES: usize = 7;
/// About how many closed loops a pilot takes.
const USUAL_PILOTS: usize = 3;
/// ... and when the number of clients is said.
const USUAL_PILOTS_OF_ONE: usize = 2;

/// One trial to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Its specification.
    pub spec: TrialSpec,
    /// Its number among those of its kind, from 0: the same for all systems, which then get the same operations.
    pub block: u32,
}

/// One search or sweep: its study, what all its trials are asked alike, and those that are completed.
struct Search<'a> {
    study: &'a Study,
    cell: &'a TrialSpec,
    trials: &'a [&'a TrialRecord],
}

/// The completed trials of one search.
#[must_use]
pub fn of_cell<'t>(cell: &TrialSpec, trials: &'t [TrialRecord]) -> Vec<&'t TrialRecord> {
    let wanted = surveyed(cell);
    trials
        .iter()
        .filter(|trial| RisingLoadPoint::of(trial).is_some() && surveyed(&trial.spec) == wanted)
        .collect()
}

/// The next trial of a cell's search after these; `None` when it is over. `trials` are those of [`of_cell`].
#[must_use]
pub fn next(study: &Study, cell: &TrialSpec, trials: &[&TrialRecord]) -> Option<Task> {
    let search = Search { study, cell, trials };
    match &study.kind {
        Kind::Comparison => None,
        Kind::Capacity(capacity) => search.next_probe(capacity),
        Kind::Sweep(sweep) => search.next_step(sweep),
    }
}

/// About how many trials a cell's search still takes, at least one while it is not over.
#[must_use]
pub fn about_left(study: &Study, cell: &TrialSpec, trials: &[&TrialRecord]) -> usize {
    if next(study, cell, trials).is_none() {
        return 0;
    }
    let done = |wanted: Purpose| {
        trials
            .iter()
            .filter(|trial| trial.spec.purpose == Some(wanted))
            .count()
    };
    let pilots = |clients: Option<u32>| match (clients, done(Purpose::Search) + done(Purpose::Step)) {
        (_, 1..) => 0,
        (Some(_), _) => USUAL_PILOTS_OF_ONE.saturating_sub(done(Purpose::Pilot)),
        (None, _) => USUAL_PILOTS.saturating_sub(done(Purpose::Pilot)),
    };
    let left = match &study.kind {
        Kind::Comparison => 0,
        Kind::Capacity(capacity) => {
            let searches = match done(Purpose::Confirm) {
                0 => USUAL_SEARCHES.saturating_sub(done(Purpose::Search)),
                _ => 0,
            };
            let confirming = (2 * study.trials as usize).saturating_sub(done(Purpose::Confirm));
            pilots(capacity.clients) + searches + confirming
        }
        Kind::Sweep(sweep) => {
            let (steps, pilots) = match &sweep.steps {
                Steps::Automatic => (TENTHS as usize, pilots(sweep.clients)),
                Steps::Rates(rates) => (rates.len(), pilots_of_rates(sweep, trials)),
                Steps::Clients(clients) => (clients.len(), 0),
            };
            (steps * study.trials as usize).saturating_sub(done(Purpose::Step)) + pilots
        }
    };
    left.max(1)
}

fn pilots_of_rates(sweep: &Sweep, trials: &[&TrialRecord]) -> usize {
    match sweep.clients {
        None if trials.is_empty() => USUAL_PILOTS,
        _ => 0,
    }
}

/// The search of a capacity after these trials.
#[must_use]
pub fn survey(capacity: &Capacity, confirming: u32, trials: &[&TrialRecord]) -> Survey {
    Survey {
        clients: capacity.clients,
        step: capacity.step,
        trials: confirming,
        seen: seen(&capacity.objective, trials),
    }
}

impl Search<'_> {
    fn next_probe(&self, capacity: &Capacity) -> Option<Task> {
        let survey = survey(capacity, self.study.trials, self.trials);
        match survey.task() {
            capacity::Task::Pilot { clients } => Some(self.pilot_with(clients)),
            capacity::Task::Probe { role, clients, rate } => {
                let before = survey
                    .seen
                    .probes
                    .iter()
                    .filter(|probe| probe.role == role && (role == Role::Search || probe.rate == rate))
                    .count();
                let purpose = match role {
                    Role::Search => Purpose::Search,
                    Role::Confirm => Purpose::Confirm,
                };
                Some(self.task(purpose, (clients, Some(rate)), before as u32))
            }
            capacity::Task::Done => None,
        }
    }

    fn pilot_with(&self, clients: u32) -> Task {
        let before = pilots(self.trials).into_iter().filter(|pilot| pilot.0 == clients);
        self.task(Purpose::Pilot, (clients, None), before.count() as u32)
    }

    /// Every step once in every block, in an order of the block's own.
    fn next_step(&self, sweep: &Sweep) -> Option<Task> {
        let steps: Vec<(u32, Option<f64>)> = match &sweep.steps {
            Steps::Clients(clients) => clients.iter().map(|&clients| (clients, None)).collect(),
            Steps::Rates(rates) => {
                let clients = match (sweep.clients, capacity::pilot(None, &pilots(self.trials))) {
                    (Some(clients), _) | (None, Pilot::Ceiling { clients, .. }) => clients,
                    (None, Pilot::Measure { clients }) => return Some(self.pilot_with(clients)),
                };
                rates.iter().map(|&rate| (clients, Some(rate))).collect()
            }
            Steps::Automatic => match capacity::pilot(sweep.clients, &pilots(self.trials)) {
                Pilot::Measure { clients } => return Some(self.pilot_with(clients)),
                Pilot::Ceiling { clients, rate } => (1..=TENTHS)
                    .map(|tenth| rounded(rate * f64::from(tenth) / f64::from(TENTHS)))
                    .filter(|rate| *rate > 0.0)
                    .map(|rate| (clients, Some(rate)))
                    .collect(),
            },
        };
        let done: Vec<(u32, u32, Option<f64>)> = points(self.trials)
            .filter(|(_, point)| point.purpose == Purpose::Step)
            .map(|(trial, _)| (trial.block, trial.spec.clients, trial.spec.rate()))
            .collect();
        (0..self.study.trials)
            .flat_map(|block| {
                order::of_block(self.study.seed, block, steps.len())
                    .into_iter()
                    .map(move |index| (block, index))
            })
            .map(|(block, index)| (block, steps[index]))
            .find(|&(block, (clients, rate))| !done.contains(&(block, clients, rate)))
            .map(|(block, step)| self.task(Purpose::Step, step, block))
    }

    /// A trial of the cell with these clients, at this rate if there is one.
    fn task(&self, purpose: Purpose, (clients, rate): (u32, Option<f64>), block: u32) -> Task {
        let mut spec = TrialSpec {
            clients,
            pace: self.study.pace(rate),
            purpose: Some(purpose),
            ..self.cell.clone()
        };
        if rate.is_some() {
            spec.factors.insert(Factor::Rate);
        }
        Task { spec, block }
    }
}

/// Three significant digits, and whole numbers from 100 on.
fn rounded(rate: f64) -> f64 {
    if rate < 1.0 {
        return rate;
    }
    let digit = 10_f64.powf(rate.log10().floor() - 2.0);
    if digit < 1.0 {
        (rate / digit).round() / (1.0 / digit).round()
    } else {
        (rate / digit).round() * digit
    }
}

impl Task {
    /// The name of what it is for.
    #[must_use]
    pub fn purpose(&self) -> &'static str {
        self.spec.purpose.map_or("", Purpose::name)
    }

    /// Warms up until the system is steady: a server that was just started becomes faster for a minute or two.
    pub(crate) fn wait_for_cold_server(&mut self) {
        self.spec.warmup = WarmUp {
            longest: LONGEST_WARMUP,
            until_steady: true,
        };
    }

    /// The trial as the result folder knows it.
    pub(crate) fn planned(&self, study: &Study, position: u32) -> PlannedTrial {
        let Self { spec, block } = self;
        let load = match spec.pace {
            Some(pace) => format!("r{}", pace.rate),
            None => format!("c{}", spec.clients),
        };
        PlannedTrial {
            trial: format!(
                "{:03}-{}-{}-{}-{load}",
                position + 1,
                file_safe(&spec.system.name),
                file_safe(&spec.workload),
                self.purpose()
            ),
            block: *block,
            position,
            seed: order::seed_of_block(study.seed, *block),
            spec: spec.clone(),
        }
    }
}
