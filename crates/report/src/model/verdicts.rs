//! Who is best in a cell, among those that promise the same.

use std::collections::BTreeMap;

use dbdyno_record::TrialRecord;

use super::metric::JUDGED;
use super::{
    Cell, CellSystem, Comparison, Metric, MetricVerdict, Summary, System, Tone, Unranked, Word, flags,
    sentences, speed, validity, varied,
};
use crate::correction::correct;

/// The metrics that are compared pair by pair.
const COMPARED: [Metric; 4] = [
    Metric::Throughput,
    Metric::LatencyP99,
    Metric::LatencyP50,
    Metric::LoadThroughput,
];

/// The systems of a cell that may be compared, by what they promise: indices into its systems.
type Groups = BTreeMap<String, Vec<usize>>;

/// Two of a cell's systems, and why the metric does not rank them.
type Pair = (usize, usize, Option<Unranked>);

/// Compares the systems of every cell, corrects the comparisons of each metric for their number in the whole study, and says
/// who is best where. `trials` are those that count, cell by cell. A/A twins are left out: they would make every leader
/// undecided against itself. `across_promises` takes all systems as one group, whatever they promise. Where the study varies
/// options of servers, each level is compared with its baseline alone.
pub fn judge(systems: &[System], cells: &mut [Cell], trials: &[Vec<&TrialRecord>], across_promises: bool) {
    let groups: Vec<Groups> = cells
        .iter()
        .zip(trials)
        .map(|(cell, trials)| groups(systems, &cell.systems, trials, across_promises))
        .collect();
    let is_varied = varied::is_varied(systems);
    for metric in COMPARED {
        let pairs_of = |(cell, groups): (&Cell, &Groups)| -> Vec<Pair> {
            groups
                .values()
                .flat_map(|group| match is_varied {
                    true => varied::pairs(metric, group, &cell.systems, systems),
                    false => pairs(metric, group, &cell.systems),
                })
                .collect()
        };
        let all: Vec<Vec<Pair>> = cells
            .iter()
            .zip(&groups)
            .zip(trials)
            .map(|(judged, trials)| match flags::seeds_differ(trials) {
                true => Vec::new(),
                false => pairs_of(judged),
            })
            .collect();
        // What is not judged belongs to no family of tests.
        let family = all.iter().flatten().filter(|(.., why)| why.is_none()).count();
        for (cell, pairs) in cells.iter_mut().zip(all) {
            for (a, b, why) in pairs {
                let (a, b) = (&cell.systems[a], &cell.systems[b]);
                let compared = speed::compare(metric, a, b, family.max(1));
                cell.comparisons.extend(compared.map(|mut comparison| {
                    if let Some(why) = why {
                        why.refuse(&mut comparison);
                    }
                    comparison
                }));
            }
        }
    }
    correct(cells.iter_mut().flat_map(|cell| &mut cell.comparisons));
    for ((cell, trials), groups) in cells.iter_mut().zip(trials).zip(&groups) {
        validity::restrain(&mut cell.comparisons, systems, &cell.systems, trials);
        cell.verdicts = match is_varied && !flags::seeds_differ(trials) {
            true => varied::verdicts(cell, systems),
            false => verdicts(cell, groups, trials),
        };
    }
}

fn groups(
    systems: &[System],
    measured: &[CellSystem],
    trials: &[&TrialRecord],
    across_promises: bool,
) -> Groups {
    let mut groups = Groups::new();
    for (index, own) in measured.iter().enumerate() {
        let twin = |system: &System| system.name == own.name && system.twin_of.is_none();
        if !systems.iter().any(twin) {
            continue;
        }
        let promise = if across_promises {
            String::new()
        } else {
            let promise = flags::promise_of(&own.name, trials);
            if flags::states_promise(&own.name, trials) {
                promise
            } else {
                // Nothing is known to promise the same as what does not say what it promises.
                format!("{promise} for {}", own.name)
            }
        };
        groups.entry(promise).or_default().push(index);
    }
    groups
}

/// Sentences, by metric and group of comparable systems.
fn verdicts(cell: &Cell, groups: &Groups, trials: &[&TrialRecord]) -> Vec<MetricVerdict> {
    let seeds_differ = flags::seeds_differ(trials);
    let candidates: Vec<&CellSystem> = groups
        .values()
        .flatten()
        .map(|index| &cell.systems[*index])
        .collect();
    let mut verdicts = Vec::new();
    for metric in JUDGED {
        if seeds_differ && candidates.len() > 1 {
            verdicts.push(refused(
                metric,
                &candidates,
                "the systems did not receive the same operations (seeds differ)",
            ));
            continue;
        }
        // Said once, whatever the systems promise.
        if let Some(why) = unranked(metric, &candidates).filter(Unranked::is_by_design) {
            verdicts.push(not_comparable(metric, &candidates, why));
            continue;
        }
        for (promise, group) in groups {
            let group: Vec<&CellSystem> = group.iter().map(|index| &cell.systems[*index]).collect();
            let verdict = one(metric, &group, &cell.comparisons);
            let alone = group.len() == 1 && groups.len() > 1;
            verdicts.extend(match verdict {
                Some(_) if alone => Some(refused_alone(metric, group[0], promise)),
                Some(verdict) if verdict.unranked.is_some() => Some(verdict),
                Some(mut verdict) => {
                    if groups.len() > 1 {
                        verdict.sentence = format!("Among systems with {promise}: {}", verdict.sentence);
                    }
                    if let (Tone::Plain, Some(why)) =
                        (verdict.tone, validity::invalid(&group[0].name, trials))
                    {
                        verdict
                            .sentence
                            .push_str(&format!(" Not to be relied on: {why}."));
                    }
                    Some(verdict)
                }
                None => None,
            });
        }
    }
    verdicts
}

