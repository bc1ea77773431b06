//! Which record each operation asks for: YCSB's key choosers, a batch at a time.

use crate::random::{Purpose, Stream, below, positive_unit, redraw, unit};
use crate::specification::{RequestDistribution, Specification};
use crate::zipfian::{GrowingZipfian, ScrambledZipfian, Zipf};

/// The most operations in a batch.
pub(crate) const BATCH: usize = 64;

/// Draws in a row that may ask for a record that does not exist yet, before the last one is folded onto those that do.
const MOST_REDRAWS: u32 = 64;

/// The newest inserts of a run that no other operation asks for yet: they may still be under way. YCSB asks for what is
/// acknowledged, which depends on timing; a fixed number is the same for every system and, with up to about as many
/// clients, leaves few reads that come too early.
const UNDER_WAY: u64 = 64;

/// A key chooser for a run over `records` records. All but [`Latest`](Rule::Latest) and
/// [`Exponential`](Rule::Exponential) have a range that is fixed at the start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chooser {
    draws: Stream,
    choices: Stream,
    start: u64,
    records: u64,
    rule: Rule,
}

#[derive(Clone, Copy, Debug)]
enum Rule {
    Uniform,
    Zipfian(ScrambledZipfian),
    Zipf(Zipf),
    Latest(GrowingZipfian),
    Hotspot { hot: u64, operation_fraction: f64 },
    Sequential,
    Exponential { mean: f64 },
}

impl Chooser {
    pub(crate) fn new(specification: &Specification, seed: u64, records: u64) -> Self {
        let rule = match specification.request {
            RequestDistribution::Uniform => Rule::Uniform,
            RequestDistribution::Zipfian => {
                // YCSB's range includes its upper end, so there is one item more than keys; the draw that hits it is
                // drawn again.
                let items = records
                    .saturating_add(expected_new_keys(specification, records))
                    .saturating_add(1);
                Rule::Zipfian(ScrambledZipfian::new(items))
            }
            RequestDistribution::Zipf { theta } => Rule::Zipf(Zipf::new(records, theta)),
            RequestDistribution::Latest => Rule::Latest(GrowingZipfian::new(records.saturating_sub(1))),
            RequestDistribution::Hotspot {
                data_fraction,
                operation_fraction,
            } => {
                let hot = ((records as f64 * data_fraction) as u64).min(records);
                Rule::Hotspot {
                    hot,
                    // With nothing on one side all operations go to the other; YCSB divides by zero.
                    operation_fraction: if hot == 0 {
                        0.0
                    } else if hot == records {
                        1.0
                    } else {
                        operation_fraction
                    },
                }
            }
            RequestDistribution::Sequential => Rule::Sequential,
            RequestDistribution::Exponential { percentile, fraction } => Rule::Exponential {
                mean: records as f64 * fraction / -(1.0 - percentile / 100.0).ln(),
            },
        };
        Self {
            draws: Stream::new(seed, Purpose::Key),
            choices: Stream::new(seed, Purpose::KeyChoice),
            start: specification.insert_start,
            records,
            rule,
        }
    }

    /// Chooses keys for the operations of these numbers, where `inserted[i]` of the run's operations before the i-th of them are inserts;
    /// `scratch` is room for as many numbers. With no record at all the choice is the first number.
    #[inline]
    pub(crate) fn choose(&self, numbers: &[u64], inserted: &[u64], keys: &mut [u64], scratch: &mut [f64]) {
        debug_assert!(scratch.len() == keys.len() && inserted.len() == keys.len());
        debug_assert!(numbers.len() == keys.len());
        match &self.rule {
            Rule::Uniform => self.each(numbers, keys, |draw| below(draw, self.records)),
            Rule::Zipfian(zipfian) => self.zipfian(zipfian, numbers, inserted, keys, scratch),
            Rule::Zipf(zipf) => self.each(numbers, keys, |draw| zipf.item(zipf.rank(draw))),
            Rule::Latest(growing) => self.latest(growing, numbers, inserted, keys),
            Rule::Hotspot {
                hot,
                operation_fraction,
            } => {
                let cold = self.records - hot;
                for (key, number) in keys.iter_mut().zip(numbers) {
                    let draw = self.draws.at(*number);
                    *key = self.start
                        + if unit(self.choices.at(*number)) < *operation_fraction {
                            below(draw, *hot)
                        } else {
                            hot + below(draw, cold)
                        };
                }
            }
            Rule::Sequential => {
                for (index, key) in keys.iter_mut().enumerate() {
                    // Inserts choose no key, so they do not advance the sequence.
                    let chosen = numbers[index].wrapping_sub(inserted[index]);
                    *key = self.start + chosen % self.records.max(1);
                }
            }
            Rule::Exponential { mean } => {
                for (index, key) in keys.iter_mut().enumerate() {
                    let known = self.known(inserted[index]).max(1);
                    let draw = self.draws.at(numbers[index]);
                    *key = self.start + known - 1 - exponential(draw, *mean, known);
                }
            }
        }
    }

