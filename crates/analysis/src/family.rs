//! All comparisons of one metric at once: what is asked of the statistics, and what stands beside it without a verdict.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_stats::correction::correct;
use dbdyno_stats::pooled::{self, CellValues, Noise, Question};
use dbdyno_stats::{BAND, MARGIN};

use super::evidence::compare_systems;
use super::remark::Remark;
use super::validity::{Overloaded, Restless, Unreliable};
use super::{CellSystem, Comparison, Metric, Summary, Unranked, Word};

/// Two members of a group of systems whose trials belong to the same blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The group: a cell, or whatever else is compared within blocks.
    pub cell: usize,
    /// The first system of the group.
    pub a: usize,
    /// The second one.
    pub b: usize,
    /// Why the metric does not rank them.
    pub why: Option<Unranked>,
    /// Why no verdict rests on their trials.
    pub doubt: Option<Unreliable>,
    /// Those of the two, by position, whose trials did not all keep the rate.
    pub overloaded: Vec<(usize, Overloaded)>,
    /// Those of the two, by position, that never settled and of which it is known between which levels they went.
    pub restless: Vec<(usize, Restless)>,
}

/// What is compared in one metric.
pub struct Family<'a> {
    /// The metric.
    pub metric: Metric,
    /// The groups.
    pub cells: Vec<Vec<&'a CellSystem>>,
    /// The comparisons, whose error is controlled as a whole.
    pub pairs: Vec<Pair>,
    /// Systems that were measured twice, against themselves.
    pub twins: Vec<Pair>,
    /// The groups of which each system was measured in another test, at another time.
    pub across_tests: BTreeSet<usize>,
    /// How much wider all intervals are, where other comparisons of the metric have shown that already.
    pub widened: Option<f64>,
}

/// The answers.
pub struct Found {
    /// In the order of the pairs; `None` where one of the two lacks the metric.
    pub comparisons: Vec<Option<Comparison>>,
    /// Those of the twins that are ranked, with their cells.
    pub twins: Vec<(usize, Comparison)>,
    /// How much equal systems may differ; `None` where nothing was compared within blocks.
    pub noise: Option<Noise>,
}

/// How the comparison of a pair comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// Within blocks, together with all others.
    Pooled,
    /// By itself, as imported results have no blocks, and corrected for its number like the others.
    Alone,
    /// No verdict rests on it. It belongs to no family of tests, and its noise is not the study's.
    WithoutVerdict,
}

