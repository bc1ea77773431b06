//! What a protection costs a candidate, where its study measured the same system without it.

use std::collections::BTreeMap;

use dbdyno_record::TrialRecord;
use dbdyno_trial::FactorLevels;

use super::fault::fault;
use super::gather::Candidate;
use super::judged::Context;
use super::why::Cost;
use crate::baseline;
use crate::rates::throughput;
use crate::{Metric, Summary, compare_systems, summarise_trials};

/// Trials of one folder and one work, by that work's factors.
type Works<'a> = BTreeMap<(usize, (&'a str, FactorLevels)), Vec<&'a TrialRecord>>;

/// The throughput of a candidate relative to its baseline, work by work; `None` where no study measured it at several levels, or it is
/// the baseline. An estimate: no verdict is made of it.
pub fn price(candidate: &Candidate<'_>, context: &Context<'_, '_>) -> Option<Cost> {
    let base = base_of(candidate)?;
    let own = works(candidate);
    let baselines = context
        .candidates
        .iter()
        .filter(|other| other.system.name == base && base_of(other).is_none());
    let of_bases: Vec<Works<'_>> = baselines.map(works).collect();
    let mut priced = Vec::new();
    for ((folder, work), trials) in &own {
        let base_trials = of_bases.iter().find_map(|works| {
            works
                .iter()
                .find(|((other, others), _)| other == folder && others == work)
        });
        let Some((_, base_trials)) = base_trials else {
            continue;
        };
        let (Some(level), Some(plain)) = (summary(trials), summary(base_trials)) else {
            continue;
        };
        let compared = compare_systems(
            Metric::Throughput,
            (&candidate.system.name, &level),
            (base, &plain),
            1,
        );
        priced.extend(compared.map(|compared| (work.0.to_owned(), compared.ratio, compared.interval)));
    }
    (!priced.is_empty()).then(|| Cost {
        base: base.to_owned(),
        works: priced,
    })
}

/// The baseline of a candidate that is a level of something; `None` for baselines themselves, and where nothing was varied.
fn base_of<'a>(candidate: &Candidate<'a>) -> Option<&'a str> {
    let (_, trial) = candidate.trials.first()?;
    baseline::of_trial(trial).filter(|base| *base != candidate.system.name)
}

/// The valid trials of closed loops, work by work.
fn works<'a>(candidate: &Candidate<'a>) -> Works<'a> {
    let mut works = Works::new();
    for (folder, trial) in &candidate.trials {
        if trial.spec.rate().is_some() || fault(trial).is_some() {
            continue;
        }
        let work = (*folder, trial.spec.cell());
        works.entry(work).or_default().push(*trial);
    }
    works
}

fn summary(trials: &[&TrialRecord]) -> Option<Summary> {
    let values: Vec<(&TrialRecord, f64)> = trials
        .iter()
        .filter_map(|trial| Some((*trial, throughput(trial)?)))
        .collect();
    summarise_trials(&values)
}
