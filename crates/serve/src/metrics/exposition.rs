//! Metrics as Prometheus reads them: in protobuf with native histograms for a server that accepts it, else in OpenMetrics' text
//! with classic buckets.

use std::fmt;

use dbdyno_record::live_buckets::{LatencyBuckets, SCHEMA};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{
    DescriptorEncoder, EncodeMetric, MetricEncoder, NativeHistogram, NativeHistogramBuckets, NoLabelSet,
    prometheus_protobuf, text,
};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{self, Registry};
use prost::Message as _;

use super::family::{Family, Kind, Series, Unit, Value};

/// Powers of two, in seconds, between which classic buckets end: 15 ns and 64 s.
const CLASSIC: std::ops::RangeInclusive<i32> = -26..=6;
/// Buckets of the native histogram for each factor of two.
const PER_DOUBLING: i32 = 1 << SCHEMA;
/// Latencies up to here would count as zero; none is as short. A histogram with a threshold is a native one to every Prometheus.
const ZERO_THRESHOLD: f64 = f64::MIN_POSITIVE;

/// How metrics are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Protobuf,
    OpenMetrics,
}

impl Format {
    /// What a request accepts (RFC 9110, section 12.5.1): text, unless it prefers protobuf or likes it as much.
    pub fn of(accept: &str) -> Self {
        let mut best = (0.0, Self::OpenMetrics);
        for range in accept.split(',') {
            let mut parts = range.split(';').map(str::trim);
            let media = parts.next().unwrap_or_default();
            let parameters: Vec<&str> = parts.collect();
            let format = match media {
                "application/vnd.google.protobuf"
                    if parameters.contains(&"proto=io.prometheus.client.MetricFamily")
                        && parameters.contains(&"encoding=delimited") =>
                {
                    Self::Protobuf
                }
                "application/openmetrics-text" | "text/plain" => Self::OpenMetrics,
                _ => continue,
            };
            let quality = parameters
                .iter()
                .find_map(|parameter| parameter.strip_prefix("q="));
            let quality: f64 = quality.map_or(1.0, |quality| quality.parse().unwrap_or(0.0));
            if quality > best.0 || quality == best.0 && format == Self::Protobuf && quality > 0.0 {
                best = (quality, format);
            }
        }
        best.1
    }

    pub fn content_type(self) -> &'static str {
        match self {
            Self::Protobuf => {
                "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"
            }
            Self::OpenMetrics => "application/openmetrics-text; version=1.0.0; charset=utf-8",
        }
    }
}

/// The answer to a scrape.
///
/// # Errors
/// What the library says.
pub(crate) fn write(families: Vec<Family>, format: Format) -> Result<Vec<u8>, String> {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(Families { families }));
    match format {
        Format::OpenMetrics => {
            let mut written = String::new();
            text::encode(&mut written, &registry).map_err(|error| error.to_string())?;
            Ok(written.into_bytes())
        }
        Format::Protobuf => {
            let messages = prometheus_protobuf::encode(&registry).map_err(|error| error.to_string())?;
            let mut written = Vec::new();
            for message in messages {
                message
                    .encode_length_delimited(&mut written)
                    .map_err(|error| error.to_string())?;
            }
            Ok(written)
        }
    }
}

#[derive(Debug)]
struct Families {
    families: Vec<Family>,
}

impl Collector for Families {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        for Family { metric, series } in &self.families {
            let unit = match metric.unit {
                Unit::Count => None,
                Unit::Seconds => Some(registry::Unit::Seconds),
                Unit::Bytes => Some(registry::Unit::Bytes),
            };
            let kind = match metric.kind {
                Kind::Counter => MetricType::Counter,
                Kind::Gauge => MetricType::Gauge,
                Kind::Info => MetricType::Info,
                Kind::Histogram => MetricType::Histogram,
            };
            let mut family = encoder.encode_descriptor(metric.name, metric.help, unit.as_ref(), kind)?;
            for series in series {
                let labels: Vec<(&str, &str)> = metric.labelled(series).into_iter().collect();
                if metric.kind == Kind::Info {
                    family.encode_info(&labels)?;
                } else {
                    encode(family.encode_family(&labels)?, metric.kind, series)?;
                }
            }
        }
        Ok(())
    }
}

