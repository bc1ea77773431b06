//! Metrics of a real study, scraped by a real Prometheus.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::common::{Place, read_json, wait_for};

/// Two embedded stores, so that sums over labels would show.
const STUDY: &str = "name = \"measured\"\nsystems = [\"memory\", \"redb\"]\nworkloads = [\"a\"]\nrecords = 500\ntrials = 2\n\
                     duration = \"3s\"\nwarmup = \"0s\"\n";

/// A program that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A Prometheus that scrapes one address every second.
struct Prometheus {
    address: String,
    _running: Running,
}

impl Prometheus {
    fn start(place: &Place, scraped: &str) -> Self {
        let config = place.write(
            "prometheus.yml",
            &format!(
                "global:\n  scrape_interval: 1s\nscrape_configs:\n  - job_name: dbdyno\n    static_configs:\n      - targets: \
                 ['{scraped}']\n"
            ),
        );
        for _ in 0..5 {
            // Prometheus cannot have the system choose a port. If another process takes this one first, it exits.
            let free = TcpListener::bind("127.0.0.1:0").unwrap();
            let address = free.local_addr().unwrap().to_string();
            drop(free);
            let child = Command::new("prometheus")
                .arg("--enable-feature=native-histograms")
                .arg(format!("--config.file={}", config.display()))
                .arg(format!("--storage.tsdb.path={}", place.path("tsdb").display()))
                .arg(format!("--web.listen-address={address}"))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("Debian's package `prometheus` is installed (cargo xtask test --only tools)");
            let mut running = Running(child);
            let mut has_ended = false;
            wait_for("Prometheus", || {
                has_ended = running.0.try_wait().unwrap().is_some();
                let ready = get(&address, "/-/ready", "");
                has_ended || ready.is_some_and(|answer| answer.starts_with("HTTP/1.1 200"))
            });
            if !has_ended {
                return Self {
                    address,
                    _running: running,
                };
            }
        }
        panic!("Prometheus ended five times while it started");
    }

    /// The answer to an expression.
    fn query(&self, expression: &str) -> Value {
        let escaped: String = expression.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let answer = get(&self.address, &format!("/api/v1/query?query={escaped}"), "").unwrap();
        let body = answer.split_once("\r\n\r\n").unwrap().1;
        let answer: Value = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {body}"));
        assert_eq!(answer["status"], "success", "{expression}: {answer}");
        answer["data"]["result"].clone()
    }

    /// The one number that an expression gives; `None` without a series.
    fn number(&self, expression: &str) -> Option<f64> {
        let result = self.query(expression);
        let series = result.as_array().unwrap();
        assert!(series.len() <= 1, "{expression}: {result}");
        series.first()?["value"][1].as_str().unwrap().parse().ok()
    }
}

/// What a server answers; `None` when it does not.
fn get(address: &str, path: &str, headers: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(Duration::from_secs(30))).ok()?;
    // HTTP/1.0, so that no answer comes in chunks.
    write!(stream, "GET {path} HTTP/1.0\r\nHost: {address}\r\n{headers}\r\n").ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    Some(answer.replacen("HTTP/1.0", "HTTP/1.1", 1))
}

/// Starts `dbdyno serve`; its address, and the token that it shows.
fn serve(place: &Place, line: &str) -> (Running, String, String) {
    let mut child = place.start(line);
    let mut url = String::new();
    BufReader::new(child.stdout.as_mut().unwrap())
        .read_line(&mut url)
        .unwrap();
    let rest = url
        .trim()
        .strip_prefix("http://")
        .unwrap_or_else(|| panic!("{url:?}"));
    let (address, query) = rest.split_once('/').unwrap();
    let token = query.strip_prefix("?token=").unwrap_or_default().to_owned();
    (Running(child), address.replace("0.0.0.0", "127.0.0.1"), token)
}

/// Successful operations of a kind in the measured phases of a system's trials, by their records.
fn recorded(trials: &Path, system: &str, operation: &str) -> (u64, usize) {
    let records = trials
        .read_dir()
        .unwrap()
        .map(|trial| read_json(&trial.unwrap().path().join("record.json")));
    let of_system: Vec<Value> = records
        .filter(|record| record["system"]["name"] == system)
        .collect();
    let ok = of_system
        .iter()
        .map(|record| record["measure"]["operations"][operation]["ok"].as_u64().unwrap())
        .sum();
    (ok, of_system.len())
}

