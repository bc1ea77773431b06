//! Who is best in a cell, among those that promise the same.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_analysis::family::{Family, Found, Pair};
use dbdyno_analysis::metric::{COMPARED, JUDGED};
use dbdyno_analysis::noise::Twins;
use dbdyno_analysis::{Unranked, baseline, order, validity};
use dbdyno_record::TrialRecord;
use dbdyno_vocabulary::{Text, named, text};

use super::{
    Cell, CellSystem, Comparison, Metric, MetricVerdict, Summary, System, Tone, Word, flags, sentences,
    varied, verdict_sentence,
};
use crate::words::comparability::told;
use crate::words::figures::Medians;
use crate::words::names::Named;
use crate::words::remarks;
use crate::words::validity::told as told_why;

/// The systems of a cell that may be compared, by what they promise: indices into its systems.
type Groups = BTreeMap<Promise, Vec<usize>>;

/// What systems promise.
#[derive(Default, PartialEq, Eq, PartialOrd, Ord)]
struct Promise {
    words: String,
    /// The one system that does not say all that it promises: nothing is known to promise the same.
    of: Option<String>,
}

impl Promise {
    fn text(&self) -> Text {
        let words = Text::from(&self.words);
        match &self.of {
            Some(system) => text![words, " for ", named(system)],
            None => words,
        }
    }
}

/// What is judged: the cells of a study with the trials that count, and which systems of them may be compared.
pub(super) struct Study<'a> {
    systems: &'a [System],
    trials: &'a [Vec<&'a TrialRecord>],
    groups: Vec<Groups>,
    is_varied: bool,
}

/// Compares the systems of every cell, all cells of a metric at once, and says who is best where; returns the noise of each metric.
/// `trials` are those that count, cell by cell. A/A twins are in no verdict: they would make every leader undecided against itself.
/// `across_promises` takes all systems as one group, whatever they promise. Where the study varies options of servers, each level is
/// compared with its baseline alone.
pub fn judge(
    systems: &[System],
    cells: &mut [Cell],
    trials: &[Vec<&TrialRecord>],
    across_promises: bool,
) -> Vec<Twins> {
    let study = Study::new(systems, cells, trials, across_promises);
    let mut twins = Vec::new();
    for metric in COMPARED {
        let (pairs, found) = study.compare(metric, cells);
        for (pair, comparison) in pairs.iter().zip(found.comparisons) {
            cells[pair.cell].comparisons.extend(comparison.map(remarks::tell));
        }
        twins.push(Twins {
            metric,
            noise: found.noise,
            comparisons: found
                .twins
                .into_iter()
                .map(|(cell, comparison)| (cell, remarks::tell(comparison)))
                .collect(),
        });
    }
    for (index, cell) in cells.iter_mut().enumerate() {
        let trials = &trials[index];
        cell.verdicts = match study.is_varied && !flags::seeds_differ(trials) {
            true => varied::verdicts(cell, systems),
            false => verdicts(cell, &study.groups[index], trials),
        };
    }
    twins
}

