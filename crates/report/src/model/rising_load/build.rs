//! Puts together what systems did at rising load.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_analysis::evidence::summarise;
use dbdyno_record::rising_load::{pilots, seen, surveyed};
use dbdyno_record::study::Kind;
use dbdyno_record::{Objective, PlannedStudy, Purpose, RisingLoadPoint, TrialRecord};
use dbdyno_stats::capacity::Survey;
use dbdyno_trial::{FactorLevels, Level, LevelOrder};
use dbdyno_vocabulary::natural::NaturalKey;
use dbdyno_vocabulary::{Metric as Figure, MetricValue, Text, named, text};

use super::steps::{latency_ns, steps};
use super::{
    Knee, RisingLoad, RisingLoadCell, RisingLoadKind, RisingLoadStep, RisingLoadSystem, answer, compare,
};
use crate::model::{Flag, Interval, Metric, Sentence, System, Tone, Word, close, flags, place};
use crate::words::figures::MetricFigures;
use crate::words::rising_load as words;
use crate::{StudyResults, number};

/// The systems of a study at rising load; `None` when it is of another kind.
pub fn rising_load(
    results: &StudyResults,
    trials: &[TrialRecord],
    systems: &[System],
    order: &LevelOrder,
) -> Option<RisingLoad> {
    let asked = &results.asked;
    let kind = match asked.kind {
        Kind::Comparison => return None,
        Kind::Capacity(_) => RisingLoadKind::Capacity,
        Kind::Sweep(_) => RisingLoadKind::Sweep,
    };
    let objective = asked.kind.objective();
    let mut grouped: BTreeMap<(String, FactorLevels), Vec<&TrialRecord>> = BTreeMap::new();
    for trial in trials.iter().filter(|trial| trial.spec.purpose.is_some()) {
        let mut factors = surveyed(&trial.spec);
        factors.retain(|name, _| !["system", "workload"].contains(&name.as_str()));
        grouped
            .entry((trial.workload.name.clone(), factors))
            .or_default()
            .push(trial);
    }
    let varying: BTreeSet<String> = grouped
        .keys()
        .flat_map(|(_, factors)| factors.keys())
        .filter(|name| {
            let levels: BTreeSet<Option<&Level>> =
                grouped.keys().map(|(_, factors)| factors.get(*name)).collect();
            levels.len() > 1
        })
        .cloned()
        .collect();
    let across = results.across_promises;
    let mut grouped: Vec<_> = grouped.into_iter().collect();
    grouped.sort_by_cached_key(|((workload, factors), _)| (NaturalKey::new(workload), order.places(factors)));
    let cells = grouped
        .into_iter()
        .map(|((workload, mut factors), trials)| {
            factors.retain(|name, _| varying.contains(name));
            cell(asked, workload, factors, &trials, systems, across)
        })
        .collect();
    Some(RisingLoad {
        kind,
        objective: objective.map_or_else(String::new, Objective::text),
        objective_latency_ns: objective.and_then(|objective| {
            objective.expectations.iter().find_map(|expectation| {
                match (expectation.metric(), expectation.limit()) {
                    (Figure::Percentile(99.0, _), MetricValue::LatencyNs(latency)) => Some(latency),
                    _ => None,
                }
            })
        }),
        trials: asked.trials,
        cells,
    })
}

fn cell(
    asked: &PlannedStudy,
    workload: String,
    factors: FactorLevels,
    trials: &[&TrialRecord],
    systems: &[System],
    across: bool,
) -> RisingLoadCell {
    let own = |name: &str| -> Vec<&TrialRecord> {
        trials
            .iter()
            .filter(|trial| trial.system.name == name)
            .copied()
            .collect()
    };
    let present: Vec<&System> = systems
        .iter()
        .filter(|system| trials.iter().any(|trial| trial.system.name == system.name))
        .collect();
    let reported: Vec<RisingLoadSystem> = present
        .iter()
        .map(|&one| system(asked, one, &own(&one.name)))
        .collect();
    let flags: Vec<Flag> = flags::of_cell(trials, across)
        .into_iter()
        .filter(|flag| flag.code.is_difference_of_guarantees())
        .collect();
    let mut comparisons = Vec::new();
    for (index, a) in reported.iter().enumerate() {
        for b in &reported[index + 1..] {
            let same = |name: &str| flags::promise_of(name, trials);
            if across || same(&a.name) == same(&b.name) {
                let compared = match (&a.capacity, &b.capacity, &a.knee, &b.knee) {
                    (Some(own), Some(other), _, _) => {
                        Some(compare::capacities((&a.name, own), (&b.name, other)))
                    }
                    (_, _, Some(own), Some(other)) => Some(compare::knees((&a.name, own), (&b.name, other))),
                    _ => None,
                };
                comparisons.extend(compared.map(words::comparison));
            }
        }
    }
    let levels: String = factors
        .iter()
        .map(|(name, level)| format!(" · {name} {level}"))
        .collect();
    RisingLoadCell {
        id: format!("ladder-{}", identifier(&format!("workload {workload}{levels}"))),
        title: place::work(trials[0], &factors),
        workload,
        factors,
        systems: reported,
        comparisons,
        flags,
    }
}

