//! Which trials a study consists of, in which order, and about how long they take.
//!
//! A block is a random order of *plots*, and a plot is what shares one start of servers: all cells of a system whose servers the lab
//! starts for every block, in random order, or one cell of any other system (a split-plot design: Fisher 1925; Jones and
//! Nachtsheim, "Split-Plot Designs: What, Why, and How", Journal of Quality Technology 41, 2009).

use std::time::Duration;

use dbdyno_record::plan::repetition_name;
use dbdyno_record::{PlanFile, PlannedTrial};

use crate::definition::{COMMON, Cell, Rate, Study};
use crate::labs;
use crate::order;
use crate::pilot;

/// Inserts per second assumed for the estimate of time; embedded stores of this age do 50,000 to 500,000.
pub const ASSUMED_LOAD_RATE: f64 = 100_000.0;
/// Operations per second assumed when a trial ends by count in a closed loop.
const ASSUMED_RATE: f64 = 100_000.0;
/// How long the first warm-up on a start usually takes.
const USUAL_WARMUP: Duration = Duration::from_secs(20);
/// How long a warm-up on servers that are warm already usually takes.
const USUAL_WARMUP_AGAIN: Duration = Duration::from_secs(4);
/// How long a node of the lab usually takes until it answers.
const USUAL_START: Duration = Duration::from_secs(15);
/// Opening, dropping the table, flushing, writing the record.
const OVERHEAD: Duration = Duration::from_millis(300);

/// One trial to come: which cell, and what names it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// What varies.
    pub cell: Cell,
    /// What the result folder knows about it.
    pub planned: PlannedTrial,
    /// Its plot's number in the study, from 0.
    pub plot: u32,
    /// Its place in the plot, from 0.
    pub place_in_plot: u32,
}

impl Trial {
    /// Whether the servers of its system are started for its plot.
    #[must_use]
    pub fn shares_start(&self, study: &Study) -> bool {
        study.starts_for_each_block(self.cell.system)
    }

    /// About how long it takes, with the start and the first warm-up of the servers where it is the first of its plot.
    #[must_use]
    pub fn estimated_time(&self, study: &Study) -> Duration {
        let first = !self.shares_start(study) || self.place_in_plot == 0;
        let start = if self.shares_start(study) && first {
            estimated_start(study, self.cell.system)
        } else {
            Duration::ZERO
        };
        start + estimated_time(study, &self.cell, first)
    }

    /// Its `number`-th carrying out, from 1.
    #[must_use]
    pub(crate) fn repetition(&self, number: u32) -> Self {
        let mut repeated = self.clone();
        repeated.planned.trial = repetition_name(&self.planned.trial, number);
        repeated
    }
}

/// All trials in the order of execution.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// In order.
    pub trials: Vec<Trial>,
}

impl Plan {
    /// The plan of a study: a pure function of it. With a wish for precision, the blocks that it has in any case.
    #[must_use]
    pub fn new(study: &Study) -> Self {
        Self::of_blocks(study, study.trials)
    }

    /// The plan of so many blocks; that of fewer is its beginning.
    #[must_use]
    pub fn of_blocks(study: &Study, blocks: u32) -> Self {
        let cells = study.cells();
        let plots = plots(study, &cells);
        let mut trials = Vec::with_capacity(cells.len() * blocks as usize);
        let mut plot = 0;
        for block in 0..blocks {
            let seed = order::seed_of_block(study.seed, block);
            for index in order::of_block(study.seed, block, plots.len()) {
                let own = &plots[index];
                for (place, within) in order::of_plot(study.seed, block, index, own.len())
                    .into_iter()
                    .enumerate()
                {
                    let cell = own[within];
                    let position = trials.len() as u32;
                    trials.push(Trial {
                        cell,
                        planned: PlannedTrial {
                            trial: trial_name(study, &cell, &format!("{:03}", position + 1)),
                            block,
                            position,
                            seed,
                            factors: study.factors(&cell),
                        },
                        plot,
                        place_in_plot: place as u32,
                    });
                }
                plot += 1;
            }
        }
        Self { trials }
    }

    /// The plan as the result folder keeps it.
    #[must_use]
    pub fn to_file(&self) -> PlanFile {
        PlanFile::new(self.trials.iter().map(|trial| trial.planned.clone()).collect())
    }

    /// About how long all of it takes, pilots included. Loads and counted phases are guesses until something was measured.
    #[must_use]
    pub fn estimated_time(&self, study: &Study) -> Duration {
        let trials = self.trials.iter().map(|trial| trial.estimated_time(study));
        trials.sum::<Duration>() + pilot::estimated_time(study)
    }
}