/// Why a metric of these systems cannot be ranked; one system alone is ranked with nothing.
fn unranked(metric: Metric, group: &[&CellSystem]) -> Option<Unranked> {
    let paces = group.iter().map(|system| (system.name.as_str(), system.pace));
    (group.len() > 1).then(|| Unranked::new(metric, paces)).flatten()
}

/// All pairs of a group that have the metric, the better median first.
fn pairs(metric: Metric, group: &[usize], systems: &[CellSystem]) -> Vec<Pair> {
    let members: Vec<&CellSystem> = group.iter().map(|index| &systems[*index]).collect();
    let why = unranked(metric, &members);
    let place = |name: &str| systems.iter().position(|system| system.name == name);
    let ranked: Vec<usize> = ranked(metric, &members)
        .into_iter()
        .filter_map(|(system, _)| place(&system.name))
        .collect();
    let mut pairs = Vec::new();
    for (index, first) in ranked.iter().enumerate() {
        let others = ranked[index + 1..].iter();
        pairs.extend(others.map(|second| (*first, *second, why.clone())));
    }
    pairs
}

/// Systems that have the metric, best median first, as they are compared; equal medians by name.
fn ranked<'a>(metric: Metric, group: &[&'a CellSystem]) -> Vec<(&'a CellSystem, &'a Summary)> {
    let mut ranked: Vec<(&CellSystem, &Summary)> = group
        .iter()
        .filter_map(|system| Some((*system, system.metric(metric)?)))
        .collect();
    let median = |system: &CellSystem| {
        system
            .compared(metric)
            .map_or(f64::NAN, |summary| summary.estimate.median)
    };
    ranked.sort_by(|(a, _), (b, _)| {
        let order = median(a).total_cmp(&median(b));
        let order = match metric {
            Metric::Throughput | Metric::LoadThroughput => order.reverse(),
            Metric::LatencyP99 | Metric::LatencyP50 => order,
        };
        order.then_with(|| a.name.cmp(&b.name))
    });
    ranked
}

fn one(metric: Metric, group: &[&CellSystem], comparisons: &[Comparison]) -> Option<MetricVerdict> {
    let ranked = ranked(metric, group);
    let (leader, summary) = ranked.first()?;
    if let Some(why) = unranked(metric, group) {
        return Some(not_comparable(metric, group, why));
    }
    let against: Vec<&Comparison> = comparisons
        .iter()
        .filter(|comparison| comparison.metric == metric && comparison.a == leader.name)
        .collect();
    let with = |word: fn(Word) -> bool| -> Vec<&Comparison> {
        against
            .iter()
            .copied()
            .filter(|comparison| word(comparison.word))
            .collect()
    };
    let beaten = with(|word| word == Word::Faster);
    let same = with(|word| matches!(word, Word::Equivalent | Word::Bounded));
    // A leader by median that is worse by the comparison is a contradiction, hence undecided.
    let open = with(|word| matches!(word, Word::Undecided | Word::Slower | Word::NotComparable));
    let tone = match () {
        () if against.is_empty() => Tone::Plain,
        () if !open.is_empty() => Tone::Undecided,
        () if !same.is_empty() => Tone::Same,
        () => Tone::Shown,
    };
    Some(MetricVerdict {
        metric,
        systems: names(group),
        unranked: None,
        leader: Some(leader.name.clone()),
        tied: same
            .iter()
            .chain(&open)
            .map(|comparison| comparison.b.clone())
            .collect(),
        tone,
        sentence: sentences::verdict(metric, leader, summary, &beaten, &same, &open),
    })
}

fn names(group: &[&CellSystem]) -> Vec<String> {
    group.iter().map(|system| system.name.clone()).collect()
}

fn not_comparable(metric: Metric, group: &[&CellSystem], why: Unranked) -> MetricVerdict {
    MetricVerdict {
        sentence: sentences::not_comparable(metric, &why),
        unranked: Some(why),
        ..refused(metric, group, "")
    }
}

fn refused(metric: Metric, group: &[&CellSystem], why: &str) -> MetricVerdict {
    MetricVerdict {
        metric,
        systems: names(group),
        unranked: None,
        leader: None,
        tied: Vec::new(),
        tone: Tone::NotComparable,
        sentence: format!("No verdict on {}: {why}.", metric.name()),
    }
}

fn refused_alone(metric: Metric, system: &CellSystem, promise: &str) -> MetricVerdict {
    let value = system.metric(metric).map_or(String::new(), |summary| {
        format!(
            " It has {} {}.",
            system.text(metric, summary.estimate.median),
            sentences::metric_phrase(metric)
        )
    });
    refused(metric, &[system], &format!("{} alone has {promise}", system.name)).with_suffix(&value)
}

impl MetricVerdict {
    fn with_suffix(mut self, suffix: &str) -> Self {
        self.sentence.push_str(suffix);
        self
    }
}
