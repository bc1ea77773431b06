//! Our own results under the linter's rules.

use crate::common::{REDB, WORKLOADS, study};
use dbdyno_lint::{Certainty, Rule};

#[test]
fn each_trial_is_judged_by_its_own_clients() {
    let mut results = study("s", &[REDB], &WORKLOADS[..1], 4, 10);
    for trial in &mut results.trials {
        trial.settings.clients = 64;
    }
    let one = &mut results.trials[0];
    let measure = one.measure.as_mut().unwrap();
    let busy_ns: f64 = measure
        .operations
        .values()
        .map(|operation| operation.service.mean_ns().unwrap() * operation.service.count() as f64)
        .sum();
    // Twice as many operations under way as it had clients, and far fewer than the others had.
    one.settings.clients = 1;
    measure.duration_ns = (busy_ns / 2.0) as u64;
    let name = one.trial.clone();
    let findings = dbdyno_lint::check(&dbdyno_report::printed(&results));
    let places: Vec<&str> = findings
        .iter()
        .filter(|finding| finding.rule == Rule::LittlesLaw && finding.certainty == Certainty::Certain)
        .map(|finding| finding.place.as_str())
        .collect();
    assert_eq!(places.len(), 1, "{findings:?}");
    assert!(places[0].ends_with(&name), "{places:?}");
}
