//! What the engine's tests share: plans and observers.
#![allow(dead_code, reason = "every test uses its part")]

use std::sync::Arc;
use std::time::Duration;

use dbdyno_engine::{
    EngineError, Event, Interval, Limit, Observer, Outcome, Phase, Phases, PreparedTrial, Stop,
    run_trial_on_virtual_time,
};
use dbdyno_record::{MeasureRecord, OperationRecord};
use dbdyno_testkit::simulated::{Behaviour, Simulated, Simulation};
use dbdyno_trial::{SystemSpec, TrialSpec};
use dbdyno_workload::{Specification, Workload, catalogue};

/// A workload of the catalogue with other properties.
pub fn workload(name: &str, properties: &[&str]) -> Arc<Workload> {
    let mut all = catalogue::find(name).unwrap().properties();
    for assignment in properties {
        all.set(assignment).unwrap();
    }
    let specification = Specification::from_properties(&all).unwrap().specification;
    Arc::new(Workload::new(specification, 42).unwrap())
}

/// A plan of one client, as fast as it goes.
pub fn plan(workload: Arc<Workload>, limit: Limit) -> PreparedTrial {
    PreparedTrial {
        spec: TrialSpec {
            clients: 1,
            limit,
            ..TrialSpec::new(SystemSpec::default(), "x", 0)
        },
        workload,
        interval: Duration::from_secs(1),
        warmup_interval: None,
        drain: Duration::from_secs(30),
        turns: None,
        part: None,
    }
}

pub fn operations(count: u64) -> Limit {
    Limit {
        operations: Some(count),
        duration: None,
    }
}

pub fn duration(duration: Duration) -> Limit {
    Limit {
        operations: None,
        duration: Some(duration),
    }
}

/// Keeps everything it hears.
#[derive(Default)]
pub struct Heard(pub Vec<Event>);

impl Observer for Heard {
    fn event(&mut self, event: &Event) {
        self.0.push(event.clone());
    }
}

impl Heard {
    pub fn intervals(&self, phase: Phase) -> Vec<&Interval> {
        let intervals = self.0.iter().filter_map(|event| match event {
            Event::Interval(interval) if interval.phase == phase => Some(interval),
            _ => None,
        });
        intervals.collect()
    }

    /// `+measure`, `-measure`... in order.
    pub fn phases(&self) -> Vec<String> {
        let phases = self.0.iter().filter_map(|event| match event {
            Event::PhaseStarted { phase, .. } => Some(format!("+{}", phase.name())),
            Event::PhaseEnded { phase } => Some(format!("-{}", phase.name())),
            _ => None,
        });
        phases.collect()
    }
}

/// A trial on a simulated database.
pub fn simulate(simulation: &Simulation, plan: &PreparedTrial) -> Result<Outcome, EngineError> {
    simulate_heard(simulation, plan, &mut ())
}

pub fn simulate_heard(
    simulation: &Simulation,
    plan: &PreparedTrial,
    observer: &mut dyn Observer,
) -> Result<Outcome, EngineError> {
    run_trial_on_virtual_time::<Simulated>(
        &simulation.target(),
        plan,
        observer,
        &Stop::new(),
        simulation.time(),
    )
}

/// A simulation whose table is loaded at no cost and that then behaves like this.
pub fn loaded(workload: &Arc<Workload>, behaviour: Behaviour) -> Simulation {
    let simulation = Simulation::new(Behaviour::default());
    let mut load = plan(Arc::clone(workload), operations(1));
    load.spec.phases = Phases::LoadOnly;
    simulate(&simulation, &load).unwrap();
    simulation.set_behaviour(behaviour);
    simulation
}

/// The only kind of operation of a measured phase.
pub fn only(measure: &MeasureRecord) -> &OperationRecord {
    assert_eq!(measure.operations.len(), 1, "{:?}", measure.operations.keys());
    measure.operations.values().next().unwrap()
}
