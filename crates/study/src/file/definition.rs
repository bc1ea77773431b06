//! A study as asked for: every choice checked, nothing run yet.

use std::collections::BTreeMap;
use std::time::Duration;

use dbdyno_driver::{Consistency, Durability, Target};
use dbdyno_record::PlannedPaper;
use dbdyno_record::study::Kind;
use dbdyno_trial::{LevelOrder, TrialSpec};
use dbdyno_workload::arrivals::Arrivals;
use dbdyno_workload::properties::Properties;

pub use dbdyno_trial::WarmUp;

/// Systems x workloads x records x operations x clients x rates x durabilities x consistencies, each cell measured `trials`
/// times.
#[derive(Clone, Debug)]
pub struct Study {
    /// Names the result folder.
    pub name: String,
    /// One line for people, where it has one.
    pub title: Option<String>,
    /// Everything random in the study follows from it: order, operations, keys, values.
    pub seed: u64,
    /// Blocks: every cell is measured once in each.
    pub trials: u32,
    /// Numbers of trials after which more were added, although all of them had run; only the result folder knows them.
    pub extended_after: Vec<u32>,
    /// The systems; with `aa = true` one of them a second time under another name.
    pub systems: Vec<System>,
    /// The workloads.
    pub workloads: Vec<WorkloadChoice>,
    /// Levels of the factor `records`; empty: what each workload says.
    pub records: Vec<u64>,
    /// Levels of the factor `clients`.
    pub clients: Vec<u32>,
    /// Levels of the factor `rate` of all workloads together.
    pub rates: Vec<Rate>,
    /// The share of the slowest system's closed-loop throughput that is the common rate.
    pub common_rate: f64,
    /// Levels of the factor `durability`; `None` is the system's default.
    pub durabilities: Vec<Option<Durability>>,
    /// Levels of the factor `consistency`; `None` is the system's default.
    pub consistencies: Vec<Option<Consistency>>,
    /// How arrivals of an open loop are spaced.
    pub arrivals: Arrivals,
    /// Levels of the factor `operations`: how many of them end the measured phase. Empty: only its duration does.
    pub operations: Vec<Operations>,
    /// The longest warm-up of servers, which ends once they are steady, where the study does not say how long to warm up.
    pub server_warmup: Option<Duration>,
    /// When the lab starts the servers of its systems.
    pub restart: Restart,
    /// How the trials of a comparison take turns.
    pub order: Order,
    /// The memory that the lab's servers may take together, bytes, where their systems run in batches; `None`: all at once.
    pub memory_of_batches: Option<u64>,
    /// The measured part of each slice of interleaved trials; `None`: as their operations need.
    pub slice: Option<Duration>,
    /// With a target precision `trials` is the least.
    pub precision: Option<Precision>,
    /// The time that the study may take, by which `trials` and `duration` are chosen.
    pub budget: Option<Budget>,
    /// Records loaded per second, as earlier trials did; `None`: not known.
    pub load_rate: Option<f64>,
    /// How often a trial that the machine disturbed is repeated.
    pub repeat_disturbed: u32,
    /// How much of the study's estimated time these repetitions may take together, as a share.
    pub repeat_budget: f64,
    /// The question: a comparison of cells, a capacity, a sweep.
    pub kind: Kind,
    /// What every trial is asked alike, such as its warm-up and how long the measured phase is at most; the levels of its cell take
    /// the place of the rest.
    pub shared: TrialSpec,
    /// Whether it is cut down to a quick look, which decides nothing.
    pub quick: bool,
    /// Which published study it measures again.
    pub paper: Option<PlannedPaper>,
    /// The levels of its factors in the order of its file.
    pub levels: LevelOrder,
}

/// Blocks are added until intervals are this narrow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// The half-width that every interval is to have, as a share.
    pub share: f64,
    /// Blocks at most.
    pub most_trials: u32,
    /// Time that loads, warm-ups and measured phases may take together.
    pub budget: Option<Duration>,
}

/// The time that a comparison may take, repetitions of disturbed trials included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// In all, as estimated.
    pub time: Duration,
    /// The noise that blocks and phases were chosen for; `None` while they are not chosen.
    pub noise: Option<PlannedNoise>,
}

