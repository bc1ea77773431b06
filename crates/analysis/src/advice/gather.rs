//! From result folders to candidates: which systems there are, and which of their trials are the same work.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_record::{Environment, SystemRecord, TrialRecord, TrialStatus};
use dbdyno_vocabulary::twin_original;

use super::Metric;
use super::fault::fault;
use super::metric::{is_measured_throughput, measure};
use super::need::{Need, RateChoice, RequirementKind, WorkChoice};
use crate::cost::pricing::per_million;
use crate::cost::{Prices, Pricing, Unpriced};
use crate::{StudyResults, is_same_workload};

/// A result folder.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// How it is called: its path as it was given.
    pub name: &'a str,
    /// What it holds.
    pub results: &'a StudyResults,
    /// Its machine, where it is known.
    pub environment: Option<&'a Environment>,
}

/// A system that may be chosen: one product and version with one set of promises.
#[derive(Clone, Debug)]
pub struct Candidate<'a> {
    /// Name in tables, unique.
    pub label: String,
    /// The system as it described itself.
    pub system: &'a SystemRecord,
    /// Its completed trials, each with the index of its folder.
    pub trials: Vec<(usize, &'a TrialRecord)>,
    /// What it costs; `None` where there are no prices.
    pub pricing: Option<Result<Pricing, Unpriced>>,
    /// All other attempts, pilots, and trials of its A/A twin: nothing is ranked by them, but what they lost was lost.
    pub others: Vec<&'a TrialRecord>,
}

/// What distinguishes candidates of one name: what they state about themselves, and the factors of the study that are not the work's.
type Identity = Vec<(String, String)>;

/// Factors that are the work's, or stand in the system's record.
const OF_THE_WORK: [&str; 7] = [
    "system",
    "workload",
    "records",
    "clients",
    "rate",
    "durability",
    "consistency",
];

fn identity(trial: &TrialRecord, topology: &str) -> Identity {
    let system = &trial.system;
    let own = [
        ("product", system.product.as_str()),
        ("version", &system.version),
        ("topology", topology),
        ("durability", system.durability.name()),
        ("consistency", system.consistency.name()),
    ];
    let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let mut factors = trial.spec.factors();
    factors.retain(|name, _| !OF_THE_WORK.contains(&name.as_str()));
    let factors = factors.into_iter();
    let factors = factors.map(|(name, level)| (name, level.to_string()));
    own.into_iter().chain(factors).collect()
}

fn is_twin(name: &str, names: &BTreeSet<&str>) -> bool {
    twin_original(name).is_some_and(|original| names.contains(original))
}

/// What each system of a study states about its topology at most: before its first table is there, a cluster knows less.
fn topologies(trials: &[TrialRecord]) -> BTreeMap<&str, &String> {
    let mut found: BTreeMap<&str, &String> = BTreeMap::new();
    for system in trials.iter().map(|trial| &trial.system) {
        let known = found.entry(&system.name).or_insert(&system.topology);
        if (system.topology.len(), &system.topology) > (known.len(), known) {
            *known = &system.topology;
        }
    }
    found
}

/// The record of the system that states most of its topology.
fn fullest<'a>(trials: &[(usize, &'a TrialRecord)]) -> &'a SystemRecord {
    let systems = trials.iter().map(|(_, trial)| &trial.system);
    let first = &trials[0].1.system;
    systems.fold(first, |known, system| {
        if system.topology.len() > known.topology.len() {
            system
        } else {
            known
        }
    })
}

/// Trials by what is their own: their name and when they began.
type Seen<'a> = BTreeMap<(&'a str, &'a str), Vec<&'a TrialRecord>>;

/// Whether the same record was there before: a folder that is given twice, or copied, shows nothing more.
fn is_seen<'a>(seen: &mut Seen<'a>, trial: &'a TrialRecord) -> bool {
    let same = seen.entry((&trial.trial, &trial.started_at)).or_default();
    if same.contains(&trial) {
        return true;
    }
    same.push(trial);
    false
}

/// How many trials were given more than once.
pub fn given_again(sources: &[Source<'_>]) -> usize {
    let mut seen = Seen::new();
    let trials = sources.iter().flat_map(|source| &source.results.trials);
    trials.filter(|trial| is_seen(&mut seen, trial)).count()
}

/// The candidates, in alphabetical order, of trials that count once however often they are given; A/A twins are left out, for they are
/// their originals.
pub fn candidates<'a>(sources: &[Source<'a>]) -> Vec<Candidate<'a>> {
    let mut found: BTreeMap<(&str, Identity), Vec<(usize, &TrialRecord)>> = BTreeMap::new();
    let mut others: BTreeMap<&str, Vec<&TrialRecord>> = BTreeMap::new();
    let mut seen: Seen<'_> = BTreeMap::new();
    for (index, source) in sources.iter().enumerate() {
        let trials: &'a [TrialRecord] = &source.results.trials;
        let topologies = topologies(trials);
        let names: BTreeSet<&str> = trials.iter().map(|trial| trial.system.name.as_str()).collect();
        for trial in trials {
            let name = trial.system.name.as_str();
            if is_seen(&mut seen, trial) {
                continue;
            }
            if trial.status == TrialStatus::Completed && !is_twin(name, &names) {
                let identity = identity(trial, topologies.get(name).unwrap_or(&&trial.system.topology));
                found.entry((name, identity)).or_default().push((index, trial));
            } else {
                let name = twin_original(name)
                    .filter(|_| is_twin(name, &names))
                    .unwrap_or(name);
                others.entry(name).or_default().push(trial);
            }
        }
        for pilot in &source.results.pilots {
            let name = pilot.system.name.as_str();
            let name = twin_original(name).unwrap_or(name);
            others.entry(name).or_default().push(pilot);
        }
    }
    let keys: Vec<(&str, Identity)> = found.keys().cloned().collect();
    found
        .into_iter()
        .map(|((name, own), mut trials)| {
            trials.sort_by_key(|(source, trial)| (*source, trial.block, trial.position));
            Candidate {
                label: label(name, &own, &keys),
                system: fullest(&trials),
                trials,
                pricing: None,
                others: others.get(name).cloned().unwrap_or_default(),
            }
        })
        .collect()
}

