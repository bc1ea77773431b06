//! A specification with a seed: everything that all operations of a trial have in common.

use crate::hash::KeyNames;
use crate::lengths::LengthMaker;
use crate::operation::{Fields, OperationKind};
use crate::random::{Purpose, Stream, below};
use crate::resolve::{MOST_RECORD_BYTES, MOST_RECORDS};
use crate::specification::{FieldLength, RequestDistribution, Specification};
use crate::values::ValueMaker;

/// A specification that cannot be executed (only possible when it was not made by
/// [`Specification::from_properties`], which refuses the same with the property's place).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("workload `{name}` is impossible: {problem}")]
pub struct WorkloadError {
    /// The specification's name.
    pub name: String,
    /// What is impossible about it.
    pub problem: String,
}

/// A workload ready to be asked for operations. Immutable; shared by all clients.
#[derive(Debug)]
pub struct Workload {
    specification: Specification,
    seed: u64,
    pub(crate) kinds: KindMaker,
    pub(crate) names: KeyNames,
    pub(crate) field_names: Vec<String>,
    pub(crate) field_lengths: LengthMaker,
    pub(crate) scan_lengths: LengthMaker,
    pub(crate) values: ValueMaker,
    read_fields: Stream,
    written_fields: Stream,
    pub(crate) scan_draws: Stream,
}

impl Workload {
    /// Prepares a workload: constant time and memory, whatever the number of records.
    ///
    /// # Errors
    /// [`WorkloadError`] when the specification contradicts itself.
    pub fn new(specification: Specification, seed: u64) -> Result<Self, WorkloadError> {
        check(&specification).map_err(|problem| WorkloadError {
            name: specification.name.clone(),
            problem,
        })?;
        let field_lengths = LengthMaker::of_fields(&specification.field_length);
        let regular = field_lengths
            .constant()
            .map(|length| (specification.field_count, length));
        Ok(Self {
            seed,
            kinds: KindMaker::new(&specification, seed),
            names: KeyNames::new(specification.insert_order, specification.zero_padding),
            field_names: specification.table().field_names,
            values: ValueMaker::new(specification.compressibility, regular),
            field_lengths,
            scan_lengths: LengthMaker::of_scans(specification.scan_length),
            read_fields: Stream::new(seed, Purpose::ReadField),
            written_fields: Stream::new(seed, Purpose::WrittenField),
            scan_draws: Stream::new(seed, Purpose::ScanLength),
            specification,
        })
    }

    /// Its specification.
    #[must_use]
    pub fn specification(&self) -> &Specification {
        &self.specification
    }

    /// The seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The fields that operation `number` of that kind reads.
    #[inline]
    pub(crate) fn fields_read(&self, kind: OperationKind, number: u64) -> Fields {
        if !self.specification.read_all_fields {
            return Fields::One(below(
                self.read_fields.at(number),
                u64::from(self.specification.field_count),
            ) as u32);
        }
        // YCSB names the fields for plain reads only: when asked to, or to be able to verify all of them.
        let by_name = self.specification.read_all_fields_by_name || self.specification.data_integrity;
        if by_name && kind == OperationKind::Read {
            Fields::AllByName
        } else {
            Fields::All
        }
    }

    /// The one field that operation `number` writes when it does not write all.
    #[inline]
    pub(crate) fn field_written(&self, number: u64) -> u32 {
        below(
            self.written_fields.at(number),
            u64::from(self.specification.field_count),
        ) as u32
    }
}

/// Chooses the kind of each operation, as YCSB's `DiscreteGenerator`: the first whose cumulated share is above the draw.
#[derive(Clone, Debug)]
pub(crate) struct KindMaker {
    draws: Stream,
    /// Cumulated shares of all kinds that occur but the last, of 2^64.
    borders: [u64; 5],
    /// The kinds in order; those after the last that occurs repeat it.
    kinds: [OperationKind; 6],
    count: usize,
}

impl KindMaker {
    fn new(specification: &Specification, seed: u64) -> Self {
        let mut maker = Self {
            draws: Stream::new(seed, Purpose::Kind),
            borders: [u64::MAX; 5],
            kinds: [OperationKind::Read; 6],
            count: 0,
        };
        let mut sum = 0.0;
        for kind in specification.mix.kinds() {
            if maker.count > 0 {
                maker.borders[maker.count - 1] = (sum * 2.0f64.powi(64)) as u64;
            }
            sum += specification.mix.proportion(kind);
            maker.kinds[maker.count] = kind;
            maker.count += 1;
        }
        maker
    }

    /// The only kind, if there is only one.
    #[inline(always)]
    pub(crate) fn only(&self) -> Option<OperationKind> {
        (self.count == 1).then_some(self.kinds[0])
    }

    /// The kind of an operation.
    #[inline(always)]
    pub(crate) fn kind(&self, number: u64) -> OperationKind {
        let draw = self.draws.at(number);
        let mut index = 0;
        for border in &self.borders[..self.count.saturating_sub(1).min(5)] {
            index += usize::from(draw >= *border);
        }
        self.kinds[index]
    }
}

fn check(specification: &Specification) -> Result<(), String> {
    let mix = &specification.mix;
    let weights = OperationKind::ALL.map(|kind| mix.weight(kind));
    if !weights.iter().all(|weight| weight.is_finite() && *weight >= 0.0) || mix.kinds().count() == 0 {
        return Err("its proportions must be 0 or more, and one of them above 0".to_owned());
    }
    if specification.records == 0 || specification.records > MOST_RECORDS {
        return Err(format!("it must have 1 to {MOST_RECORDS} records"));
    }
    if specification.insert_start > MOST_RECORDS {
        return Err(format!("its insertstart must be at most {MOST_RECORDS}"));
    }
    if specification.field_count == 0 || specification.longest_record_bytes() > MOST_RECORD_BYTES {
        return Err(format!(
            "a record must have at least one field and at most {MOST_RECORD_BYTES} bytes"
        ));
    }
    let in_order = match &specification.field_length {
        FieldLength::Uniform { min, max } | FieldLength::Zipfian { min, max } => min <= max,
        FieldLength::Histogram(histogram) => histogram.counts.iter().any(|count| *count > 0),
        FieldLength::Constant(_) => true,
    };
    if !in_order
        || specification.scan_length.min == 0
        || specification.scan_length.min > specification.scan_length.max
    {
        return Err("its shortest field or scan is longer than its longest".to_owned());
    }
    if specification.data_integrity && !matches!(specification.field_length, FieldLength::Constant(_)) {
        return Err("dataintegrity needs fields of constant length".to_owned());
    }
    let share = |value: f64| (0.0..=1.0).contains(&value);
    let sensible = match specification.request {
        RequestDistribution::Zipf { theta } => theta.is_finite() && theta >= 0.0,
        RequestDistribution::Hotspot {
            data_fraction,
            operation_fraction,
        } => share(data_fraction) && share(operation_fraction),
        RequestDistribution::Exponential { percentile, fraction } => {
            percentile > 0.0 && percentile < 100.0 && fraction > 0.0 && fraction.is_finite()
        }
        _ => true,
    };
    if !sensible || !share(specification.compressibility) {
        return Err("a share or exponent is out of range".to_owned());
    }
    Ok(())
}
