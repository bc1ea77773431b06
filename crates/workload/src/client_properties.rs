//! YCSB's client and measurement properties that mean something here: how a workload is run, not what it is.

use std::time::Duration;

use crate::arrivals::Arrivals;
use crate::reader::Reader;

/// The most clients of a trial. Clients of embedded stores are threads, of which Linux gives a process some 16,000 as it is
/// usually set up (`vm.max_map_count`): a thread takes four maps of memory.
pub const MOST_CLIENTS: u32 = 10_000;

/// Which latencies YCSB's text output shows (`measurement.interval`). Records always hold both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasurementInterval {
    /// `op`: service time.
    Service,
    /// `intended`: response time.
    Response,
    /// `both`.
    Both,
}

/// The properties that are about running; `None` where the files and overrides say nothing. Flags win over these.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClientProperties {
    /// `threadcount`: clients, one operation in flight each. 1 to [`MOST_CLIENTS`].
    pub threads: Option<u32>,
    /// `target`: operations per second over all clients. YCSB's 0 (unlimited) is `None`.
    pub target: Option<f64>,
    /// `arrivals` (ours): how the operations of a paced run are spread.
    pub arrivals: Option<Arrivals>,
    /// `operationcount`: operations of the run phase. YCSB's 0 (no limit) is `None`.
    pub operations: Option<u64>,
    /// `maxexecutiontime`: the longest the run phase may take; a bare number is seconds. YCSB's 0 is `None`.
    pub max_execution_time: Option<Duration>,
    /// `warmuptime` (go-ycsb's): run before measuring; a bare number is seconds.
    pub warmup: Option<Duration>,
    /// `dotransactions`: false means the load phase.
    pub do_transactions: Option<bool>,
    /// `status`: progress on the terminal.
    pub status: Option<bool>,
    /// `status.interval`: a bare number is seconds. Never zero.
    pub status_interval: Option<Duration>,
    /// `label`: a name for this run, shown with the status.
    pub label: Option<String>,
    /// `measurement.interval`: what YCSB's text output shows.
    pub measurement_interval: Option<MeasurementInterval>,
    /// `hdrhistogram.percentiles`: percentiles of YCSB's text output, each above 0 and up to 100.
    pub percentiles: Option<Vec<f64>>,
}

impl ClientProperties {
    pub(crate) fn read(reader: &mut Reader<'_>) -> Self {
        let target = reader.number("target", 0.0, 1e12, 0.0);
        let status_interval = reader.duration("status.interval", "s");
        if status_interval == Some(Duration::ZERO) {
            reader.refuse(
                "status.interval",
                "status.interval is zero".to_owned(),
                "use 1s or more",
            );
        }
        Self {
            threads: reader
                .text("threadcount")
                .map(|_| reader.small("threadcount", 1, MOST_CLIENTS, 1)),
            target: (target > 0.0).then_some(target),
            arrivals: reader.text("arrivals").map(|_| {
                reader.choice(
                    "arrivals",
                    &[("constant", Arrivals::Constant), ("poisson", Arrivals::Poisson)],
                )
            }),
            operations: reader.count("operationcount").filter(|count| *count > 0),
            max_execution_time: reader
                .duration("maxexecutiontime", "s")
                .filter(|time| !time.is_zero()),
            warmup: reader.duration("warmuptime", "s"),
            do_transactions: reader.boolean("dotransactions"),
            status: reader.boolean("status"),
            status_interval,
            label: reader
                .text("label")
                .filter(|label| !label.is_empty())
                .map(str::to_owned),
            measurement_interval: reader.text("measurement.interval").map(|_| {
                reader.choice(
                    "measurement.interval",
                    &[
                        ("op", MeasurementInterval::Service),
                        ("intended", MeasurementInterval::Response),
                        ("both", MeasurementInterval::Both),
                    ],
                )
            }),
            percentiles: percentiles(reader),
        }
    }
}

fn percentiles(reader: &mut Reader<'_>) -> Option<Vec<f64>> {
    const KEY: &str = "hdrhistogram.percentiles";
    let mut percentiles = Vec::new();
    for part in reader.text(KEY)?.split(',') {
        match part.trim().parse::<f64>() {
            Ok(percentile) if percentile > 0.0 && percentile <= 100.0 => percentiles.push(percentile),
            _ => reader.refuse(
                KEY,
                format!("{KEY}: `{}` is not a percentile", part.trim()),
                "write numbers above 0 and up to 100, e.g. 50,95,99,99.9",
            ),
        }
    }
    Some(percentiles)
}
