//! Effects of single factors: two levels of one factor, everything else equal, beside what a system differs from itself.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_record::TrialRecord;
use dbdyno_record::plan::SYSTEM_FACTOR;
use serde::Serialize;

use super::evidence::compare_systems;
use super::level_order::{LevelOrder, of_system};
use super::validity;
use super::{Cell, CellSystem, Comparison, Metric, Noise, Pace, Summary, System, Unranked, Word};
use crate::correction::correct;
use crate::grouped::grouped;
use crate::number;

/// The metrics whose noise floor an A/A pair gives.
const JUDGED: [Metric; 2] = [Metric::Throughput, Metric::LatencyP99];

/// The effects of a study, and what they stand beside.
#[derive(Clone, Debug, Serialize)]
pub struct Effects {
    /// What an effect is compared with, or why none is named, in one sentence.
    pub beside: String,
    /// One for each factor, cell, metric and level but the first.
    pub rows: Vec<Effect>,
    /// What could not be compared, and why.
    pub notes: Vec<String>,
}

/// One level of a factor against the first one.
#[derive(Clone, Debug, Serialize)]
pub struct Effect {
    /// Name of the factor.
    pub factor: String,
    /// What it is measured against.
    pub base: String,
    /// The level in question.
    pub level: String,
    /// The cell and, where the system is the same, the system.
    pub at: String,
    /// The figures: `a` is the level, `b` the base.
    pub comparison: Comparison,
    /// The largest ratio in this metric of a system to itself; `None` without an A/A pair.
    pub noise_ratio: Option<f64>,
    /// The verdict about the level: corrected for all effects of this metric, and not within the noise.
    pub word: Word,
    /// Why, in a sentence.
    pub reason: String,
}

/// The columns in which every output shows effects.
pub const HEADER: [&str; 7] = [
    "factor",
    "at",
    "metric",
    "ratio (95%)",
    "p (Holm)",
    "A/A",
    "effect",
];

impl Effect {
    /// Its row, by [`HEADER`].
    #[must_use]
    pub fn row(&self) -> [String; 7] {
        [
            format!("{}: {} against {}", self.factor, self.level, self.base),
            self.at.clone(),
            self.comparison.metric.name().to_owned(),
            with_interval(&self.comparison),
            self.comparison
                .p_adjusted
                .map_or_else(|| "–".to_owned(), |p| format!("{p:.3}")),
            self.noise_ratio.map_or_else(|| "none".to_owned(), number::ratio),
            format!("{}: {}", self.word.name(), self.reason),
        ]
    }
}

fn with_interval(comparison: &Comparison) -> String {
    let interval = comparison.interval.map(|interval| (interval.low, interval.high));
    let stated = number::times(comparison.ratio, interval, comparison.metric.quantity(), None);
    if interval.is_none() {
        return format!("{stated} (no interval)");
    }
    stated
}

/// All effects of a study; `None` when no factor has two levels.
pub fn effects(
    systems: &[System],
    cells: &[Cell],
    trials: &[TrialRecord],
    noise: Option<&Noise>,
    order: &LevelOrder,
) -> Option<Effects> {
    let all = |families: &Families| {
        let mut notes = Vec::new();
        let mut rows = of_systems(systems, cells, trials, families, order, &mut notes);
        rows.extend(of_cells(systems, cells, families, order));
        // A closed loop beside a rate asks another question: there is no effect to name.
        rows.retain(|row| row.factor != "rate" || row.comparison.word != Word::NotComparable);
        (rows, notes)
    };
    // How effects are compared hangs on how many there are.
    let mut families = Families::new();
    let first = all(&families).0;
    for row in first
        .iter()
        .filter(|row| row.comparison.word != Word::NotComparable)
    {
        *families.entry(row.comparison.metric).or_default() += 1;
    }
    let (mut rows, notes) = all(&families);
    if rows.is_empty() && notes.is_empty() {
        return None;
    }
    correct(rows.iter_mut().map(|row| &mut row.comparison));
    for row in &mut rows {
        row.noise_ratio = noise.and_then(|noise| largest_ratio(noise, row.comparison.metric));
        (row.word, row.reason) = judge(row);
    }
    let beside = match noise {
        Some(noise) => noise.sentence.clone(),
        None => "No system was measured against itself, so no effect is named: add `aa = true` to the study."
            .to_owned(),
    };
    Some(Effects { beside, rows, notes })
}

fn largest_ratio(noise: &Noise, metric: Metric) -> Option<f64> {
    noise
        .comparisons
        .iter()
        .map(|row| &row.comparison)
        .filter(|comparison| comparison.metric == metric && comparison.ratio > 0.0)
        .map(|comparison| comparison.ratio.max(1.0 / comparison.ratio))
        .reduce(f64::max)
}