fn encode(encoder: MetricEncoder<'_>, kind: Kind, series: &Series) -> Result<(), fmt::Error> {
    match (&series.value, kind) {
        (Value::Count(count), Kind::Counter) => ConstCounter::new(*count).encode(encoder),
        (Value::Number(number), Kind::Counter) => ConstCounter::new(*number).encode(encoder),
        (Value::Count(count), _) => ConstGauge::new(*count as f64).encode(encoder),
        (Value::Number(number), _) => ConstGauge::new(*number).encode(encoder),
        (Value::Latencies(latencies), _) => histogram(encoder, latencies),
    }
}

fn histogram(mut encoder: MetricEncoder<'_>, latencies: &LatencyBuckets) -> Result<(), fmt::Error> {
    let (spans, deltas) = native(latencies);
    encoder.encode_histogram_with_native::<NoLabelSet>(
        latencies.sum_s(),
        latencies.count(),
        &classic(latencies),
        None,
        NativeHistogram {
            schema: SCHEMA,
            zero_threshold: ZERO_THRESHOLD,
            zero_count: 0,
            negative: NativeHistogramBuckets {
                spans: &[],
                deltas: &[],
            },
            positive: NativeHistogramBuckets {
                spans: &spans,
                deltas: &deltas,
            },
            created: None,
        },
    )
}

/// Upper bounds with the latencies between each and the one before it. Every classic bucket ends where a native one does.
fn classic(latencies: &LatencyBuckets) -> Vec<(f64, u64)> {
    let (first, last) = (*CLASSIC.start(), *CLASSIC.end());
    let bounds = CLASSIC.map(|exponent| 2f64.powi(exponent));
    let mut buckets: Vec<(f64, u64)> = bounds.chain([f64::INFINITY]).map(|bound| (bound, 0)).collect();
    for (index, count) in latencies.iter() {
        // The exponent of the power of two at or above the bucket's end.
        let exponent = (index + PER_DOUBLING - 1).div_euclid(PER_DOUBLING);
        let place = (exponent.clamp(first, last + 1) - first) as usize;
        buckets[place].1 = buckets[place].1.saturating_add(count);
    }
    buckets
}

/// Runs of buckets (gap to the run before, length), and each count as its difference from the one before.
fn native(latencies: &LatencyBuckets) -> (Vec<(i32, u32)>, Vec<i64>) {
    let mut spans: Vec<(i32, u32)> = Vec::new();
    let mut deltas = Vec::new();
    let (mut next, mut before) = (0, 0);
    for (index, count) in latencies.iter() {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        deltas.push(count - before);
        before = count;
        match spans.last_mut() {
            Some((_, length)) if index == next => *length += 1,
            _ => spans.push((index - next, 1)),
        }
        next = index + 1;
    }
    (spans, deltas)
}

#[cfg(test)]
mod tests {
    use dbdyno_record::live_buckets;
    use prometheus_client::encoding::prometheus_protobuf::prometheus_data_model::MetricFamily;

    use super::*;
    use crate::metrics::catalogue::{CLIENT_CPU, LATENCY, OPERATIONS, PHASE};

    fn labels(values: &[&str]) -> Vec<String> {
        values.iter().map(|value| (*value).to_owned()).collect()
    }

    fn latencies() -> LatencyBuckets {
        let mut latencies = LatencyBuckets::default();
        // 1 us twice, 1 s, just above it, and 1000 s.
        let counted = [1_000, 1_000_000_000, 1_000_000_001, 1_000_000_000_000].map(live_buckets::index);
        latencies.add_counted(
            &[(counted[0], 2), (counted[1], 1), (counted[2], 4), (counted[3], 1)],
            1006.0,
        );
        latencies
    }