impl<'a> Study<'a> {
    /// What may be compared of these cells.
    pub(super) fn new(
        systems: &'a [System],
        cells: &[Cell],
        trials: &'a [Vec<&'a TrialRecord>],
        across_promises: bool,
    ) -> Self {
        let groups = cells
            .iter()
            .zip(trials)
            .map(|(cell, trials)| groups(systems, &cell.systems, trials, across_promises));
        Self {
            systems,
            trials,
            groups: groups.collect(),
            is_varied: baseline::is_varied(systems),
        }
    }

    /// The pairs of a cell that a metric compares, the better system first by the metric.
    pub(super) fn pairs_of(&self, metric: Metric, index: usize, cell: &Cell) -> Vec<Pair> {
        if flags::seeds_differ(&self.trials[index]) {
            return Vec::new();
        }
        let of_group = |group: &Vec<usize>| match self.is_varied {
            true => baseline::pairs(metric, group, &cell.systems, self.systems),
            false => self::pairs(metric, group, &cell.systems, &[]),
        };
        let pairs = self.groups[index].values().flat_map(of_group);
        pairs.map(|pair| self.pair(metric, index, cell, pair)).collect()
    }

    /// The comparisons of one metric. The better of two systems stands first: by their medians, unless the comparisons say otherwise.
    fn compare(&self, metric: Metric, cells: &[Cell]) -> (Vec<Pair>, Found) {
        let pairs = self.pairs(metric, cells, &[]);
        let found = self.ask(metric, cells, pairs.clone());
        if self.is_varied {
            return (pairs, found);
        }
        let known: Vec<(usize, &Comparison)> = pairs
            .iter()
            .zip(&found.comparisons)
            .filter_map(|(pair, comparison)| Some((pair.cell, comparison.as_ref()?)))
            .collect();
        let again = self.pairs(metric, cells, &known);
        if again == pairs {
            return (pairs, found);
        }
        let found = self.ask(metric, cells, again.clone());
        (again, found)
    }

    fn ask(&self, metric: Metric, cells: &[Cell], pairs: Vec<Pair>) -> Found {
        let family = Family {
            metric,
            cells: cells.iter().map(|cell| cell.systems.iter().collect()).collect(),
            pairs,
            twins: self.twins(metric, cells),
            across_tests: BTreeSet::new(),
            widened: None,
        };
        family.compare()
    }

    /// What is compared in every cell, better systems first by what is `known` of them.
    fn pairs(&self, metric: Metric, cells: &[Cell], known: &[(usize, &Comparison)]) -> Vec<Pair> {
        let mut pairs = Vec::new();
        for (index, cell) in cells.iter().enumerate() {
            if flags::seeds_differ(&self.trials[index]) {
                continue;
            }
            let own = known.iter().filter(|(cell, _)| *cell == index);
            let own: Vec<&Comparison> = own.map(|(_, comparison)| *comparison).collect();
            for group in self.groups[index].values() {
                let of_group = match self.is_varied {
                    true => baseline::pairs(metric, group, &cell.systems, self.systems),
                    false => self::pairs(metric, group, &cell.systems, &own),
                };
                pairs.extend(
                    of_group
                        .into_iter()
                        .map(|pair| self.pair(metric, index, cell, pair)),
                );
            }
        }
        pairs
    }

    /// Every system that was measured twice, in every cell.
    pub(super) fn twins(&self, metric: Metric, cells: &[Cell]) -> Vec<Pair> {
        let mut twins = Vec::new();
        for system in self.systems {
            let Some(original) = &system.twin_of else { continue };
            for (index, cell) in cells.iter().enumerate() {
                let find = |name: &str| {
                    let mut systems = cell.systems.iter();
                    systems.position(|own| own.name == name && own.metric(metric).is_some())
                };
                if let (Some(a), Some(b)) = (find(&system.name), find(original)) {
                    let paces = [a, b].map(|own| (cell.systems[own].name.as_str(), cell.systems[own].pace));
                    let why = Unranked::new(metric, paces);
                    twins.push(self.pair(metric, index, cell, (a, b, why)));
                }
            }
        }
        twins
    }

    fn pair(
        &self,
        metric: Metric,
        index: usize,
        cell: &Cell,
        (a, b, why): (usize, usize, Option<Unranked>),
    ) -> Pair {
        let name = |system: usize| cell.systems[system].name.as_str();
        let of = |system: usize| validity::overloaded(metric, name(system), &self.trials[index]);
        let overloaded = [a, b].into_iter().filter_map(|own| Some((own, of(own)?)));
        let overloaded: Vec<(usize, validity::Overloaded)> = overloaded.collect();
        let of = |system: usize| validity::restless(metric, name(system), &self.trials[index]);
        let restless = [a, b].into_iter().filter_map(|own| Some((own, of(own)?)));
        let restless: Vec<(usize, validity::Restless)> = restless.collect();
        let doubt = |system: usize| {
            let overloaded = overloaded.iter().map(|(own, _)| own);
            let known = overloaded
                .chain(restless.iter().map(|(own, _)| own))
                .any(|own| *own == system);
            let doubt = || validity::doubt(metric, name(system), &self.trials[index]);
            (!known).then(doubt).flatten()
        };
        Pair {
            cell: index,
            a,
            b,
            why,
            doubt: doubt(a).or_else(|| doubt(b)),
            overloaded,
            restless,
        }
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
        let promise = match across_promises {
            true => Promise::default(),
            false => Promise {
                words: flags::promise_of(&own.name, trials),
                of: (!flags::states_promise(&own.name, trials)).then(|| own.name.clone()),
            },
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
                "the systems did not receive the same operations (seeds differ)".into(),
            ));
            continue;
        }
        // Said once, whatever the systems promise.
        if let Some(why) = unranked(metric, &candidates).filter(Unranked::is_by_design) {
            verdicts.push(not_comparable(metric, &candidates, &why));
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
                        let promise = promise.text();
                        verdict.sentence = text!["Among systems with ", &promise, ": ", verdict.sentence];
                        verdict.among = Some(promise);
                    }
                    if let (Tone::Plain, Some(why)) =
                        (verdict.tone, validity::invalid(&group[0].name, trials))
                    {
                        let why = told_why(&why);
                        verdict.sentence.push(text![" Not to be relied on: ", why, "."]);
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

/// All pairs of a group that have the metric, the better system first by what is `known` of them.
fn pairs(
    metric: Metric,
    group: &[usize],
    systems: &[CellSystem],
    known: &[&Comparison],
) -> Vec<(usize, usize, Option<Unranked>)> {
    let members: Vec<&CellSystem> = group.iter().map(|index| &systems[*index]).collect();
    let why = unranked(metric, &members);
    let place = |name: &str| systems.iter().position(|system| system.name == name);
    let mut ranked: Vec<&CellSystem> = ranked(metric, &members).into_iter().map(|(own, _)| own).collect();
    order::by_comparisons(metric, &mut ranked, known);
    let ranked: Vec<usize> = ranked.into_iter().filter_map(|own| place(&own.name)).collect();
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
    if let Some(why) = unranked(metric, group) {
        return (!ranked.is_empty()).then(|| not_comparable(metric, group, &why));
    }
    let of_metric = || comparisons.iter().filter(|own| own.metric == metric);
    // The better of two stands first, so the leader stands second nowhere.
    let leads = |own: &CellSystem| of_metric().all(|comparison| comparison.b != own.name);
    let (leader, summary) = ranked.iter().find(|(own, _)| leads(own))?;
    let against: Vec<&Comparison> = of_metric().filter(|own| own.a == leader.name).collect();
    let is = |is: fn(Word) -> bool| against.iter().any(|own| is(own.word));
    let tone = match () {
        () if against.is_empty() => Tone::Plain,
        () if is(Word::is_open) => Tone::Undecided,
        () if is(|word| word == Word::Bounded) => Tone::Bounded,
        () if is(|word| word == Word::Equivalent) => Tone::Same,
        () => Tone::Shown,
    };
    let tied = against.iter().filter(|own| own.word != Word::Faster);
    Some(MetricVerdict {
        leader: Some(leader.name.clone()),
        tied: tied.map(|comparison| comparison.b.clone()).collect(),
        tone,
        sentence: verdict_sentence::verdict(metric, leader, summary, &against),
        ..refused(metric, group, Text::new())
    })
}

fn names(group: &[&CellSystem]) -> Vec<String> {
    group.iter().map(|system| system.name.clone()).collect()
}

fn not_comparable(metric: Metric, group: &[&CellSystem], why: &Unranked) -> MetricVerdict {
    let why = told(why);
    MetricVerdict {
        sentence: sentences::not_comparable(metric, &why),
        unranked: Some(why),
        ..refused(metric, group, Text::new())
    }
}

fn refused(metric: Metric, group: &[&CellSystem], why: Text) -> MetricVerdict {
    MetricVerdict {
        metric,
        systems: names(group),
        unranked: None,
        leader: None,
        tied: Vec::new(),
        tone: Tone::NotComparable,
        sentence: text![format!("No verdict on {}: ", metric.name()), &why, "."],
        among: None,
        refused_for: (!why.is_empty()).then_some(why),
    }
}

fn refused_alone(metric: Metric, system: &CellSystem, promise: &Promise) -> MetricVerdict {
    let value = system.metric(metric).map_or(String::new(), |summary| {
        format!(
            " It has {} {}.",
            system.text(metric, summary.estimate.median),
            verdict_sentence::metric_phrase(metric)
        )
    });
    let why = text![named(&system.name), format!(" alone has {}", promise.words)];
    let mut verdict = refused(metric, &[system], why);
    verdict.sentence.push(value);
    verdict
}
