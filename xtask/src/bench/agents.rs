//! What agents cost the coordinator: simulated ones, which report every second, at one real NATS server on this machine.

use serde_json::Value;

use super::Options;
use crate::process::{Result, command, output};

/// So many agents at once.
const AGENTS: [u32; 4] = [10, 100, 300, 1_000];
/// Of one CPU, for a thousand of them.
const MOST_CPU: f64 = 1.0;
/// And of memory, bytes.
const MOST_BYTES: f64 = 500e6;

/// Runs the example and prints its table.
pub fn run(options: &Options) -> Result<()> {
    let seconds = (3 * options.seconds).to_string();
    println!(
        "\nAgents: the coordinator's process in a trial of {seconds} s, with an interval of each agent every second.\n"
    );
    println!("| agents | CPUs | CPU for each agent and second | memory | at 1,000: below 1 CPU and 500 MB |");
    println!("|---|---|---|---|---|");
    for agents in AGENTS {
        let count = agents.to_string();
        let mut example = command(
            "cargo",
            &[
                "run",
                "--release",
                "--quiet",
                "--locked",
                "--package",
                "dbdyno-agents",
                "--example",
                "coordinator",
                "--",
                &count,
                &seconds,
            ],
        );
        let text = output(&mut example)?;
        let measured: Value = serde_json::from_str(&text).map_err(|error| format!("{text}: {error}"))?;
        let figure = |name: &str| measured[name].as_f64().unwrap_or(f64::NAN);
        let (cpus, bytes) = (figure("cpu_share"), figure("resident_bytes"));
        let is_met = match (agents, cpus < MOST_CPU && bytes < MOST_BYTES) {
            (1_000, true) => "met",
            (1_000, false) => "NOT met",
            _ => "",
        };
        println!(
            "| {agents} | {cpus:.3} | {:.0} µs | {:.0} MB | {is_met} |",
            cpus * 1e6 / f64::from(agents),
            bytes / 1e6
        );
    }
    Ok(())
}