/// About how long repetitions of disturbed trials may take in a study of this length.
#[must_use]
pub fn time_for_repeats(study: &Study, whole: Duration) -> Duration {
    if study.repeat_disturbed == 0 {
        return Duration::ZERO;
    }
    whole
        .mul_f64(study.repeat_budget)
        .min(whole * study.repeat_disturbed)
}

/// The cells of each plot, in the order of the cells.
fn plots(study: &Study, cells: &[Cell]) -> Vec<Vec<Cell>> {
    let mut plots: Vec<Vec<Cell>> = Vec::new();
    for &cell in cells {
        let shared = study.starts_for_each_block(cell.system);
        match plots
            .iter_mut()
            .find(|plot| shared && plot[0].system == cell.system)
        {
            Some(plot) => plot.push(cell),
            None => plots.push(vec![cell]),
        }
    }
    plots
}

/// About how long the lab takes to start a system's servers, one node after the other.
fn estimated_start(study: &Study, system: usize) -> Duration {
    let nodes = labs::most_nodes(std::iter::once(&study.systems[system].target));
    USUAL_START * nodes as u32
}

/// About how long one trial of a cell takes; `first` on its start, where the warm-up ends by itself.
#[must_use]
pub fn estimated_time(study: &Study, cell: &Cell, first: bool) -> Duration {
    let load_rate = study.load_rate.unwrap_or(ASSUMED_LOAD_RATE);
    let load = Duration::from_secs_f64(study.records_of(cell) as f64 / load_rate);
    let limit = study.limit_of(cell);
    let counted = limit
        .operations
        .map(|operations| Duration::from_secs_f64(operations as f64 / assumed_rate(study, cell)));
    let measured = match (counted, limit.duration) {
        (Some(counted), Some(duration)) => counted.min(duration),
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => Duration::ZERO,
    };
    let warmup = study.warm_up(cell.system);
    let usual = if first { USUAL_WARMUP } else { USUAL_WARMUP_AGAIN };
    let warmup = if warmup.until_steady {
        warmup.longest.min(usual)
    } else {
        warmup.longest
    };
    load + warmup + measured + OVERHEAD
}

fn assumed_rate(study: &Study, cell: &Cell) -> f64 {
    match study.rates[cell.rate] {
        Rate::Unlimited => ASSUMED_RATE,
        Rate::PerSecond(rate) => rate,
        Rate::Common => ASSUMED_RATE * study.common_rate,
    }
}

/// A name that sorts in the order of execution and tells the cell apart, e.g. `017-redb-a`. Factors with one level
/// are left out.
pub(crate) fn trial_name(study: &Study, cell: &Cell, number: &str) -> String {
    let mut parts = vec![
        number.to_owned(),
        file_safe(&study.systems[cell.system].name),
        file_safe(&study.workloads[cell.workload].name),
    ];
    if study.records.len() > 1 {
        parts.push(format!("n{}", study.records[cell.records]));
    }
    if study.operations.len() > 1
        && let Some(operations) = study.limit_of(cell).operations
    {
        parts.push(format!("o{operations}"));
    }
    if study.clients.len() > 1 {
        parts.push(format!("c{}", study.clients[cell.clients]));
    }
    if study.rates.len() > 1 {
        parts.push(match study.rates[cell.rate] {
            Rate::Unlimited => "rmax".to_owned(),
            Rate::PerSecond(rate) => format!("r{rate}"),
            Rate::Common => COMMON.to_owned(),
        });
    }
    if study.durabilities.len() > 1
        && let Some(durability) = study.durabilities[cell.durability]
    {
        parts.push(durability.name().to_owned());
    }
    if study.consistencies.len() > 1
        && let Some(consistency) = study.consistencies[cell.consistency]
    {
        parts.push(consistency.name().to_owned());
    }
    parts.join("-")
}

/// Letters, digits, dots and dashes only, without dashes in a row: good on every file system and in every shell.
pub(crate) fn file_safe(name: &str) -> String {
    let mut safe = String::new();
    for character in name.replace("(A/A)", "aa").chars().take(60) {
        if character.is_ascii_alphanumeric() || character == '.' {
            safe.push(character.to_ascii_lowercase());
        } else if !safe.is_empty() && !safe.ends_with('-') {
            safe.push('-');
        }
    }
    safe.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_everywhere() {
        assert_eq!(file_safe("redb (A/A)"), "redb-aa");
        assert_eq!(
            file_safe("sqlite:/tmp/x.db?durability=synced"),
            "sqlite-tmp-x.db-durability-synced"
        );
    }
}
