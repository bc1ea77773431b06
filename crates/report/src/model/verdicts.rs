//! Who is best in a cell, among those that promise the same.

use std::collections::BTreeMap;

use dbdyno_record::{NOT_STATED, Severity, TrialRecord};

use super::evidence::compare_systems;
use super::{
    CellSystem, Comparison, Metric, Summary, System, Tone, Verdict, Word, flags, restraint, sentences,
};

/// The metrics with a verdict sentence, in the order of sentences.
const JUDGED: [Metric; 2] = [Metric::Throughput, Metric::LatencyP99];
/// The metrics that are compared pair by pair.
const COMPARED: [Metric; 4] = [
    Metric::Throughput,
    Metric::LatencyP99,
    Metric::LatencyP50,
    Metric::LoadThroughput,
];

/// A cell's verdicts and the comparisons they rest on.
pub struct Judged {
    /// Sentences, by metric and group of comparable systems.
    pub verdicts: Vec<Verdict>,
    /// Every pair of comparable systems, every compared metric; the better median first.
    pub comparisons: Vec<Comparison>,
}

/// Judges one cell. A/A twins are left out: they would make every leader undecided against itself. `across_promises`
/// takes all systems as one group, whatever they promise.
pub fn verdicts(
    systems: &[System],
    measured: &[CellSystem],
    trials: &[&TrialRecord],
    across_promises: bool,
) -> Judged {
    let candidates: Vec<&CellSystem> = measured
        .iter()
        .filter(|own| {
            systems
                .iter()
                .any(|system| system.name == own.name && system.twin_of.is_none())
        })
        .collect();
    let mut groups: BTreeMap<String, Vec<&CellSystem>> = BTreeMap::new();
    for system in &candidates {
        let promise = if across_promises {
            String::new()
        } else {
            match flags::promise_of(&system.name, trials) {
                // Nothing is known to promise the same as what does not say what it promises.
                promise if promise.contains(NOT_STATED) => format!("{promise} for {}", system.name),
                promise => promise,
            }
        };
        groups.entry(promise).or_default().push(system);
    }
    let seeds_differ = flags::seeds_differ(trials);
    let doubtful = trials.iter().any(|trial| {
        trial
            .findings
            .iter()
            .any(|finding| finding.severity == Severity::Invalid)
    });
    let mut judged = Judged {
        verdicts: Vec::new(),
        comparisons: Vec::new(),
    };
    for metric in COMPARED {
        for group in groups.values() {
            if !seeds_differ {
                judged.comparisons.extend(pairs(metric, group));
            }
        }
    }
    restraint::restrain(&mut judged.comparisons, systems, measured, trials);
    for metric in JUDGED {
        if seeds_differ && candidates.len() > 1 {
            judged.verdicts.push(refused(
                metric,
                "the systems were not asked the same operations (seeds differ)",
            ));
            continue;
        }
        for (promise, group) in &groups {
            let verdict = one(metric, group, &judged.comparisons);
            let alone = group.len() == 1 && groups.len() > 1;
            judged.verdicts.extend(match verdict {
                Some(_) if alone => Some(refused_alone(metric, group[0], promise)),
                Some(mut verdict) => {
                    if groups.len() > 1 {
                        verdict.sentence = format!("Among systems with {promise}: {}", verdict.sentence);
                    }
                    if doubtful {
                        verdict
                            .sentence
                            .push_str(" Not to be relied on: some of its trials are marked invalid.");
                    }
                    Some(verdict)
                }
                None => None,
            });
        }
    }
    judged
}

/// All pairs of a group, the better median first.
fn pairs(metric: Metric, group: &[&CellSystem]) -> Vec<Comparison> {
    let ranked = ranked(metric, group);
    let mut found = Vec::new();
    for (index, (system, summary)) in ranked.iter().enumerate() {
        for (other, other_summary) in &ranked[index + 1..] {
            found.extend(compare_systems(
                metric,
                (&system.name, summary),
                (&other.name, other_summary),
            ));
        }
    }
    found
}

/// Systems that have the metric, best median first; equal medians by name.
fn ranked<'a>(metric: Metric, group: &[&'a CellSystem]) -> Vec<(&'a CellSystem, &'a Summary)> {
    let mut ranked: Vec<(&CellSystem, &Summary)> = group
        .iter()
        .filter_map(|system| Some((*system, system.metric(metric)?)))
        .collect();
    ranked.sort_by(|(a, first), (b, second)| {
        let order = first.estimate.median.total_cmp(&second.estimate.median);
        let order = match metric {
            Metric::Throughput | Metric::LoadThroughput => order.reverse(),
            Metric::LatencyP99 | Metric::LatencyP50 => order,
        };
        order.then_with(|| a.name.cmp(&b.name))
    });
    ranked
}

fn one(metric: Metric, group: &[&CellSystem], comparisons: &[Comparison]) -> Option<Verdict> {
    let ranked = ranked(metric, group);
    let (leader, summary) = ranked.first()?;
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
    let same = with(|word| word == Word::Equivalent);
    // A leader by median that is worse by the comparison is a contradiction, hence undecided.
    let open = with(|word| matches!(word, Word::Undecided | Word::Slower));
    let tone = match () {
        () if against.is_empty() => Tone::Plain,
        () if !open.is_empty() => Tone::Undecided,
        () if !same.is_empty() => Tone::Same,
        () => Tone::Shown,
    };
    Some(Verdict {
        metric,
        leader: Some(leader.name.clone()),
        tied: same
            .iter()
            .chain(&open)
            .map(|comparison| comparison.b.clone())
            .collect(),
        tone,
        sentence: sentences::verdict(metric, &leader.name, summary, &beaten, &same, &open),
    })
}

fn refused(metric: Metric, why: &str) -> Verdict {
    Verdict {
        metric,
        leader: None,
        tied: Vec::new(),
        tone: Tone::NotComparable,
        sentence: format!("No verdict on {}: {why}.", metric.name()),
    }
}

fn refused_alone(metric: Metric, system: &CellSystem, promise: &str) -> Verdict {
    let value = system.metric(metric).map_or(String::new(), |summary| {
        format!(
            " It has {} {}.",
            metric.format(summary.estimate.median),
            sentences::metric_phrase(metric)
        )
    });
    refused(metric, &format!("{} alone has {promise}", system.name)).with_suffix(&value)
}

impl Verdict {
    fn with_suffix(mut self, suffix: &str) -> Self {
        self.sentence.push_str(suffix);
        self
    }
}
