//! dbdyno itself, on its driver that does nothing.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::process::{Result, cache, command, root, run, target_folder};

use super::measure::{Figure, Finished, Run, Spread, spread, throughput, watch};
use super::peers::{Case, PeerWork, RECORDS};

/// The release build.
pub struct Tool {
    program: PathBuf,
}

/// Builds the release binary.
pub fn build() -> Result<Tool> {
    run(&mut command(
        "cargo",
        &["build", "--release", "--locked", "-p", "dbdyno"],
    ))?;
    Ok(Tool {
        program: target_folder().join("release/dbdyno"),
    })
}

impl Tool {
    /// Runs one case.
    pub fn measure(&self, case: &Case, operations: u64) -> Result<Run> {
        let (phase, workload) = match case.work {
            PeerWork::ReadOnly => ("run", "c"),
            PeerWork::UpdateHeavy => ("run", "a"),
            PeerWork::Load => ("load", "c"),
        };
        let records = if matches!(case.work, PeerWork::Load) {
            operations
        } else {
            RECORDS
        };
        let records = records.to_string();
        let clients = case.threads.to_string();
        let mut words = vec![
            phase,
            "null",
            "--workload",
            workload,
            "--records",
            &records,
            "--clients",
            &clients,
        ];
        let operations = operations.to_string();
        if phase == "run" {
            words.extend(["--operations", &operations, "--warmup", "0s"]);
        }
        words.extend(["--format", "ycsb"]);
        let finished = self.run(&words)?;
        Ok(Run {
            operations_per_second: throughput(&finished.text)?,
            peak_memory_bytes: finished.peak_memory_bytes,
        })
    }

    /// Runs any of its commands.
    pub fn words(&self, words: &[&str]) -> Result<Finished> {
        watch(Command::new(&self.program).args(words).current_dir(root()))
    }

    /// Starts one of its commands; its standard output can be read.
    pub fn start(&self, words: &[&str]) -> Result<Child> {
        Command::new(&self.program)
            .args(words)
            .current_dir(root())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("cannot run `{}`: {error}", self.program.display()))
    }

    /// Runs a binding of YCSB in its host, by YCSB's own command line.
    pub fn host(&self, words: &[String], heap: &str) -> Result<Run> {
        let mut dbdyno = Command::new(&self.program);
        dbdyno.args(["ycsb", "run"]).args(words);
        dbdyno.current_dir(root()).env("DBDYNO_JVM_OPTIONS", heap);
        let finished = watch(&mut dbdyno)?;
        Ok(Run {
            operations_per_second: throughput(&finished.text)?,
            peak_memory_bytes: finished.peak_memory_bytes,
        })
    }

    fn run(&self, words: &[&str]) -> Result<Finished> {
        let mut dbdyno = Command::new(&self.program);
        dbdyno.args(words).current_dir(root());
        if words[0] != "ycsb" {
            let output = cache("bench-results")?;
            std::fs::remove_dir_all(&output).map_err(|error| format!("{}: {error}", output.display()))?;
            dbdyno.args(["--quiet", "--output"]).arg(output);
        }
        watch(&mut dbdyno)
    }
}

/// What has no peer: memory at a billion records, start-up, and the lag of an open loop. Prints the figures and returns them.
pub fn print_own_figures(tool: &Tool, runs: u32) -> Result<Vec<Figure>> {
    println!("\ndbdyno's own figures, {runs} runs each.\n");
    println!("| figure | median | min - max | wanted |");
    println!("|---|---|---|---|");
    let memory = [
        "run",
        "null",
        "--workload",
        "c",
        "--records",
        "1e9",
        "--operations",
        "20M",
        "--warmup",
        "0s",
    ];
    let line = Line {
        name: "peak memory at 1e9 records, MB",
        wanted: "30",
        words: &memory,
    };
    let mut figures = vec![row(tool, runs, line, |run| Ok(run.peak_memory_bytes / 1e6))?];
    // YCSB's command line keeps no results: nothing of the process comes after the operation but its report.
    let first = [
        "ycsb",
        "run",
        "null",
        "-P",
        "workloads/workloadc",
        "-p",
        "operationcount=1",
    ];
    let line = Line {
        name: "whole process for one operation, ms (bounds start to first operation)",
        wanted: "50",
        words: &first,
    };
    figures.push(row(tool, runs, line, |run| Ok(run.elapsed.as_secs_f64() * 1e3))?);
    for (clients, name) in [("1", "one client"), ("16", "16 clients")] {
        let paced = [
            "run",
            "null",
            "--workload",
            "c",
            "--rate",
            "100k",
            "--duration",
            "5s",
            "--warmup",
            "1s",
        ];
        let paced = [&paced[..], &["--clients", clients, "--format", "json"]].concat();
        let share = Line {
            name: &format!("open loop at 100k/s, {name}: achieved share of the rate"),
            wanted: "1.00",
            words: &paced,
        };
        figures.push(row(tool, runs, share, |run| {
            Ok(figure(&run.text, "achieved_rate")? / figure(&run.text, "asked_rate")?)
        })?);
        let lag = Line {
            name: &format!("open loop at 100k/s, {name}: p99 scheduling lag, microseconds"),
            wanted: "100",
            words: &paced,
        };
        figures.push(row(tool, runs, lag, |run| {
            let after = run
                .text
                .split_once("\"scheduling_lag\"")
                .map_or("", |(_, rest)| rest);
            Ok(figure(after, "p99_ns")? / 1e3)
        })?);
    }
    Ok(figures)
}

/// A line of the table, and the command whose runs give its figures.
struct Line<'a> {
    name: &'a str,
    wanted: &'a str,
    words: &'a [&'a str],
}

fn row(tool: &Tool, runs: u32, line: Line<'_>, take: impl Fn(&Finished) -> Result<f64>) -> Result<Figure> {
    let Line { name, wanted, words } = line;
    let figures: Vec<f64> = (0..runs)
        .map(|_| take(&tool.run(words)?))
        .collect::<Result<_>>()?;
    let spread = spread(figures.into_iter());
    let Spread { min, median, max } = spread;
    println!("| {name} | {median:.2} | {min:.2} - {max:.2} | {wanted} |");
    Ok(Figure {
        name: name.to_owned(),
        spread,
    })
}

/// The number behind a key of the JSON output (first occurrence).
fn figure(json: &str, key: &str) -> Result<f64> {
    let after = json
        .split_once(&format!("\"{key}\":"))
        .map(|(_, rest)| rest.trim_start());
    let digits = after.map(|rest| rest.split([',', '}', '\n']).next().unwrap_or_default().trim());
    digits
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| format!("no number `{key}` in:\n{json}"))
}
