//! redis-benchmark, which comes with Redis.

use crate::bench::measure::watch;
use crate::process::{Result, command};

use super::session::Server;
use super::{CLIENTS, PeerRun, Speed};

/// Reads whole hashes by keys of twelve digits, one request in flight for each connection. It decodes the answers' shape
/// and looks at none of the values.
pub fn redis_benchmark(server: &Server, plan: &PeerRun) -> Result<Speed> {
    let (host, port) = server.host_and_port()?;
    let operations = plan.operations.max(1);
    let finished = watch(&mut command(
        "redis-benchmark",
        &[
            "-h",
            host,
            "-p",
            port,
            "-c",
            &CLIENTS.to_string(),
            "-n",
            &operations.to_string(),
            "-r",
            "100000",
            "--csv",
            "HGETALL",
            "user__rand_int__",
        ],
    ))?;
    // "HGETALL user__rand_int__","57603.69","0.2",...
    let row = finished
        .text
        .lines()
        .rev()
        .find(|line| line.starts_with("\"HGETALL"));
    let rate = row
        .and_then(|row| row.split("\",\"").nth(1)?.parse().ok())
        .ok_or_else(|| format!("no rate in what redis-benchmark printed:\n{}", finished.text))?;
    Ok(Speed {
        operations_per_second: rate,
        client_us: finished.cpu.as_secs_f64() * 1e6 / operations as f64,
    })
}
