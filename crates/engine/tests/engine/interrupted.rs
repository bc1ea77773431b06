//! The request to stop.

use std::time::Duration;

use dbdyno_engine::{
    Event, Observer, Outcome, Pace, Phase, PreparedTrial, Stop, WarmUp, run_trial_on_virtual_time,
};
use dbdyno_testkit::simulated::{Behaviour, Simulated, Simulation};
use dbdyno_workload::Arrivals;

use crate::common::{duration, operations, plan, workload};

/// Requests a stop when it hears the interval of that number.
struct StopAt(Stop, Phase, u64);

impl Observer for StopAt {
    fn event(&mut self, event: &Event) {
        if matches!(event, Event::Interval(interval) if interval.phase == self.1 && interval.start_ns == self.2)
        {
            self.0.request();
        }
    }
}

fn stopped(simulation: &Simulation, plan: &PreparedTrial, phase: Phase, start_ns: u64) -> Outcome {
    let stop = Stop::new();
    let mut observer = StopAt(stop.clone(), phase, start_ns);
    let target = simulation.target();
    run_trial_on_virtual_time::<Simulated>(&target, plan, &mut observer, &stop, simulation.time()).unwrap()
}

fn simulation() -> Simulation {
    Simulation::new(Behaviour {
        service: Duration::from_millis(1),
        ..Behaviour::default()
    })
}

const SECOND: u64 = 1_000_000_000;

#[test]
fn what_was_measured_is_kept() {
    let simulation = simulation();
    let mut long = plan(
        workload("a", &["recordcount=100"]),
        duration(Duration::from_secs(3_600)),
    );
    long.spec.clients = 3;
    let outcome = stopped(&simulation, &long, Phase::Measure, 2 * SECOND);
    assert!(outcome.interrupted);
    assert!(
        outcome
            .findings
            .iter()
            .any(|finding| finding.code() == "interrupted")
    );
    let measure = outcome.measure.unwrap();
    assert!(
        (3 * SECOND..3 * SECOND + SECOND / 5).contains(&measure.duration_ns),
        "{}",
        measure.duration_ns
    );
    let ok: u64 = measure.operations.values().map(|record| record.ok).sum();
    // Three clients, one operation a millisecond each, all of them kept.
    assert!(ok.abs_diff(3 * measure.duration_ns / 1_000_000) <= 3, "{ok}");
}

#[test]
fn a_stopped_open_loop_leaves_no_hole_in_the_records() {
    let simulation = simulation();
    let properties = ["recordcount=100", "readproportion=0.5", "insertproportion=0.5"];
    let mut paced = plan(workload("d", &properties), duration(Duration::from_secs(3_600)));
    paced.spec.clients = 50;
    paced.spec.pace = Some(Pace {
        rate: 300.0,
        arrivals: Arrivals::Poisson,
    });
    let outcome = stopped(&simulation, &paced, Phase::Measure, SECOND);
    assert!(outcome.interrupted);
    let inserted = outcome.measure.unwrap().operations["insert"].ok;
    assert!(inserted > 200);
    let manifest = simulation.manifest("usertable").unwrap();
    assert!(manifest.contains("complete"), "{manifest}");
    assert!(
        manifest.contains(&format!("\"records\":{}", 100 + inserted)),
        "{manifest}"
    );
    assert_eq!(simulation.names("usertable").len() as u64, 100 + inserted);
}

#[test]
fn a_stopped_warm_up_or_load_measures_nothing() {
    let mut warming = plan(workload("a", &["recordcount=100"]), operations(100));
    warming.spec.warmup = WarmUp::fixed(Duration::from_secs(60));
    let outcome = stopped(&simulation(), &warming, Phase::WarmUp, SECOND);
    assert!(outcome.interrupted && outcome.measure.is_none() && outcome.load.is_some());

    let simulation = simulation();
    let loading = plan(workload("a", &["recordcount=10k"]), operations(100));
    let outcome = stopped(&simulation, &loading, Phase::Load, SECOND);
    assert!(outcome.interrupted && outcome.measure.is_none());
    let loaded = outcome.load.unwrap().inserts.ok;
    assert_eq!(simulation.names("usertable").len() as u64, loaded);
    assert!((2_000..2_300).contains(&loaded), "{loaded}");
    assert!(simulation.manifest("usertable").unwrap().contains("loading"));
}
