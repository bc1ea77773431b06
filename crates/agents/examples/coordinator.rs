//! What agents cost the coordinator: `coordinator AGENTS SECONDS` starts a NATS server, and so many simulated agents in a process of
//! their own, and carries out one trial of so many seconds. One line of JSON says what this process used.

#![expect(clippy::print_stdout, reason = "its output is its result")]

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use dbdyno_agents::{Fleet, FleetRequest, Labels, LocalServer, simulated};
use dbdyno_driver::Target;
use dbdyno_engine::{Event, LoadGenerators, Observer, PreparedTrial, Stop, TrialSpec};
use dbdyno_lab::{LabHome, Progress, SystemPackages, bound_child};
use dbdyno_machine::{OwnUsage, own_resident_bytes};
use dbdyno_trial::{Limit, SystemSpec};
use dbdyno_workload::{Specification, Workload};

type Failure = Box<dyn std::error::Error>;

struct Quiet;

impl Progress for Quiet {
    fn say(&mut self, _: &str) {}

    fn may_install(&mut self, _: &SystemPackages<'_>) -> bool {
        false
    }
}

/// What was used from the first interval to the last.
#[derive(Default)]
struct Watch {
    intervals: u64,
    first: Option<f64>,
    last: f64,
    most_bytes: u64,
}

impl Observer for Watch {
    fn event(&mut self, event: &Event) {
        if let Event::Interval(_) = event {
            let now = OwnUsage::until(0).cpu_seconds();
            self.first.get_or_insert(now);
            self.last = now;
            self.most_bytes = self.most_bytes.max(own_resident_bytes());
            self.intervals += 1;
        }
    }
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["simulate", address, count, seconds] => simulate(address, count.parse()?, seconds.parse()?),
        [count, seconds] => coordinate(count.parse()?, seconds.parse()?),
        _ => Err("usage: coordinator AGENTS SECONDS".into()),
    }
}

fn simulate(address: &str, count: u32, seconds: u64) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(simulated::serve(&address.parse()?, count, seconds))?;
    Ok(())
}

fn coordinate(count: u32, seconds: u64) -> Result<(), Failure> {
    let stop = Stop::new();
    let server = LocalServer::start(
        &LabHome::of_user().map_err(|error| error.message)?,
        &mut Quiet,
        &stop,
    )?;
    let mut simulation = Command::new(std::env::current_exe()?);
    simulation
        .args(["simulate", server.url(), &count.to_string(), &seconds.to_string()])
        .stdin(Stdio::null());
    let mut simulation = bound_child(simulation)?;
    let request = FleetRequest {
        server: server.address()?,
        min: count,
        labels: Labels::new(),
        study: "bench".to_owned(),
    };
    let fleet = Fleet::recruit(request, None, &stop)?;
    let workload = Arc::new(Workload::new(Specification::core(1), 42)?);
    let plan = PreparedTrial {
        spec: TrialSpec {
            clients: count,
            limit: Limit {
                operations: None,
                duration: Some(Duration::from_secs(seconds)),
            },
            ..TrialSpec::new(SystemSpec::named("null"), "c", 1)
        },
        workload,
        interval: Duration::from_secs(1),
        warmup_interval: None,
        drain: Duration::from_secs(5),
        turns: None,
        part: None,
    };
    let mut watch = Watch::default();
    let outcome = fleet.run_trial(&Target::parse("null")?, &plan, &mut watch, &stop)?;
    drop(fleet);
    simulation.kill()?;
    simulation.wait()?;
    let measured = watch.intervals.saturating_sub(1).max(1) as f64;
    println!(
        "{{\"agents\": {count}, \"generators\": {}, \"intervals\": {}, \"cpu_share\": {:.4}, \"resident_bytes\": {}}}",
        outcome.generators.len(),
        watch.intervals,
        (watch.last - watch.first.unwrap_or(watch.last)) / measured,
        watch.most_bytes
    );
    Ok(())
}
