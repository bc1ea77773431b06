//! What observers cost: dbdyno on its driver that does nothing, alone and watched, in turn.
//!
//! Nothing else takes as little time for an operation, so the share that watching takes is the largest here.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use super::Options;
use super::measure::{Spread, spread, throughput};
use super::tool::Tool;
use crate::process::{Result, cache};

/// What keeps one client busy for about a second on the machines it was first measured on.
const OPERATIONS_PER_SECOND: u64 = 20_000_000;
/// The share of the throughput that must remain.
const WANTED: f64 = 0.99;
/// Between two scrapes: as often as anybody asks Prometheus to.
const SCRAPE_EVERY: Duration = Duration::from_secs(1);
const ACCEPT: &str =
    "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited";

/// Runs the comparison and prints its table. Every run keeps its results and writes `live.jsonl`, so both sides do.
pub fn run(options: &Options, tool: &Tool) -> Result<()> {
    let operations = (OPERATIONS_PER_SECOND * u64::from(options.seconds)).to_string();
    println!(
        "\nObservers: workload C on `null`, one client, {operations} operations, {} pairs of runs.",
        options.pairs
    );
    println!("Throughput in million operations a second.\n");
    println!("| observed | without | with | ratio (min - max) | at least |");
    println!("|---|---|---|---|---|");
    let kept = Kept::new(operations.clone())?;
    let scraped = || {
        let scraper = Scraper::start(tool, &kept)?;
        let rate = kept.run(tool);
        let scrapes = scraper.stop();
        match (rate, scrapes) {
            (Ok(_), 0) => Err("`dbdyno serve` was not scraped once".to_owned()),
            (rate, _) => rate,
        }
    };
    row(
        "`dbdyno serve`, scraped every second",
        options,
        || kept.run(tool),
        scraped,
    )
}

fn row(
    name: &str,
    options: &Options,
    without: impl Fn() -> Result<f64>,
    with: impl Fn() -> Result<f64>,
) -> Result<()> {
    let (mut alone, mut observed) = (Vec::new(), Vec::new());
    for _ in 0..options.pairs {
        alone.push(without()?);
        observed.push(with()?);
    }
    let ratios = observed.iter().zip(&alone).map(|(with, without)| with / without);
    let Spread { median, min, max } = spread(ratios);
    let rate = |runs: &[f64]| spread(runs.iter().map(|rate| rate / 1e6)).median;
    println!(
        "| {name} | {:.2} | {:.2} | **{median:.3}** ({min:.3} - {max:.3}) | {WANTED}: {} |",
        rate(&alone),
        rate(&observed),
        if median >= WANTED { "met" } else { "NOT met" },
    );
    Ok(())
}

/// A run that keeps its results.
struct Kept {
    operations: String,
    root: PathBuf,
}

impl Kept {
    fn new(operations: String) -> Result<Self> {
        let root = cache("bench-observed")?;
        Ok(Self { operations, root })
    }

    /// Its throughput.
    fn run(&self, tool: &Tool) -> Result<f64> {
        let output = self.root.join("watched");
        if output.exists() {
            std::fs::remove_dir_all(&output).map_err(|error| format!("{}: {error}", output.display()))?;
        }
        let output = output.display().to_string();
        let words = [
            "run",
            "null",
            "--workload",
            "c",
            "--records",
            "1000000",
            "--operations",
            &self.operations,
            "--warmup",
            "0s",
            "--format",
            "ycsb",
            "--quiet",
            "--output",
            &output,
        ];
        throughput(&tool.words(&words)?.text)
    }
}

/// `dbdyno serve` and who scrapes it.
struct Scraper {
    served: Child,
    is_over: Arc<AtomicBool>,
    scrapes: Arc<AtomicU64>,
    thread: JoinHandle<()>,
}

impl Scraper {
    fn start(tool: &Tool, kept: &Kept) -> Result<Self> {
        let root = kept.root.display().to_string();
        let mut served = tool.start(&["serve", &root, "--listen", "127.0.0.1:0"])?;
        let mut url = String::new();
        let stdout = served.stdout.take().expect("standard output is piped");
        BufReader::new(stdout)
            .read_line(&mut url)
            .map_err(|error| format!("`dbdyno serve` printed no address: {error}"))?;
        let address = url
            .trim()
            .trim_start_matches("http://")
            .trim_end_matches('/')
            .to_owned();
        let is_over = Arc::new(AtomicBool::new(false));
        let scrapes = Arc::new(AtomicU64::new(0));
        let (over, counted) = (Arc::clone(&is_over), Arc::clone(&scrapes));
        let thread = thread::spawn(move || {
            while !over.load(Ordering::Relaxed) {
                if scrape(&address).is_ok_and(|is_whole| is_whole) {
                    counted.fetch_add(1, Ordering::Relaxed);
                }
                thread::sleep(SCRAPE_EVERY);
            }
        });
        Ok(Self {
            served,
            is_over,
            scrapes,
            thread,
        })
    }

    /// How often it was scraped.
    fn stop(mut self) -> u64 {
        self.is_over.store(true, Ordering::Relaxed);
        // Nothing is left to do where either is gone already.
        let _ = self.thread.join();
        let _ = self.served.kill();
        let _ = self.served.wait();
        self.scrapes.load(Ordering::Relaxed)
    }
}

/// Whether the answer came.
fn scrape(address: &str) -> std::io::Result<bool> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(SCRAPE_EVERY))?;
    write!(
        stream,
        "GET /metrics HTTP/1.1\r\nHost: {address}\r\nAccept: {ACCEPT}\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    Ok(answer.starts_with(b"HTTP/1.1 200"))
}
