//! What advice is made from: one number of one trial.

use dbdyno_record::expectation::OPERATIONS;
use dbdyno_record::{MeasureRecord, OperationRecord, TrialRecord};
use dbdyno_stats::Better;

use crate::model::cells::{load_throughput, throughput};
use crate::{number, server_cost};

/// A number of a trial.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Metric {
    /// Successful operations per second of the measured phase; of one kind, or of all.
    Throughput(Option<&'static str>),
    /// Successful inserts per second of the load phase.
    LoadThroughput,
    /// A percentile of the latency: response time with a rate, service time without one.
    Percentile(f64, Option<&'static str>),
    /// The mean of the latency.
    Mean(Option<&'static str>),
    /// Failed operations, as a share of all.
    Errors,
    /// Processor time of the client for one successful operation; of an embedded store it is client and database together.
    ClientCpu,
    /// Processor time of the servers for one successful operation.
    ServerCpu,
    /// Memory of the servers.
    ServerMemory,
    /// Space that the servers' data take on disk.
    Disk,
    /// Bytes on disk over the bytes of the records.
    SpaceAmplification,
    /// Bytes written to storage over the bytes that operations wrote.
    WriteAmplification,
}

/// The metrics that are no percentile, by name.
const NAMED: [(&str, Metric); 12] = [
    ("throughput", Metric::Throughput(None)),
    ("throughput(load)", Metric::LoadThroughput),
    ("mean", Metric::Mean(None)),
    ("median", Metric::Percentile(50.0, None)),
    ("max", Metric::Percentile(100.0, None)),
    ("errors", Metric::Errors),
    ("client-cpu", Metric::ClientCpu),
    ("server-cpu", Metric::ServerCpu),
    ("server-memory", Metric::ServerMemory),
    ("disk", Metric::Disk),
    ("space-amplification", Metric::SpaceAmplification),
    ("write-amplification", Metric::WriteAmplification),
];

/// What the values of a metric are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Operations per second.
    PerSecond,
    /// Nanoseconds.
    Nanoseconds,
    /// A share, 0 to 1.
    Share,
    /// Bytes.
    Bytes,
    /// A ratio.
    Ratio,
}

impl Metric {
    /// Every name without percentiles, and one percentile, for help and for "did you mean".
    #[must_use]
    pub fn names() -> Vec<&'static str> {
        NAMED
            .iter()
            .map(|(name, _)| *name)
            .chain(["p99", "p99(read)"])
            .collect()
    }

    /// The metric of this name, e.g. `throughput`, `p99(read)`, `server-cpu`.
    ///
    /// # Errors
    /// What is wrong with the name.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text: String = text.split_whitespace().collect();
        if let Some((_, metric)) = NAMED.iter().find(|(name, _)| *name == text) {
            return Ok(*metric);
        }
        let (name, kind) = match text.split_once('(') {
            None => (text.as_str(), None),
            Some((name, rest)) => {
                let inner = rest
                    .strip_suffix(')')
                    .ok_or_else(|| format!("the bracket of `{text}` is not closed"))?;
                let known = OPERATIONS.iter().find(|operation| **operation == inner);
                if inner != "all" && known.is_none() {
                    return Err(format!(
                        "`{inner}` is no operation; one is {}, or all",
                        OPERATIONS.join(", ")
                    ));
                }
                (name, known.copied())
            }
        };
        match name {
            "throughput" => return Ok(Self::Throughput(kind)),
            "mean" => return Ok(Self::Mean(kind)),
            "median" => return Ok(Self::Percentile(50.0, kind)),
            "max" => return Ok(Self::Percentile(100.0, kind)),
            _ => {}
        }
        match name.strip_prefix('p').map(str::parse::<f64>) {
            Some(Ok(percentile)) if percentile > 0.0 && percentile <= 100.0 => {
                Ok(Self::Percentile(percentile, kind))
            }
            Some(Ok(_)) => Err(format!(
                "`{name}` is no percentile: one is above 0 and at most 100"
            )),
            _ => Err(format!("`{text}` is no metric")),
        }
    }

    /// Its name, as [`Metric::parse`] reads it.
    #[must_use]
    pub fn name(self) -> String {
        let of = |name: &str, kind: Option<&str>| {
            kind.map_or_else(|| name.to_owned(), |kind| format!("{name}({kind})"))
        };
        match self {
            Self::Throughput(kind) => of("throughput", kind),
            Self::Mean(kind) => of("mean", kind),
            Self::Percentile(100.0, kind) => of("max", kind),
            Self::Percentile(percentile, kind) => of(&number::percentile(percentile), kind),
            other => NAMED
                .iter()
                .find(|(_, metric)| *metric == other)
                .map_or_else(String::new, |(name, _)| (*name).to_owned()),
        }
    }

    /// What its values are.
    #[must_use]
    pub fn unit(self) -> Unit {
        match self {
            Self::Throughput(_) | Self::LoadThroughput => Unit::PerSecond,
            Self::Percentile(..) | Self::Mean(_) | Self::ClientCpu | Self::ServerCpu => Unit::Nanoseconds,
            Self::Errors => Unit::Share,
            Self::ServerMemory | Self::Disk => Unit::Bytes,
            Self::SpaceAmplification | Self::WriteAmplification => Unit::Ratio,
        }
    }

    /// Which direction is good.
    #[must_use]
    pub fn better(self) -> Better {
        match self.unit() {
            Unit::PerSecond => Better::Higher,
            _ => Better::Lower,
        }
    }

    /// Whether it is the latency of a closed loop that would be service time.
    pub(super) fn is_latency(self) -> bool {
        matches!(self, Self::Percentile(..) | Self::Mean(_))
    }

    /// Whether it is the throughput of the measured phase, which a rate fixes.
    pub(super) fn is_throughput(self) -> bool {
        matches!(self, Self::Throughput(_))
    }

    /// A value with its unit.
    #[must_use]
    pub fn format(self, value: f64) -> String {
        match self.unit() {
            Unit::PerSecond => number::rate(value),
            Unit::Nanoseconds => number::duration_ns(value),
            Unit::Share => number::share(value),
            Unit::Bytes => number::bytes(value),
            Unit::Ratio => number::ratio(value),
        }
    }

    /// The number of a trial; `None` where it was not measured.
    #[must_use]
    pub fn measure(self, trial: &TrialRecord) -> Option<f64> {
        let measure = trial.measure.as_ref();
        let servers = || Some((measure?, measure?.server.as_ref()?));
        match self {
            Self::Throughput(None) => throughput(trial),
            Self::Throughput(Some(kind)) => {
                let measure = measure?;
                let ok = measure.operations.get(kind)?.ok_in_time() as f64;
                (measure.duration_ns > 0).then(|| ok * 1e9 / measure.duration_ns as f64)
            }
            Self::LoadThroughput => load_throughput(trial),
            Self::Percentile(percentile, kind) => {
                Some(trial.latency(kind).percentile(percentile)?.ns() as f64)
            }
            Self::Mean(kind) => trial.latency(kind).mean_ns(),
            Self::Errors => {
                let sum = |of: fn(&OperationRecord) -> u64| measure.map(|measure| sum(measure, of));
                let attempts = sum(OperationRecord::attempts)?;
                (attempts > 0.0).then_some(sum(OperationRecord::error_count)? / attempts)
            }
            Self::ClientCpu => {
                let measure = measure?;
                server_cost::cpu_ns_per_operation(measure, measure.client.cpu_seconds)
            }
            Self::ServerCpu => {
                let (measure, server) = servers()?;
                server_cost::cpu_ns_per_operation(measure, server.cpu_seconds)
            }
            Self::ServerMemory => Some(servers()?.1.resident_bytes as f64),
            Self::Disk => Some(servers()?.1.disk_bytes? as f64),
            Self::SpaceAmplification => server_cost::space_amplification(trial, servers()?.1),
            Self::WriteAmplification => {
                let (measure, server) = servers()?;
                server_cost::write_amplification(trial, measure, server)
            }
        }
    }
}

fn sum(measure: &MeasureRecord, of: fn(&OperationRecord) -> u64) -> f64 {
    measure.operations.values().map(of).sum::<u64>() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_is_read_back_from_its_name() {
        let texts = [
            "p99.9(read-modify-write)",
            "mean(scan)",
            "throughput(update)",
            "p95",
        ];
        for text in Metric::names().into_iter().chain(texts) {
            let metric = Metric::parse(text).unwrap();
            assert_eq!(Metric::parse(&metric.name()), Ok(metric), "{text}");
        }
        assert_eq!(
            Metric::parse("p99( read )"),
            Ok(Metric::Percentile(99.0, Some("read")))
        );
        assert_eq!(Metric::parse("p99(all)"), Ok(Metric::Percentile(99.0, None)));
    }

    #[test]
    fn mistakes_are_told() {
        for (text, wanted) in [
            ("p101", "at most 100"),
            ("speed", "no metric"),
            ("p99(read", "not closed"),
            ("p99(red)", "no operation"),
            ("errors(read)", "no metric"),
        ] {
            let error = Metric::parse(text).unwrap_err();
            assert!(error.contains(wanted), "{text}: {error}");
        }
    }
}
