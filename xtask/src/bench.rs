//! `cargo xtask bench`: dbdyno's own speed against YCSB's client, in the same run, as ratios.
//!
//! Two programs take turns (A B A B ...), so that both meet the same noise of the machine; each pair gives one ratio,
//! and the table shows the median ratio with the smallest and the largest. Nothing here asserts: a bench informs.

mod agents;
mod build;
mod hosted;
mod measure;
mod observers;
mod peers;
mod servers;
mod tool;
mod trend;
mod turns;

use std::path::PathBuf;

use clap::Args;

use crate::process::Result;
use measure::{Figure, Spread, spread};
use peers::{Case, PeerWork};

/// How much to measure.
#[derive(Args)]
pub struct Options {
    /// Pairs of runs for each case.
    #[arg(long, default_value_t = 5)]
    pairs: u32,
    /// About how long each of YCSB's runs should take, in seconds (it needs a few to compile itself).
    #[arg(long, default_value_t = 8)]
    seconds: u32,
    /// Leave out the peer, measure dbdyno alone.
    #[arg(long)]
    alone: bool,
    /// Measure one part only.
    #[arg(long, value_enum)]
    only: Option<Part>,
    /// Of the servers, measure this one only, e.g. redis.
    #[arg(long, value_name = "NAME")]
    server: Option<String>,
    /// Add the engine's figures to this file, with date and commit, a line of JSON each, and print those of the last days.
    #[arg(long, value_name = "FILE")]
    trend: Option<PathBuf>,
}

/// What can be measured by itself.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// The engine with no database behind it, against YCSB's.
    Engine,
    /// The drivers on real servers, against those servers' own tools; missing servers are installed only with DBDYNO_INSTALL=1.
    Servers,
    /// YCSB's bindings in their host, against YCSB's own client.
    Hosted,
    /// What watching costs: `live.jsonl`, and pages that are scraped.
    Observers,
    /// What agents on many machines cost the coordinator; measured only when asked for.
    Agents,
    /// What a clean release build takes; measured only when asked for.
    Build,
    /// Whether studies in turns give the ratios of studies in blocks, and what the length of a slice does; about an hour, measured only
    /// when asked for.
    Turns,
}

/// Runs all benches and prints their tables.
pub fn run(options: &Options) -> Result<()> {
    if options.pairs == 0 || options.seconds == 0 {
        return Err("--pairs and --seconds must be at least 1".to_owned());
    }
    let wanted = |part| options.only.is_none_or(|only| only == part);
    if options.trend.is_some() && !wanted(Part::Engine) {
        return Err("--trend keeps the figures of --only engine".to_owned());
    }
    if options.only == Some(Part::Build) {
        return build::run();
    }
    if options.only == Some(Part::Agents) {
        return agents::run(options);
    }
    let dbdyno = tool::build()?;
    if options.only == Some(Part::Turns) {
        return turns::run(options, &dbdyno);
    }
    if wanted(Part::Engine) {
        let mut figures = if options.alone {
            Vec::new()
        } else {
            compare_with_ycsb(options, &dbdyno)?
        };
        figures.extend(tool::print_own_figures(&dbdyno, options.pairs)?);
        if let Some(file) = &options.trend {
            trend::add(file, figures)?;
        }
    }
    if wanted(Part::Hosted) && !options.alone {
        hosted::compare(options, &dbdyno, &peers::Ycsb::prepare()?)?;
    }
    if wanted(Part::Observers) {
        observers::run(options, &dbdyno)?;
    }
    if wanted(Part::Servers) {
        servers::run(options, &dbdyno)?;
    }
    Ok(())
}

/// Prints the comparison and returns its ratios of throughput.
fn compare_with_ycsb(options: &Options, dbdyno: &tool::Tool) -> Result<Vec<Figure>> {
    let ycsb = peers::Ycsb::prepare()?;
    println!(
        "\nAgainst YCSB core 0.17.0, no database behind either, 1,000,000 records of 10 x 100 bytes, {} pairs of runs.",
        options.pairs
    );
    println!("Throughput in million operations a second; memory is the process's peak.\n");
    println!("| case | dbdyno | YCSB | ratio (min - max) | at least | dbdyno MB | YCSB MB | memory share |");
    println!("|---|---|---|---|---|---|---|---|");
    let mut figures = Vec::new();
    for case in Case::ALL {
        let operations = case.operations(options.seconds);
        let mut ours = Vec::new();
        let mut theirs = Vec::new();
        for _ in 0..options.pairs {
            ours.push(dbdyno.measure(&case, operations)?);
            theirs.push(ycsb.measure(&case, operations)?);
        }
        let pairs = || ours.iter().zip(&theirs);
        let ratio = spread(pairs().map(|(a, b)| a.operations_per_second / b.operations_per_second));
        let memory = spread(pairs().map(|(a, b)| a.peak_memory_bytes / b.peak_memory_bytes));
        let rate =
            |runs: &[measure::Run]| spread(runs.iter().map(|run| run.operations_per_second / 1e6)).median;
        let size = |runs: &[measure::Run]| spread(runs.iter().map(|run| run.peak_memory_bytes / 1e6)).median;
        let Spread { median, min, max } = ratio;
        figures.push(Figure {
            name: format!("{}, times YCSB", case.name()),
            spread: ratio,
        });
        println!(
            "| {} | {:.2} | {:.2} | **{median:.1}x** ({min:.1} - {max:.1}) | {:.0}x: {} | {:.1} | {:.0} | {:.3} |",
            case.name(),
            rate(&ours),
            rate(&theirs),
            case.wanted_ratio(),
            if median >= case.wanted_ratio() {
                "met"
            } else {
                "NOT met"
            },
            size(&ours),
            size(&theirs),
            memory.median,
        );
    }
    Ok(figures)
}

impl Case {
    fn name(&self) -> String {
        let threads = if self.threads == 1 {
            "1 client"
        } else {
            "2 clients"
        };
        match self.work {
            PeerWork::ReadOnly => format!("C (reads), {threads}"),
            PeerWork::UpdateHeavy => format!("A (half updates), {threads}"),
            PeerWork::Load => format!("load (1 kB records), {threads}"),
        }
    }
}
