//! From properties to a specification: defaults, limits and the combinations that make no sense.

use dbdyno_vocabulary::{OperationKind, number, words};

use crate::client_properties::ClientProperties;
use crate::properties::{Properties, PropertyErrors};
use crate::reader::Reader;
use crate::specification::{
    FieldLength, InsertOrder, LengthHistogram, Mix, RequestDistribution, Resolved, ScanLength, Specification,
};
use crate::specification_text::{HISTOGRAM_DIGEST, PROPORTIONS};
use crate::vocabulary;

/// The largest key number: far above any database, low enough that sums of counts cannot overflow.
pub(crate) const MOST_RECORDS: u64 = 1 << 60;
/// The largest record, in bytes of values.
pub(crate) const MOST_RECORD_BYTES: u64 = 1 << 28;
const MOST_FIELDS: u32 = 10_000;
const MOST_FIELD_LENGTH: u32 = 1 << 28;
const MOST_BUCKETS: usize = 1 << 20;

impl Specification {
    /// Resolves properties: every key must be known, every value must make sense, `recordcount` (or `insertcount`)
    /// must be set.
    ///
    /// # Errors
    /// All that is wrong, with where it was set and what mends it.
    pub fn from_properties(properties: &Properties) -> Result<Resolved, PropertyErrors> {
        let mut reader = Reader::new(properties);
        let resolved = resolve(&mut reader);
        PropertyErrors::of(reader.refused()).map_or(Ok(resolved), Err)
    }
}

/// What the properties say; where the reader refused them, nothing that can be used.
fn resolve(reader: &mut Reader<'_>) -> Resolved {
    let unused = vocabulary::check(reader);
    let mut notices = Vec::new();
    if !unused.is_empty() {
        notices.push(format!(
            "YCSB properties that have no effect here: {}",
            unused.join(", ")
        ));
    }
    check_class(reader);
    let core = Specification::core(0);
    let insert_start = limited_count(reader, "insertstart").unwrap_or(0);
    let records = records(reader, insert_start, &mut notices);
    let specification = Specification {
        name: reader.properties().name().unwrap_or("workload").to_owned(),
        table_name: word(reader, "table", &core.table_name),
        records,
        insert_start,
        operations: limited_count(reader, "operationcount").filter(|count| *count > 0),
        field_count: reader.small("fieldcount", 1, MOST_FIELDS, core.field_count),
        field_name_prefix: word(reader, "fieldnameprefix", &core.field_name_prefix),
        field_length: field_length(reader),
        read_all_fields: reader.boolean("readallfields").unwrap_or(true),
        read_all_fields_by_name: reader.boolean("readallfieldsbyname").unwrap_or(false),
        write_all_fields: reader.boolean("writeallfields").unwrap_or(false),
        data_integrity: reader.boolean("dataintegrity").unwrap_or(false),
        mix: mix(reader),
        request: request(reader),
        scan_length: scan_length(reader),
        insert_order: reader.choice(
            "insertorder",
            &[("hashed", InsertOrder::Hashed), ("ordered", InsertOrder::Ordered)],
        ),
        zero_padding: reader.small("zeropadding", 0, 1_000, core.zero_padding),
        compressibility: reader.number("compressibility", 0.0, 1.0, 0.0),
    };
    check_together(reader, &specification, &mut notices);
    Resolved {
        specification,
        client: ClientProperties::read(reader),
        notices,
    }
}

fn check_class(reader: &mut Reader<'_>) {
    match reader.text("workload") {
        None
        | Some("site.ycsb.workloads.CoreWorkload" | "com.yahoo.ycsb.workloads.CoreWorkload" | "core") => {}
        Some(other) => reader.refuse(
            "workload",
            format!("workload class `{other}` is not supported"),
            "only site.ycsb.workloads.CoreWorkload is",
        ),
    }
}