impl Family<'_> {
    /// Compares all of it.
    pub fn compare(&self) -> Found {
        let ways: Vec<Way> = self.pairs.iter().map(|pair| self.way(pair)).collect();
        let asked: Vec<&Pair> = self
            .pairs
            .iter()
            .zip(&ways)
            .filter_map(|(pair, way)| (*way == Way::Pooled).then_some(pair))
            .collect();
        let twins = self.twins.iter().filter(|pair| self.way(pair) == Way::Pooled);
        let twins: Vec<&Pair> = twins.collect();
        let question = Question {
            cells: &self.values(asked.iter().chain(&twins)),
            pairs: &as_asked(&asked),
            twins: &as_asked(&twins),
            better: self.metric.better(),
            margin: MARGIN,
        };
        let analysis = match self.widened {
            None => pooled::analyse(&question),
            Some(factor) => pooled::analyse_widened(&question, factor),
        };
        let of_twins = twins.iter().zip(analysis.twins);
        Found {
            comparisons: self.comparisons(&ways, analysis.comparisons),
            twins: of_twins
                .map(|(pair, answer)| (pair.cell, self.answered(pair, answer)))
                .collect(),
            noise: analysis.noise,
        }
    }

    /// The comparisons of all pairs, those of the pooled ones from `answers`.
    fn comparisons(&self, ways: &[Way], answers: Vec<dbdyno_stats::Comparison>) -> Vec<Option<Comparison>> {
        let mut answers = answers.into_iter();
        let alone = ways.iter().filter(|way| **way == Way::Alone).count();
        let of_pair = |(pair, way): (&Pair, &Way)| match way {
            Way::Pooled => Some(self.answered(pair, answers.next()?)),
            Way::Alone => self.by_itself(pair, alone),
            Way::WithoutVerdict => self.without_verdict(pair),
        };
        let mut compared: Vec<Option<Comparison>> = self.pairs.iter().zip(ways).map(of_pair).collect();
        let by_themselves = compared
            .iter_mut()
            .zip(ways)
            .filter(|(_, way)| **way == Way::Alone);
        let by_themselves = by_themselves.filter_map(|(comparison, _)| comparison.as_mut());
        correct(by_themselves.map(|comparison| (comparison.metric, &mut comparison.found)));
        compared
    }

    fn system(&self, cell: usize, system: usize) -> &CellSystem {
        self.cells[cell][system]
    }

    /// What the comparisons of a system rest on.
    fn compared(&self, cell: usize, system: usize) -> Option<&Summary> {
        let own = self.system(cell, system);
        self.between_tests(cell, system)
            .or_else(|| own.compared(self.metric))
    }

    /// The same as at the machine's usual speed, where tests are compared with each other.
    fn between_tests(&self, cell: usize, system: usize) -> Option<&Summary> {
        let is_levelled = self.metric == Metric::Throughput && self.across_tests.contains(&cell);
        let own = self.system(cell, system).between_tests.as_ref();
        own.filter(|_| is_levelled)
    }

    fn way(&self, pair: &Pair) -> Way {
        if pair.why.is_some() || pair.doubt.is_some() {
            return Way::WithoutVerdict;
        }
        let blocks = |system: usize| by_block(self.compared(pair.cell, system)?);
        let shared = blocks(pair.a)
            .zip(blocks(pair.b))
            .map_or(0, |(a, b)| a.keys().filter(|block| b.contains_key(block)).count());
        if shared > 1 { Way::Pooled } else { Way::Alone }
    }

    /// The values of the systems that take part; nothing of the others, whose noise is not the study's.
    fn values<'p>(&self, pairs: impl Iterator<Item = &'p &'p Pair>) -> Vec<CellValues> {
        let pairs: Vec<&Pair> = pairs.copied().collect();
        let asked: BTreeSet<(usize, usize)> = pairs
            .iter()
            .flat_map(|pair| [(pair.cell, pair.a), (pair.cell, pair.b)])
            .collect();
        let left_out = |cell: usize, system: usize, block: u32| {
            let own = pairs.iter().filter(|pair| pair.cell == cell);
            let mut overloaded = own.flat_map(|pair| &pair.overloaded);
            overloaded.any(|(own, overloaded)| *own == system && overloaded.blocks.contains(&block))
        };
        let of_system = |cell: usize, system: usize| {
            let own = self.compared(cell, system);
            let own = own.filter(|_| asked.contains(&(cell, system)));
            let mut blocks = own.and_then(by_block).unwrap_or_default();
            blocks.retain(|block, _| !left_out(cell, system, *block));
            blocks
        };
        let of_cell = |(cell, systems): (usize, &Vec<&CellSystem>)| CellValues {
            systems: (0..systems.len()).map(|system| of_system(cell, system)).collect(),
        };
        self.cells.iter().enumerate().map(of_cell).collect()
    }

    fn answered(&self, pair: &Pair, answer: dbdyno_stats::Comparison) -> Comparison {
        let (a, b) = (self.system(pair.cell, pair.a), self.system(pair.cell, pair.b));
        let mut comparison = Comparison::new(self.metric, &a.name, &b.name, answer);
        let is_levelled = self.metric == Metric::Throughput && (a.levelled.is_some() || b.levelled.is_some());
        if is_levelled || self.between_tests(pair.cell, pair.a).is_some() {
            comparison.remarks.push(Remark::Levelled);
        }
        let shares_starts = |own: &CellSystem| own.compared(self.metric).is_some_and(Summary::shares_starts);
        if shares_starts(a) || shares_starts(b) {
            comparison.remarks.push(Remark::CountsStarts);
        }
        for (system, overloaded) in &pair.overloaded {
            // A trial that could not keep the rate waited longer the longer it lasted: it can only have made its system slower.
            let loses = match *system == pair.a {
                true => Word::Slower,
                false => Word::Faster,
            };
            let reason = overloaded.reason.clone();
            if comparison.word == loses {
                comparison.remarks.push(Remark::WithoutBlocks(reason));
            } else {
                comparison.take_back(reason);
            }
        }
        self.hold_at_all_levels(pair, &mut comparison);
        comparison
    }

    /// Takes a verdict back that would not be the same if systems that never settled had stayed at the level that is worst for it.
    fn hold_at_all_levels(&self, pair: &Pair, comparison: &mut Comparison) {
        let Some((_, first)) = pair.restless.first() else {
            return;
        };
        let of = |system: usize| {
            let own = pair.restless.iter().find(|(own, _)| *own == system);
            own.map_or((1.0, 1.0), |(_, restless)| (restless.low, restless.high))
        };
        let ((low_a, high_a), (low_b, high_b)) = (of(pair.a), of(pair.b));
        let holds = comparison.interval.is_some_and(|interval| match comparison.word {
            Word::Faster => interval.low * low_a / high_b > 1.0 + MARGIN,
            Word::Slower => low_b / high_a / interval.high > 1.0 + MARGIN,
            Word::Equivalent | Word::Bounded => {
                interval.reach() * (high_a / low_b).max(high_b / low_a) <= 1.0 + BAND
            }
            Word::Undecided | Word::NotComparable => false,
        });
        let reason = first.reason.clone();
        if holds {
            comparison.remarks.push(Remark::SameAtAllLevels(reason));
        } else {
            comparison.take_back(reason);
        }
    }

    /// A pair compared without the others.
    fn by_itself(&self, pair: &Pair, comparisons: usize) -> Option<Comparison> {
        let (a, b) = (self.system(pair.cell, pair.a), self.system(pair.cell, pair.b));
        let (of_a, of_b) = (
            self.compared(pair.cell, pair.a)?,
            self.compared(pair.cell, pair.b)?,
        );
        compare_systems(self.metric, (&a.name, of_a), (&b.name, of_b), comparisons)
    }

    /// Ratio and interval of a pair, with the reason why nothing follows from them.
    fn without_verdict(&self, pair: &Pair) -> Option<Comparison> {
        let mut comparison = self.by_itself(pair, 1)?;
        if let Some(why) = &pair.why {
            comparison.refuse(why.clone());
        } else if let Some(doubt) = &pair.doubt {
            comparison.take_back(doubt.clone());
        }
        Some(comparison)
    }
}

fn as_asked(pairs: &[&Pair]) -> Vec<pooled::Pair> {
    let pair = |pair: &&Pair| pooled::Pair {
        cell: pair.cell,
        a: pair.a,
        b: pair.b,
    };
    pairs.iter().map(pair).collect()
}

/// The values by block; `None` where a system has two of one block, so that blocks mean nothing.
fn by_block(summary: &Summary) -> Option<BTreeMap<u32, f64>> {
    let values = summary.values.iter();
    let blocks: BTreeMap<u32, f64> = values.map(|value| (value.block, value.value)).collect();
    (blocks.len() == summary.values.len()).then_some(blocks)
}
