//! The host of YCSB's bindings against YCSB's own client: the same class, the same jars, the same command line.

use dbdyno_vocabulary::words::plural;

use super::Options;
use super::measure::{Run, Spread, spread, throughput, watch};
use super::peers::Ycsb;
use super::tool::Tool;
use crate::process::{Result, command};

/// Room for both Java machines; records of the map and what the operations throw away fit many times.
const HEAP: &str = "-Xmx1g";

struct Case {
    binding: &'static str,
    /// Share of the operations that update; the others read.
    updates: &'static str,
    threads: u32,
    /// What keeps YCSB busy for about a second on the machines it was first measured on.
    operations_per_second: u64,
}

const CASES: [Case; 6] = [
    Case {
        binding: "site.ycsb.BasicDB",
        updates: "0",
        threads: 1,
        operations_per_second: 4_000_000,
    },
    Case {
        binding: "site.ycsb.BasicDB",
        updates: "0",
        threads: 2,
        operations_per_second: 4_000_000,
    },
    Case {
        binding: "SinkDB",
        updates: "0.5",
        threads: 1,
        operations_per_second: 3_000_000,
    },
    Case {
        binding: "MapDB",
        updates: "0",
        threads: 1,
        operations_per_second: 1_000_000,
    },
    Case {
        binding: "MapDB",
        updates: "0.5",
        threads: 1,
        operations_per_second: 1_000_000,
    },
    Case {
        binding: "MapDB",
        updates: "0.5",
        threads: 2,
        operations_per_second: 1_500_000,
    },
];

/// Runs all cases and prints their table.
pub fn compare(options: &Options, tool: &Tool, ycsb: &Ycsb) -> Result<()> {
    println!(
        "\nYCSB's bindings, hosted, against YCSB core 0.17.0 on the same class: 100,000 records of 10 x 100 bytes, {} pairs of runs.",
        options.pairs
    );
    println!("Throughput in million operations a second.\n");
    println!("| case | dbdyno | YCSB | ratio (min - max) | at least |");
    println!("|---|---|---|---|---|");
    for case in CASES {
        let words = case.words(&ycsb.class_path, options.seconds);
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for _ in 0..options.pairs {
            ours.push(tool.host(&words, HEAP)?);
            theirs.push(client(&words, HEAP, ycsb)?);
        }
        let ratios = ours
            .iter()
            .zip(&theirs)
            .map(|(a, b)| a.operations_per_second / b.operations_per_second);
        let Spread { median, min, max } = spread(ratios);
        let rate = |runs: &[Run]| spread(runs.iter().map(|run| run.operations_per_second / 1e6)).median;
        println!(
            "| {}, {} updates, {} | {:.2} | {:.2} | **{median:.2}x** ({min:.2} - {max:.2}) | 1x: {} |",
            case.binding,
            case.updates,
            plural(case.threads, "client", "clients"),
            rate(&ours),
            rate(&theirs),
            if median >= 1.0 { "met" } else { "NOT met" },
        );
    }
    Ok(())
}

impl Case {
    /// The database and YCSB's options, which both programs understand.
    fn words(&self, class_path: &str, seconds: u32) -> Vec<String> {
        let operations = self.operations_per_second * u64::from(seconds);
        let reads = if self.updates == "0" { "1" } else { "0.5" };
        let mut words = vec!["-db".to_owned(), self.binding.to_owned(), "-t".to_owned()];
        words.extend(["-cp".to_owned(), class_path.to_owned()]);
        words.extend(["-threads".to_owned(), self.threads.to_string()]);
        for property in [
            "workload=site.ycsb.workloads.CoreWorkload".to_owned(),
            "requestdistribution=zipfian".to_owned(),
            "basicdb.verbose=false".to_owned(),
            "recordcount=100000".to_owned(),
            format!("operationcount={operations}"),
            format!("readproportion={reads}"),
            format!("updateproportion={}", self.updates),
        ] {
            words.extend(["-p".to_owned(), property]);
        }
        words
    }
}

/// YCSB's client, which gets its class path from Java.
fn client(words: &[String], heap: &str, ycsb: &Ycsb) -> Result<Run> {
    let mut java = command("java", &[heap, "-cp", &ycsb.class_path, "site.ycsb.Client"]);
    let class_path = words.iter().position(|word| word == "-cp").unwrap_or(words.len());
    java.args(words.iter().take(class_path))
        .args(words.iter().skip(class_path + 2));
    let finished = watch(&mut java)?;
    Ok(Run {
        operations_per_second: throughput(&finished.text)?,
        peak_memory_bytes: finished.peak_memory_bytes,
    })
}
