//! Trials on real time whose clock is known to be wrong.
#![cfg(target_arch = "x86_64")]

use std::time::Duration;

use dbdyno_testkit::simulated::{Behaviour, Simulation};
use dbdyno_trial::{Limit, SystemSpec, TrialSpec};
use dbdyno_workload::{Specification, Workload, catalogue};

use super::*;
use crate::clock::planted;
use crate::host::Real;

#[path = "../tests/engine/blocking.rs"]
mod blocking;

fn outcome(wrong_by_ppm: f64) -> Outcome {
    let mut properties = catalogue::find("c").unwrap().properties();
    // A load that is long enough to time the clock.
    properties.set("recordcount=100000").unwrap();
    let specification = Specification::from_properties(&properties).unwrap();
    let plan = PreparedTrial {
        spec: TrialSpec {
            clients: 1,
            limit: Limit {
                operations: None,
                duration: Some(Duration::from_millis(300)),
            },
            ..TrialSpec::new(SystemSpec::default(), "x", 0)
        },
        workload: Arc::new(Workload::new(specification.specification, 42).unwrap()),
        interval: Duration::from_secs(1),
        warmup_interval: None,
        drain: Duration::from_secs(30),
        turns: None,
        part: None,
    };
    let host = Real {
        time: planted(wrong_by_ppm),
    };
    let simulation = Simulation::new(Behaviour::default());
    let target = simulation.target();
    let stop = Stop::new();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    runtime
        .block_on(run::<blocking::Blocking, _>(
            &host,
            Assignment {
                target: &target,
                plan: &plan,
                observer: &mut (),
                stop: &stop,
                floor: Floor::default(),
            },
        ))
        .unwrap()
}

#[test]
fn a_wrong_scale_is_found_when_the_phase_ends() {
    let outcome = outcome(5_000.0);
    let seen_ppm = outcome.measure.unwrap().clock_drift_ppm.unwrap();
    // The planted scale was calibrated a moment ago, with an error of its own.
    assert!((seen_ppm - 5_000.0).abs() < 2_000.0, "{seen_ppm} ppm");
    for phase in ["load", "measured"] {
        let during = format!("during the {phase} phase");
        let found = outcome
            .findings
            .iter()
            .find(|finding| finding.code() == "clock-drift" && finding.message().starts_with(&during));
        assert_eq!(
            found.unwrap().severity,
            dbdyno_record::Severity::Warning,
            "{phase}"
        );
    }
}