fn limited_count(reader: &mut Reader<'_>, key: &str) -> Option<u64> {
    let count = reader.count(key)?;
    if count > MOST_RECORDS {
        reader.refuse(
            key,
            format!("{key} is {count}"),
            &format!("the maximum is {MOST_RECORDS}"),
        );
        return None;
    }
    Some(count)
}

fn records(reader: &mut Reader<'_>, insert_start: u64, notices: &mut Vec<String>) -> u64 {
    // YCSB takes a missing or zero recordcount as 2147483647; nobody means that.
    let record_count = limited_count(reader, "recordcount").filter(|count| *count > 0);
    let insert_count = limited_count(reader, "insertcount").filter(|count| *count > 0);
    match (record_count, insert_count) {
        (None, None) => {
            let problem = match reader.text("recordcount") {
                Some(_) => "recordcount is 0",
                None => "recordcount is missing",
            };
            let advice = "set the number of records in the table: --records 1M or -p recordcount=1M";
            reader.refuse_together("recordcount", problem.to_owned(), advice);
            0
        }
        (None, Some(insert_count)) => insert_count,
        (Some(record_count), None) => {
            if record_count <= insert_start {
                reader.refuse_together(
                    "insertstart",
                    format!("insertstart {insert_start} leaves none of recordcount {record_count}"),
                    "recordcount counts from 0: raise it, or set insertcount",
                );
            }
            record_count.saturating_sub(insert_start)
        }
        (Some(record_count), Some(insert_count)) => {
            let end = insert_start + insert_count;
            if end > record_count {
                reader.refuse_together(
                    "insertcount",
                    format!("insertstart {insert_start} + insertcount {insert_count} is beyond recordcount {record_count}"),
                    "raise recordcount, or omit it",
                );
            }
            if end < record_count {
                notices.push(format!(
                    "insertcount limits this run to records {insert_start} to {}; new records are numbered from {end}, \
                     not from recordcount {record_count}",
                    end - 1
                ));
            }
            insert_count
        }
    }
}

/// A name that every database can take: not empty, no blanks or control characters.
fn word(reader: &mut Reader<'_>, key: &str, default: &str) -> String {
    match reader.text(key) {
        None => default.to_owned(),
        Some(text) if !text.is_empty() && !text.chars().any(|c| c.is_whitespace() || c.is_control()) => {
            text.to_owned()
        }
        Some(text) => {
            reader.refuse(
                key,
                format!("{key}: `{text}` is not a name"),
                "use letters and digits",
            );
            default.to_owned()
        }
    }
}

fn mix(reader: &mut Reader<'_>) -> Mix {
    let core = Specification::core(0).mix;
    let weights = PROPORTIONS.map(|(kind, key)| (kind, reader.number(key, 0.0, 1e9, core.weight(kind))));
    if weights.iter().all(|(_, weight)| *weight == 0.0) {
        reader.refuse_together(
            "readproportion",
            "all proportions are 0".to_owned(),
            "set at least one proportion above 0",
        );
        return core;
    }
    Mix::new(&weights)
}

fn request(reader: &mut Reader<'_>) -> RequestDistribution {
    let theta = reader.number("zipf.theta", 0.0, 10.0, crate::zipfian::THETA);
    let hotspot = RequestDistribution::Hotspot {
        data_fraction: reader.number("hotspotdatafraction", 0.0, 1.0, 0.2),
        operation_fraction: reader.number("hotspotopnfraction", 0.0, 1.0, 0.8),
    };
    let percentile = reader.number("exponential.percentile", 0.0, 100.0, 95.0);
    let fraction = reader.number("exponential.frac", 0.0, 1e6, 0.857_142_857_1);
    let exponential = RequestDistribution::Exponential { percentile, fraction };
    let chosen = reader.choice(
        "requestdistribution",
        &[
            ("uniform", RequestDistribution::Uniform),
            ("zipfian", RequestDistribution::Zipfian),
            ("zipf", RequestDistribution::Zipf { theta }),
            ("latest", RequestDistribution::Latest),
            ("hotspot", hotspot),
            ("sequential", RequestDistribution::Sequential),
            ("exponential", exponential),
        ],
    );
    if reader.text("zipf.theta").is_some() && !matches!(chosen, RequestDistribution::Zipf { .. }) {
        reader.refuse_together(
            "zipf.theta",
            "zipf.theta is set but requestdistribution is not zipf".to_owned(),
            "YCSB's zipfian has a fixed theta; set requestdistribution=zipf for a true Zipf distribution",
        );
    }
    if chosen == exponential && (percentile >= 100.0 || percentile <= 0.0) {
        reader.refuse_together(
            "exponential.percentile",
            format!("exponential.percentile is {percentile}"),
            "it must be above 0 and below 100",
        );
    }
    if chosen == exponential && fraction <= 0.0 {
        reader.refuse_together(
            "exponential.frac",
            "exponential.frac is 0".to_owned(),
            "it must be above 0",
        );
    }
    chosen
}

