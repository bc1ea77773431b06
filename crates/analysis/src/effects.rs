//! Effects of single factors: two levels of one factor, everything else equal.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_record::TrialRecord;
use dbdyno_trial::{Level, LevelOrder, SYSTEM_FACTOR};
use dbdyno_vocabulary::{Text, named};

use super::family::{Family, Pair};
use super::metric::JUDGED;
use super::{Cell, CellSystem, Comparison, Metric, MetricNoise, Noise, Pace, System, Unranked, Word};
use crate::grouped::grouped;

/// The effects of a study.
#[derive(Clone, Debug)]
pub struct Effects {
    /// One for each factor, cell, metric and level but the first.
    pub rows: Vec<Effect>,
    /// Whether some of them compare throughputs of different tests, which the speed of the machine is taken out of.
    pub compares_tests: bool,
    /// What could not be compared.
    pub left_out: Vec<LeftOut>,
}

/// Two systems at levels of a factor that do not show its effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// Name of the factor.
    pub factor: String,
    /// The two, the base first where there is one.
    pub systems: [String; 2],
    /// Why not.
    pub why: NoEffect,
}

/// Why two systems do not show the effect of a factor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoEffect {
    /// Both are of this driver at this level.
    SameLevel {
        /// Name of the driver.
        driver: String,
        /// The level.
        level: String,
    },
    /// They differ in something else, too.
    AlsoDiffer(Promise),
}

/// Something that systems promise, besides what a factor says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// What survives a failure.
    Durability,
    /// How many replicas take part.
    Consistency,
    /// In which order scans return records.
    ScanOrder,
}

/// One level of a factor against the first one.
#[derive(Clone, Debug)]
pub struct Effect {
    /// Name of the factor.
    pub factor: String,
    /// What it is measured against.
    pub base: String,
    /// The level in question.
    pub level: String,
    /// The cell and, where the system is the same, the system.
    pub at: Text,
    /// The figures: `a` is the level, `b` the base.
    pub comparison: Comparison,
    /// Its place among the effects: that of its levels, and its own among them.
    place: (usize, usize),
}

/// All effects of a study; `None` when no factor has two levels.
pub fn effects(
    systems: &[System],
    cells: &[Cell],
    trials: &[TrialRecord],
    noise: Option<&Noise>,
    order: &LevelOrder,
) -> Option<Effects> {
    let mut left_out = Vec::new();
    let mut series = of_systems(systems, cells, trials, order, &mut left_out);
    let of_systems = series.len();
    series.extend(of_cells(systems, cells, order));
    let is_levelled = |row: &Effect| {
        row.place.0 >= of_systems
            && row.comparison.metric == Metric::Throughput
            && row.comparison.word != Word::NotComparable
    };
    let mut rows: Vec<Effect> = JUDGED
        .into_iter()
        .flat_map(|metric| of_metric(metric, &series, of_systems, noise))
        .collect();
    // A closed loop beside a rate asks another question: there is no effect to name.
    rows.retain(|row| row.factor != "rate" || row.comparison.word != Word::NotComparable);
    rows.sort_by_key(|row| row.place);
    if rows.is_empty() && left_out.is_empty() {
        return None;
    }
    Some(Effects {
        compares_tests: rows.iter().any(is_levelled),
        rows,
        left_out,
    })
}

/// The levels of one factor with everything else equal, the base first.
struct Series<'a> {
    factor: String,
    at: Text,
    levels: Vec<AtLevel<'a>>,
}

/// What was measured at one level.
struct AtLevel<'a> {
    name: String,
    cell: &'a Cell,
    system: &'a CellSystem,
}

