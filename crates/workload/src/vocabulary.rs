//! The property keys we know: YCSB's, and ours. Everything else is refused.

use dbdyno_vocabulary::suggest::nearest;

use crate::reader::Reader;

/// The effect of a known property here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// Shapes the workload.
    Workload,
    /// Tells the client how to run it.
    Client,
    /// Known to YCSB, without meaning here; the text says why, or what to use.
    None(&'static str),
}

const JVM: &str = "there is no JVM to watch";
const HISTOGRAMS: &str = "latencies are always kept in HdrHistograms, written to the result folder";
const RETRIES: &str = "a failed insert is counted as an error and the load goes on";
const OUTPUT: &str = "use --format and --output";

/// Every known key.
pub(crate) const KNOWN: &[(&str, Use)] = &[
    ("workload", Use::Workload),
    ("table", Use::Workload),
    ("recordcount", Use::Workload),
    ("operationcount", Use::Workload),
    ("insertcount", Use::Workload),
    ("insertstart", Use::Workload),
    ("fieldcount", Use::Workload),
    ("fieldnameprefix", Use::Workload),
    ("fieldlength", Use::Workload),
    ("minfieldlength", Use::Workload),
    ("fieldlengthdistribution", Use::Workload),
    ("fieldlengthhistogram", Use::Workload),
    ("fieldlengthhistogram.digest", Use::Workload),
    ("readallfields", Use::Workload),
    ("readallfieldsbyname", Use::Workload),
    ("writeallfields", Use::Workload),
    ("dataintegrity", Use::Workload),
    ("readproportion", Use::Workload),
    ("updateproportion", Use::Workload),
    ("insertproportion", Use::Workload),
    ("scanproportion", Use::Workload),
    ("readmodifywriteproportion", Use::Workload),
    ("deleteproportion", Use::Workload),
    ("requestdistribution", Use::Workload),
    ("zipf.theta", Use::Workload),
    ("hotspotdatafraction", Use::Workload),
    ("hotspotopnfraction", Use::Workload),
    ("exponential.percentile", Use::Workload),
    ("exponential.frac", Use::Workload),
    ("minscanlength", Use::Workload),
    ("maxscanlength", Use::Workload),
    ("scanlengthdistribution", Use::Workload),
    ("insertorder", Use::Workload),
    ("zeropadding", Use::Workload),
    ("compressibility", Use::Workload),
    ("threadcount", Use::Client),
    ("target", Use::Client),
    ("arrivals", Use::Client),
    ("maxexecutiontime", Use::Client),
    ("warmuptime", Use::Client),
    ("dotransactions", Use::Client),
    ("status", Use::Client),
    ("status.interval", Use::Client),
    ("label", Use::Client),
    ("measurement.interval", Use::Client),
    ("hdrhistogram.percentiles", Use::Client),
    (
        "db",
        Use::None("the system is named on the command line or in the study"),
    ),
    ("exporter", Use::None(OUTPUT)),
    ("exportfile", Use::None(OUTPUT)),
    (
        "spin.sleep",
        Use::None("pacing needs no choice: it neither sleeps too long nor spins for long"),
    ),
    (
        "reportlatencyforeacherror",
        Use::None("every error class is counted apart"),
    ),
    (
        "latencytrackederrors",
        Use::None("every error class is counted apart"),
    ),
    ("measurementtype", Use::None(HISTOGRAMS)),
    ("measurement.trackjvm", Use::None(JVM)),
    ("measurement.histogram.verbose", Use::None(HISTOGRAMS)),
    ("measurement.raw.output_file", Use::None(HISTOGRAMS)),
    ("measurement.raw.no_summary", Use::None(HISTOGRAMS)),
    ("hdrhistogram.fileoutput", Use::None(HISTOGRAMS)),
    ("hdrhistogram.output.path", Use::None(HISTOGRAMS)),
    ("histogram.buckets", Use::None(HISTOGRAMS)),
    (
        "timeseries.granularity",
        Use::None("the time series has one row a second"),
    ),
    ("core_workload_insertion_retry_limit", Use::None(RETRIES)),
    ("core_workload_insertion_retry_interval", Use::None(RETRIES)),
    ("core_workload_insertion_keep_going_on_error", Use::None(RETRIES)),
];

/// Known families of keys without meaning here.
const FAMILIES: &[(&str, &str)] = &[
    ("htrace.", "there is no HTrace"),
    (
        "basicdb.",
        "BasicDB's settings; the `null` system does nothing at all",
    ),
    ("gbudb.", "GoodBadUglyDB's settings"),
];

/// Checks every key, and refuses unknown ones, with the nearest known one. Returns what is known but unused, as `key (reason)`.
pub(crate) fn check(reader: &mut Reader<'_>) -> Vec<String> {
    let mut unused = Vec::new();
    for (key, _) in reader.properties().iter() {
        let family = FAMILIES.iter().find(|(prefix, _)| key.starts_with(prefix));
        match KNOWN.iter().find(|(known, _)| *known == key) {
            Some((_, Use::None(reason))) => unused.push(format!("{key} ({reason})")),
            Some(_) => {}
            None => match family {
                Some((_, reason)) => unused.push(format!("{key} ({reason})")),
                None => refuse_unknown(reader, key),
            },
        }
    }
    unused
}

/// Whether YCSB's client and core workload, or ours, know this property; what they do not know is a database's.
#[must_use]
pub fn is_core_property(key: &str) -> bool {
    KNOWN.iter().any(|(known, _)| *known == key)
}

fn refuse_unknown(reader: &mut Reader<'_>, key: &str) {
    let advice = match nearest(key, KNOWN.iter().map(|(known, _)| *known)) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "docs/workloads.md lists the properties".to_owned(),
    };
    reader.refuse(key, format!("unknown property `{key}`"), &advice);
}