/// The word about an effect. Only what the comparison calls different can lose that word here.
fn judge(row: &Effect) -> (Word, String) {
    let comparison = &row.comparison;
    let undecided = |reason: String| (Word::Undecided, reason);
    if comparison.word == Word::NotComparable {
        return (comparison.word, comparison.reason.clone());
    }
    let Some(noise) = row.noise_ratio else {
        return undecided("there is no A/A beside it".to_owned());
    };
    if !matches!(comparison.word, Word::Faster | Word::Slower) {
        return (comparison.word, comparison.reason.clone());
    }
    if comparison.ratio.max(1.0 / comparison.ratio) <= noise {
        return undecided(format!(
            "no larger than a system's difference from itself ({})",
            number::ratio(noise)
        ));
    }
    (comparison.word, comparison.reason.clone())
}

/// How many effects of each metric there are; a metric that is missing has one.
type Families = BTreeMap<Metric, usize>;

/// What is equal: a driver or a workload, and the levels of all other factors.
type Family = (String, BTreeMap<String, String>);

/// Two systems that differ in one factor of theirs, in the same cell.
#[allow(
    clippy::excessive_nesting,
    reason = "levels, cells and metrics are visited in one place"
)]
fn of_systems(
    systems: &[System],
    cells: &[Cell],
    trials: &[TrialRecord],
    sizes: &Families,
    order: &LevelOrder,
    notes: &mut Vec<String>,
) -> Vec<Effect> {
    let factors = factors_of_systems(systems, trials);
    // What the study varies is compared with its baseline already: see `varied`.
    let varied = |name: &str| systems.iter().any(|own| own.name == name && own.base.is_some());
    let factors: BTreeMap<_, _> = factors.into_iter().filter(|(name, _)| !varied(name)).collect();
    let names: BTreeSet<&String> = factors.values().flat_map(BTreeMap::keys).collect();
    let mut rows = Vec::new();
    for factor in names {
        // Systems by everything but this factor: driver and their other factors.
        let mut families: BTreeMap<Family, Vec<(&System, String)>> = BTreeMap::new();
        for system in systems {
            let mut others = factors.get(system.name.as_str()).cloned().unwrap_or_default();
            if let Some(level) = others.remove(factor) {
                let family = families.entry((system.driver.clone(), others)).or_default();
                family.push((system, level));
            }
        }
        for ((driver, _), mut family) in families {
            family.sort_by_cached_key(|(_, level)| order.place(&of_system(factor), level));
            if let Some(pair) = family.windows(2).find(|pair| pair[0].1 == pair[1].1) {
                notes.push(format!(
                    "{factor}: {} and {} are both {driver} with {factor} {}; give them a factor that distinguishes them.",
                    pair[0].0.name, pair[1].0.name, pair[0].1
                ));
                continue;
            }
            let Some(((base, base_level), others)) = family.split_first() else {
                continue;
            };
            for (system, level) in others {
                if let Some(promise) = other_promise(factor, base, system) {
                    notes.push(format!(
                        "{factor}: {} and {} also differ in {promise}, so they do not show the effect of {factor} alone.",
                        base.name, system.name
                    ));
                    continue;
                }
                for cell in cells {
                    let find = |name: &str| cell.systems.iter().find(|own| own.name == name);
                    let (Some(first), Some(second)) = (find(&system.name), find(&base.name)) else {
                        continue;
                    };
                    for metric in metrics(cell) {
                        let (Some(a), Some(b)) = (first.metric(metric), second.metric(metric)) else {
                            continue;
                        };
                        let paces = [(level.as_str(), first.pace), (base_level.as_str(), second.pace)];
                        let compared =
                            compare_systems(metric, (&system.name, a), (&base.name, b), size(sizes, metric));
                        rows.extend(compared.map(|comparison| {
                            let unreliable = first.unreliable.as_ref().or(second.unreliable.as_ref());
                            let comparison = restrained(comparison, factor, paces, unreliable);
                            effect(factor, base_level, level, cell.title.clone(), comparison)
                        }));
                    }
                }
            }
        }
    }
    rows
}

