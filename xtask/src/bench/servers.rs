//! The drivers of servers against what a user would pick instead: the same server, the same work, in turn.
//!
//! Client and server share the processors, so the client's processor time decides the throughput: both are shown.

mod cassandra;
mod hbase;
mod postgres;
mod redis;
mod session;

use crate::process::Result;

use super::Options;
use super::measure::{Spread, spread};
use super::tool::Tool;
use session::{Load, Server, SessionWork};

/// Records in the table, where a peer can choose among many.
const RECORDS: u64 = 100_000;
/// Clients, and connections of a peer.
const CLIENTS: u32 = 16;

/// The result of one run.
#[derive(Clone, Copy)]
pub struct Speed {
    /// Successful operations a second.
    pub operations_per_second: f64,
    /// Processor time of the client, microseconds an operation.
    pub client_us: f64,
}

/// One server, and what is measured on it.
struct Bench {
    /// The recipe of the lab.
    server: &'static str,
    /// Before the first run: the server's virtual machine compiles what it does often.
    settle_seconds: u32,
    /// Before anything counts in a run, for clients in a virtual machine.
    warmup_seconds: u32,
    /// Threads that carry our clients, where it is not one per processor.
    client_threads: Option<u32>,
    /// The most processor time of our client for one read, microseconds, where one was promised.
    read_at_most_us: Option<f64>,
    peer: Option<Peer>,
}

impl Bench {
    fn load(&self, seconds: u32) -> Load {
        Load {
            clients: CLIENTS,
            client_threads: self.client_threads,
            warmup_seconds: self.warmup_seconds,
            seconds,
        }
    }
}

/// What a user would pick instead.
struct Peer {
    name: &'static str,
    /// What both do.
    work: SessionWork,
    /// The throughput's ratio that dbdyno promises itself.
    wanted_ratio: f64,
    /// The peer's run, of about so many operations and seconds.
    run: fn(&Server, &PeerRun) -> Result<Speed>,
}

/// How long a peer's run is.
pub struct PeerRun {
    /// Before anything counts, for peers that are told.
    pub warmup_seconds: u32,
    /// Seconds.
    pub seconds: u32,
    /// Operations of dbdyno's run before: peers that count instead of looking at a clock do as many.
    pub operations: u64,
}

const BENCHES: [Bench; 5] = [
    Bench {
        server: "cassandra?heap=1G",
        settle_seconds: 30,
        warmup_seconds: 2,
        client_threads: None,
        read_at_most_us: Some(11.0),
        peer: Some(Peer {
            name: "latte 0.29",
            work: SessionWork::uniform("c", RECORDS),
            wanted_ratio: 1.0,
            run: cassandra::latte,
        }),
    },
    Bench {
        server: "hbase",
        settle_seconds: 15,
        warmup_seconds: 15,
        client_threads: None,
        read_at_most_us: None,
        peer: Some(Peer {
            name: "a plain Java loop",
            work: SessionWork::uniform("c", RECORDS),
            wanted_ratio: 0.95,
            run: hbase::plain_loop,
        }),
    },
    Bench {
        server: "mongodb",
        settle_seconds: 2,
        warmup_seconds: 2,
        client_threads: None,
        read_at_most_us: Some(22.0),
        peer: None,
    },
    Bench {
        server: "postgres",
        settle_seconds: 2,
        warmup_seconds: 2,
        client_threads: None,
        read_at_most_us: None,
        peer: Some(Peer {
            name: "pgbench -M prepared",
            work: SessionWork::uniform("c", 1),
            wanted_ratio: 0.95,
            run: postgres::pgbench,
        }),
    },
    Bench {
        server: "redis?appendfsync=off",
        settle_seconds: 2,
        warmup_seconds: 2,
        // As redis-benchmark does it: the server's one thread has the other processor.
        client_threads: Some(1),
        read_at_most_us: None,
        peer: Some(Peer {
            name: "redis-benchmark -P 1",
            work: SessionWork::uniform("c", RECORDS).digits(12),
            wanted_ratio: 0.9,
            run: redis::redis_benchmark,
        }),
    },
];

