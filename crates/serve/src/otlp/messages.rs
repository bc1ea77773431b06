//! Metrics and marks as OTLP messages. Names have dots for underscores; a collector that hands them to Prometheus gives them the
//! names that `/metrics` has.
#![allow(
    clippy::needless_update,
    reason = "later versions of the protocol add fields, and this names the ones that it sets"
)]

use std::time::SystemTime;

use dbdyno_record::live_buckets::{LatencyBuckets, SCHEMA};
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue, any_value};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs, SeverityNumber};
use opentelemetry_proto::tonic::metrics::v1::exponential_histogram_data_point::Buckets;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, ExponentialHistogram, ExponentialHistogramDataPoint, Gauge, Metric,
    NumberDataPoint, ResourceMetrics, ScopeMetrics, Sum, number_data_point,
};
use opentelemetry_proto::tonic::resource::v1::Resource;

use crate::metrics::collect::Mark;
use crate::metrics::family::{Family, Kind, Series, Unit, Value};

/// The name of the program, for the resource and the scope.
const DBDYNO: &str = "dbdyno";

/// A message of all metrics. Counters begin with their study: since when is not known here, so no start is given.
pub(super) fn metrics(families: &[Family], now: SystemTime) -> ExportMetricsServiceRequest {
    let time = unix_ns(now);
    ExportMetricsServiceRequest {
        resource_metrics: vec![ResourceMetrics {
            resource: Some(resource()),
            scope_metrics: vec![ScopeMetrics {
                scope: Some(scope()),
                metrics: families.iter().map(|family| metric(family, time)).collect(),
                ..ScopeMetrics::default()
            }],
            ..ResourceMetrics::default()
        }],
        ..ExportMetricsServiceRequest::default()
    }
}

/// A message of marks, as events.
pub(super) fn logs(marks: &[&Mark], now: SystemTime) -> ExportLogsServiceRequest {
    let record = |mark: &&Mark| LogRecord {
        time_unix_nano: unix_ns(mark.at.unwrap_or(now)),
        observed_time_unix_nano: unix_ns(now),
        severity_number: SeverityNumber::Info as i32,
        event_name: mark.event.to_owned(),
        body: Some(text(&mark.text)),
        attributes: mark
            .labels
            .iter()
            .map(|(name, value)| attribute(name, value))
            .collect(),
        ..LogRecord::default()
    };
    ExportLogsServiceRequest {
        resource_logs: vec![ResourceLogs {
            resource: Some(resource()),
            scope_logs: vec![ScopeLogs {
                scope: Some(scope()),
                log_records: marks.iter().map(record).collect(),
                ..ScopeLogs::default()
            }],
            ..ResourceLogs::default()
        }],
        ..ExportLogsServiceRequest::default()
    }
}

fn metric(family: &Family, time: u64) -> Metric {
    let Family { metric, series } = family;
    let mut name = metric.name.replace('_', ".");
    if metric.kind == Kind::Info {
        name.push_str(".info");
    }
    let numbers = || {
        series
            .iter()
            .filter_map(|series| number(family, series, time))
            .collect()
    };
    let data = match metric.kind {
        Kind::Counter => Data::Sum(Sum {
            data_points: numbers(),
            aggregation_temporality: AggregationTemporality::Cumulative as i32,
            is_monotonic: true,
            ..Sum::default()
        }),
        Kind::Gauge | Kind::Info => Data::Gauge(Gauge {
            data_points: numbers(),
            ..Gauge::default()
        }),
        Kind::Histogram => Data::ExponentialHistogram(ExponentialHistogram {
            data_points: series
                .iter()
                .filter_map(|series| histogram(family, series, time))
                .collect(),
            aggregation_temporality: AggregationTemporality::Cumulative as i32,
            ..ExponentialHistogram::default()
        }),
    };
    Metric {
        name,
        description: metric.help.to_owned(),
        unit: match metric.unit {
            Unit::Count => String::new(),
            Unit::Seconds => "s".to_owned(),
            Unit::Bytes => "By".to_owned(),
        },
        data: Some(data),
        ..Metric::default()
    }
}

fn number(family: &Family, series: &Series, time: u64) -> Option<NumberDataPoint> {
    let value = match &series.value {
        Value::Count(count) => number_data_point::Value::AsInt(i64::try_from(*count).unwrap_or(i64::MAX)),
        Value::Number(number) => number_data_point::Value::AsDouble(*number),
        Value::Latencies(_) => return None,
    };
    Some(NumberDataPoint {
        attributes: attributes(family, series),
        time_unix_nano: time,
        value: Some(value),
        ..NumberDataPoint::default()
    })
}

fn histogram(family: &Family, series: &Series, time: u64) -> Option<ExponentialHistogramDataPoint> {
    let Value::Latencies(latencies) = &series.value else {
        return None;
    };
    Some(ExponentialHistogramDataPoint {
        attributes: attributes(family, series),
        time_unix_nano: time,
        count: latencies.count(),
        sum: Some(latencies.sum_s()),
        scale: SCHEMA,
        positive: buckets(latencies),
        ..ExponentialHistogramDataPoint::default()
    })
}

/// All buckets from the first to the last that is not empty. OpenTelemetry numbers a bucket by its lower bound, so by one less.
fn buckets(latencies: &LatencyBuckets) -> Option<Buckets> {
    let (first, _) = latencies.iter().next()?;
    let mut bucket_counts = Vec::new();
    for (index, count) in latencies.iter() {
        let place = usize::try_from(index - first).ok()?;
        bucket_counts.resize(place, 0);
        bucket_counts.push(count);
    }
    Some(Buckets {
        offset: first - 1,
        bucket_counts,
        ..Buckets::default()
    })
}

fn attributes(family: &Family, series: &Series) -> Vec<KeyValue> {
    let labels = family.metric.labelled(series);
    labels
        .iter()
        .map(|(name, value)| attribute(name, value))
        .collect()
}

fn attribute(name: &str, value: &str) -> KeyValue {
    KeyValue {
        key: name.to_owned(),
        value: Some(text(value)),
        ..KeyValue::default()
    }
}

fn text(value: &str) -> AnyValue {
    AnyValue {
        value: Some(any_value::Value::StringValue(value.to_owned())),
    }
}

fn resource() -> Resource {
    Resource {
        attributes: vec![
            attribute("service.name", DBDYNO),
            attribute("service.version", env!("CARGO_PKG_VERSION")),
        ],
        ..Resource::default()
    }
}

fn scope() -> InstrumentationScope {
    InstrumentationScope {
        name: DBDYNO.to_owned(),
        ..InstrumentationScope::default()
    }
}

fn unix_ns(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
