//! Which trials a study consists of, in which order, and about how long they take.
//!
//! A block is a random order of *plots*, and a plot is what shares one start of servers: all cells of a system whose servers the lab
//! starts for every block, in random order, or one cell of any other system (a split-plot design: Fisher 1925; Jones and
//! Nachtsheim, "Split-Plot Designs: What, Why, and How", Journal of Quality Technology 41, 2009).

pub(crate) mod analysis;
pub mod budget;
pub mod known;
pub(crate) mod order;
pub mod pilot;
pub mod power;
pub mod reference;
mod stored;
pub(crate) mod turns;
pub mod window;

use std::collections::BTreeSet;
use std::time::Duration;

use dbdyno_record::plan::repetition_name;
use dbdyno_record::{PlanFile, PlannedTrial};
use dbdyno_trial::{Reset, TrialSpec};
use dbdyno_vocabulary::twin_original;

pub use stored::stored;

use crate::address;
use crate::file::definition::{COMMON, Order, Study, System};

/// Inserts per second assumed for the estimate of time; current embedded stores load 50,000 to 500,000.
const ASSUMED_LOAD_RATE: f64 = 100_000.0;
/// Inserts per second assumed for a server of one node, where each record costs a round trip; nodes on one machine share its
/// processors.
const ASSUMED_SERVER_LOAD_RATE: f64 = 10_000.0;
/// Operations per second assumed when a trial ends by count in a closed loop.
const ASSUMED_RATE: f64 = 100_000.0;
/// How long the first warm-up usually takes where the lab does not know the system.
const USUAL_WARMUP: Duration = Duration::from_secs(20);
/// How long a warm-up on servers that are warm already usually takes: 2.3 s in the median of any server on one node, 2.3 to 5.5 s on
/// three (`studies/which-database.toml` and the rerun of abramova-2013, on two CPUs).
const USUAL_WARMUP_AGAIN: Duration = Duration::from_secs(3);
/// Opening, dropping the table, flushing, writing the record.
const OVERHEAD: Duration = Duration::from_millis(300);

/// One trial to come: what it is asked to do, and what names it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Its specification, name and place, as the result folder knows them.
    pub planned: PlannedTrial,
    /// Its plot's number in the study, from 0.
    pub plot: u32,
    /// Its place in the plot, from 0.
    pub place_in_plot: u32,
    /// Its servers have done nothing in this study before: they are cold.
    pub first_on_servers: bool,
    /// The number of the group of trials with which it takes turns, from 0; `None`: it is measured in one stretch.
    pub group: Option<u32>,
}

impl Trial {
    /// Whether the servers of its system are started for its plot.
    #[must_use]
    pub fn shares_start(&self, study: &Study) -> bool {
        study.starts_for_each_block(study.system_of(&self.planned.spec))
    }

    /// About how long it takes, with the start and the first warm-up of the servers where it is the first on them.
    #[must_use]
    pub fn estimated_time(&self, study: &Study) -> Duration {
        let start = if self.first_on_servers {
            estimated_start(study.system_of(&self.planned.spec))
        } else {
            Duration::ZERO
        };
        start + estimated_time(study, &self.planned.spec, self.first_on_servers)
    }

    /// The trial of a cell at this position, from 0, in a plot that is its block.
    fn of_block(study: &Study, spec: &TrialSpec, block: u32, position: usize) -> Self {
        Self {
            planned: PlannedTrial {
                trial: trial_name(study, spec, &format!("{:03}", position + 1)),
                block,
                position: position as u32,
                seed: order::seed_of_block(study.seed, block),
                spec: spec.clone(),
            },
            plot: block,
            place_in_plot: position as u32,
            first_on_servers: false,
            group: None,
        }
    }

    /// Its `number`-th attempt, from 1.
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
    /// The plan of a study: a pure function of it. With a target precision, the blocks that it has in any case.
    #[must_use]
    pub fn new(study: &Study) -> Self {
        Self::of_blocks(study, study.trials)
    }

    /// The plan of so many blocks; that of fewer is its beginning.
    #[must_use]
    pub fn of_blocks(study: &Study, blocks: u32) -> Self {
        if study.order == Order::Interleaved {
            return Self::in_turns(study, blocks);
        }
        let plots = plots(study, study.cells());
        let cells: usize = plots.iter().map(Vec::len).sum();
        let mut trials = Vec::with_capacity(cells * blocks as usize);
        let mut begun = BTreeSet::new();
        let mut plot = 0;
        for block in 0..blocks {
            for index in order::of_block(study.seed, block, plots.len()) {
                let own = &plots[index];
                let mut order = order::of_plot(study.seed, block, index, own.len());
                loaded_first(&mut order, |place| own[place].is_closed_loop());
                for (place, within) in order.into_iter().enumerate() {
                    let spec = &own[within];
                    let system = study.system_of(spec);
                    let first_on_servers = if study.starts_for_each_block(system) {
                        place == 0
                    } else {
                        !address::is_server(&system.target) || begun.insert(&system.name)
                    };
                    trials.push(Trial {
                        plot,
                        place_in_plot: place as u32,
                        first_on_servers,
                        ..Trial::of_block(study, spec, block, trials.len())
                    });
                }
                plot += 1;
            }
        }
        Self { trials }
    }