#[test]
fn prometheus_ends_with_the_numbers_of_the_records() {
    let place = Place::new();
    place.write("measured.toml", STUDY);
    std::fs::create_dir(place.path("results")).unwrap();
    let (_served, address, _) = serve(&place, "serve results --listen 127.0.0.1:0");
    let prometheus = Prometheus::start(&place, &address);
    let mut study = place.start("study run measured.toml");
    let measuring = "count(dbdyno_phase_info{phase=\"measure\"})";
    wait_for("the measured phase", || prometheus.number(measuring) == Some(1.0));
    let live = "sum(histogram_count(dbdyno_operation_latency_seconds{phase=\"measure\"}))";
    wait_for("live latencies", || {
        prometheus.number(live).is_some_and(|count| count > 0.0)
    });
    assert_eq!(
        prometheus.number("dbdyno_study_running{study=\"measured\"}"),
        Some(1.0)
    );
    // Every expression of the dashboard is one of Prometheus.
    for expression in dashboard() {
        prometheus.query(&expression);
    }
    drop(study.stderr.take());
    assert!(study.wait().unwrap().success());
    wait_for("the end", || {
        prometheus.number("dbdyno_study_running") == Some(0.0)
    });
    let trials = place.path("results/measured/trials");
    for system in ["memory", "redb"] {
        for operation in ["read", "update"] {
            let (ok, _) = recorded(&trials, system, operation);
            assert!(ok > 0);
            let labels = format!("system=\"{system}\",operation=\"{operation}\",phase=\"measure\"");
            let counted = format!("dbdyno_operations_total{{{labels},outcome=\"ok\"}}");
            assert_eq!(prometheus.number(&counted), Some(ok as f64), "{counted}");
            let histogram = format!("histogram_count(dbdyno_operation_latency_seconds{{{labels}}})");
            assert_eq!(prometheus.number(&histogram), Some(ok as f64), "{histogram}");
        }
        let (_, ended) = recorded(&trials, system, "read");
        let counted = format!("sum(dbdyno_trials_total{{system=\"{system}\"}})");
        assert_eq!(prometheus.number(&counted), Some(ended as f64));
    }
}

/// The expressions of the dashboard, with every variable set to everything.
fn dashboard() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/grafana/dbdyno.json");
    let dashboard = read_json(&path);
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let targets = panels.flat_map(|panel| panel["targets"].as_array().unwrap());
    let annotations = dashboard["annotations"]["list"].as_array().unwrap();
    let expressions = targets.chain(annotations).map(|item| {
        let mut expression = item["expr"].as_str().unwrap().replace("$__rate_interval", "1m");
        for variable in ["$study", "$system", "$workload"] {
            expression = expression.replace(variable, ".*");
        }
        assert!(!expression.contains('$'), "{expression}");
        expression
    });
    expressions.collect()
}

#[test]
fn a_person_reads_text_and_a_stranger_nothing() {
    let place = Place::new();
    place.write("measured.toml", &STUDY.replace("3s", "1s"));
    place.succeed("study run measured.toml");
    let (_local, address, _) = serve(&place, "serve results --listen 127.0.0.1:0");
    let text = get(&address, "/metrics", "").unwrap();
    assert!(text.contains("application/openmetrics-text"), "{text}");
    let line = |start: &str| text.lines().any(|line| line.starts_with(start));
    assert!(line("dbdyno_study_running{study=\"measured\"} 0"), "{text}");
    assert!(line("dbdyno_operation_latency_seconds_bucket{"), "{text}");
    assert!(text.ends_with("# EOF\n"), "{text}");
    let (_open, address, token) = serve(&place, "serve results --listen 0.0.0.0:0");
    assert!(get(&address, "/metrics", "").unwrap().starts_with("HTTP/1.1 403"));
    // As Prometheus shows it (`authorization: credentials:`).
    let bearer = format!("Authorization: Bearer {token}\r\n");
    let shown = get(&address, "/metrics", &bearer).unwrap();
    assert!(shown.starts_with("HTTP/1.1 200"), "{shown}");
    assert!(!shown.contains(&token), "the token is no metric: {shown}");
}

#[test]
fn a_collector_that_is_away_disturbs_nobody() {
    let place = Place::new();
    std::fs::create_dir(place.path("results")).unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let away = free.local_addr().unwrap();
    drop(free);
    let line = format!("serve results --listen 127.0.0.1:0 --otlp http://{away}");
    let (mut served, address, _) = serve(&place, &line);
    let mut lines = BufReader::new(served.0.stderr.take().unwrap()).lines();
    let warning = lines.find(|line| line.as_ref().is_ok_and(|line| line.contains("Warning")));
    let warning = warning.unwrap().unwrap();
    assert!(warning.contains(&away.to_string()), "{warning}");
    assert!(get(&address, "/metrics", "").unwrap().starts_with("HTTP/1.1 200"));
    let refused = place.run("serve results --otlp https://collector:4318");
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(
        refused.stderr.contains("--otlp") && refused.stderr.contains("only http://"),
        "{refused:?}"
    );
}