/// Compares with every peer, and prints what the client costs for each server.
pub fn run(options: &Options, tool: &Tool) -> Result<()> {
    let name = |bench: &Bench| bench.server.split('?').next().unwrap_or_default();
    let wanted: Vec<&Bench> = BENCHES
        .iter()
        .filter(|bench| options.server.as_ref().is_none_or(|wanted| wanted == name(bench)))
        .collect();
    if wanted.is_empty() {
        let known: Vec<&str> = BENCHES.iter().map(name).collect();
        return Err(format!("--server is one of {}", known.join(", ")));
    }
    let Options { pairs, seconds, .. } = *options;
    println!(
        "\nOn servers of the lab, {CLIENTS} clients, reads of whole records of 10 x 100 bytes, {pairs} pairs of runs of {seconds} s."
    );
    println!("Thousand operations a second, and microseconds of the client's processor time an operation.\n");
    println!("| server | peer | dbdyno | peer | ratio (min - max) | at least | dbdyno us | peer us |");
    println!("|---|---|---|---|---|---|---|---|");
    let mut costs = String::new();
    for bench in wanted {
        let server = Server::start(tool, bench.server)?;
        if let Some(peer) = &bench.peer {
            println!("{}", compare(&server, bench, peer, options)?);
        }
        costs.push_str(&own_costs(&server, bench, options)?);
    }
    println!("\n| server | work | thousand operations a second | client us (min - max) | at most |");
    println!("|---|---|---|---|---|");
    print!("{costs}");
    Ok(())
}

/// A row of the table of comparisons.
fn compare(server: &Server, bench: &Bench, peer: &Peer, options: &Options) -> Result<String> {
    server.load(&peer.work)?;
    let measure = |seconds| server.measure(&peer.work, &bench.load(seconds));
    measure(bench.settle_seconds)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..options.pairs {
        let run = measure(options.seconds)?;
        let plan = PeerRun {
            warmup_seconds: bench.warmup_seconds,
            seconds: options.seconds,
            operations: (run.operations_per_second * f64::from(options.seconds)) as u64,
        };
        ours.push(run);
        theirs.push((peer.run)(server, &plan)?);
    }
    let ratios = ours.iter().zip(&theirs);
    let Spread { min, median, max } =
        spread(ratios.map(|(a, b)| a.operations_per_second / b.operations_per_second));
    let rate = |runs: &[Speed]| spread(runs.iter().map(|run| run.operations_per_second / 1e3)).median;
    let cost = |runs: &[Speed]| spread(runs.iter().map(|run| run.client_us)).median;
    Ok(format!(
        "| {} | {} | {:.1} | {:.1} | **{median:.2}x** ({min:.2} - {max:.2}) | {:.2}x: {} | {:.1} | {:.1} |",
        bench.server,
        peer.name,
        rate(&ours),
        rate(&theirs),
        peer.wanted_ratio,
        verdict(median >= peer.wanted_ratio),
        cost(&ours),
        cost(&theirs),
    ))
}

/// Rows of the table of costs.
fn own_costs(server: &Server, bench: &Bench, options: &Options) -> Result<String> {
    server.load(&SessionWork::uniform("c", RECORDS))?;
    let mut rows = String::new();
    for (workload, label, at_most) in [
        ("c", "C (reads)", bench.read_at_most_us),
        ("a", "A (half updates)", None),
    ] {
        let work = SessionWork::uniform(workload, RECORDS);
        let measure = |seconds| server.measure(&work, &bench.load(seconds));
        measure(bench.settle_seconds)?;
        let speeds: Vec<Speed> = (0..options.pairs)
            .map(|_| measure(options.seconds))
            .collect::<Result<_>>()?;
        let Spread { min, median, max } = spread(speeds.iter().map(|speed| speed.client_us));
        rows.push_str(&format!(
            "| {} | {label} | {:.1} | {median:.1} ({min:.1} - {max:.1}) | {} |\n",
            server.request,
            spread(speeds.iter().map(|speed| speed.operations_per_second / 1e3)).median,
            at_most.map_or_else(String::new, |most| format!("{most}: {}", verdict(median <= most))),
        ));
    }
    Ok(rows)
}

fn verdict(met: bool) -> &'static str {
    if met { "met" } else { "NOT met" }
}