    /// The plan of a study whose systems are measured in turns: a block is a random order of cells, and all servers that it starts
    /// run until its end. Where they do not fit into the memory together, a block takes one batch of systems after the other.
    fn in_turns(study: &Study, blocks: u32) -> Self {
        let cells = turns::groups(study.cells());
        let mut trials: Vec<Trial> = Vec::new();
        let mut begun = BTreeSet::new();
        let (mut plot, mut groups) = (0, 0);
        for block in 0..blocks {
            for batch in turns::batches(study, block) {
                begun.retain(|&position: &usize| !study.starts_for_each_block(&study.systems[position]));
                let mut of_batch = order::of_block(study.seed, block, cells.len());
                loaded_first(&mut of_batch, |index| cells[index][0].is_closed_loop());
                for index in of_batch {
                    let order = order::of_plot(study.seed, block, index, cells[index].len());
                    let own = order.into_iter().map(|within| &cells[index][within]);
                    let own: Vec<(usize, &TrialSpec)> = own
                        .map(|spec| (study.position_of(spec), spec))
                        .filter(|(position, _)| batch.contains(position))
                        .collect();
                    let group = (own.len() > 1).then_some(groups);
                    groups += 1;
                    for (position, spec) in own {
                        let is_server = address::is_server(&study.systems[position].target);
                        let first_on_servers = !is_server || begun.insert(position);
                        trials.push(Trial {
                            plot,
                            first_on_servers,
                            group,
                            ..Trial::of_block(study, spec, block, trials.len())
                        });
                    }
                }
                plot += 1;
            }
        }
        Self { trials }
    }

