//! latte, the leanest load generator for Cassandra that there is, built once and kept.

use std::path::PathBuf;

use crate::bench::measure::watch;
use crate::process::{Result, cache, command, root, run};

use super::session::Server;
use super::{CLIENTS, PeerRun, Speed};

const VERSION: &str = "0.29.0";
const THREADS: u32 = 2;

/// Reads whole records by uniform keys with the driver's statement. It decodes none of the values.
pub fn latte(server: &Server, plan: &PeerRun) -> Result<Speed> {
    let program = built()?;
    let (host, port) = server.host_and_port()?;
    let home = cache("bench-peers-latte")?;
    let report = home.join("report.json");
    let script = root().join("xtask/src/bench/servers/read.rn");
    let mut latte = command(
        &program.to_string_lossy(),
        &[
            "run",
            &script.to_string_lossy(),
            &format!("{host}:{port}"),
            "--threads",
            &THREADS.to_string(),
            "--concurrency",
            &(CLIENTS / THREADS).to_string(),
            "--warmup",
            &format!("{}s", plan.warmup_seconds),
            "--duration",
            &format!("{}s", plan.seconds),
            "--consistency",
            "ONE",
            "--quiet",
            "--output",
            &report.to_string_lossy(),
        ],
    );
    // It writes a log to where it runs.
    let finished = watch(latte.current_dir(home))?;
    let text = std::fs::read_to_string(&report).map_err(|error| format!("{}: {error}", report.display()))?;
    let report: serde_json::Value =
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", report.display()))?;
    let result = &report["result"];
    let figure = |path: &[&str]| {
        let value = path.iter().fold(result, |here, name| &here[*name]);
        value
            .as_f64()
            .ok_or_else(|| format!("no {} in the report of latte:\n{}", path.join("."), finished.text))
    };
    let operations = figure(&["cycle_count"])?;
    Ok(Speed {
        operations_per_second: figure(&["cycle_throughput", "value"])?,
        // Of the measured phase only, as latte itself counts it.
        client_us: figure(&["cpu_time_s"])? * 1e6 / operations,
    })
}

fn built() -> Result<PathBuf> {
    let home = cache(&format!("latte-{VERSION}"))?;
    let program = home.join("bin/latte");
    if !program.is_file() {
        println!("building latte {VERSION}, once; it takes some minutes");
        run(&mut command(
            "cargo",
            &[
                "install",
                "latte-cli",
                "--version",
                VERSION,
                "--locked",
                "--root",
                &home.to_string_lossy(),
            ],
        ))?;
    }
    Ok(program)
}
