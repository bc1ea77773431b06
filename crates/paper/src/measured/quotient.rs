//! One side of a comparison divided by the other.

use std::collections::BTreeMap;

use dbdyno_stats::blocks::align;
use dbdyno_stats::{Better, Pairing, compare};

use super::ratios::{Ratio, Ratios, too_few};
use super::{Bound, Measurements, Row, Samples};
use crate::predicate::{Factor, Product, words};

/// What one side is divided by the other: a constant, and samples above and below the line.
#[derive(Default)]
pub(super) struct Quotient<'a> {
    pub(super) constant: f64,
    pub(super) above: Vec<SampleCell<'a>>,
    pub(super) below: Vec<SampleCell<'a>>,
    /// Whether exact values alone make it up.
    pub(super) is_exact: bool,
}

/// One column of one row.
#[derive(Clone, Copy)]
pub(super) struct SampleCell<'a> {
    pub(super) row: &'a Row,
    pub(super) column: &'a str,
    pub(super) sample: &'a BTreeMap<u32, f64>,
}

impl<'a> Quotient<'a> {
    pub(super) fn take(
        &mut self,
        product: &'a Product,
        divides: bool,
        bound: &Bound<'_>,
        measured: &'a Measurements,
    ) -> Result<(), String> {
        let first = std::iter::once((false, &product.first));
        for (inverse, factor) in first.chain(product.rest.iter().map(|(inverse, by)| (*inverse, by))) {
            let below = inverse != divides;
            match factor {
                Factor::Number(number) if below => self.constant /= number,
                Factor::Number(number) => self.constant *= number,
                Factor::Cell { column, conditions } => {
                    let conditions = words(conditions, bound);
                    if let Some(exact) = measured.exact(column, &conditions) {
                        self.constant *= if below { exact.recip() } else { exact };
                        self.is_exact = true;
                        continue;
                    }
                    let cell = measured.find(column, &conditions)?;
                    if below {
                        self.below.push(cell);
                    } else {
                        self.above.push(cell);
                    }
                }
            }
        }
        Ok(())
    }

    /// A cell over itself is 1.
    pub(super) fn cancel(&mut self) {
        self.above.retain(|above| {
            let same = |below: &SampleCell<'_>| std::ptr::eq(above.sample, below.sample);
            let same = self.below.iter().position(same);
            same.map(|index| self.below.swap_remove(index)).is_none()
        });
    }

    pub(super) fn samples(&self) -> Samples {
        let mut sides = [&self.above, &self.below].map(|cells| {
            let mut samples: Vec<_> = cells.iter().map(|cell| std::ptr::from_ref(cell.sample)).collect();
            samples.sort_unstable();
            samples
        });
        sides.sort_unstable();
        sides
    }

    /// Refuses cells whose scans do different work. A quotient of two systems that each stand against themselves compares no scans.
    pub(super) fn check_scans(&mut self) -> Result<(), String> {
        self.is_exact &= self.above.is_empty() && self.below.is_empty();
        let scans = |cells: &[SampleCell<'_>]| -> Vec<String> {
            let scans = cells.iter().map(|cell| cell.row.scans.clone());
            let mut scans: Vec<String> = scans.filter(|scans| !scans.is_empty()).collect();
            scans.sort_unstable();
            scans
        };
        let (above, below) = (scans(&self.above), scans(&self.below));
        if above == below || above.is_empty() || below.is_empty() {
            return Ok(());
        }
        Err(format!(
            "their scans are different work: {} against {}",
            above.join(" and "),
            below.join(" and ")
        ))
    }

    /// The quotient of the samples with its interval, or why there is none.
    pub(super) fn judge(&self, ratios: &mut Ratios<'_>) -> Ratio {
        match (self.above.as_slice(), self.below.as_slice()) {
            ([], []) => Ratio::exact(1.0),
            ([above], [below]) if above.column == below.column => {
                let pooled = ratios.of(above.column, above.row, below.row);
                pooled.unwrap_or_else(|| self.by_itself(above, below))
            }
            ([above], [below]) => self.by_itself(above, below),
            _ => Ratio::of_quotients(self.by_block()),
        }
    }

    /// Two cells of different columns, or of different systems and sizes: a quotient that only its own blocks say anything about.
    fn by_itself(&self, above: &SampleCell<'_>, below: &SampleCell<'_>) -> Ratio {
        let (value, interval, why) = match align(above.sample, below.sample) {
            Ok(both) => {
                let comparison = compare(&both.a, &both.b, Better::Lower, 0.0, Pairing::Blocks);
                (comparison.ratio, comparison.interval, too_few(both.a.len()))
            }
            Err(_) => (f64::NAN, None, "no block has both".to_owned()),
        };
        Ratio {
            value,
            interval,
            why,
            by_block: self.by_block(),
            widened: 1.0,
        }
    }

    /// The quotient within each block that has all of its cells.
    fn by_block(&self) -> BTreeMap<u32, f64> {
        let blocks = self.above.first().or(self.below.first());
        let blocks = blocks.into_iter().flat_map(|cell| cell.sample.keys());
        let quotient = |block: &u32| {
            let of = |cells: &[SampleCell<'_>]| -> Option<f64> {
                cells.iter().map(|cell| cell.sample.get(block).copied()).product()
            };
            Some((*block, of(&self.above)? / of(&self.below)?))
        };
        blocks.filter_map(quotient).collect()
    }
}
