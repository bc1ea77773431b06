//! The ratios of systems at one size, and those of sizes of one system, each analysed together with all others of their column, as reports
//! do.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_stats::covariate::{Observation, Slope, Usual};
use dbdyno_stats::pooled::{CellValues, FEWEST_BLOCKS, Pair, Question, analyse, analyse_widened};
use dbdyno_stats::{Better, Comparison, Interval, MARGIN, Sample, estimate};

use super::{Measurements, Row};

/// A ratio of two cells.
#[derive(Clone, Debug)]
pub struct Ratio {
    pub value: f64,
    pub interval: Option<Interval>,
    /// Why there is no interval.
    pub why: String,
    /// The ratio within each block that has both.
    pub by_block: BTreeMap<u32, f64>,
    /// How many times as wide its interval is as the noise alone makes it, because a system that was measured twice differs from itself.
    pub widened: f64,
}

impl Ratio {
    /// Of numbers without noise.
    pub fn exact(value: f64) -> Self {
        Self {
            value,
            interval: Some(Interval {
                low: value,
                high: value,
                confidence: 1.0,
            }),
            why: String::new(),
            by_block: BTreeMap::new(),
            widened: 1.0,
        }
    }
}

/// The ratios of all columns, each analysed when it is asked for.
pub struct Ratios<'a> {
    /// What was measured.
    pub measured: &'a Measurements,
    columns: BTreeMap<(String, Varied), OfColumn>,
    /// The columns of ratios that were asked for and are as at the machine's usual speed.
    levelled: BTreeSet<String>,
}

/// In what the two rows of a ratio differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Varied {
    System,
    Size,
}

/// The ratios of a column, by the places of their rows.
struct OfColumn {
    ratios: BTreeMap<(usize, usize), Ratio>,
    /// What the values owe to the speed of the machine, where they are compared as at its usual speed.
    speed: Option<Slope>,
}

impl Varied {
    const fn attributes(self) -> &'static [&'static str] {
        match self {
            Self::System => &["system"],
            Self::Size => &["records", "ops", "rate"],
        }
    }

    /// All other attributes of a row.
    fn others(self, row: &Row) -> Vec<(&str, &str)> {
        let others = row
            .attributes
            .iter()
            .filter(|(name, _)| !self.attributes().contains(&name.as_str()));
        others
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect()
    }
}

impl<'a> Ratios<'a> {
    pub const fn new(measured: &'a Measurements) -> Self {
        Self {
            measured,
            columns: BTreeMap::new(),
            levelled: BTreeSet::new(),
        }
    }

    /// How many times the second row's value the first one's is; `None` where they differ in more than the system, or in more than sizes.
    pub fn of(&mut self, column: &str, first: &Row, second: &Row) -> Option<Ratio> {
        let place = |row: &Row| self.measured.rows.iter().position(|own| std::ptr::eq(own, row));
        let pair = (place(first)?, place(second)?);
        let varied = [Varied::System, Varied::Size]
            .into_iter()
            .find(|varied| varied.others(first) == varied.others(second))?;
        let measured = self.measured;
        let found = self
            .columns
            .entry((column.to_owned(), varied))
            .or_insert_with(|| of_column(measured, column, varied));
        let ratio = found.ratios.get(&pair).cloned()?;
        let has_readings = |row: &Row| !row.reference_ns.is_empty();
        if found.speed.is_some() && has_readings(first) && has_readings(second) {
            self.levelled.insert(column.to_owned());
        }
        Some(ratio)
    }

    /// The columns of ratios that were asked for and are as at the machine's usual speed, with what their values owe to it.
    pub fn at_usual_speed(self) -> BTreeMap<String, Slope> {
        let Self {
            columns, levelled, ..
        } = self;
        let asked = columns
            .into_iter()
            .filter(|((column, _), _)| levelled.contains(column));
        asked
            .filter_map(|((column, _), own)| Some((column, own.speed?)))
            .collect()
    }
}

