//! pgbench, which comes with PostgreSQL.

use crate::bench::measure::watch;
use crate::process::{Result, cache, command};

use super::session::Server;
use super::{CLIENTS, PeerRun, Speed};

/// Threads of pgbench: as many as there are processors, as dbdyno takes by itself.
const THREADS: &str = "2";

/// Reads the one row of the table, with the statement that the driver prepares.
pub fn pgbench(server: &Server, plan: &PeerRun) -> Result<Speed> {
    let (host, port) = server.host_and_port()?;
    let fields: Vec<String> = (0..10).map(|index| format!("\"field{index}\"")).collect();
    let script = cache("bench-peers-pgbench")?.join("read.sql");
    let sql = format!(
        "SELECT {} FROM \"usertable\" WHERE ycsb_key = :name;\n",
        fields.join(", ")
    );
    std::fs::write(&script, sql).map_err(|error| format!("{}: {error}", script.display()))?;
    let finished = watch(&mut command(
        "pgbench",
        &[
            "--host",
            host,
            "--port",
            port,
            "--username",
            "postgres",
            "--no-vacuum",
            "--protocol",
            "prepared",
            "--client",
            &CLIENTS.to_string(),
            "--jobs",
            THREADS,
            "--time",
            &plan.seconds.to_string(),
            "--define",
            "name=user0",
            "--file",
            &script.to_string_lossy(),
            "postgres",
        ],
    ))?;
    let figure = |before: &str| {
        finished
            .text
            .lines()
            .find_map(|line| {
                line.strip_prefix(before)?
                    .split([' ', '/'])
                    .next()?
                    .parse::<f64>()
                    .ok()
            })
            .ok_or_else(|| format!("no `{before}` in what pgbench printed:\n{}", finished.text))
    };
    let transactions = figure("number of transactions actually processed: ")?;
    Ok(Speed {
        operations_per_second: figure("tps = ")?,
        client_us: finished.cpu.as_secs_f64() * 1e6 / transactions,
    })
}
