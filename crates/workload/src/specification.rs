//! A workload as typed values: every `CoreWorkload` property of YCSB, and ours.

use crate::client_properties::ClientProperties;
use crate::operation::OperationKind;
use crate::row::Table;

/// How often each kind of operation is chosen: weights, normalised by their sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mix {
    weights: [f64; 6],
}

impl Mix {
    /// A mix of `(kind, weight)`s; kinds not named have weight 0.
    #[must_use]
    pub fn new(weights: &[(OperationKind, f64)]) -> Self {
        let mut mix = Self { weights: [0.0; 6] };
        for (kind, weight) in weights {
            mix.weights[*kind as usize] = *weight;
        }
        mix
    }

    /// The weight as written.
    #[must_use]
    pub fn weight(&self, kind: OperationKind) -> f64 {
        self.weights[kind as usize]
    }

    /// The share of operations of this kind, 0 to 1.
    #[must_use]
    pub fn proportion(&self, kind: OperationKind) -> f64 {
        let sum: f64 = self.weights.iter().sum();
        if sum > 0.0 { self.weight(kind) / sum } else { 0.0 }
    }

    /// Whether operations of this kind occur.
    #[must_use]
    pub fn has(&self, kind: OperationKind) -> bool {
        self.weight(kind) > 0.0
    }

    /// The kinds that occur, in order.
    pub fn kinds(&self) -> impl Iterator<Item = OperationKind> {
        OperationKind::ALL.into_iter().filter(|kind| self.has(*kind))
    }
}

/// Which records operations ask for (`requestdistribution`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RequestDistribution {
    /// Every record alike.
    Uniform,
    /// YCSB's scrambled zipfian: hashed ranks out of 10^10, folded onto the records. Not Zipf over the records.
    Zipfian,
    /// A true Zipf distribution over the records that exist at the start (ours).
    Zipf {
        /// The exponent, 0 (uniform) or more.
        theta: f64,
    },
    /// The records inserted last, most often.
    Latest,
    /// A hot part at the low end of the key numbers.
    Hotspot {
        /// Share of the records that are hot.
        data_fraction: f64,
        /// Share of the operations that go there.
        operation_fraction: f64,
    },
    /// One after the other, round and round.
    Sequential,
    /// Recent records more often, falling off exponentially.
    Exponential {
        /// This percentage of operations...
        percentile: f64,
        /// ...goes to this share of the records, the newest ones.
        fraction: f64,
    },
}

/// How long values are, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldLength {
    /// Always this.
    Constant(u32),
    /// `min..=max`, all alike.
    Uniform {
        /// The shortest.
        min: u32,
        /// The longest.
        max: u32,
    },
    /// `min..=max`, short ones most often (YCSB's zipfian).
    Zipfian {
        /// The shortest.
        min: u32,
        /// The longest.
        max: u32,
    },
    /// As a histogram file says.
    Histogram(LengthHistogram),
}

impl FieldLength {
    /// The longest value that can occur, in bytes.
    #[must_use]
    pub fn longest(&self) -> u32 {
        match self {
            Self::Constant(length) => *length,
            Self::Uniform { max, .. } | Self::Zipfian { max, .. } => *max,
            Self::Histogram(histogram) => {
                let blocks = u32::try_from(histogram.counts.len()).unwrap_or(u32::MAX);
                histogram.block_size.saturating_mul(blocks)
            }
        }
    }
}

/// A field length histogram: YCSB's file of `BlockSize` and `bucket count` lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LengthHistogram {
    /// The file's name.
    pub path: String,
    /// Bytes per bucket, at least 1.
    pub block_size: u32,
    /// Occurrences by bucket; their sum is at least 1.
    pub counts: Vec<u64>,
}

/// How many records scans ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanLength {
    /// The fewest, at least 1.
    pub min: u32,
    /// The most.
    pub max: u32,
    /// Short scans most often (YCSB's zipfian) instead of all lengths alike.
    pub zipfian: bool,
}

/// How record numbers become stored names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InsertOrder {
    /// Hashed: consecutive records land anywhere in the key space.
    Hashed,
    /// As numbers: consecutive records are neighbours.
    Ordered,
}

/// WHAT is asked, completely. With a seed it determines every operation and every byte.
#[derive(Clone, Debug, PartialEq)]
pub struct Specification {
    /// The workload's name, e.g. `workloada`.
    pub name: String,
    /// `table`.
    pub table_name: String,
    /// Records that the load phase inserts and a run finds: `insertcount`, which is `recordcount - insertstart`
    /// unless it is set. At least 1.
    pub records: u64,
    /// `insertstart`: the first record's number.
    pub insert_start: u64,
    /// `operationcount`; `None` when missing or 0 (no limit).
    pub operations: Option<u64>,
    /// `fieldcount`, at least 1.
    pub field_count: u32,
    /// `fieldnameprefix`.
    pub field_name_prefix: String,
    /// `fieldlength`, `minfieldlength`, `fieldlengthdistribution`, `fieldlengthhistogram`.
    pub field_length: FieldLength,
    /// `readallfields`; false reads one field, chosen at random.
    pub read_all_fields: bool,
    /// `readallfieldsbyname`: ask for all fields by their names.
    pub read_all_fields_by_name: bool,
    /// `writeallfields`; false writes one field, chosen at random.
    pub write_all_fields: bool,
    /// `dataintegrity`: values follow from key and field name, and are verified when read.
    pub data_integrity: bool,
    /// The `...proportion`s.
    pub mix: Mix,
    /// `requestdistribution` and its parameters.
    pub request: RequestDistribution,
    /// `minscanlength`, `maxscanlength`, `scanlengthdistribution`.
    pub scan_length: ScanLength,
    /// `insertorder`.
    pub insert_order: InsertOrder,
    /// `zeropadding`: at least this many digits in a key name.
    pub zero_padding: u32,
    /// `compressibility`: this share of each value is one repeated byte, 0 to 1.
    pub compressibility: f64,
}

/// Properties, resolved.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// The workload.
    pub specification: Specification,
    /// How the files say it should be run.
    pub client: ClientProperties,
    /// Notices for the user, shown once: known properties that have no meaning here, unusual combinations.
    pub notices: Vec<String>,
}

impl Specification {
    /// YCSB's `CoreWorkload` defaults (95% reads, 5% updates, uniform, ten fields of 100 bytes) over so many records.
    #[must_use]
    pub fn core(records: u64) -> Self {
        Self {
            name: "core".to_owned(),
            table_name: "usertable".to_owned(),
            records,
            insert_start: 0,
            operations: None,
            field_count: 10,
            field_name_prefix: "field".to_owned(),
            field_length: FieldLength::Constant(100),
            read_all_fields: true,
            read_all_fields_by_name: false,
            write_all_fields: false,
            data_integrity: false,
            mix: Mix::new(&[(OperationKind::Read, 0.95), (OperationKind::Update, 0.05)]),
            request: RequestDistribution::Uniform,
            scan_length: ScanLength {
                min: 1,
                max: 1000,
                zipfian: false,
            },
            insert_order: InsertOrder::Hashed,
            zero_padding: 1,
            compressibility: 0.0,
        }
    }

    /// The table that the workload uses.
    #[must_use]
    pub fn table(&self) -> Table {
        Table {
            name: self.table_name.clone(),
            field_names: (0..self.field_count)
                .map(|index| format!("{}{index}", self.field_name_prefix))
                .collect(),
        }
    }

    /// The largest number of value bytes that one record can have.
    #[must_use]
    pub fn longest_record_bytes(&self) -> u64 {
        u64::from(self.field_count) * u64::from(self.field_length.longest())
    }
}