/// Every two systems that were measured at the same sizes under the same workload, or every two sizes of one system, both ways round.
/// Systems of one size were measured in turns where there are readings, so that the speed of the machine cancels in their ratios. In those of sizes it does
/// not: they are ratios of values as they would be at its usual speed.
fn of_column(measured: &Measurements, column: &str, varied: Varied) -> OfColumn {
    let speed = match varied {
        Varied::System => None,
        Varied::Size => usual_speed(measured, column),
    };
    let mut alike: BTreeMap<Vec<(&str, &str)>, Vec<usize>> = BTreeMap::new();
    for (place, row) in measured.rows.iter().enumerate() {
        if row.values.contains_key(column) {
            alike.entry(varied.others(row)).or_default().push(place);
        }
    }
    let (mut cells, mut pairs, mut twins, mut rows) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (cell, places) in alike.values().enumerate() {
        let of_row = |place: &usize| compared(&measured.rows[*place], column, speed.as_ref());
        let mut systems: Vec<BTreeMap<u32, f64>> = places.iter().map(of_row).collect();
        for a in 0..places.len() {
            for b in a + 1..places.len() {
                pairs.push(Pair { cell, a, b });
                rows.push((places[a], places[b]));
            }
            let again = measured.rows[places[a]].again.get(column);
            if let Some(again) = again.filter(|_| varied == Varied::System) {
                twins.push(Pair {
                    cell,
                    a: systems.len(),
                    b: a,
                });
                systems.push(again.clone());
            }
        }
        cells.push(CellValues { systems });
    }
    let analysis = analyse(&Question {
        cells: &cells,
        pairs: &pairs,
        twins: &twins,
        better: Better::Lower,
        margin: MARGIN,
    });
    let widened = analysis.noise.map_or(1.0, |noise| noise.widened());
    let mut ratios = BTreeMap::new();
    for (((first, second), pair), comparison) in rows.into_iter().zip(&pairs).zip(&analysis.comparisons) {
        let systems = &cells[pair.cell].systems;
        let ratio = Ratio::new(comparison, quotients(&systems[pair.a], &systems[pair.b]), widened);
        ratios.insert((second, first), ratio.inverse());
        ratios.insert((first, second), ratio);
    }
    OfColumn {
        ratios,
        speed: speed.map(|speed| speed.slope),
    }
}

/// What the values of a column owe to the speed of the machine. `None` where a row lacks a reading for some of its blocks: the design
/// of the study decides, never its results. Rows without any, as those of the load, have no part in it.
fn usual_speed(measured: &Measurements, column: &str) -> Option<Usual> {
    let mut cells: BTreeMap<_, Vec<BTreeMap<u32, Observation>>> = BTreeMap::new();
    for row in measured.rows.iter().filter(|row| !row.reference_ns.is_empty()) {
        let Some(values) = row.values.get(column) else {
            continue;
        };
        let mut observations = BTreeMap::new();
        for (block, value) in values {
            let covariate = row.reference_ns.get(block)?.ln();
            let value = value.ln();
            if covariate.is_finite() && value.is_finite() {
                observations.insert(*block, Observation { covariate, value });
            }
        }
        cells
            .entry(Varied::System.others(row))
            .or_default()
            .push(observations);
    }
    let cells: Vec<_> = cells.into_values().collect();
    Usual::of_groups(&cells)
}

/// The values of a row that are compared: as at the usual speed, where that is known.
fn compared(row: &Row, column: &str, speed: Option<&Usual>) -> BTreeMap<u32, f64> {
    let mut values = row.values[column].clone();
    if let Some(speed) = speed.filter(|_| !row.reference_ns.is_empty()) {
        for (block, value) in &mut values {
            *value *= speed.correction(row.reference_ns[block].ln()).exp();
        }
    }
    values
}

fn quotients(above: &BTreeMap<u32, f64>, below: &BTreeMap<u32, f64>) -> BTreeMap<u32, f64> {
    let both = above
        .iter()
        .filter_map(|(block, above)| Some((*block, above / below.get(block)?)));
    both.collect()
}