/// The effects of all series in one metric, each level against its base: a family of tests, with the noise of the study's comparisons.
/// The first ones are of systems, each within one test; the others compare tests.
fn of_metric(metric: Metric, series: &[Series<'_>], of_systems: usize, noise: Option<&Noise>) -> Vec<Effect> {
    let mut pairs = Vec::new();
    for (index, one) in series.iter().enumerate() {
        let has = |level: &AtLevel<'_>| {
            metrics(level.cell).contains(&metric) && level.system.metric(metric).is_some()
        };
        let levels = 1..one.levels.len();
        let measured = levels.filter(|level| has(&one.levels[0]) && has(&one.levels[*level]));
        pairs.extend(measured.map(|level| pair(metric, index, one, level)));
    }
    let family = Family {
        metric,
        cells: series
            .iter()
            .map(|one| one.levels.iter().map(|level| level.system).collect())
            .collect(),
        pairs,
        twins: Vec::new(),
        across_tests: (of_systems..series.len()).collect(),
        widened: Some(
            noise
                .and_then(|noise| noise.of(metric))
                .map_or(1.0, MetricNoise::widened),
        ),
    };
    let compared = family.compare().comparisons;
    let effects = family
        .pairs
        .iter()
        .zip(compared)
        .filter_map(|(pair, comparison)| {
            let (one, mut comparison) = (&series[pair.cell], comparison?);
            let (base, level) = (one.levels[0].name.clone(), one.levels[pair.a].name.clone());
            // One system at two levels has no names that tell them apart.
            if comparison.a == comparison.b {
                (comparison.a, comparison.b) = (level.clone(), base.clone());
            }
            Some(Effect {
                factor: one.factor.clone(),
                base,
                level,
                at: one.at.clone(),
                comparison,
                place: (pair.cell, pair.a),
            })
        });
    effects.collect()
}

/// A level against the base. Two rates that both were sustained are a factor like any other.
fn pair(metric: Metric, index: usize, series: &Series<'_>, level: usize) -> Pair {
    let ends = [&series.levels[level], &series.levels[0]];
    let paces = ends.map(|end| (end.name.as_str(), end.system.pace));
    let is_sustained = |pace: &Pace| matches!(pace, Pace::Sustained { .. });
    let rates = series.factor == "rate" && paces.iter().all(|(_, pace)| is_sustained(pace));
    Pair {
        cell: index,
        a: level,
        b: 0,
        why: Unranked::new(metric, paces).filter(|_| !rates),
        doubt: ends.into_iter().find_map(|end| end.system.doubt.clone()),
        overloaded: Vec::new(),
        restless: Vec::new(),
    }
}

/// What is equal: a driver or a workload, and the levels of all other factors.
type Others<L> = (String, BTreeMap<String, L>);

/// Systems that differ in one factor of theirs, in the same cell.
fn of_systems<'a>(
    systems: &[System],
    cells: &'a [Cell],
    trials: &[TrialRecord],
    order: &LevelOrder,
    left_out: &mut Vec<LeftOut>,
) -> Vec<Series<'a>> {
    let factors = factors_of_systems(systems, trials);
    // What the study varies is compared with its baseline already: see `varied`.
    let varied = |name: &str| systems.iter().any(|own| own.name == name && own.base.is_some());
    let factors: BTreeMap<_, _> = factors.into_iter().filter(|(name, _)| !varied(name)).collect();
    let names: BTreeSet<&String> = factors.values().flat_map(BTreeMap::keys).collect();
    let mut series = Vec::new();
    for factor in names {
        // Systems by everything but this factor: driver and their other factors.
        let mut alike: BTreeMap<Others<String>, Vec<(&System, String)>> = BTreeMap::new();
        for system in systems {
            let mut others = factors.get(system.name.as_str()).cloned().unwrap_or_default();
            if let Some(level) = others.remove(factor) {
                let family = alike.entry((system.driver.clone(), others)).or_default();
                family.push((system, level));
            }
        }
        for ((driver, _), mut levels) in alike {
            levels.sort_by_cached_key(|(_, level)| {
                order.place(&format!("{SYSTEM_FACTOR}{factor}"), &Level::Word(level.clone()))
            });
            if let Some(pair) = levels.windows(2).find(|pair| pair[0].1 == pair[1].1) {
                left_out.push(LeftOut {
                    factor: factor.clone(),
                    systems: [pair[0].0.name.clone(), pair[1].0.name.clone()],
                    why: NoEffect::SameLevel {
                        driver,
                        level: pair[0].1.clone(),
                    },
                });
                continue;
            }
            let levels = of_one_promise(factor, levels, left_out);
            series.extend(cells.iter().filter_map(|cell| in_cell(factor, &levels, cell)));
        }
    }
    series
}