/// The noise for which a budget was planned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannedNoise {
    /// Standard deviation of a trial's logarithm.
    pub noise: f64,
    /// Where it is from.
    pub source: NoiseSource,
}

/// One system under test.
#[derive(Clone, Debug)]
pub struct System {
    /// In tables, unique in the study.
    pub name: String,
    /// Where it is. Its own durability and consistency, when it has them, win over the study's.
    pub target: Target,
    /// Levels of factors that distinguish it from other systems of its product, e.g. `encryption = on`.
    pub factors: BTreeMap<String, String>,
    /// The system that it is compared with, and no other: see [`SystemSpec::base`](dbdyno_trial::SystemSpec).
    pub base: Option<String>,
}

impl System {
    /// A system with nothing more to say than its address, which names it.
    pub(crate) fn of(target: &Target) -> Self {
        Self {
            name: target.to_string(),
            target: target.clone(),
            factors: BTreeMap::new(),
            base: None,
        }
    }
}

/// One workload, as properties from which a specification is made for every number of records.
#[derive(Clone, Debug)]
pub struct WorkloadChoice {
    /// In tables, unique in the study.
    pub name: String,
    /// Base file, the study's properties and the workload's own, in this order.
    pub properties: Properties,
    /// Records when the study has no factor `records`.
    pub records: u64,
    /// Its own levels of the factor `rate`, among [`Study::rates`]; empty: all of them.
    pub rates: Vec<Rate>,
}

impl Study {
    /// Its title; without one, its name.
    #[must_use]
    pub fn heading(&self) -> &str {
        self.title.as_ref().unwrap_or(&self.name)
    }

    /// The system of a trial.
    #[must_use]
    pub fn system_of(&self, spec: &TrialSpec) -> &System {
        &self.systems[self.position_of(spec)]
    }

    /// The position of a trial's system among those of the study.
    pub(crate) fn position_of(&self, spec: &TrialSpec) -> usize {
        let own = |system: &System| system.name == spec.system.name;
        self.systems
            .iter()
            .position(own)
            .expect("trials are made of the study's systems")
    }

    /// The workload of a trial.
    #[must_use]
    pub fn workload_of(&self, spec: &TrialSpec) -> &WorkloadChoice {
        let own = |workload: &&WorkloadChoice| workload.name == spec.workload;
        self.workloads
            .iter()
            .find(own)
            .expect("trials are made of the study's workloads")
    }

    /// Whether the lab starts the servers of a system anew for every block.
    #[must_use]
    pub fn starts_for_each_block(&self, system: &System) -> bool {
        self.restart == Restart::Block
            && self.kind == Kind::Comparison
            && system.target.scheme == address::SCHEME
    }

    /// The memory that the lab's servers of all systems may take together, bytes.
    #[must_use]
    pub fn memory_of_servers(&self) -> u64 {
        let of = |system: &System| address::memory_bytes(&system.target);
        self.systems.iter().map(of).sum()
    }

    /// The warm-up of a system.
    #[must_use]
    pub fn warm_up(&self, system: &System) -> WarmUp {
        let of_servers = self.server_warmup.filter(|_| address::is_server(&system.target));
        of_servers.map_or(self.shared.warmup, |longest| WarmUp {
            longest,
            until_steady: true,
        })
    }

    /// The system of a trial as its driver is asked for it, with secrets, durability and consistency.
    #[must_use]
    pub fn target(&self, spec: &TrialSpec) -> Target {
        let mut target = self.system_of(spec).target.clone();
        target.durability = target.durability.or(spec.durability);
        target.consistency = target.consistency.or(spec.consistency);
        target
    }
}

pub use dbdyno_files::values::{NoiseSource, Operations, Order, Rate, Restart};
pub use dbdyno_record::plan::SYSTEM_FACTOR;

/// How a rate says "one rate for all systems, found by pilots", and "as fast as it can: a closed loop".
pub use dbdyno_record::pilot::{COMMON, UNLIMITED};

use crate::address;
