//! The drivers of servers against what a user would pick instead: the same server, the same work, in turn.
//!
//! Client and server share the processors, so the client's processor time decides the throughput: both are shown.

mod cassandra;
mod hbase;
mod postgres;
mod redis;
mod session;

use crate::process::Result;

use super::measure::{Spread, spread};
use super::tool::Tool;
use session::{Server, Work};

/// Clients, and connections of a peer.
const CLIENTS: u32 = 16;

/// What one run gave.
#[derive(Clone, Copy)]
pub struct Speed {
    /// Successful operations a second.
    pub operations_per_second: f64,
    /// Processor time of the client, microseconds an operation.
    pub client_us: f64,
}

/// One comparison.
struct Comparison {
    /// The recipe of the lab.
    server: &'static str,
    /// Name of the peer, and what is promised against it.
    peer: &'static str,
    /// What both do.
    work: Work,
    /// The throughput's ratio that dbdyno promises itself.
    wanted_ratio: f64,
    /// The most processor time of our client for one operation, microseconds, where one was promised.
    wanted_us: Option<f64>,
    /// Before anything counts in a run: virtual machines compile what they do often.
    warmup_seconds: u32,
    /// The peer's run, of about so many operations and seconds.
    run: fn(&Server, &Plan) -> Result<Speed>,
}

/// How long a peer's run is.
pub struct Plan {
    /// Before anything counts, for peers that are told.
    pub warmup_seconds: u32,
    /// Seconds.
    pub seconds: u32,
    /// Operations of dbdyno's run before: peers that count instead of looking at a clock do as many.
    pub operations: u64,
}

const COMPARISONS: [Comparison; 4] = [
    Comparison {
        server: "cassandra?heap=1G",
        peer: "latte 0.29",
        work: Work::uniform("c", 100_000),
        wanted_ratio: 1.0,
        wanted_us: Some(11.0),
        warmup_seconds: 2,
        run: cassandra::latte,
    },
    Comparison {
        server: "hbase",
        peer: "a plain Java loop",
        work: Work::uniform("c", 100_000),
        wanted_ratio: 0.95,
        wanted_us: None,
        warmup_seconds: 15,
        run: hbase::plain_loop,
    },
    Comparison {
        server: "redis?appendfsync=off",
        peer: "redis-benchmark -P 1",
        work: Work::uniform("c", 100_000).digits(12),
        wanted_ratio: 0.9,
        wanted_us: None,
        warmup_seconds: 2,
        run: redis::redis_benchmark,
    },
    Comparison {
        server: "postgres",
        peer: "pgbench -M prepared",
        work: Work::uniform("c", 1),
        wanted_ratio: 0.95,
        wanted_us: None,
        warmup_seconds: 2,
        run: postgres::pgbench,
    },
];

/// Compares with every peer, and tells what the client costs for each server.
pub fn run(tool: &Tool, pairs: u32, seconds: u32) -> Result<()> {
    println!(
        "\nOn servers of the lab, {CLIENTS} clients, reads of whole records of 10 x 100 bytes, {pairs} pairs of runs of {seconds} s."
    );
    println!("Thousand operations a second, and microseconds of the client's processor time an operation.\n");
    println!("| server | peer | dbdyno | peer | ratio (min - max) | at least | dbdyno us | peer us |");
    println!("|---|---|---|---|---|---|---|---|");
    for comparison in &COMPARISONS {
        compare(tool, comparison, pairs, seconds)?;
    }
    println!("\n| server | work | thousand operations a second | client us (min - max) | at most |");
    println!("|---|---|---|---|---|");
    for (server, reads_at_most, warmup_seconds) in [
        ("cassandra?heap=1G", Some(11.0), 2),
        ("hbase", None, 15),
        ("mongodb", Some(22.0), 2),
        ("postgres", None, 2),
        ("redis?appendfsync=off", None, 2),
    ] {
        let server = Server::start(tool, server)?;
        own_cost(&server, reads_at_most, pairs, warmup_seconds, seconds)?;
    }
    Ok(())
}

fn compare(tool: &Tool, comparison: &Comparison, pairs: u32, seconds: u32) -> Result<()> {
    let server = Server::start(tool, comparison.server)?;
    server.load(&comparison.work)?;
    // The server compiles itself, and both clients warm the caches, before anything counts.
    let measure = || server.measure(&comparison.work, CLIENTS, comparison.warmup_seconds, seconds);
    let first = measure()?;
    let plan = Plan {
        warmup_seconds: comparison.warmup_seconds,
        seconds,
        operations: (first.operations_per_second * f64::from(seconds)) as u64,
    };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..pairs {
        ours.push(measure()?);
        theirs.push((comparison.run)(&server, &plan)?);
    }
    let ratios = ours.iter().zip(&theirs);
    let Spread { min, median, max } =
        spread(ratios.map(|(a, b)| a.operations_per_second / b.operations_per_second));
    let rate = |runs: &[Speed]| spread(runs.iter().map(|run| run.operations_per_second / 1e3)).median;
    let cost = |runs: &[Speed]| spread(runs.iter().map(|run| run.client_us)).median;
    println!(
        "| {} | {} | {:.1} | {:.1} | **{median:.2}x** ({min:.2} - {max:.2}) | {:.2}x: {} | {:.1}{} | {:.1} |",
        comparison.server,
        comparison.peer,
        rate(&ours),
        rate(&theirs),
        comparison.wanted_ratio,
        verdict(median >= comparison.wanted_ratio),
        cost(&ours),
        comparison.wanted_us.map_or_else(String::new, |most| format!(
            " (at most {most}: {})",
            verdict(cost(&ours) <= most)
        )),
        cost(&theirs),
    );
    Ok(())
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "NOT met" }
}

fn own_cost(
    server: &Server<'_>,
    reads_at_most: Option<f64>,
    runs: u32,
    warmup_seconds: u32,
    seconds: u32,
) -> Result<()> {
    let records = 100_000;
    server.load(&Work::uniform("c", records))?;
    for (workload, label, at_most) in [("c", "C (reads)", reads_at_most), ("a", "A (half updates)", None)] {
        let work = Work::uniform(workload, records);
        let measure = || server.measure(&work, CLIENTS, warmup_seconds, seconds);
        // The server warms up, too.
        measure()?;
        let speeds: Vec<Speed> = (0..runs).map(|_| measure()).collect::<Result<_>>()?;
        let Spread { min, median, max } = spread(speeds.iter().map(|speed| speed.client_us));
        println!(
            "| {} | {label} | {:.1} | {median:.1} ({min:.1} - {max:.1}) | {} |",
            server.wish,
            spread(speeds.iter().map(|speed| speed.operations_per_second / 1e3)).median,
            at_most.map_or_else(String::new, |most| format!("{most}: {}", verdict(median <= most))),
        );
    }
    Ok(())
}