    /// Records that an operation may ask for after so many inserts of this run.
    #[inline(always)]
    fn known(&self, inserted: u64) -> u64 {
        self.records + inserted.saturating_sub(UNDER_WAY)
    }

    #[inline(always)]
    fn each(&self, numbers: &[u64], keys: &mut [u64], choose: impl Fn(u64) -> u64) {
        for (key, number) in keys.iter_mut().zip(numbers) {
            *key = self.start + choose(self.draws.at(*number));
        }
    }

    #[inline]
    fn zipfian(
        &self,
        zipfian: &ScrambledZipfian,
        numbers: &[u64],
        inserted: &[u64],
        keys: &mut [u64],
        scratch: &mut [f64],
    ) {
        zipfian.choose_batch(self.draws, numbers, keys, scratch);
        for (index, key) in keys.iter_mut().enumerate() {
            let known = self.known(inserted[index]);
            if *key >= known {
                *key = self.redrawn(zipfian, numbers[index], known);
            }
            *key += self.start;
        }
    }

    /// YCSB's loop "until the key exists", with an end: after 64 draws the last is folded onto the existing keys.
    #[cold]
    fn redrawn(&self, zipfian: &ScrambledZipfian, number: u64, known: u64) -> u64 {
        let mut draw = self.draws.at(number);
        let mut key = 0;
        for _ in 0..MOST_REDRAWS {
            draw = redraw(draw);
            key = zipfian.choose(unit(draw));
            if key < known {
                return key;
            }
        }
        key % known.max(1)
    }

    #[inline]
    fn latest(&self, growing: &GrowingZipfian, numbers: &[u64], inserted: &[u64], keys: &mut [u64]) {
        let mut known = u64::MAX;
        let mut zipfian = growing.at(1);
        for (index, key) in keys.iter_mut().enumerate() {
            let last = self.known(inserted[index]).saturating_sub(1);
            if last != known {
                known = last;
                zipfian = growing.at(last);
            }
            let rank = zipfian.rank(unit(self.draws.at(numbers[index])));
            *key = self.start + last - rank.min(last);
        }
    }
}

/// An exponential distance back from the newest record, drawn again while it leads before the first one.
#[inline]
fn exponential(mut draw: u64, mean: f64, known: u64) -> u64 {
    for _ in 0..MOST_REDRAWS {
        let distance = (-positive_unit(draw).ln() * mean) as u64;
        if distance < known {
            return distance;
        }
        draw = redraw(draw);
    }
    below(draw, known)
}

/// YCSB's guess of how many keys a run inserts, times two, so that new keys can be chosen once they exist. It needs
/// the number of operations; without one the guess is as many as there are records.
fn expected_new_keys(specification: &Specification, records: u64) -> u64 {
    let share = specification.mix.weight(crate::OperationKind::Insert);
    if share <= 0.0 {
        return 0;
    }
    match specification.operations {
        // As YCSB: the weight as written, not normalised.
        Some(operations) => (operations as f64 * share * 2.0).min(crate::resolve::MOST_RECORDS as f64) as u64,
        None => records,
    }
}
