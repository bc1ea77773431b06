//! The common rate: what every system of a cell is asked for, so that their latencies can be compared.
//!
//! Before the first block every system is measured once in a closed loop, system by system. The common rate is a share of the
//! lowest throughput among them. It follows from the result folder: trials at the common rate say which one it was, and before the
//! first of them the pilots do. So a study that goes on asks for the same rate.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use dbdyno_record::pilot::{PILOT, is_pilot, share_a_rate};
use dbdyno_record::{PlannedTrial, TrialRecord, TrialStatus};

use crate::definition::{Cell, Rate, Study};
use crate::plan::{Plan, Trial, trial_name};
use crate::repetition::{self, States};

/// The longest measured phase of a pilot.
const DURATION: Duration = Duration::from_secs(10);

/// The pilots of a study in order of execution, one system after the other. Those of a system are a plot: servers are started
/// for them alone.
#[must_use]
pub fn trials(study: &Study) -> Vec<Trial> {
    let mut cells = study.cells();
    cells.retain(|cell| study.rates[cell.rate] == Rate::Common);
    cells.sort_by_key(|cell| cell.system);
    let mut places = vec![0; study.systems.len()];
    let pilot = |(place, cell): (usize, Cell)| {
        let mut factors = study.factors(&cell);
        let share = format!("{:.0}%", study.common_rate * 100.0);
        factors.insert(PILOT.to_owned(), share);
        let trial = Trial {
            planned: PlannedTrial {
                trial: trial_name(study, &cell, &format!("pilot-{:02}", place + 1)),
                block: 0,
                position: place as u32,
                seed: study.seed,
                factors,
            },
            plot: u32::MAX - cell.system as u32,
            place_in_plot: places[cell.system],
            first_on_servers: places[cell.system] == 0,
            cell,
        };
        places[cell.system] += 1;
        trial
    };
    cells.into_iter().enumerate().map(pilot).collect()
}

/// The study as its pilots run: in a closed loop and not for long. They are not repeated: a rate needs no precision, and all
/// systems get the same one.
pub(crate) fn closed_loop(study: &Study) -> Study {
    Study {
        rates: vec![Rate::Unlimited; study.rates.len()],
        duration: Some(study.duration.unwrap_or(DURATION).min(DURATION)),
        repeat_disturbed: 0,
        ..study.clone()
    }
}

/// The study with this common rate.
pub(crate) fn at_rate(study: &Study, rate: f64) -> Study {
    let known = |level: &Rate| match level {
        Rate::Common => Rate::PerSecond(rate),
        level => *level,
    };
    Study {
        rates: study.rates.iter().map(known).collect(),
        ..study.clone()
    }
}

/// About how long the pilots take.
pub(crate) fn estimated_time(study: &Study) -> Duration {
    let study_of_pilots = closed_loop(study);
    let pilots = trials(study);
    pilots
        .iter()
        .map(|pilot| pilot.estimated_time(&study_of_pilots))
        .sum()
}

/// The common rate of a planned trial, from the records of the folder; `None` when no pilot completed an operation.
#[must_use]
pub fn common_rate(study: &Study, planned: &PlannedTrial, records: &[TrialRecord]) -> Option<f64> {
    let related = || {
        records
            .iter()
            .filter(|record| share_a_rate(&planned.factors, &record.factors))
    };
    let already_asked = related()
        .filter(|record| !is_pilot(&record.factors))
        .find_map(|record| record.settings.rate);
    already_asked.or_else(|| {
        let slowest = related().filter_map(capacity).min_by(f64::total_cmp)?;
        Some(rounded(slowest * study.common_rate))
    })
}

/// Throughput of a pilot that completed operations.
fn capacity(record: &TrialRecord) -> Option<f64> {
    let done = is_pilot(&record.factors) && record.status == TrialStatus::Completed;
    let measure = record.measure.as_ref().filter(|_| done)?;
    measure.throughput_per_second().filter(|&rate| rate > 0.0)
}

/// Two significant digits: what a pilot measured has no more.
fn rounded(rate: f64) -> f64 {
    let digit = 10_f64.powf(rate.log10().floor() - 1.0);
    if digit < 1.0 {
        (rate / digit).round() / (1.0 / digit).round()
    } else {
        (rate / digit).round() * digit
    }
}

/// The common rates of a study's cells, or why a cell has none.
pub(crate) type Rates = BTreeMap<Cell, Result<f64, String>>;

/// What the pilots among the records give.
pub(crate) fn rates(study: &Study, records: &[TrialRecord]) -> Rates {
    let rate = |pilot: Trial| {
        let own = |record: &&TrialRecord| record.factors == pilot.planned.factors;
        let measured = records.iter().rfind(own);
        let rate = match measured.and_then(capacity) {
            Some(_) => common_rate(study, &pilot.planned, records).ok_or_else(String::new),
            None => Err(format!(
                "no common rate: pilot {} failed: {}",
                pilot.planned.trial,
                match measured.map(|record| &record.status) {
                    Some(TrialStatus::Failed { reason }) => reason,
                    _ => "it completed no operation",
                }
            )),
        };
        (pilot.cell, rate)
    };
    trials(study).into_iter().map(rate).collect()
}

/// The pilots that are missing while trials at their rate are missing, too.
pub(crate) fn needed(study: &Study, plan: &Plan, states: &States) -> Vec<Trial> {
    let is_missing = |trial: &&Trial| repetition::next(&trial.planned.trial, states).is_some();
    let cells: BTreeSet<Cell> = plan
        .trials
        .iter()
        .filter(is_missing)
        .map(|trial| trial.cell)
        .collect();
    let mut pilots = trials(study);
    pilots.retain(|pilot| cells.contains(&pilot.cell) && is_missing(&pilot));
    pilots
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn rates_have_two_digits() {
        for (rate, expected) in [
            (5_243.0, 5_200.0),
            (98.7, 99.0),
            (9.96, 10.0),
            (1.234, 1.2),
            (0.0377, 0.038),
        ] {
            assert!(
                (rounded(rate) - expected).abs() < 1e-12,
                "{rate}: {}",
                rounded(rate)
            );
        }
    }
}