impl Ratio {
    fn new(comparison: &Comparison, by_block: BTreeMap<u32, f64>, widened: f64) -> Self {
        let (blocks, _) = comparison.n;
        Self {
            value: comparison.ratio,
            interval: comparison.interval.filter(|_| blocks >= FEWEST_BLOCKS),
            why: if blocks == 0 {
                "no block has both".to_owned()
            } else {
                too_few(blocks)
            },
            by_block,
            widened,
        }
    }

    /// Of quotients of which each block has one. Where they are too few for an interval between order statistics, it is that of Student's
    /// t, as for the ratio of two systems.
    pub fn of_quotients(by_block: BTreeMap<u32, f64>) -> Self {
        let values: Vec<f64> = by_block.values().copied().collect();
        let have_logarithms = values.iter().all(|value| *value > 0.0);
        let (value, interval, why) = match Sample::new(values) {
            Ok(sample) => {
                let estimate = estimate(&sample);
                let why = estimate.why_no_interval.unwrap_or_default();
                (estimate.median, estimate.interval, why)
            }
            Err(error) => (f64::NAN, None, error.to_string()),
        };
        if interval.is_none() && have_logarithms && !by_block.is_empty() {
            let question = Question {
                cells: &[against_one(&by_block)],
                pairs: &[Pair { cell: 0, a: 0, b: 1 }],
                twins: &[],
                better: Better::Lower,
                margin: MARGIN,
            };
            return Self::new(&analyse(&question).comparisons[0], by_block, 1.0);
        }
        Self {
            value,
            interval,
            why,
            by_block,
            widened: 1.0,
        }
    }

    /// The other way round.
    pub fn inverse(&self) -> Self {
        Self {
            value: 1.0 / self.value,
            interval: self.interval.map(|interval| Interval {
                low: 1.0 / interval.high,
                high: 1.0 / interval.low,
                ..interval
            }),
            why: self.why.clone(),
            by_block: self
                .by_block
                .iter()
                .map(|(block, value)| (*block, 1.0 / value))
                .collect(),
            widened: self.widened,
        }
    }

    /// The geometric mean of each of these lists, within each block that has all of it; they lend each other their noise. `None` for a list
    /// of fewer than two ratios, and where no block has all of them.
    pub fn means(lists: &[Vec<&Self>]) -> Vec<Option<Self>> {
        let by_block: Vec<Option<BTreeMap<u32, f64>>> =
            lists.iter().map(|list| mean_by_block(list)).collect();
        let cells: Vec<CellValues> = by_block.iter().flatten().map(against_one).collect();
        let pairs: Vec<Pair> = (0..cells.len()).map(|cell| Pair { cell, a: 0, b: 1 }).collect();
        let widened = lists.iter().flatten().map(|own| own.widened).fold(1.0, f64::max);
        let question = Question {
            cells: &cells,
            pairs: &pairs,
            twins: &[],
            better: Better::Lower,
            margin: MARGIN,
        };
        let mut comparisons = analyse_widened(&question, widened).comparisons.into_iter();
        by_block
            .into_iter()
            .map(|mean| {
                let mean = mean?;
                Some(Self::new(&comparisons.next()?, mean, widened))
            })
            .collect()
    }
}

/// Quotients, and in each of their blocks what they would be of equals.
fn against_one(by_block: &BTreeMap<u32, f64>) -> CellValues {
    let ones = by_block.keys().map(|block| (*block, 1.0)).collect();
    CellValues {
        systems: vec![by_block.clone(), ones],
    }
}

fn mean_by_block(ratios: &[&Ratio]) -> Option<BTreeMap<u32, f64>> {
    let (first, others) = ratios.split_first()?;
    let whole = first
        .by_block
        .keys()
        .filter(|block| others.iter().all(|own| own.by_block.contains_key(block)));
    let logarithm = |block: &u32| {
        let sum: f64 = ratios.iter().map(|own| own.by_block[block].ln()).sum();
        sum / ratios.len() as f64
    };
    let means: BTreeMap<u32, f64> = whole.map(|block| (*block, logarithm(block).exp())).collect();
    (!others.is_empty() && !means.is_empty()).then_some(means)
}

/// Why so many blocks give no interval.
pub(super) fn too_few(blocks: usize) -> String {
    format!("{blocks} trials of each: too few for an interval")
}
