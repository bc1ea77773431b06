//! The common rate: what every system of a cell is asked for, so that their latencies can be compared.
//!
//! Before the first block every system is measured once in a closed loop, system by system. The common rate is a share of the
//! lowest throughput among them. It follows from the result folder: trials at the common rate say which one it was, and before the
//! first of them the pilots do. So a study that goes on asks for the same rate.

use std::time::Duration;

use dbdyno_record::pilot::share_a_rate;
use dbdyno_record::plan::planned_name;
use dbdyno_record::{PlannedTrial, TrialRecord, TrialStatus};
use dbdyno_trial::{Limit, TrialSpec};
use dbdyno_vocabulary::shown_name;

use crate::file::definition::Study;
use crate::plan::{Trial, trial_name};

/// The longest measured phase of a pilot.
const DURATION: Duration = Duration::from_secs(10);

/// The pilots of a study in order of execution, one system after the other. Those of a system are a plot: servers are started
/// for them alone.
#[must_use]
pub fn trials(study: &Study) -> Vec<Trial> {
    of_cells(study).into_iter().map(|(_, pilot)| pilot).collect()
}

/// The cells at the common rate, each with its pilot, in the same order.
pub(crate) fn of_cells(study: &Study) -> Vec<(TrialSpec, Trial)> {
    let cells = study.cells();
    let mut pilots = Vec::new();
    for (plot, system) in study.systems.iter().enumerate() {
        let own = |cell: &&TrialSpec| cell.common_rate && cell.system.name == system.name;
        for (place, cell) in cells.iter().filter(own).enumerate() {
            let number = pilots.len() as u32;
            let spec = closed_loop(study, cell);
            let trial = Trial {
                planned: PlannedTrial {
                    trial: trial_name(study, &spec, &format!("pilot-{:02}", number + 1)),
                    block: 0,
                    position: number,
                    seed: study.seed,
                    spec,
                },
                plot: u32::MAX - plot as u32,
                place_in_plot: place as u32,
                first_on_servers: place == 0,
                group: None,
            };
            pilots.push((cell.clone(), trial));
        }
    }
    pilots
}

/// The pilot of a cell: a closed loop that does not last long.
fn closed_loop(study: &Study, cell: &TrialSpec) -> TrialSpec {
    TrialSpec {
        pilot_share: Some(study.common_rate),
        limit: Limit {
            duration: Some(cell.limit.duration.unwrap_or(DURATION).min(DURATION)),
            ..cell.limit
        },
        ..cell.clone()
    }
}

/// About how long the pilots take.
pub(crate) fn estimated_time(study: &Study) -> Duration {
    let pilots = trials(study);
    pilots.iter().map(|pilot| pilot.estimated_time(study)).sum()
}

/// The common rate of a planned trial, from the records of the folder; `None` when no pilot of the study completed an operation.
#[must_use]
pub fn common_rate(study: &Study, planned: &PlannedTrial, records: &[TrialRecord]) -> Option<f64> {
    let pilots = trials(study);
    let is_own = |record: &&TrialRecord| {
        let mut names = pilots.iter().map(|pilot| pilot.planned.trial.as_str());
        !record.spec.is_pilot() || names.any(|name| name == planned_name(&record.trial))
    };
    let related = || {
        let own = records.iter().filter(is_own);
        own.filter(|record| share_a_rate(&planned.spec, &record.spec))
    };
    let already_asked = related()
        .filter(|record| !record.spec.is_pilot())
        .find_map(|record| record.spec.rate());
    already_asked.or_else(|| {
        let slowest = related().filter_map(capacity).min_by(f64::total_cmp)?;
        Some(rounded(slowest * study.common_rate))
    })
}

/// Throughput of a pilot that completed operations.
fn capacity(record: &TrialRecord) -> Option<f64> {
    let done = record.spec.is_pilot() && record.status == TrialStatus::Completed;
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
pub(crate) type Rates = Vec<(TrialSpec, Result<f64, String>)>;

/// The common rates by the pilots among the records.
pub(crate) fn rates(study: &Study, records: &[TrialRecord]) -> Rates {
    let rate = |(cell, pilot): (TrialSpec, Trial)| {
        let own = |record: &&TrialRecord| planned_name(&record.trial) == pilot.planned.trial;
        let measured = records.iter().rfind(own);
        let rate = match measured.and_then(capacity) {
            Some(_) => common_rate(study, &pilot.planned, records).ok_or_else(String::new),
            None => Err(format!(
                "no load to give all systems: the pilot of {} failed: {}",
                shown_name(&pilot.planned.spec.system.name),
                match measured.map(|record| &record.status) {
                    Some(TrialStatus::Failed { reason, .. }) => reason,
                    _ => "it completed no operation",
                }
            )),
        };
        (cell, rate)
    };
    of_cells(study).into_iter().map(rate).collect()
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