fn scan_length(reader: &mut Reader<'_>) -> ScanLength {
    let max = reader.small("maxscanlength", 1, 100_000_000, 1_000);
    let min = reader.small("minscanlength", 1, 100_000_000, 1);
    if min > max {
        reader.refuse_together(
            "minscanlength",
            format!("minscanlength {min} is above maxscanlength {max}"),
            "swap them",
        );
    }
    let zipfian = reader.choice("scanlengthdistribution", &[("uniform", false), ("zipfian", true)]);
    ScanLength { min, max, zipfian }
}

#[derive(Clone, Copy)]
enum LengthDistribution {
    Constant,
    Uniform,
    Zipfian,
    Histogram,
}

fn field_length(reader: &mut Reader<'_>) -> FieldLength {
    let distribution = reader.choice(
        "fieldlengthdistribution",
        &[
            ("constant", LengthDistribution::Constant),
            ("uniform", LengthDistribution::Uniform),
            ("zipfian", LengthDistribution::Zipfian),
            ("histogram", LengthDistribution::Histogram),
        ],
    );
    let max = reader.small("fieldlength", 0, MOST_FIELD_LENGTH, 100);
    let min = reader.small("minfieldlength", 0, MOST_FIELD_LENGTH, 1);
    let varies = matches!(
        distribution,
        LengthDistribution::Uniform | LengthDistribution::Zipfian
    );
    if varies && min > max {
        reader.refuse_together(
            "minfieldlength",
            format!("minfieldlength {min} is above fieldlength {max}"),
            "fieldlength is the maximum: raise it",
        );
    }
    match distribution {
        LengthDistribution::Constant => FieldLength::Constant(max),
        LengthDistribution::Uniform => FieldLength::Uniform { min, max },
        LengthDistribution::Zipfian => FieldLength::Zipfian { min, max },
        LengthDistribution::Histogram => {
            measured_lengths(reader).map_or(FieldLength::Constant(max), FieldLength::Histogram)
        }
    }
}

/// The lengths of the histogram file that the properties name.
fn measured_lengths(reader: &mut Reader<'_>) -> Option<LengthHistogram> {
    let path = reader.text("fieldlengthhistogram").unwrap_or("hist.txt");
    let Some(text) = reader.properties().attachment(path) else {
        reader.refuse(
            "fieldlengthhistogram",
            format!("the histogram file `{path}` was not read"),
            "set fieldlengthhistogram to an existing file",
        );
        return None;
    };
    let histogram = match histogram(path, text) {
        Ok(histogram) => histogram,
        Err(problem) => {
            reader.refuse(
                "fieldlengthhistogram",
                problem,
                "the first line is `BlockSize<tab>bytes`, the others `bucket<tab>count`, buckets from 0",
            );
            return None;
        }
    };
    if let Some(digest) = reader.text(HISTOGRAM_DIGEST)
        && digest != histogram.digest()
    {
        reader.refuse(
            HISTOGRAM_DIGEST,
            format!(
                "the histogram file `{path}` has changed: its digest was {digest} and is now {}",
                histogram.digest()
            ),
            "restore the file, or remove fieldlengthhistogram.digest to take it as it is",
        );
    }
    Some(histogram)
}

