//! What `stats` makes of trials whose truth is planted, in virtual time: a slowdown of 10% and one outlier among ten trials.

use std::time::Duration;

use dbdyno_engine::Phases;
use dbdyno_stats::{Better, Comparison, Pairing, Sample, Word, compare, outliers};
use dbdyno_testkit::simulated::Behaviour;

use crate::common::{duration, loaded, plan, simulate, workload};

/// Luck of each trial, a standard deviation of about 3%: block by block, another row for each system.
const LUCK: [[f64; 10]; 2] = [
    [1.02, 0.97, 1.03, 0.99, 1.05, 0.96, 1.01, 0.98, 1.04, 0.95],
    [0.98, 1.03, 1.00, 0.96, 1.01, 0.99, 1.04, 1.02, 0.97, 1.03],
];

/// Ten trials' throughput of a database that takes a millisecond for each read.
fn throughputs(slowdown: f64, system: usize, outlier: Option<usize>) -> Sample {
    let workload = workload("c", &["recordcount=50"]);
    let values = LUCK[system]
        .iter()
        .enumerate()
        .map(|(trial, luck)| {
            let factor = if outlier == Some(trial) { 10.0 } else { 1.0 };
            let behaviour = Behaviour {
                service: Duration::from_millis(1).mul_f64(slowdown * luck * factor),
                ..Behaviour::default()
            };
            let simulation = loaded(&workload, behaviour);
            let mut plan = plan(workload.clone(), duration(Duration::from_secs(1)));
            plan.spec.phases = Phases::RunOnly;
            let measure = simulate(&simulation, &plan).unwrap().measure.unwrap();
            let ok: u64 = measure.operations.values().map(|operation| operation.ok).sum();
            ok as f64 * 1e9 / measure.duration_ns as f64
        })
        .collect();
    Sample::new(values).unwrap()
}

fn compared(slowdown: f64, outlier: Option<usize>) -> Comparison {
    let (sick, healthy) = (throughputs(slowdown, 0, outlier), throughputs(1.0, 1, None));
    compare(&sick, &healthy, Better::Higher, 0.05, Pairing::Blocks)
}

#[test]
fn a_slowdown_of_10_percent_is_slower_and_none_is_not() {
    let slow = compared(1.1, None);
    assert_eq!(slow.word, Word::Slower, "{}", slow.reason);
    let interval = slow.interval.unwrap();
    assert!(
        interval.low < 1.0 / 1.1 && 1.0 / 1.1 < interval.high,
        "{}",
        slow.reason
    );
    let healthy = compared(1.0, None);
    assert!(
        matches!(healthy.word, Word::Equivalent | Word::Bounded | Word::Undecided),
        "{}",
        healthy.reason
    );
}

#[test]
fn an_outlier_is_flagged_alone_and_hides_no_slowdown() {
    let flagged: Vec<usize> = outliers(&throughputs(1.0, 0, Some(6)))
        .iter()
        .map(|outlier| outlier.index)
        .collect();
    assert_eq!(flagged, [6]);
    assert!(outliers(&throughputs(1.0, 0, None)).is_empty());
    assert_eq!(compared(1.15, Some(6)).word, Word::Slower);
    assert_ne!(compared(1.0, Some(6)).word, Word::Slower);
}
