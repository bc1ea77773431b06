//! The ratios of systems at one size, analysed together with all others of their column, as reports do.

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
    columns: BTreeMap<String, BTreeMap<(usize, usize), Ratio>>,
}

impl<'a> Ratios<'a> {
    pub const fn new(measured: &'a Measurements) -> Self {
        Self {
            measured,
            columns: BTreeMap::new(),
        }
    }

    /// How many times the second row's value the first one's is; `None` where they differ in more than the system.
    pub fn of(&mut self, column: &str, first: &Row, second: &Row) -> Option<Ratio> {
        let place = |row: &Row| self.measured.rows.iter().position(|own| std::ptr::eq(own, row));
        let pair = (place(first)?, place(second)?);
        if !self.columns.contains_key(column) {
            let found = of_column(self.measured, column);
            self.columns.insert(column.to_owned(), found);
        }
        self.columns.get(column)?.get(&pair).cloned()
    }
}

/// Every two systems that were measured at the same sizes under the same workload, both ways round.
fn of_column(measured: &Measurements, column: &str) -> BTreeMap<(usize, usize), Ratio> {
    let mut alike: BTreeMap<Vec<(&str, &str)>, Vec<usize>> = BTreeMap::new();
    for (place, row) in measured.rows.iter().enumerate() {
        if row.values.contains_key(column) {
            let others = row.attributes.iter().filter(|(name, _)| *name != "system");
            let others = others.map(|(name, value)| (name.as_str(), value.as_str()));
            alike.entry(others.collect()).or_default().push(place);
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
            if let Some(again) = measured.rows[places[a]].again.get(column) {
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