/// Reads YCSB's histogram file.
fn histogram(path: &str, text: &str) -> Result<LengthHistogram, String> {
    let mut block_size = None;
    let mut counts: Vec<u64> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let place = format!("{path}:{}", index + 1);
        if line.trim().is_empty() {
            continue;
        }
        let (left, right) = line
            .split_once('\t')
            .ok_or_else(|| format!("{place}: `{line}` has no tab"))?;
        let number: u64 = right
            .trim()
            .parse()
            .map_err(|_| format!("{place}: `{right}` is not a whole number"))?;
        if block_size.is_none() {
            if left != "BlockSize" {
                return Err(format!("{place}: `{left}` is not `BlockSize`"));
            }
            let size = u32::try_from(number).ok().filter(|size| *size > 0);
            block_size =
                Some(size.ok_or_else(|| format!("{place}: a BlockSize of {number} is not possible"))?);
            continue;
        }
        let bucket: usize = left
            .trim()
            .parse()
            .map_err(|_| format!("{place}: `{left}` is not a bucket"))?;
        // YCSB reads buckets in order and fails otherwise.
        if bucket != counts.len() {
            return Err(format!(
                "{place}: bucket {bucket} comes where {} should",
                counts.len()
            ));
        }
        if bucket >= MOST_BUCKETS || number > u64::from(u32::MAX) {
            return Err(format!("{place}: more than 2^20 buckets or a count above 2^32"));
        }
        counts.push(number);
    }
    let block_size = block_size.ok_or_else(|| format!("{path} is empty"))?;
    if counts.iter().sum::<u64>() == 0 {
        return Err(format!("{path} counts nothing"));
    }
    Ok(LengthHistogram {
        path: path.to_owned(),
        block_size,
        counts,
    })
}

fn check_together(reader: &mut Reader<'_>, specification: &Specification, notices: &mut Vec<String>) {
    if specification.longest_record_bytes() > MOST_RECORD_BYTES {
        reader.refuse_together(
            "fieldlength",
            format!("a record can have {} bytes", specification.longest_record_bytes()),
            "fieldcount times the longest field may be at most 256 MB",
        );
    }
    if specification.data_integrity && !matches!(specification.field_length, FieldLength::Constant(_)) {
        reader.refuse_together(
            "dataintegrity",
            "dataintegrity needs fields of constant length".to_owned(),
            "set fieldlengthdistribution=constant",
        );
    }
    if specification.data_integrity && specification.compressibility > 0.0 {
        reader.refuse_together(
            "compressibility",
            "compressibility has no effect on the values of dataintegrity".to_owned(),
            "set only one of them",
        );
    }
    if specification.read_all_fields_by_name && !specification.read_all_fields {
        notices.push("readallfieldsbyname has no effect with readallfields=false".to_owned());
    }
    notices.extend(scaled(&specification.mix));
}

/// What becomes of proportions whose sum is not 1; `None` where it is. A proportion that is not set has YCSB's default, which is
/// the usual reason.
fn scaled(mix: &Mix) -> Option<String> {
    let sum: f64 = OperationKind::ALL.into_iter().map(|kind| mix.weight(kind)).sum();
    if (sum - 1.0).abs() < 1e-6 {
        return None;
    }
    let shares: Vec<String> = mix
        .kinds()
        .map(|kind| format!("{} {}", kind.name(), number::share(mix.proportion(kind))))
        .collect();
    Some(format!(
        "the proportions sum to {}, not 1, so they are scaled, as in YCSB: {}; a proportion that is not set has YCSB's \
         default (readproportion=0.95, updateproportion=0.05)",
        (sum * 1e6).round() / 1e6,
        words::list(&shares)
    ))
}