/// The candidates with what they cost.
pub fn with_prices<'a>(mut candidates: Vec<Candidate<'a>>, prices: Option<&Prices>) -> Vec<Candidate<'a>> {
    for one in &mut candidates {
        // Before its first table is there, a cluster may know less of itself.
        let nodes = one
            .trials
            .iter()
            .filter_map(|(_, trial)| trial.system.node_count());
        let base = one
            .trials
            .iter()
            .find_map(|(_, trial)| trial.spec.system.base.as_deref());
        let names: Vec<&str> = std::iter::once(one.system.name.as_str()).chain(base).collect();
        one.pricing = prices.map(|prices| Pricing::of(prices, &names, nodes.max()));
    }
    candidates
}

impl Candidate<'_> {
    /// The number of a trial of its; `None` where it was not measured, or has no price.
    #[must_use]
    pub fn figure(&self, metric: Metric, trial: &TrialRecord) -> Option<f64> {
        match metric {
            Metric::Cost => {
                let operations = self.pricing?.ok()?.operations_per_unit(trial).ok()?;
                Some(per_million(operations))
            }
            _ => measure(metric, trial),
        }
    }
}

/// The name, with whatever distinguishes it from others of the same name.
fn label(name: &str, own: &Identity, all: &[(&str, Identity)]) -> String {
    let same: Vec<&Identity> = all
        .iter()
        .filter(|(other, _)| *other == name)
        .map(|(_, of)| of)
        .collect();
    let differs = |part: &&(String, String)| same.iter().any(|other| !other.contains(part));
    let parts: Vec<String> = own
        .iter()
        .filter(differs)
        .map(|(what, value)| match what.as_str() {
            _ if value.is_empty() => format!("no {what}"),
            "version" | "durability" | "consistency" | "topology" => value.clone(),
            _ => format!("{what} {value}"),
        })
        .collect();
    if parts.is_empty() {
        name.to_owned()
    } else {
        format!("{name} ({})", parts.join(", "))
    }
}

/// The valid trials of a candidate that did this work.
pub fn of_work<'a>(candidate: &Candidate<'a>, work: &WorkChoice) -> Vec<(usize, &'a TrialRecord)> {
    let mut trials = did_work(candidate, work);
    trials.retain(|(_, trial)| fault(trial).is_none());
    trials
}

/// All completed trials of a candidate that did this work, with the invalid ones.
pub fn did_work<'a>(candidate: &Candidate<'a>, work: &WorkChoice) -> Vec<(usize, &'a TrialRecord)> {
    let trials = candidate.trials.iter().copied();
    trials.filter(|(_, trial)| does_work(trial, work)).collect()
}

/// Whether a trial is of this work.
pub fn does_work(trial: &TrialRecord, work: &WorkChoice) -> bool {
    let rate = match work.rate {
        None => true,
        Some(RateChoice::Unlimited) => trial.spec.rate().is_none(),
        Some(RateChoice::PerSecond(rate)) => trial.spec.rate() == Some(rate),
        Some(RateChoice::Common) => trial.spec.common_rate,
    };
    is_same_workload(&trial.workload.name, &work.workload)
        && work
            .records
            .is_none_or(|records| trial.workload.records == records)
        && work.clients.is_none_or(|clients| trial.spec.clients == clients)
        && rate
}

/// Properties that say how a workload is run, not what it is.
pub fn of_the_run(property: &str) -> bool {
    [
        "recordcount",
        "operationcount",
        "threadcount",
        "target",
        "maxexecutiontime",
        "insertcount",
    ]
    .contains(&property)
}

/// The need with the rates that it leaves open, where only one can be meant: latency is comparable at a rate alone, throughput
/// without one. The common rate of the results becomes that rate, so that later trials at it join in.
pub fn with_rates(need: &Need, candidates: &[Candidate<'_>]) -> Need {
    let mut need = need.clone();
    for goal in &mut need.goals {
        goal.work.rate = rate_meant(goal.metric, &goal.work, candidates);
    }
    for requirement in &mut need.requirements {
        if let RequirementKind::Objective { objective, work } = &mut requirement.kind {
            work.rate = rate_meant(objective.metric, work, candidates);
        }
    }
    need
}

fn rate_meant(metric: Metric, work: &WorkChoice, candidates: &[Candidate<'_>]) -> Option<RateChoice> {
    let trials = || candidates.iter().flat_map(|one| did_work(one, work));
    let rates: BTreeSet<u64> = trials()
        .filter_map(|(_, trial)| trial.spec.rate().map(f64::to_bits))
        .collect();
    let is_closed = trials().any(|(_, trial)| trial.spec.rate().is_none());
    let only = || {
        let rate = rates.first().filter(|_| rates.len() == 1)?;
        Some(RateChoice::PerSecond(f64::from_bits(*rate)))
    };
    match work.rate {
        Some(RateChoice::Common) => only().or(work.rate),
        None if is_closed && metric.is_latency() => only(),
        None if is_closed && is_measured_throughput(metric) && !rates.is_empty() => {
            Some(RateChoice::Unlimited)
        }
        stated => stated,
    }
}