    fn families() -> Vec<Family> {
        let cell = ["a \"study\"", "redb", "a"];
        let series = |more: &[&str], value| {
            vec![Series {
                labels: labels(&[&cell[..], more].concat()),
                value,
            }]
        };
        vec![
            Family {
                metric: &OPERATIONS,
                series: series(&["measure", "read", "ok"], Value::Count(8)),
            },
            Family {
                metric: &LATENCY,
                series: series(&["measure", "read"], Value::Latencies(latencies())),
            },
            Family {
                metric: &CLIENT_CPU,
                series: series(&["measure"], Value::Number(0.5)),
            },
            Family {
                metric: &PHASE,
                series: series(&["measure"], Value::Count(1)),
            },
        ]
    }

    #[test]
    fn text_has_classic_buckets() {
        let text = String::from_utf8(write(families(), Format::OpenMetrics).unwrap()).unwrap();
        let cell = r#"study="a \"study\"",system="redb",workload="a",phase="measure""#;
        for line in [
            format!("dbdyno_operations_total{{{cell},operation=\"read\",outcome=\"ok\"}} 8"),
            format!("dbdyno_operation_latency_seconds_count{{{cell},operation=\"read\"}} 8"),
            format!("dbdyno_client_cpu_seconds_total{{{cell}}} 0.5"),
            format!("dbdyno_phase_info{{{cell}}} 1"),
            "# TYPE dbdyno_operation_latency_seconds histogram".to_owned(),
            "# EOF".to_owned(),
        ] {
            assert!(text.lines().any(|written| written == line), "{line}\n{text}");
        }
        let bucket = |bound: &str| {
            let end = format!("le=\"{bound}\"");
            let line = text.lines().find(|line| {
                line.starts_with("dbdyno_operation_latency_seconds_bucket") && line.contains(&end)
            });
            let (_, count) = line
                .and_then(|line| line.rsplit_once(' '))
                .unwrap_or_else(|| panic!("{bound}\n{text}"));
            count.to_owned()
        };
        let counts = ["1.0", "2.0", "64.0", "+Inf"].map(bucket);
        assert_eq!(counts, ["3", "7", "7", "8"]);
    }

    #[test]
    fn protobuf_has_native_buckets_too() {
        let bytes = write(families(), Format::Protobuf).unwrap();
        let mut rest = bytes.as_slice();
        let mut read = Vec::new();
        while !rest.is_empty() {
            read.push(MetricFamily::decode_length_delimited(&mut rest).unwrap());
        }
        let names: Vec<&str> = read.iter().map(|family| family.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "dbdyno_operations_total",
                "dbdyno_operation_latency_seconds",
                "dbdyno_client_cpu_seconds_total",
                "dbdyno_phase_info"
            ]
        );
        let histogram = read[1].metric[0].histogram.as_ref().unwrap();
        assert_eq!((histogram.schema, histogram.sample_count), (SCHEMA, 8));
        assert!(histogram.zero_threshold > 0.0);
        let mut counted = Vec::new();
        let (mut index, mut count) = (0, 0);
        let mut deltas = histogram.positive_delta.iter();
        for span in &histogram.positive_span {
            index += span.offset;
            for _ in 0..span.length {
                count += deltas.next().unwrap();
                counted.push((index, count as u64));
                index += 1;
            }
        }
        assert_eq!(counted, latencies().iter().collect::<Vec<_>>());
        let top = histogram.bucket.last().unwrap();
        assert!(top.upper_bound.is_infinite() && top.cumulative_count == 8);
    }

    #[test]
    fn the_client_says_which_format_it_reads() {
        let protobuf =
            "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited";
        let text = "application/openmetrics-text;version=1.0.0";
        for (accept, format) in [
            (String::new(), Format::OpenMetrics),
            ("*/*".to_owned(), Format::OpenMetrics),
            (protobuf.to_owned(), Format::Protobuf),
            (
                format!("{protobuf},{text};q=0.8,text/plain;version=0.0.4;q=0.7,*/*;q=0.1"),
                Format::Protobuf,
            ),
            (format!("{text};q=0.6,{protobuf};q=0.5"), Format::OpenMetrics),
            (format!("{protobuf};q=0"), Format::OpenMetrics),
            (
                "application/vnd.google.protobuf;encoding=text".to_owned(),
                Format::OpenMetrics,
            ),
        ] {
            assert_eq!(Format::of(&accept), format, "{accept}");
        }
    }
}
