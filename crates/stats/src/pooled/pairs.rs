//! From the values of cells to the log ratios of pairs.

use std::collections::BTreeMap;

use super::location::{distances, location, scatter};
use super::moderation::Spread;
use super::{CellValues, Pair};
use crate::Comparison;
use crate::compare::no_ratio;

/// A pair, as far as its own blocks show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// The logarithm of the ratio.
    pub estimate: f64,
    /// Blocks that both systems have, at least 1.
    pub blocks: usize,
    spread: Spread,
}

impl Measured {
    /// Its variance.
    pub const fn spread(&self) -> Spread {
        self.spread
    }
}

/// Why a pair has no ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// No block has a value of both.
    Blocks,
    /// A value is zero, negative or not finite.
    Ratio {
        /// Values of the first and of the second system.
        n: (usize, usize),
    },
}

impl Missing {
    /// The comparison that says so.
    pub fn comparison(self) -> Comparison {
        match self {
            Self::Blocks => no_ratio((0, 0), "no block has a value of both"),
            Self::Ratio { n } => no_ratio(n, "there are values of zero or below, which have no ratio"),
        }
    }
}

/// Every pair's middle and variance, the scatter of all of them setting the limit for wild blocks.
pub fn measure(cells: &[CellValues], pairs: &[Pair]) -> Vec<Result<Measured, Missing>> {
    let ratios: Vec<Result<Vec<f64>, Missing>> = pairs.iter().map(|pair| ratios(cells, *pair)).collect();
    let mut all: Vec<f64> = ratios
        .iter()
        .flatten()
        .flat_map(|ratios| distances(ratios))
        .collect();
    all.sort_unstable_by(f64::total_cmp);
    let of_study = scatter(&all);
    let one = |ratios: Result<Vec<f64>, Missing>| {
        let ratios = ratios?;
        let found = location(&ratios, of_study);
        let spread = found.variance.map_or(Spread::NONE, |variance| Spread {
            variance,
            freedom: (ratios.len() - 1) as f64,
        });
        Ok(Measured {
            estimate: found.estimate,
            blocks: ratios.len(),
            spread,
        })
    };
    ratios.into_iter().map(one).collect()
}

/// The logarithms of the ratios within blocks.
fn ratios(cells: &[CellValues], pair: Pair) -> Result<Vec<f64>, Missing> {
    let values = |system: usize| -> Option<&BTreeMap<u32, f64>> { cells.get(pair.cell)?.systems.get(system) };
    let (Some(a), Some(b)) = (values(pair.a), values(pair.b)) else {
        return Err(Missing::Blocks);
    };
    let bad = |value: &f64| !(value.is_finite() && *value > 0.0);
    if a.values().chain(b.values()).any(bad) {
        return Err(Missing::Ratio {
            n: (a.len(), b.len()),
        });
    }
    let ratios: Vec<f64> = a
        .iter()
        .filter_map(|(block, a)| Some(a.ln() - b.get(block)?.ln()))
        .collect();
    if ratios.is_empty() {
        Err(Missing::Blocks)
    } else {
        Ok(ratios)
    }
}

/// The degrees of freedom of all pairs together. Of three pairs of three systems, two are independent: the third ratio is the
/// quotient of the others. So pairs count until the systems of a cell hang together, those with the most blocks first.
pub fn independent_freedom(pairs: &[Pair], spreads: &[Spread]) -> f64 {
    let mut order: Vec<(&Pair, f64)> = pairs
        .iter()
        .zip(spreads)
        .map(|(pair, spread)| (pair, spread.freedom))
        .collect();
    order.sort_by(|(_, left), (_, right)| right.total_cmp(left));
    let mut joined: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut total = 0.0;
    for (pair, freedom) in order {
        let (a, b) = (root(&joined, pair.cell, pair.a), root(&joined, pair.cell, pair.b));
        if a != b {
            joined.insert((pair.cell, a), b);
            total += freedom;
        }
    }
    total
}

/// The system that stands for all those that hang together with this one.
fn root(joined: &BTreeMap<(usize, usize), usize>, cell: usize, system: usize) -> usize {
    let mut system = system;
    while let Some(&next) = joined.get(&(cell, system)) {
        system = next;
    }
    system
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_pairs_of_three_systems_are_two_independent_ones() {
        let pair = |cell, a, b| Pair { cell, a, b };
        let spread = |freedom| Spread {
            variance: 1.0,
            freedom,
        };
        let pairs = [pair(0, 0, 1), pair(0, 0, 2), pair(0, 1, 2), pair(1, 0, 1)];
        let spreads = [5.0, 4.0, 5.0, 3.0].map(spread);
        assert_eq!(independent_freedom(&pairs, &spreads), 5.0 + 5.0 + 3.0);
        assert_eq!(independent_freedom(&[], &[]), 0.0);
    }
}
