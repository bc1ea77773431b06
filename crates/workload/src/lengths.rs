//! Lengths: how many bytes a field has, how many records a scan asks for.

use dbdyno_random::{STEP, mix};

use crate::random::{below, unit};
use crate::specification::{FieldLength, ScanLength, Specification};
use crate::zipfian::Zipfian;

/// Draws a length. YCSB's generators, with bounds resolved.
#[derive(Clone, Debug)]
pub(crate) enum LengthMaker {
    Constant(u32),
    Uniform {
        min: u32,
        span: u64,
    },
    Zipfian {
        min: u32,
        zipfian: Zipfian,
    },
    Histogram {
        block_size: u32,
        counts: Vec<u64>,
        area: u64,
    },
}

impl LengthMaker {
    pub(crate) fn of_fields(length: &FieldLength) -> Self {
        match length {
            FieldLength::Constant(length) => Self::Constant(*length),
            FieldLength::Uniform { min, max } => Self::uniform(*min, *max),
            FieldLength::Zipfian { min, max } => Self::zipfian(*min, *max),
            FieldLength::Histogram(histogram) => Self::Histogram {
                block_size: histogram.block_size,
                counts: histogram.counts.clone(),
                area: histogram.counts.iter().sum(),
            },
        }
    }

    pub(crate) fn of_scans(length: ScanLength) -> Self {
        if length.min == length.max {
            Self::Constant(length.max)
        } else if length.zipfian {
            Self::zipfian(length.min, length.max)
        } else {
            Self::uniform(length.min, length.max)
        }
    }

    fn uniform(min: u32, max: u32) -> Self {
        Self::Uniform {
            min,
            span: u64::from(max - min) + 1,
        }
    }

    fn zipfian(min: u32, max: u32) -> Self {
        Self::Zipfian {
            min,
            zipfian: Zipfian::new(u64::from(max - min) + 1),
        }
    }

    /// The one length that occurs, if there is only one.
    pub(crate) fn constant(&self) -> Option<u32> {
        match self {
            Self::Constant(length) => Some(*length),
            _ => None,
        }
    }

    /// The length for 64 random bits.
    #[inline]
    pub(crate) fn length(&self, draw: u64) -> u32 {
        match self {
            Self::Constant(length) => *length,
            Self::Uniform { min, span } => min + below(draw, *span) as u32,
            Self::Zipfian { min, zipfian } => min + zipfian.rank(unit(draw)) as u32,
            Self::Histogram {
                block_size,
                counts,
                area,
            } => block_size.saturating_mul(bucket(counts, below(draw, *area))),
        }
    }

    /// The length of one field of an operation whose draw is given: fields are independent.
    #[inline]
    pub(crate) fn of_field(&self, draw: u64, field: u32) -> u32 {
        match self {
            Self::Constant(length) => *length,
            _ => self.length(mix(draw.wrapping_add(u64::from(field).wrapping_mul(STEP)))),
        }
    }
}

impl Specification {
    /// The number of value bytes that one record has on average. Estimated from a sample where lengths vary.
    #[must_use]
    pub fn mean_record_bytes(&self) -> u64 {
        const SAMPLE: u64 = 4096;
        let lengths = LengthMaker::of_fields(&self.field_length);
        let field = match lengths.constant() {
            Some(length) => f64::from(length),
            None => {
                let sum: u64 = (0..SAMPLE).map(|draw| u64::from(lengths.length(mix(draw)))).sum();
                sum as f64 / SAMPLE as f64
            }
        };
        (f64::from(self.field_count) * field) as u64
    }
}

/// YCSB's `HistogramGenerator.nextValue`, to the letter: how many blocks the number `0..area` stands for. A bucket's
/// number that is hit exactly belongs to it, so the first bucket has one number more than its count and, unless
/// there is only one bucket, the last stands for one block less than its place suggests.
pub(crate) fn bucket(counts: &[u64], number: u64) -> u32 {
    let mut left = number as i128;
    let last = counts.len().saturating_sub(1);
    for (index, count) in counts[..last].iter().enumerate() {
        left -= i128::from(*count);
        if left <= 0 {
            return index as u32 + 1;
        }
    }
    last as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Answers of YCSB's class (`xtask/ycsb-oracle`).
    #[test]
    fn histogram_lengths_of_ycsb() {
        let mut checked = 0;
        for line in include_str!("../tests/fixtures/histogram_lengths.tsv").lines() {
            if line.starts_with('#') {
                continue;
            }
            let columns: Vec<&str> = line.split('\t').collect();
            let counts: Vec<u64> = columns[0]
                .split(',')
                .map(|count| count.parse().unwrap())
                .collect();
            let block_size: u32 = columns[1].parse().unwrap();
            let length = block_size * bucket(&counts, columns[2].parse().unwrap());
            assert_eq!(length.to_string(), columns[3], "{line}");
            checked += 1;
        }
        assert_eq!(checked, 16 + 4 + 2);
    }
}
