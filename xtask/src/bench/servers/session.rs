//! A server of the lab, and dbdyno's own runs on it.

use std::time::Duration;

use serde_json::Value;

use crate::process::{Result, cache};

use super::Speed;
use crate::bench::measure::Finished;
use crate::bench::tool::Tool;

/// What is asked of a server.
#[derive(Clone, Copy)]
pub struct SessionWork {
    workload: &'static str,
    /// Records in the table; their keys are `user` and a number from zero.
    pub records: u64,
    /// Of that number, at least: what the peer can write.
    digits: u32,
}

impl SessionWork {
    /// A workload of ours, over uniform keys.
    pub const fn uniform(workload: &'static str, records: u64) -> Self {
        Self {
            workload,
            records,
            digits: 1,
        }
    }

    /// With longer keys.
    pub const fn digits(self, digits: u32) -> Self {
        Self { digits, ..self }
    }

    /// Arguments that mean it. Peers make keys of numbers in order; so do we here.
    fn words(&self) -> Vec<String> {
        [
            "--workload",
            self.workload,
            "--records",
            &self.records.to_string(),
            "-p",
            "requestdistribution=uniform",
            "-p",
            "insertorder=ordered",
            "-p",
            &format!("zeropadding={}", self.digits),
        ]
        .map(str::to_owned)
        .to_vec()
    }
}

/// How it is asked for, and for how long.
pub struct Load {
    pub clients: u32,
    pub client_threads: Option<u32>,
    pub warmup_seconds: u32,
    pub seconds: u32,
}

/// A running server; it is stopped when this is dropped.
pub struct Server<'a> {
    tool: &'a Tool,
    instance: String,
    /// What was asked of the lab.
    pub request: String,
    /// Its ordinary address.
    pub address: String,
}

impl<'a> Server<'a> {
    /// Starts one.
    pub fn start(tool: &'a Tool, request: &str) -> Result<Self> {
        let printed = tool.words(&["lab", "up", request])?.text;
        let (instance, address) = printed
            .trim()
            .split_once("  ")
            .ok_or_else(|| format!("`dbdyno lab up {request}` printed:\n{printed}"))?;
        Ok(Self {
            tool,
            instance: instance.to_owned(),
            request: request.to_owned(),
            address: address.to_owned(),
        })
    }

    /// Host and port of its first server.
    pub fn host_and_port(&self) -> Result<(&str, &str)> {
        let rest = self.address.split("//").nth(1).unwrap_or_default();
        let authority = rest.split(['/', '?', ',']).next().unwrap_or_default();
        let host = authority.rsplit('@').next().unwrap_or_default();
        host.split_once(':')
            .ok_or_else(|| format!("no host and port in {}", self.address))
    }

    /// Fills the table.
    pub fn load(&self, work: &SessionWork) -> Result<()> {
        self.dbdyno("load", work, &["--clients", "16", "--fresh"])
            .map(drop)
    }

    /// One run of dbdyno.
    pub fn measure(&self, work: &SessionWork, load: &Load) -> Result<Speed> {
        let clients = load.clients.to_string();
        let threads = load.client_threads.map(|threads| threads.to_string());
        let warmup = format!("{}s", load.warmup_seconds);
        let duration = format!("{}s", load.seconds);
        let mut options = vec![
            "--clients",
            &clients,
            "--warmup",
            &warmup,
            "--duration",
            &duration,
        ];
        if let Some(threads) = &threads {
            options.extend(["--client-threads", threads]);
        }
        self.dbdyno("run", work, &options)?;
        let path = results()?.join("trials/001/record.json");
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let record: Value =
            serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
        let measure = &record["measure"];
        let operations: u64 = measure["operations"]
            .as_object()
            .into_iter()
            .flatten()
            .filter_map(|(_, operation)| operation["ok"].as_u64())
            .sum();
        let nanoseconds = measure["duration_ns"].as_u64().unwrap_or_default();
        let cpu_seconds = measure["client"]["cpu_seconds"].as_f64().unwrap_or_default();
        if operations == 0 || nanoseconds == 0 {
            return Err(format!("no operation succeeded: {measure}"));
        }
        Ok(Speed {
            operations_per_second: operations as f64 / Duration::from_nanos(nanoseconds).as_secs_f64(),
            client_us: cpu_seconds * 1e6 / operations as f64,
        })
    }

    fn dbdyno(&self, phase: &str, work: &SessionWork, options: &[&str]) -> Result<Finished> {
        let output = results()?;
        std::fs::remove_dir_all(&output).map_err(|error| format!("{}: {error}", output.display()))?;
        let output = output.to_string_lossy().into_owned();
        let words = work.words();
        let words: Vec<&str> = [phase, &self.address]
            .into_iter()
            .chain(words.iter().map(String::as_str))
            .chain(options.iter().copied())
            .chain(["--quiet", "--output", &output])
            .collect();
        self.tool.words(&words)
    }
}

fn results() -> Result<std::path::PathBuf> {
    cache("bench-server-results")
}

impl Drop for Server<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.tool.words(&["lab", "down", &self.instance]) {
            eprintln!("{} may still run: {error}", self.instance);
        }
    }
}
