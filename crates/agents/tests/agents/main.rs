//! Agents in threads of this process, with a NATS server that the lab starts.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

mod course;
mod faults;
mod trust;
mod union;

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use dbdyno_agents::{AgentOptions, AgentsAddress, Allowed, Fleet, FleetRequest, Labels, LocalServer, serve};
use dbdyno_driver::Target;
use dbdyno_engine::{
    EngineError, Event, LoadGenerators, Observer, Outcome, Phases, PreparedTrial, Reset, Stop, TrialSpec,
    WarmUp,
};
use dbdyno_lab::{LabHome, Progress, SystemPackages};
use dbdyno_trial::{Limit, SystemSpec};
use dbdyno_workload::{Properties, Specification, Workload, catalogue};

/// Says nothing, and permits nothing.
struct Quiet;

impl Progress for Quiet {
    fn say(&mut self, _: &str) {}

    fn may_install(&mut self, _: &SystemPackages<'_>) -> bool {
        false
    }
}

/// A NATS server, in a home of its own whose software is that of all tests.
pub(crate) fn server() -> LocalServer {
    let home = LabHome::of_user().unwrap();
    LocalServer::start(&home, &mut Quiet, &Stop::new()).unwrap()
}

/// An agent in a thread.
pub(crate) struct AgentThread {
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

impl AgentThread {
    pub(crate) fn start(
        address: &AgentsAddress,
        name: &str,
        labels: &[(&str, &str)],
        allow: &[&str],
    ) -> Self {
        let allow: Vec<String> = allow.iter().map(|text| (*text).to_owned()).collect();
        let options = AgentOptions {
            server: address.clone(),
            name: Some(name.to_owned()),
            number: None,
            labels: labels
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            allowed: Allowed::of(&allow).unwrap(),
            wait: Duration::from_secs(10),
            once: false,
        };
        let stop = Stop::new();
        let thread = {
            let stop = stop.clone();
            std::thread::spawn(move || serve(&options, &stop, &mut |_| {}).unwrap())
        };
        Self {
            stop,
            thread: Some(thread),
        }
    }
}

impl Drop for AgentThread {
    fn drop(&mut self) {
        self.stop.request();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

pub(crate) fn agents(address: &AgentsAddress, count: usize) -> Vec<AgentThread> {
    (1..=count)
        .map(|number| AgentThread::start(address, &format!("agent-{number}"), &[], &[]))
        .collect()
}

pub(crate) fn request(address: &AgentsAddress, min: u32) -> FleetRequest {
    FleetRequest {
        server: address.clone(),
        min,
        labels: Labels::new(),
        study: "test".to_owned(),
    }
}

pub(crate) fn fleet(address: &AgentsAddress, min: u32) -> Fleet {
    Fleet::recruit(request(address, min), None, &Stop::new()).unwrap()
}

pub(crate) fn workload(name: &str, records: u64) -> Arc<Workload> {
    let mut properties: Properties = catalogue::find(name).unwrap().properties();
    properties.set(&format!("recordcount={records}")).unwrap();
    let resolved = Specification::from_properties(&properties).unwrap();
    Arc::new(Workload::new(resolved.specification, 42).unwrap())
}

/// A trial of so many clients that lasts for so long.
pub(crate) fn plan(workload: Arc<Workload>, clients: u32, duration: Duration) -> PreparedTrial {
    let records = workload.specification().records;
    PreparedTrial {
        spec: TrialSpec {
            clients,
            limit: Limit {
                operations: None,
                duration: Some(duration),
            },
            warmup: WarmUp::fixed(Duration::from_millis(200)),
            reset: Reset::Fresh,
            phases: Phases::LoadAndRun,
            ..TrialSpec::new(SystemSpec::named("test"), "test", records)
        },
        workload,
        interval: Duration::from_millis(100),
        warmup_interval: None,
        drain: Duration::from_secs(5),
        turns: None,
        part: None,
    }
}

/// What an observer heard.
#[derive(Default)]
pub(crate) struct Heard(pub(crate) Vec<Event>);

impl Observer for Heard {
    fn event(&mut self, event: &Event) {
        self.0.push(event.clone());
    }
}

pub(crate) fn target(text: &str) -> Target {
    Target::parse(text).unwrap()
}

pub(crate) fn run(
    fleet: &Fleet,
    target: &Target,
    plan: &PreparedTrial,
) -> (Result<Outcome, EngineError>, Heard) {
    let mut heard = Heard::default();
    let outcome = fleet.run_trial(target, plan, &mut heard, &Stop::new());
    (outcome, heard)
}

/// A Redis server that ends with the test.
pub(crate) fn redis() -> (dbdyno_lab::Lab, Target) {
    let home = LabHome::of_user().unwrap();
    let request = dbdyno_lab::ServerRequest::parse("redis").unwrap();
    let recipe = dbdyno_registry::find_recipe("redis").unwrap();
    let instance = dbdyno_lab::InstanceRequest {
        recipe,
        request: &request,
        home: &home,
        keep: dbdyno_lab::Keep::UntilDropped,
    };
    let lab = dbdyno_lab::up(&instance, &mut Quiet, &|| false).unwrap();
    assert!(Path::new(lab.directory()).exists());
    let target = target(lab.address());
    (lab, target)
}