/// The same system in two cells that differ in one factor.
#[allow(
    clippy::excessive_nesting,
    reason = "levels, cells and metrics are visited in one place"
)]
fn of_cells(systems: &[System], cells: &[Cell], sizes: &Families, order: &LevelOrder) -> Vec<Effect> {
    // Sizes are no effect but a growth: see `growth`.
    let factors: BTreeSet<&String> = cells
        .iter()
        .flat_map(|cell| cell.factors.keys())
        .filter(|factor| *factor != "records")
        .collect();
    let mut rows = Vec::new();
    for factor in factors {
        let families = grouped(cells.iter().filter_map(|cell| {
            let mut others = cell.factors.clone();
            let level = others.remove(factor)?;
            Some(((cell.workload.clone(), others), (cell, level)))
        }));
        for ((workload, others), mut family) in families {
            family.sort_by_cached_key(|(_, level)| order.place(factor, level));
            let Some(((base, base_level), cells)) = family.split_first() else {
                continue;
            };
            for system in systems.iter().filter(|system| system.twin_of.is_none()) {
                let own = |cell, metric| measured(cell, &system.name, metric);
                let mut at = vec![format!("{}, workload {workload}", system.name)];
                at.extend(others.iter().map(|(name, level)| format!("{name} {level}")));
                for (cell, level) in cells {
                    for metric in metrics(cell)
                        .into_iter()
                        .filter(|metric| metrics(base).contains(metric))
                    {
                        let (Some((a, first)), Some((b, second))) = (own(cell, metric), own(base, metric))
                        else {
                            continue;
                        };
                        let paces = [(level.as_str(), first.pace), (base_level.as_str(), second.pace)];
                        let compared =
                            compare_systems(metric, (level, a), (base_level, b), size(sizes, metric));
                        rows.extend(compared.map(|comparison| {
                            let unreliable = first.unreliable.as_ref().or(second.unreliable.as_ref());
                            let comparison = restrained(comparison, factor, paces, unreliable);
                            effect(factor, base_level, level, at.join(" · "), comparison)
                        }));
                    }
                }
            }
        }
    }
    rows
}

/// What a system has in a cell of this metric.
fn measured<'c>(cell: &'c Cell, system: &str, metric: Metric) -> Option<(&'c Summary, &'c CellSystem)> {
    let own = cell.systems.iter().find(|own| own.name == system)?;
    Some((own.metric(metric)?, own))
}

fn size(families: &Families, metric: Metric) -> usize {
    families.get(&metric).copied().unwrap_or(1)
}

/// The comparison without a verdict where the load or the trials allow none. Two rates that both were sustained are a factor like
/// any other.
fn restrained(
    mut comparison: Comparison,
    factor: &str,
    paces: [(&str, Pace); 2],
    unreliable: Option<&String>,
) -> Comparison {
    if let Some(reason) = unreliable {
        validity::take_back(&mut comparison, reason.clone());
    }
    let rates = paces
        .iter()
        .all(|(_, pace)| matches!(pace, Pace::Sustained { .. }));
    if let Some(why) = Unranked::new(comparison.metric, paces)
        && !(factor == "rate" && rates)
    {
        why.refuse(&mut comparison);
    }
    comparison
}

fn effect(factor: &str, base: &str, level: &str, at: String, comparison: Comparison) -> Effect {
    Effect {
        factor: factor.to_owned(),
        base: base.to_owned(),
        level: level.to_owned(),
        at,
        comparison,
        noise_ratio: None,
        word: Word::Undecided,
        reason: String::new(),
    }
}

/// With a rate the throughput is what was asked for.
fn metrics(cell: &Cell) -> Vec<Metric> {
    JUDGED
        .into_iter()
        .filter(|metric| !(cell.open_loop && *metric == Metric::Throughput))
        .collect()
}

/// Every system's own factors, as its trials say; twins have none.
fn factors_of_systems<'a>(
    systems: &[System],
    trials: &'a [TrialRecord],
) -> BTreeMap<&'a str, BTreeMap<String, String>> {
    let mut factors: BTreeMap<&str, BTreeMap<String, String>> = BTreeMap::new();
    let twin = |name: &str| {
        systems
            .iter()
            .any(|system| system.name == name && system.twin_of.is_some())
    };
    for trial in trials.iter().filter(|trial| !twin(&trial.system.name)) {
        let own = trial.factors.iter().filter_map(|(name, level)| {
            let name = name.strip_prefix(SYSTEM_FACTOR)?;
            Some((name.to_owned(), level.clone()))
        });
        factors.entry(&trial.system.name).or_default().extend(own);
    }
    factors
}

/// What else two systems promise differently than the factor says.
fn other_promise(factor: &str, base: &System, system: &System) -> Option<&'static str> {
    match factor {
        name if name != "durability" && base.durability != system.durability => Some("durability"),
        name if name != "consistency" && base.consistency != system.consistency => Some("consistency"),
        _ if base.scan_order != system.scan_order => Some("the order of scans"),
        _ => None,
    }
}