fn identifier(title: &str) -> String {
    title
        .to_ascii_lowercase()
        .split(|character: char| !character.is_ascii_alphanumeric())
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join("-")
}

fn system(asked: &PlannedStudy, system: &System, trials: &[&TrialRecord]) -> RisingLoadSystem {
    let steps = steps(trials, asked.kind.objective());
    let steps: Vec<RisingLoadStep> = steps.into_iter().map(words::step).collect();
    let clients: BTreeSet<u32> = steps.iter().map(|step| step.clients).collect();
    let mut reported = RisingLoadSystem {
        name: system.name.clone(),
        color: system.color,
        clients: clients.first().copied().filter(|_| clients.len() == 1),
        ceiling: pilots(trials).into_iter().map(|(_, rate)| rate).reduce(f64::max),
        steps,
        capacity: None,
        knee: None,
        sentence: String::new(),
        tone: Tone::Plain,
    };
    if let Kind::Capacity(capacity) = &asked.kind {
        let survey = Survey {
            clients: capacity.clients,
            step: capacity.step,
            trials: asked.trials,
            seen: seen(&capacity.objective, trials),
        };
        let (capacity, sentence, tone) = answer::tell(&survey, &reported.steps, reported.clients);
        (reported.capacity, reported.sentence, reported.tone) = (Some(capacity), sentence, tone);
    } else {
        reported.knee = knee(&knees_of_blocks(trials), &reported);
        reported.sentence = knee_sentence(&reported);
    }
    reported
}

/// Each block went through all steps: where is its knee? Steps that were not sustained have none.
fn knees_of_blocks(trials: &[&TrialRecord]) -> BTreeMap<u32, f64> {
    let mut blocks: BTreeMap<u32, Vec<(f64, f64)>> = BTreeMap::new();
    for trial in trials {
        let Some(point) = RisingLoadPoint::of(trial).filter(|point| point.purpose == Purpose::Step) else {
            continue;
        };
        if let Some(latency) = latency_ns(trial, 99.0).filter(|_| trial.sustained()) {
            blocks
                .entry(trial.block)
                .or_default()
                .push((point.throughput, latency));
        }
    }
    blocks
        .into_iter()
        .filter_map(|(block, mut steps)| {
            steps.sort_by(|a, b| a.0.total_cmp(&b.0));
            Some((block, steps[dbdyno_stats::knee(&steps)?].0))
        })
        .collect()
}

fn knee(knees: &BTreeMap<u32, f64>, system: &RisingLoadSystem) -> Option<Knee> {
    let values: Vec<(String, u32, f64)> = knees
        .iter()
        .map(|(block, rate)| (String::new(), *block, *rate))
        .collect();
    let mut throughput = summarise(&values)?.estimate;
    let nearest = system.steps.iter().min_by(|a, b| {
        let distance = |step: &RisingLoadStep| {
            (step.throughput.estimate.median / throughput.median)
                .max(f64::MIN_POSITIVE)
                .ln()
                .abs()
        };
        distance(a).total_cmp(&distance(b))
    })?;
    let p99_ns = nearest.p99.as_ref().map(|p99| p99.estimate.median);
    if let Some(interval) = &mut throughput.interval {
        widen(interval, system);
    }
    Some(Knee {
        p99_ns,
        p99_at_least: nearest.at_least.contains(&Metric::LatencyP99),
        throughput,
    })
}

