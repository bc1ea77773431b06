//! The ratios of systems at one size, and those of sizes of one system, each analysed together with all others of their column, as reports
//! do.

use std::collections::BTreeMap;

use dbdyno_stats::pooled::{Analysis, CellValues, FEWEST_BLOCKS, Pair, Question, analyse};
use dbdyno_stats::{Better, Comparison, Interval, MARGIN};

use super::{Measurements, Row, too_few};

/// The ratio, its interval, and why there is none.
type Ratio = (f64, Option<Interval>, String);

/// The ratios of all columns, each analysed when it is asked for.
pub struct Ratios<'a> {
    /// What was measured.
    pub measured: &'a Measurements,
    columns: BTreeMap<(String, Varied), BTreeMap<(usize, usize), Ratio>>,
}

/// In what the two rows of a ratio differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Varied {
    System,
    Size,
}

impl Varied {
    const fn attributes(self) -> &'static [&'static str] {
        match self {
            Self::System => &["system"],
            Self::Size => &["records", "ops"],
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
        found.get(&pair).cloned()
    }
}

/// Every two systems that were measured at the same sizes under the same workload, or every two sizes of one system, both ways round.
fn of_column(measured: &Measurements, column: &str, varied: Varied) -> BTreeMap<(usize, usize), Ratio> {
    let mut alike: BTreeMap<Vec<(&str, &str)>, Vec<usize>> = BTreeMap::new();
    for (place, row) in measured.rows.iter().enumerate() {
        if row.values.contains_key(column) {
            alike.entry(varied.others(row)).or_default().push(place);
        }
    }
    let (mut cells, mut pairs, mut twins, mut rows) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (cell, places) in alike.values().enumerate() {
        let mut systems: Vec<BTreeMap<u32, f64>> = Vec::new();
        systems.extend(
            places
                .iter()
                .map(|place| measured.rows[*place].values[column].clone()),
        );
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
    let Analysis { comparisons, .. } = analyse(&Question {
        cells: &cells,
        pairs: &pairs,
        twins: &twins,
        better: Better::Lower,
        margin: MARGIN,
    });
    let mut ratios = BTreeMap::new();
    for ((first, second), comparison) in rows.into_iter().zip(&comparisons) {
        let (value, interval, why) = ratio(comparison);
        let inverse = interval.map(|interval| Interval {
            low: 1.0 / interval.high,
            high: 1.0 / interval.low,
            ..interval
        });
        ratios.insert((second, first), (1.0 / value, inverse, why.clone()));
        ratios.insert((first, second), (value, interval, why));
    }
    ratios
}

fn ratio(comparison: &Comparison) -> Ratio {
    let (blocks, _) = comparison.n;
    let interval = comparison.interval.filter(|_| blocks >= FEWEST_BLOCKS);
    let why = if blocks == 0 {
        "no block has both".to_owned()
    } else {
        too_few(blocks)
    };
    (comparison.ratio, interval, why)
}
