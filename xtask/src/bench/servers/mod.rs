//! The drivers of servers against what a user would pick instead: the same server, the same work, in turn.
//!
//! Client and server share the processors, so the client's processor time decides the throughput: both are shown.

mod cassandra;
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
    /// The peer's run, of about so many operations and seconds.
    run: fn(&Server, &Plan) -> Result<Speed>,
}

/// How long a peer's run is.
pub struct Plan {
    /// Seconds.
    pub seconds: u32,
    /// Operations of dbdyno's run before: peers that count instead of looking at a clock do as many.
    pub operations: u64,
}

const COMPARISONS: [Comparison; 3] = [
    Comparison {
        server: "cassandra?heap=1G",
        peer: "latte 0.29",
        work: Work::uniform("c", 100_000),
        wanted_ratio: 1.0,
        wanted_us: Some(11.0),
        run: cassandra::latte,
    },
    Comparison {
        server: "redis?appendfsync=off",
        peer: "redis-benchmark -P 1",
        work: Work::uniform("c", 100_000),
        wanted_ratio: 0.9,
        wanted_us: None,
        run: redis::redis_benchmark,
    },
    Comparison {
        server: "postgres",
        peer: "pgbench -M prepared",
        work: Work::uniform("c", 1),
        wanted_ratio: 0.95,
        wanted_us: None,
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
    for (server, reads_at_most) in [
        ("cassandra?heap=1G", Some(11.0)),
        ("hbase", None),
        ("mongodb", Some(22.0)),
        ("postgres", None),
        ("redis?appendfsync=off", None),
    ] {
        own_cost(tool, server, reads_at_most, pairs, seconds)?;
    }
    Ok(())
}

fn compare(tool: &Tool, comparison: &Comparison, pairs: u32, seconds: u32) -> Result<()> {
    let server = Server::start(tool, comparison.server)?;
    server.load(&comparison.work)?;
    // The server compiles itself, and both clients warm the caches, before anything counts.
    let first = server.measure(&comparison.work, CLIENTS, seconds)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..pairs {
        let own = server.measure(&comparison.work, CLIENTS, seconds)?;
        let operations = (first.operations_per_second * f64::from(seconds)) as u64;
        theirs.push((comparison.run)(&server, &Plan { seconds, operations })?);
        ours.push(own);
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

fn own_cost(tool: &Tool, name: &str, reads_at_most: Option<f64>, runs: u32, seconds: u32) -> Result<()> {
    let server = Server::start(tool, name)?;
    let records = 100_000;
    server.load(&Work::uniform("c", records))?;
    for (workload, label, at_most) in [("c", "C (reads)", reads_at_most), ("a", "A (half updates)", None)] {
        let work = Work::uniform(workload, records);
        server.measure(&work, CLIENTS, seconds)?;
        let speeds: Vec<Speed> = (0..runs)
            .map(|_| server.measure(&work, CLIENTS, seconds))
            .collect::<Result<_>>()?;
        let Spread { min, median, max } = spread(speeds.iter().map(|speed| speed.client_us));
        println!(
            "| {name} | {label} | {:.1} | {median:.1} ({min:.1} - {max:.1}) | {} |",
            spread(speeds.iter().map(|speed| speed.operations_per_second / 1e3)).median,
            at_most.map_or_else(String::new, |most| format!("{most}: {}", verdict(median <= most))),
        );
    }
    Ok(())
}
