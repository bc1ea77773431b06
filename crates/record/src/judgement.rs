//! The figures of a trial, by metric, and whether expectations of them hold.
//!
//! Percentiles and the maximum are over all attempts: failed operations rank behind every answer, and an upper limit does not
//! hold for a percentile that falls on them.

use dbdyno_vocabulary::{Expectation, Metric, MetricValue, Subject};

use crate::trial::per_second;
use crate::{LoadRecord, OperationRecord, Quantile, TrialRecord, attempted};

/// Whether an expectation holds, and the figure it is about.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Whether it holds. Something that was not measured does not hold.
    pub met: bool,
    /// The figure; `None` when it was not measured.
    pub measured: Option<MetricValue>,
}

impl TrialRecord {
    /// The trial's figure of this metric; `None` where it was not measured. Errors and missing records are a share.
    #[must_use]
    pub fn figure(&self, metric: Metric) -> Option<MetricValue> {
        let measure = self.measure.as_ref();
        let server = || measure?.server.as_ref();
        match metric {
            Metric::ClientCpu => {
                let measure = measure?;
                let ns = measure.cpu_ns_per_operation(measure.client.cpu_seconds)?;
                Some(MetricValue::CpuNs(ns))
            }
            Metric::ServerCpu => {
                let ns = measure?.cpu_ns_per_operation(server()?.cpu_seconds)?;
                Some(MetricValue::CpuNs(ns))
            }
            Metric::ServerMemory => Some(MetricValue::Bytes(server()?.resident_bytes as f64)),
            Metric::Disk => Some(MetricValue::Bytes(server()?.disk_bytes? as f64)),
            Metric::SpaceAmplification => self.space_amplification().map(MetricValue::Ratio),
            Metric::WriteAmplification => self.write_amplification().map(MetricValue::Ratio),
            _ => self.figure_of_operations(metric),
        }
    }

    /// Holds an expectation against the trial. None about the measured phase holds when clients were given up in it.
    #[must_use]
    pub fn judge(&self, expectation: &Expectation) -> Judgement {
        let metric = expectation.metric();
        let measured = match (expectation.limit(), metric) {
            (MetricValue::Count(_), Metric::Errors(_) | Metric::NotFound(_)) => self.count_of(metric),
            _ => self.figure(metric),
        };
        let stuck = self.measure.as_ref().map_or(0, |measure| measure.drain.stuck);
        let given_up = metric.subject() != Subject::Load && stuck > 0;
        Judgement {
            met: !given_up
                && measured.is_some_and(|measured| {
                    let bound = matches!(measured, MetricValue::LatencyAtLeastNs(_));
                    (expectation.is_lower_bound() || !bound) && expectation.holds_for(measured.number())
                }),
            measured,
        }
    }

    fn figure_of_operations(&self, metric: Metric) -> Option<MetricValue> {
        let (operations, duration_ns) = self.asked(metric.subject())?;
        let attempts = sum(&operations, OperationRecord::attempts);
        let latency = || attempted(operations.iter().copied());
        match metric {
            Metric::Throughput(_) => {
                let ok = sum(&operations, OperationRecord::ok_in_time);
                per_second(ok, duration_ns).map(MetricValue::Rate)
            }
            Metric::Percentile(percentile, _) => latency().percentile(percentile).map(MetricValue::from),
            Metric::Mean(_) => {
                let all = latency();
                let mean_ns = all.mean_ns()?;
                Some(if all.failure_share() > 0.0 {
                    MetricValue::LatencyAtLeastNs(mean_ns)
                } else {
                    MetricValue::LatencyNs(mean_ns)
                })
            }
            Metric::Min(_) => Some(MetricValue::LatencyNs(latency().min_ns()? as f64)),
            Metric::Errors(_) | Metric::NotFound(_) if attempts > 0 => {
                let count = self.count_of(metric)?.number();
                Some(MetricValue::Share(count / attempts as f64))
            }
            _ => None,
        }
    }

    /// How many operations failed or found no record.
    fn count_of(&self, metric: Metric) -> Option<MetricValue> {
        let (operations, _) = self.asked(metric.subject())?;
        let count = match metric {
            Metric::NotFound(_) => sum(&operations, |record| record.not_found),
            _ => sum(&operations, OperationRecord::error_count),
        };
        Some(MetricValue::Count(count as f64))
    }

    /// The operations of a subject, and the length of their phase; `None` when none was sent.
    fn asked(&self, subject: Subject) -> Option<(Vec<&OperationRecord>, u64)> {
        let (operations, duration_ns) = match subject {
            Subject::Load => {
                let LoadRecord { duration_ns, inserts } = self.load.as_ref()?;
                (vec![inserts], *duration_ns)
            }
            Subject::All => {
                let measure = self.measure.as_ref()?;
                (measure.operations.values().collect(), measure.duration_ns)
            }
            Subject::Kind(kind) => {
                let measure = self.measure.as_ref()?;
                (vec![measure.operations.get(kind.name())?], measure.duration_ns)
            }
        };
        let unfinished = operations.iter().any(|record| record.unfinished.is_some());
        let was_sent = unfinished || sum(&operations, OperationRecord::attempts) > 0;
        was_sent.then_some((operations, duration_ns))
    }
}

fn sum(operations: &[&OperationRecord], of: fn(&OperationRecord) -> u64) -> u64 {
    operations.iter().map(|&record| of(record)).sum()
}

impl From<Quantile> for MetricValue {
    fn from(quantile: Quantile) -> Self {
        match quantile {
            Quantile::Exact(ns) => Self::LatencyNs(ns as f64),
            Quantile::AtLeast(ns) => Self::LatencyAtLeastNs(ns as f64),
        }
    }
}

#[cfg(test)]
#[path = "judgement_tests.rs"]
mod tests;