/// The base with the levels that promise the same; the others are left out.
fn of_one_promise<'s>(
    factor: &str,
    mut levels: Vec<(&'s System, String)>,
    left_out: &mut Vec<LeftOut>,
) -> Vec<(&'s System, String)> {
    let base = levels[0].0;
    levels.retain(|(system, _)| {
        let Some(promise) = other_promise(factor, base, system) else {
            return true;
        };
        left_out.push(LeftOut {
            factor: factor.to_owned(),
            systems: [base.name.clone(), system.name.clone()],
            why: NoEffect::AlsoDiffer(promise),
        });
        false
    });
    levels
}

/// The levels of a factor of systems in one cell; `None` where the base was not measured.
fn in_cell<'a>(factor: &str, levels: &[(&System, String)], cell: &'a Cell) -> Option<Series<'a>> {
    let level = |(system, level): &(&System, String)| {
        let system = cell.systems.iter().find(|own| own.name == system.name)?;
        Some(AtLevel {
            name: level.clone(),
            cell,
            system,
        })
    };
    let (base, others) = levels.split_first()?;
    let base = level(base)?;
    Some(Series {
        factor: factor.to_owned(),
        at: Text::from(&cell.title),
        levels: std::iter::once(base)
            .chain(others.iter().filter_map(level))
            .collect(),
    })
}

/// The same system in cells that differ in one factor.
fn of_cells<'a>(systems: &[System], cells: &'a [Cell], order: &LevelOrder) -> Vec<Series<'a>> {
    // Sizes are no effect but a growth: see `growth`.
    let factors: BTreeSet<&String> = cells
        .iter()
        .flat_map(|cell| cell.factors.keys())
        .filter(|factor| *factor != "records")
        .collect();
    let mut series = Vec::new();
    for factor in factors {
        let alike = grouped(cells.iter().filter_map(|cell| {
            let mut others = cell.factors.clone();
            let level = others.remove(factor)?;
            Some(((cell.workload.clone(), others), (cell, level)))
        }));
        for (others, mut levels) in alike {
            levels.sort_by_cached_key(|(_, level)| order.place(factor, level));
            let originals = systems.iter().filter(|system| system.twin_of.is_none());
            series.extend(originals.filter_map(|system| of_one_system(factor, system, &others, &levels)));
        }
    }
    series
}

/// One system at the levels of a factor; `None` where it was not measured at the base.
fn of_one_system<'a>(
    factor: &str,
    system: &System,
    (workload, others): &Others<Level>,
    levels: &[(&'a Cell, Level)],
) -> Option<Series<'a>> {
    let level = |(cell, level): &(&'a Cell, Level)| {
        let own = cell.systems.iter().find(|own| own.name == system.name)?;
        Some(AtLevel {
            name: level.to_string(),
            cell,
            system: own,
        })
    };
    let (base, further) = levels.split_first()?;
    let base = level(base)?;
    let mut at = named(&system.name).plain(format!(", workload {workload}"));
    for (name, level) in others {
        at.push(format!(" · {name} {level}"));
    }
    Some(Series {
        factor: factor.to_owned(),
        at,
        levels: std::iter::once(base)
            .chain(further.iter().filter_map(level))
            .collect(),
    })
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
        let own = trial.spec.system.factors.clone();
        factors.entry(&trial.system.name).or_default().extend(own);
    }
    factors
}

/// What else two systems promise differently than the factor says.
fn other_promise(factor: &str, base: &System, system: &System) -> Option<Promise> {
    match factor {
        name if name != "durability" && base.durability != system.durability => Some(Promise::Durability),
        name if name != "consistency" && base.consistency != system.consistency => Some(Promise::Consistency),
        _ if base.scan_order != system.scan_order => Some(Promise::ScanOrder),
        _ => None,
    }
}
