//! Whether turns are neutral: the same systems compared in blocks, and in turns with slices of several lengths.
//!
//! A ratio that differs between them by more than its intervals say would be one that turns make: caches that each switch empties, or
//! work that is put off into the time of others.

use std::fs;
use std::path::PathBuf;

use serde::Deserialize;

use super::Options;
use super::tool::Tool;
use crate::process::{Result, cache};

/// Systems of one kind, compared with each other.
struct Company {
    name: &'static str,
    /// Lines of the study file: the systems, and what they need.
    keys: &'static str,
}

/// From the fastest to the slowest: the slower, the longer is what a switch empties.
const COMPANIES: [Company; 3] = [
    Company {
        name: "embedded",
        keys: "systems = [\"fjall\", \"redb\", \"sqlite\"]\nrecords = \"5k\"\nwarmup = \"100ms\"\ndurability = \"buffered\"",
    },
    Company {
        name: "redis",
        keys: "systems = [\"lab:redis\", \"lab:postgres\"]\nrecords = \"20k\"\ndurability = \"none\"",
    },
    Company {
        name: "mongodb",
        keys: "systems = [\"lab:mongodb\", \"lab:cassandra\"]\nrecords = \"20k\"\ndurability = \"none\"",
    },
];

/// How the trials of a study take turns: keys of the study file, and a name.
const ORDERS: [(&str, &str); 5] = [
    ("blocks", "order = \"blocks\""),
    ("slices of 100 ms", "slice = \"100ms\""),
    ("250 ms", "slice = \"250ms\""),
    ("500 ms", "slice = \"500ms\""),
    ("1 s", "slice = \"1s\""),
];

/// Of a report, what is shown here.
#[derive(Deserialize)]
struct Report {
    cells: Vec<Cell>,
}

#[derive(Deserialize)]
struct Cell {
    workload: String,
    comparisons: Vec<Comparison>,
}

#[derive(Deserialize)]
struct Comparison {
    metric: String,
    a: String,
    b: String,
    ratio: Option<f64>,
    interval: Option<Interval>,
}

#[derive(Deserialize)]
struct Interval {
    low: f64,
    high: f64,
}

/// A pair in one workload, with its ratio in each order, as text.
struct Row {
    pair: (String, String, String),
    ratios: Vec<String>,
}

/// Runs the studies and prints a table for each company.
pub fn run(options: &Options, tool: &Tool) -> Result<()> {
    let wanted = |company: &&Company| options.server.as_deref().is_none_or(|name| name == company.name);
    let companies: Vec<&Company> = COMPANIES.iter().filter(wanted).collect();
    if companies.is_empty() {
        let names = COMPANIES.map(|company| company.name).join(", ");
        return Err(format!("--server wants one of these here: {names}"));
    }
    for company in companies {
        let mut rows: Vec<Row> = Vec::new();
        for (index, (_, keys)) in ORDERS.iter().enumerate() {
            let report = study(company, index, keys, options.pairs, tool)?;
            for cell in report.cells {
                let throughputs = cell.comparisons.iter().filter(|one| one.metric == "throughput");
                for comparison in throughputs {
                    note(&mut rows, &cell.workload, comparison, index);
                }
            }
        }
        let names: Vec<&str> = ORDERS.iter().map(|(name, _)| *name).collect();
        println!(
            "\nThroughput ratios, {} blocks, two seconds of each system and workload, 95% intervals.\n",
            options.pairs
        );
        println!("| workload, pair | {} |", names.join(" | "));
        println!("|---|{}", "---|".repeat(names.len()));
        for Row { pair, ratios } in rows {
            let (workload, a, b) = pair;
            println!("| {workload}: {a} / {b} | {} |", ratios.join(" | "));
        }
    }
    Ok(())
}

/// Runs one study.
fn study(company: &Company, order: usize, keys: &str, blocks: u32, tool: &Tool) -> Result<Report> {
    let name = format!("turns-{}-{order}", company.name);
    let folder = cache("turns")?;
    let file = folder.join(format!("{name}.toml"));
    let text = format!(
        "name = \"{name}\"\ntrials = {blocks}\nclients = 4\nduration = \"2s\"\nworkloads = [\"a\", \"c\"]\n{keys}\n{}\n",
        company.keys
    );
    fs::write(&file, text).map_err(|error| format!("cannot write {}: {error}", file.display()))?;
    let results: PathBuf = folder.join(&name);
    if results.exists() {
        fs::remove_dir_all(&results)
            .map_err(|error| format!("cannot remove {}: {error}", results.display()))?;
    }
    let results = results.to_string_lossy();
    tool.words(&[
        "study",
        "run",
        &file.to_string_lossy(),
        "--output",
        &results,
        "--quiet",
    ])?;
    let report = tool.words(&["report", &results, "--format", "json"])?;
    serde_json::from_str(&report.text)
        .map_err(|error| format!("the report of {name} is not as expected: {error}"))
}

/// Puts a comparison into its row; systems stand in the order of their names, whichever was faster.
fn note(rows: &mut Vec<Row>, workload: &str, comparison: &Comparison, order: usize) {
    let turned = comparison.a > comparison.b;
    let (a, b) = match turned {
        true => (&comparison.b, &comparison.a),
        false => (&comparison.a, &comparison.b),
    };
    let pair = (workload.to_owned(), a.clone(), b.clone());
    let text = match (comparison.ratio, &comparison.interval) {
        (Some(ratio), Some(interval)) if turned => {
            format!(
                "{:.2} ({:.2}-{:.2})",
                1.0 / ratio,
                1.0 / interval.high,
                1.0 / interval.low
            )
        }
        (Some(ratio), Some(interval)) => format!("{ratio:.2} ({:.2}-{:.2})", interval.low, interval.high),
        _ => "-".to_owned(),
    };
    let place = rows.iter().position(|row| row.pair == pair);
    let row = match place {
        Some(place) => &mut rows[place],
        None => {
            rows.push(Row {
                pair,
                ratios: vec!["-".to_owned(); ORDERS.len()],
            });
            let last = rows.len() - 1;
            &mut rows[last]
        }
    };
    row.ratios[order] = text;
}
