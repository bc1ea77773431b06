//! `dbdyno serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use dbdyno_serve::Endpoint;

use crate::defaults::RESULTS;

/// Where it listens unless told otherwise.
pub const ADDRESS: &str = "127.0.0.1:7979";

/// An address and a port.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse()
        .map_err(|_| format!("write an IP address and a port, e.g. {ADDRESS}"))
}

/// `dbdyno serve`.
#[derive(Debug, Args)]
#[command(after_help = HELP)]
pub struct ServeArguments {
    /// Result folder of a study, or a folder that contains some
    #[arg(value_name = "RESULTS", default_value = RESULTS)]
    pub results: PathBuf,
    /// Address and port; port 0 takes a free one
    #[arg(long, value_name = "IP:PORT", default_value = ADDRESS, value_parser = address)]
    pub listen: SocketAddr,
    /// OpenTelemetry collector (OTLP over HTTP) that receives metrics and events every 5 s
    #[arg(long, value_name = "http://HOST:PORT")]
    pub otlp: Option<Endpoint>,
}

const HELP: &str = "\
Examples:
  dbdyno serve                              every study in results/, at http://127.0.0.1:7979/
  dbdyno serve results/quickstart           one study
  dbdyno serve --listen 0.0.0.0:7979        from other machines: the printed address contains a token
  dbdyno serve --otlp http://HOST:4318      metrics to an OpenTelemetry collector, too

The pages follow a running study second by second, from its result folder: start `dbdyno study run` in
another terminal. On this machine, they can pause and stop it. Prometheus reads metrics at /metrics.
Stop serving with ctrl-C.";
