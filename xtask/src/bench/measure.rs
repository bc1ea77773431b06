//! Running one program and taking its figures.

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::process::Result;

/// The result of one run of a program.
pub struct Run {
    /// As the program itself reports it.
    pub operations_per_second: f64,
    /// Largest resident set of the process.
    pub peak_memory_bytes: f64,
}

/// The output of a program, and the resources that it took.
pub struct Finished {
    /// Its standard output.
    pub text: String,
    /// From start to end.
    pub elapsed: Duration,
    /// Largest resident set, from `/proc`, sampled until the end (it only grows).
    pub peak_memory_bytes: f64,
    /// Processor time, from `/proc`, in steps of 10 ms.
    pub cpu: Duration,
}

/// The results of several runs in one quantity.
pub struct Figure {
    /// What was measured, and in what.
    pub name: String,
    /// Of all runs.
    pub spread: Spread,
}

/// The middle and the ends of a few figures.
#[derive(Clone, Copy)]
pub struct Spread {
    /// The smallest.
    pub min: f64,
    /// The median.
    pub median: f64,
    /// The largest.
    pub max: f64,
}

/// The spread of at least one figure.
pub fn spread(figures: impl Iterator<Item = f64>) -> Spread {
    let mut figures: Vec<f64> = figures.collect();
    figures.sort_by(f64::total_cmp);
    let middle = figures.len() / 2;
    let median = if figures.len() % 2 == 1 {
        figures[middle]
    } else {
        (figures[middle - 1] + figures[middle]) / 2.0
    };
    Spread {
        min: figures[0],
        median,
        max: figures[figures.len() - 1],
    }
}

/// Runs a program to its end, watching its memory.
pub fn watch(command: &mut Command) -> Result<Finished> {
    let name = command.get_program().to_string_lossy().into_owned();
    let failed = |error: std::io::Error| format!("cannot run `{name}`: {error}");
    #[expect(clippy::disallowed_methods, reason = "times whole processes, not operations")]
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    let mut stdout = child.stdout.take().expect("standard output is piped");
    let mut stderr = child.stderr.take().expect("standard error is piped");
    let text = std::thread::spawn(move || {
        let mut text = String::new();
        stdout.read_to_string(&mut text).map(|_| text)
    });
    let complaints = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        stderr
            .read_to_end(&mut bytes)
            .map(|_| String::from_utf8_lossy(&bytes).into_owned())
    });
    let mut peak_memory_bytes = 0.0;
    let mut cpu = Duration::ZERO;
    let status = loop {
        if let Some(peak) = peak_memory(child.id()) {
            peak_memory_bytes = peak;
        }
        // It can still be read between the end and its being noticed.
        cpu = cpu_time(child.id()).unwrap_or(cpu);
        match child.try_wait().map_err(failed)? {
            Some(status) => break status,
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let elapsed = start.elapsed();
    let text = text.join().expect("the reader does not panic").map_err(failed)?;
    let complaints = complaints
        .join()
        .expect("the reader does not panic")
        .map_err(failed)?;
    if !status.success() {
        return Err(format!("`{name}` ended with {status}:\n{text}{complaints}"));
    }
    Ok(Finished {
        text,
        elapsed,
        peak_memory_bytes,
        cpu,
    })
}

/// The throughput that a YCSB-format report states.
pub fn throughput(report: &str) -> Result<f64> {
    let line = report
        .lines()
        .find_map(|line| line.strip_prefix("[OVERALL], Throughput(ops/sec), "));
    line.and_then(|figure| figure.trim().parse().ok())
        .ok_or_else(|| format!("no `[OVERALL], Throughput` line in this report:\n{report}"))
}

fn peak_memory(process: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim()
        .trim_end_matches("kB")
        .trim()
        .parse::<f64>()
        .ok()
        .map(|kilobytes| kilobytes * 1024.0)
}

/// User and system time of a process: fields 14 and 15 of `/proc/PID/stat`, in hundredths of a second on Linux.
fn cpu_time(process: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(')')?;
    let ticks: u64 = after_name
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum();
    Some(Duration::from_millis(ticks * 10))
}