/// A sweep locates a knee to a step: it may lie anywhere between the steps on both sides.
fn widen(interval: &mut Interval, system: &RisingLoadSystem) {
    let steps = || system.steps.iter().map(|step| step.throughput.estimate.median);
    // Medians of a step differ a little from a block's own.
    const NEAR: f64 = 0.01;
    let (low, high) = (interval.low * (1.0 - NEAR), interval.high * (1.0 + NEAR));
    interval.low = steps().filter(|&step| step < low).fold(0.0, f64::max).max(0.0);
    interval.high = steps().filter(|&step| step > high).fold(f64::INFINITY, f64::min);
    if interval.low == 0.0 {
        interval.low = low;
    }
    if interval.high.is_infinite() {
        interval.high = high;
    }
}

fn knee_sentence(system: &RisingLoadSystem) -> String {
    let Some(knee) = &system.knee else {
        return "no knee: no step was sustained".to_owned();
    };
    let doubt = match &knee.throughput.interval {
        Some(interval) => format!(
            " (95% interval {} to {})",
            number::rate(interval.low),
            number::rate(interval.high)
        ),
        None => format!(
            " ({}: no interval)",
            number::plural(knee.throughput.n, "block", "blocks")
        ),
    };
    let latency = knee.p99_ns.map_or_else(String::new, |latency| {
        let latency = Metric::LatencyP99.bounded(latency, knee.p99_at_least);
        format!(", p99 {latency} there")
    });
    let last = system
        .steps
        .iter()
        .filter(|step| 2 * step.sustained > step.trials)
        .map(|step| step.throughput.estimate.median)
        .reduce(f64::max)
        .map_or_else(String::new, |rate| {
            format!("; sustained up to {}", number::rate(rate))
        });
    format!(
        "knee at {}{doubt}{latency}{last}",
        number::rate(knee.throughput.median)
    )
}

/// The first sentences of the report.
pub fn summary(rising_load: &RisingLoad) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    for cell in &rising_load.cells {
        let place = if rising_load.cells.len() > 1 {
            Text::new().strong(&cell.title).plain(" – ")
        } else {
            Text::new()
        };
        for system in &cell.systems {
            sentences.push(Sentence {
                text: text![&place, named(&system.name), format!(": {}.", system.sentence)],
                tone: system.tone,
            });
        }
        for comparison in &cell.comparisons {
            sentences.push(compared(rising_load, &place, comparison));
        }
    }
    sentences
}

/// How much higher the one may be than the other, at most.
fn neither(comparison: &super::RisingLoadComparison) -> String {
    let reach = comparison
        .interval
        .as_ref()
        .map_or(f64::INFINITY, Interval::reach);
    close::neither(reach, number::Quantity::Level)
}

fn compared(rising_load: &RisingLoad, place: &Text, comparison: &super::RisingLoadComparison) -> Sentence {
    let what = if rising_load.kind == RisingLoadKind::Capacity {
        "capacity"
    } else {
        "knee"
    };
    let (a, b) = (named(&comparison.a), named(&comparison.b));
    let ratio = comparison.ratio.map_or_else(String::new, |ratio| {
        let interval = comparison.interval.map(Interval::ends);
        format!(": {}", number::times(ratio, interval, number::Quantity::Level))
    });
    // At the beginning of a sentence.
    let (the, whose) = if place.is_empty() {
        ("The", "Whose")
    } else {
        ("the", "whose")
    };
    let of_a = text![format!("{the} {what} of "), &a];
    let (text, tone) = match comparison.word {
        Word::Faster => (text![of_a, " is higher than that of ", b], Tone::Shown),
        Word::Slower => (text![of_a, " is lower than that of ", b], Tone::Shown),
        Word::Equivalent => (text![of_a, " and ", b, " is equivalent"], Tone::Same),
        Word::Bounded => (text![of_a, " and ", b, ": ", neither(comparison)], Tone::Bounded),
        Word::Undecided | Word::NotComparable => (
            text![
                format!("{whose} {what} is higher, that of "),
                a,
                " or of ",
                b,
                ", is undecided"
            ],
            Tone::Undecided,
        ),
    };
    Sentence {
        text: text![place, text, ratio, "."],
        tone,
    }
}
