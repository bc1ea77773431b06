//! A specification written as properties again.

use std::collections::BTreeMap;

use crate::hash::fnvhash64;
use crate::operation::OperationKind;
use crate::specification::{FieldLength, InsertOrder, LengthHistogram, RequestDistribution, Specification};

/// The property that names the content of the histogram's file.
pub(crate) const HISTOGRAM_DIGEST: &str = "fieldlengthhistogram.digest";

/// The property of each kind's proportion.
pub(crate) const PROPORTIONS: [(OperationKind, &str); 6] = [
    (OperationKind::Read, "readproportion"),
    (OperationKind::Update, "updateproportion"),
    (OperationKind::Insert, "insertproportion"),
    (OperationKind::Scan, "scanproportion"),
    (OperationKind::ReadModifyWrite, "readmodifywriteproportion"),
    (OperationKind::Delete, "deleteproportion"),
];

impl Specification {
    /// Every property in force, defaults included, as `from_properties` would read them: for the record.
    #[must_use]
    pub fn properties(&self) -> BTreeMap<String, String> {
        properties(self)
    }
}

impl LengthHistogram {
    /// The text of a file that says the same.
    #[must_use]
    pub fn text(&self) -> String {
        let buckets = self.counts.iter().enumerate();
        let lines = buckets.map(|(bucket, count)| format!("{bucket}\t{count}\n"));
        format!("BlockSize\t{}\n{}", self.block_size, lines.collect::<String>())
    }

    /// A short text that differs where the histogram does: its file may change while its name stays.
    #[must_use]
    pub fn digest(&self) -> String {
        let numbers = std::iter::once(u64::from(self.block_size)).chain(self.counts.iter().copied());
        let digest = numbers.fold(0, |digest, number| fnvhash64(digest ^ number));
        format!("{digest:016x}")
    }
}

fn properties(specification: &Specification) -> BTreeMap<String, String> {
    let mut map = BTreeMap::new();
    let mut put = |key: &str, value: String| {
        map.insert(key.to_owned(), value);
    };
    put("table", specification.table_name.clone());
    put(
        "recordcount",
        specification
            .insert_start
            .saturating_add(specification.records)
            .to_string(),
    );
    put("insertstart", specification.insert_start.to_string());
    put("insertcount", specification.records.to_string());
    put(
        "operationcount",
        specification.operations.unwrap_or(0).to_string(),
    );
    put("fieldcount", specification.field_count.to_string());
    put("fieldnameprefix", specification.field_name_prefix.clone());
    match &specification.field_length {
        FieldLength::Constant(length) => {
            put("fieldlengthdistribution", "constant".to_owned());
            put("fieldlength", length.to_string());
        }
        FieldLength::Uniform { min, max } => {
            put("fieldlengthdistribution", "uniform".to_owned());
            put("minfieldlength", min.to_string());
            put("fieldlength", max.to_string());
        }
        FieldLength::Zipfian { min, max } => {
            put("fieldlengthdistribution", "zipfian".to_owned());
            put("minfieldlength", min.to_string());
            put("fieldlength", max.to_string());
        }
        FieldLength::Histogram(histogram) => {
            put("fieldlengthdistribution", "histogram".to_owned());
            put("fieldlengthhistogram", histogram.path.clone());
            put(HISTOGRAM_DIGEST, histogram.digest());
        }
    }
    put("readallfields", specification.read_all_fields.to_string());
    put(
        "readallfieldsbyname",
        specification.read_all_fields_by_name.to_string(),
    );
    put("writeallfields", specification.write_all_fields.to_string());
    put("dataintegrity", specification.data_integrity.to_string());
    for (kind, key) in PROPORTIONS {
        put(key, specification.mix.weight(kind).to_string());
    }
    match specification.request {
        RequestDistribution::Uniform => put("requestdistribution", "uniform".to_owned()),
        RequestDistribution::Zipfian => put("requestdistribution", "zipfian".to_owned()),
        RequestDistribution::Zipf { theta } => {
            put("requestdistribution", "zipf".to_owned());
            put("zipf.theta", theta.to_string());
        }
        RequestDistribution::Latest => put("requestdistribution", "latest".to_owned()),
        RequestDistribution::Hotspot {
            data_fraction,
            operation_fraction,
        } => {
            put("requestdistribution", "hotspot".to_owned());
            put("hotspotdatafraction", data_fraction.to_string());
            put("hotspotopnfraction", operation_fraction.to_string());
        }
        RequestDistribution::Sequential => put("requestdistribution", "sequential".to_owned()),
        RequestDistribution::Exponential { percentile, fraction } => {
            put("requestdistribution", "exponential".to_owned());
            put("exponential.percentile", percentile.to_string());
            put("exponential.frac", fraction.to_string());
        }
    }
    put("minscanlength", specification.scan_length.min.to_string());
    put("maxscanlength", specification.scan_length.max.to_string());
    let scan_lengths = if specification.scan_length.zipfian {
        "zipfian"
    } else {
        "uniform"
    };
    put("scanlengthdistribution", scan_lengths.to_owned());
    let order = match specification.insert_order {
        InsertOrder::Hashed => "hashed",
        InsertOrder::Ordered => "ordered",
    };
    put("insertorder", order.to_owned());
    put("zeropadding", specification.zero_padding.to_string());
    put("compressibility", specification.compressibility.to_string());
    map
}
