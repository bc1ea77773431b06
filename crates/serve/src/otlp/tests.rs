//! A server pushes to a receiver of this process, which reads the messages by the types of the protocol.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use dbdyno_record::live::{LatencyRow, LiveEvent, LiveWriter};
use dbdyno_record::{ResultFolder, live_buckets};
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use prost::Message as _;
use tokio::net::TcpListener;

use super::{Endpoint, Push};
use crate::Server;
use crate::test_record::live_trial;

#[derive(Clone, Default)]
struct Received {
    metrics: Arc<Mutex<Vec<ExportMetricsServiceRequest>>>,
    logs: Arc<Mutex<Vec<ExportLogsServiceRequest>>>,
}

/// Receives at an address.
async fn receive(received: Received) -> Endpoint {
    let (metrics, logs) = (Arc::clone(&received.metrics), Arc::clone(&received.logs));
    let take_metrics = move |headers: HeaderMap, body: Bytes| {
        assert_eq!(headers["content-type"], "application/x-protobuf");
        let message = ExportMetricsServiceRequest::decode(body).unwrap();
        metrics.lock().unwrap().push(message);
        async { StatusCode::OK }
    };
    let take_logs = move |headers: HeaderMap, body: Bytes| {
        assert_eq!(headers["content-type"], "application/x-protobuf");
        let message = ExportLogsServiceRequest::decode(body).unwrap();
        logs.lock().unwrap().push(message);
        async { StatusCode::OK }
    };
    let router = Router::new()
        .route("/otlp/v1/metrics", post(take_metrics))
        .route("/otlp/v1/logs", post(take_logs));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}/otlp").parse().unwrap()
}

/// A study that runs a trial, with 12 reads so far.
fn running_study(root: &std::path::Path) -> ResultFolder {
    let path = root.join("watched");
    let folder = ResultFolder::create(&path, "name = \"x\"\n").unwrap();
    let mut writer = LiveWriter::begin(&path, live_trial("001")).unwrap();
    let phase = LiveEvent::Phase {
        phase: "measure".to_owned(),
        expected_operations: None,
        expected_s: Some(10.0),
    };
    writer.write(&phase).unwrap();
    let index = live_buckets::index(1_000_000);
    let latencies = LiveEvent::Latencies(LatencyRow {
        phase: "measure".to_owned(),
        offset_s: 0.0,
        operation: "read".to_owned(),
        buckets: vec![(index, 10), (index + 3, 2)],
        sum_s: 0.013,
    });
    writer.write(&latencies).unwrap();
    folder
}

async fn serve_for(root: PathBuf, push: Push, time: Duration) {
    let address = "127.0.0.1:0".parse().unwrap();
    let server = Server::bind(root, address, None).await.unwrap();
    let end = tokio::time::sleep(time);
    server.pushing(Some(push)).run(end).await;
}

#[tokio::test]
async fn a_collector_receives_metrics_and_events() {
    let place = tempfile::tempdir().unwrap();
    let folder = running_study(place.path());
    let received = Received::default();
    let push = Push {
        endpoint: receive(received.clone()).await,
        warn: Box::new(|warning: &str| panic!("{warning}")),
    };
    // The push at the end suffices.
    serve_for(place.path().to_owned(), push, Duration::from_millis(10)).await;
    let messages = received.metrics.lock().unwrap().clone();
    let scope = &messages.last().unwrap().resource_metrics[0].scope_metrics[0];
    let named = |name: &str| {
        let found = scope.metrics.iter().find(|metric| metric.name == name);
        found.unwrap_or_else(|| panic!("no {name} in {:?}", scope.metrics))
    };
    let latency = named("dbdyno.operation.latency");
    assert_eq!(latency.unit, "s");
    let Some(Data::ExponentialHistogram(histogram)) = &latency.data else {
        panic!("{latency:?}");
    };
    let point = &histogram.data_points[0];
    assert_eq!((point.count, point.sum, point.scale), (12, Some(0.013), 3));
    let buckets = point.positive.as_ref().unwrap();
    assert_eq!(buckets.bucket_counts, [10, 0, 0, 2]);
    // Its bucket `offset` begins at 2^(offset/8) s: 1 ms lies within it.
    let begin_s = (f64::from(buckets.offset) / 8.0).exp2();
    assert!(
        begin_s < 0.001 && 0.001 <= begin_s * 2f64.powf(0.125),
        "{begin_s}"
    );
    let Some(Data::Sum(operations)) = &named("dbdyno.operations").data else {
        panic!("no sum");
    };
    assert!(operations.is_monotonic);
    let logs = received.logs.lock().unwrap().clone();
    let events = &logs[0].resource_logs[0].scope_logs[0].log_records;
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].event_name, "dbdyno.phase.began");
    drop(folder);
}

#[tokio::test]
async fn a_collector_that_is_away_costs_one_warning() {
    let place = tempfile::tempdir().unwrap();
    drop(running_study(place.path()));
    // Nobody listens there any more.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&warnings);
    let push = Push {
        endpoint: format!("http://{address}").parse().unwrap(),
        warn: Box::new(move |warning: &str| heard.lock().unwrap().push(warning.to_owned())),
    };
    // One push after five seconds, and one at the end.
    serve_for(place.path().to_owned(), push, Duration::from_millis(5_500)).await;
    let warnings = warnings.lock().unwrap().clone();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains(&address.to_string()), "{warnings:?}");
}
