//! A plain Java program over the same client library, which the driver's bridge must not be much dearer than.

use crate::bench::measure::watch;
use crate::process::{Result, cache, command, output, root};

use super::session::Server;
use super::{CLIENTS, PeerRun, Speed};

const SOURCE: &str = "databases/hbase/java/PlainLoop.java";

/// Reads whole records by uniform keys and takes all values, on as many threads as dbdyno has clients.
pub fn plain_loop(server: &Server, plan: &PeerRun) -> Result<Speed> {
    let (host, port) = server.host_and_port()?;
    let jars = server
        .address
        .split_once("class_path=")
        .map(|(_, rest)| rest.split('&').next().unwrap_or_default())
        .ok_or_else(|| format!("no class path in {}", server.address))?;
    let jars = format!("{jars}/*");
    let classes = cache("bench-peers-hbase")?.to_string_lossy().into_owned();
    let source = root().join(SOURCE).to_string_lossy().into_owned();
    output(&mut command("javac", &["-cp", &jars, "-d", &classes, &source]))?;
    let finished = watch(&mut command(
        "java",
        &[
            "-Xmx512m",
            "-cp",
            &format!("{classes}:{jars}"),
            "PlainLoop",
            host,
            port,
            "usertable",
            "family",
            &CLIENTS.to_string(),
            &plan.warmup_seconds.to_string(),
            &plan.seconds.to_string(),
        ],
    ))?;
    let line = finished.text.lines().last().unwrap_or_default();
    let result: serde_json::Value =
        serde_json::from_str(line).map_err(|error| format!("{SOURCE} printed {line}: {error}"))?;
    let figure = |name: &str| {
        result[name]
            .as_f64()
            .ok_or_else(|| format!("no {name} in {line}"))
    };
    Ok(Speed {
        operations_per_second: figure("operations")? / figure("seconds")?,
        client_us: figure("client_us_per_operation")?,
    })
}