    /// The plan as the result folder keeps it.
    #[must_use]
    pub fn to_file(&self, study: &Study) -> PlanFile {
        PlanFile::new(
            study.planned(),
            self.trials.iter().map(|trial| trial.planned.clone()).collect(),
        )
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

/// Lets the first closed loop change places with a trial with a rate that would be the first on its start: at a low rate servers
/// seem warm, because their compilers have little to do.
fn loaded_first(order: &mut [usize], is_closed_loop: impl Fn(usize) -> bool) {
    if let Some(place) = order.iter().position(|&place| is_closed_loop(place)) {
        order.swap(0, place);
    }
}

/// The cells of each plot, in the order of the cells.
fn plots(study: &Study, cells: Vec<TrialSpec>) -> Vec<Vec<TrialSpec>> {
    let mut plots: Vec<Vec<TrialSpec>> = Vec::new();
    for cell in cells {
        let shared = study.starts_for_each_block(study.system_of(&cell));
        match plots
            .iter_mut()
            .find(|plot| shared && plot[0].system.name == cell.system.name)
        {
            Some(plot) => plot.push(cell),
            None => plots.push(vec![cell]),
        }
    }
    plots
}

/// About how long the lab takes to start a system's servers, one node after the other.
fn estimated_start(system: &System) -> Duration {
    let usual_start = address::recipe_info(&system.target).map_or(Duration::ZERO, |info| info.usual_start);
    usual_start * nodes(system)
}

/// About how long its clients have to work until a system is warm: nodes on one machine share its processors.
fn usual_warmup(system: &System) -> Duration {
    address::recipe_info(&system.target).map_or(USUAL_WARMUP, |info| info.usual_warmup * nodes(system))
}

fn nodes(system: &System) -> u32 {
    address::most_nodes(std::iter::once(&system.target)) as u32
}

/// About how long a trial takes; `first` on its start, where the warm-up ends by itself.
#[must_use]
pub fn estimated_time(study: &Study, spec: &TrialSpec, first: bool) -> Duration {
    let (system, warmup, limit) = (study.system_of(spec), spec.warmup, spec.limit);
    let is_server = address::is_server(&system.target);
    // Servers are warmed up before their first trial, which then begins with a load of its own.
    let loads = match (first && is_server && warmup.until_steady, spec.reset) {
        (true, Reset::Fresh) => 2,
        (true, Reset::Reuse) | (false, Reset::Fresh) => 1,
        (false, Reset::Reuse) => u32::from(first),
    };
    let load = loads * seconds(spec.records as f64 / load_rate(study, system));
    let counted = limit
        .operations
        .map(|operations| seconds(operations as f64 / assumed_rate(study, spec)));
    let measured = match (counted, limit.duration) {
        (Some(counted), Some(duration)) => counted.min(duration),
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => Duration::ZERO,
    };
    let usual = match (first, is_server) {
        (true, true) => usual_warmup(system).min(warmup.longest) + USUAL_WARMUP_AGAIN,
        (true, false) => USUAL_WARMUP.min(warmup.longest),
        (false, _) => USUAL_WARMUP_AGAIN.min(warmup.longest),
    };
    let warmup = if warmup.until_steady {
        usual
    } else {
        warmup.longest
    };
    load + warmup + measured + looks(study, limit.duration) + OVERHEAD
}

/// So many seconds, or as many as an estimate needs: sums of a few thousand of them are still times.
fn seconds(seconds: f64) -> Duration {
    const CENTURIES: f64 = 1e10;
    Duration::from_secs_f64(seconds.clamp(0.0, CENTURIES))
}

/// How long a trial waits to see how fast the machine is, before and after it.
fn looks(study: &Study, measured: Option<Duration>) -> Duration {
    if reference::is_looked_at(study) {
        reference::span(measured) * 2
    } else {
        Duration::ZERO
    }
}

/// Records loaded per second, as far as that is known.
#[must_use]
pub fn load_rate(study: &Study, system: &System) -> f64 {
    let assumed = if address::is_server(&system.target) {
        ASSUMED_SERVER_LOAD_RATE / f64::from(nodes(system).max(1))
    } else {
        ASSUMED_LOAD_RATE
    };
    study.load_rate.unwrap_or(assumed)
}

fn assumed_rate(study: &Study, spec: &TrialSpec) -> f64 {
    match spec.pace {
        Some(pace) => pace.rate,
        None if spec.is_closed_loop() => ASSUMED_RATE,
        None => ASSUMED_RATE * study.common_rate,
    }
}

/// A name that sorts in the order of execution and identifies the cell, e.g. `017-redb-a`. Factors with one level
/// are left out.
pub(crate) fn trial_name(study: &Study, spec: &TrialSpec, number: &str) -> String {
    let mut parts = vec![
        number.to_owned(),
        file_safe(&spec.system.name),
        file_safe(&spec.workload),
    ];
    if study.records.len() > 1 {
        parts.push(format!("n{}", spec.records));
    }
    if study.operations.len() > 1
        && let Some(operations) = spec.limit.operations
    {
        parts.push(format!("o{operations}"));
    }
    if study.clients.len() > 1 {
        parts.push(format!("c{}", spec.clients));
    }
    if study.rates.len() > 1 {
        parts.push(match spec.pace {
            _ if spec.common_rate => COMMON.to_owned(),
            Some(pace) => format!("r{}", pace.rate),
            None => "rmax".to_owned(),
        });
    }
    if study.durabilities.len() > 1
        && let Some(durability) = spec.durability
    {
        parts.push(durability.name().to_owned());
    }
    if study.consistencies.len() > 1
        && let Some(consistency) = spec.consistency
    {
        parts.push(consistency.name().to_owned());
    }
    parts.join("-")
}

/// Letters, digits, dots and dashes only, without dashes in a row: good on every file system and in every shell.
pub(crate) fn file_safe(name: &str) -> String {
    let mut safe = String::new();
    let of_twin = twin_original(name).map(|original| format!("{original} aa"));
    for character in of_twin.as_deref().unwrap_or(name).chars().take(60) {
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
    use std::path::Path;

    use dbdyno_driver::Target;

    use super::*;

    /// The estimate of a study of one system, seconds.
    fn estimated_seconds(address: &str, keys: &str) -> u64 {
        let text = format!(
            "name = \"x\"\nsystems = [\"{address}\"]\nworkloads = [\"a\", \"d\", \"c\"]\nrecords = \"100k\"\nduration = \"5s\"\ntrials = 4\n{keys}"
        );
        let study = crate::file::parse(&text, Path::new(".")).unwrap_or_else(|mistake| panic!("{mistake:?}"));
        Plan::new(&study).estimated_time(&study).as_secs()
    }

    #[test]
    fn servers_start_and_warm_up_once_for_their_plot() {
        let recipe = address::recipe_info(&Target::parse("lab:cassandra").unwrap()).unwrap();
        let start = (recipe.usual_start + recipe.usual_warmup).as_secs();
        // A load for the warm-up; loads of 10 s, short warm-ups and phases for three trials.
        let (start, plot) = (start + 10, 3 * (10 + 3 + 5));
        // Of twelve trials, 0.3 s of overhead and two looks of 0.25 s at the machine each.
        assert_eq!(estimated_seconds("lab:cassandra", ""), 4 * (start + plot) + 9);
        assert_eq!(
            estimated_seconds("lab:cassandra", "restart = \"study\""),
            start + 4 * plot + 9
        );
    }

    #[test]
    fn nodes_on_one_machine_load_more_slowly() {
        let recipe = address::recipe_info(&Target::parse("lab:cassandra").unwrap()).unwrap();
        // The warm-up would take three times as long, too, and ends at its limit of 2 min.
        let start = 3 * recipe.usual_start.as_secs() + 120 + 30;
        let plot = 3 * (30 + 3 + 5);
        let three_nodes = "lab:cassandra?nodes=3&replication=3";
        assert_eq!(estimated_seconds(three_nodes, ""), 4 * (start + plot) + 9);
    }

    #[test]
    fn names_are_safe_everywhere() {
        assert_eq!(file_safe("redb (A/A)"), "redb-aa");
        assert_eq!(
            file_safe("sqlite:/tmp/x.db?durability=synced"),
            "sqlite-tmp-x.db-durability-synced"
        );
    }
}
