//! Our own results under the linter's rules.

use crate::common::{REDB, SYSTEMS, WORKLOADS, study};
use dbdyno_lint::{Certainty, Rule};
use dbdyno_record::{Interleaving, MeasureRecord, SliceRecord};
use dbdyno_report::model::ReportModel;
use dbdyno_trial::Origin;

/// Time in operations, of all clients together.
fn busy_ns(measure: &MeasureRecord) -> f64 {
    let operations = measure.operations.values();
    operations
        .map(|operation| operation.service.mean_ns().unwrap() * operation.service.count() as f64)
        .sum()
}

#[test]
fn each_trial_is_judged_by_its_own_clients() {
    let mut results = study("s", &[REDB], &WORKLOADS[..1], 4, 10);
    for trial in &mut results.trials {
        trial.spec.clients = 64;
    }
    let one = &mut results.trials[0];
    let measure = one.measure.as_mut().unwrap();
    // Twice as many operations under way as it had clients, and far fewer than the others had.
    one.spec.clients = 1;
    measure.duration_ns = (busy_ns(measure) / 2.0) as u64;
    let name = one.trial.clone();
    let findings = dbdyno_lint::check(&dbdyno_report::printed(&results));
    let places: Vec<&str> = findings
        .iter()
        .filter(|finding| finding.rule == Rule::LittlesLaw && finding.certainty == Certainty::Certain)
        .map(|finding| finding.place.name.as_str())
        .collect();
    assert_eq!(places.len(), 1, "{findings:?}");
    assert!(places[0].ends_with(&name), "{places:?}");
}

/// One client is a finding of all eighteen cells, of which its place names the first eight.
#[test]
fn a_finding_of_many_cells_is_one_of_all_their_systems() {
    let mut results = study("s", &SYSTEMS, &WORKLOADS, 1, 10);
    for trial in &mut results.trials {
        let measure = trial.measure.as_mut().unwrap();
        trial.spec.clients = 1;
        measure.duration_ns = busy_ns(measure) as u64;
    }
    let findings = ReportModel::build(&results).findings;
    let group = findings
        .iter()
        .find(|group| group.code == "lint.single-thread-tautology");
    assert_eq!(group.unwrap().systems, ["fjall", "redb", "sqlite"]);
    assert_eq!(group.unwrap().workloads.len(), WORKLOADS.len());
}

fn contradictions(results: &dbdyno_report::StudyResults) -> Vec<dbdyno_lint::Finding> {
    let mut findings = dbdyno_lint::check(&dbdyno_report::printed(results));
    findings.retain(|finding| finding.rule == Rule::Contradiction);
    findings
}

#[test]
fn kinds_of_operations_are_those_of_the_workload() {
    // Workload a: half of it reads.
    let mut results = study("s", &[REDB], &WORKLOADS[..1], 4, 10);
    assert_eq!(contradictions(&results), []);
    for (share, found) in [("0.495", 0), ("0.9", 1)] {
        let properties = &mut results.trials[1].workload.properties;
        properties.insert("readproportion".to_owned(), share.to_owned());
        properties.insert(
            "updateproportion".to_owned(),
            (1.0 - share.parse::<f64>().unwrap()).to_string(),
        );
        assert_eq!(contradictions(&results).len(), found, "{share}");
    }
    let arithmetic = &contradictions(&results)[0].arithmetic;
    assert!(
        arithmetic.starts_with("read is 50% of the operations, but the workload states 90%"),
        "{arithmetic}"
    );
    for (share, expected) in [
        ("abc", "readproportion=abc, which is no proportion"),
        ("-1", "is no proportion"),
    ] {
        let properties = &mut results.trials[1].workload.properties;
        properties.insert("readproportion".to_owned(), share.to_owned());
        let found = contradictions(&results);
        assert!(found[0].arithmetic.contains(expected), "{found:?}");
    }
    // The log of another tool may leave out what it has by default.
    results.trials[1].spec.origin = Origin::Log { states_rate: true };
    assert_eq!(contradictions(&results), []);
}

#[test]
fn slices_hold_what_the_measured_phase_holds() {
    let mut results = study("s", &[REDB], &WORKLOADS[..1], 4, 10);
    for trial in &mut results.trials {
        let measure = trial.measure.as_ref().unwrap();
        let (ok, measured_ns) = (measure.ok_in_time(), measure.duration_ns);
        let slice = |round: u32, ok: u64| SliceRecord {
            round,
            ok,
            measured_ns: measured_ns / 2,
            reference: None,
            reference_after: None,
            parked: None,
            head: None,
        };
        trial.conditions.interleaving = Some(Interleaving {
            beside: Vec::new(),
            head_ns: 1,
            slice_ns: measured_ns / 2,
            slices: vec![slice(0, ok / 2), slice(1, ok - ok / 2)],
            work: None,
        });
    }
    assert_eq!(contradictions(&results), []);
    let changed = &mut results.trials[0];
    let name = changed.trial.clone();
    for slice in &mut changed.conditions.interleaving.as_mut().unwrap().slices {
        slice.ok *= 3;
    }
    let found = contradictions(&results);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].place.name.ends_with(&name), "{found:?}");
    assert!(found[0].arithmetic.starts_with("2 slices hold"), "{found:?}");
}
