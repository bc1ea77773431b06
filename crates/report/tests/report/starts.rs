//! Trials on one start of a system's servers are one value.

use crate::common::{FJALL, REDB, WORKLOADS, study};
use dbdyno_record::ServerStart;
use dbdyno_report::model::Word;
use dbdyno_report::words::starts::counted;
use dbdyno_report::{Render, ReportModel, StudyResults, Style};
use dbdyno_vocabulary::Text;

/// Six blocks of two systems on one workload; redb's servers are started for every so many blocks.
fn started_every(blocks: u32) -> StudyResults {
    let mut results = study("servers", &[FJALL, REDB], &WORKLOADS[..1], 6, 10);
    for trial in &mut results.trials {
        if trial.system.name == "redb" {
            trial.system.address = "lab:redb".to_owned();
            let id = 1 + trial.block / blocks;
            trial.conditions.start = Some(ServerStart {
                warmup_ns: None,
                id,
                started_at: format!("2026-01-01T00:0{id}:00Z"),
            });
        }
    }
    results
}

fn limits(model: &ReportModel) -> String {
    Text::joined(&model.limits, " ").flat()
}

#[test]
fn n_counts_starts() {
    let model = ReportModel::build(&started_every(1));
    let own = model.cells[0].systems.iter().find(|system| system.name == "redb");
    let estimate = &own.unwrap().throughput.as_ref().unwrap().estimate;
    assert_eq!((estimate.n, estimate.trials()), (6, 6));
    assert_eq!(counted(estimate), "6 trials, 6 starts");
    assert!(estimate.interval.is_some());
    assert!(
        model.basis[0]
            .flat()
            .starts_with("6 trials of each system in each test, on 6 starts of its servers;"),
        "{:?}",
        model.basis
    );
    assert!(!limits(&model).contains("restarts of"), "{:?}", model.limits);
    // Nothing else changes when every trial has its own start.
    let plain = ReportModel::build(&study("servers", &[FJALL, REDB], &WORKLOADS[..1], 6, 10));
    let intervals = |model: &ReportModel| -> Vec<_> {
        let comparisons = model.cells[0].comparisons.iter();
        comparisons.map(|comparison| comparison.interval).collect()
    };
    assert_eq!(intervals(&model), intervals(&plain));
}

#[test]
fn six_trials_on_one_start_are_one_value_and_decide_nothing() {
    let results = started_every(6);
    let model = ReportModel::build(&results);
    let own = model.cells[0]
        .systems
        .iter()
        .find(|system| system.name == "redb")
        .unwrap();
    let summary = own.throughput.as_ref().unwrap();
    assert_eq!((summary.estimate.n, summary.estimate.trials()), (1, 6));
    assert_eq!(summary.estimate.interval, None);
    let why = summary.estimate.why_no_interval.as_ref().unwrap();
    assert!(why.starts_with("6 trials, 1 start of the servers"), "{why}");
    assert_eq!(own.trials.len(), 6, "every trial stays in sight");
    // A closed loop ranks no latency, whatever the number of starts.
    let judged = model.cells[0].comparisons.iter();
    for comparison in judged.filter(|comparison| comparison.word != Word::NotComparable) {
        assert_eq!(comparison.word, Word::Undecided);
        assert!(
            comparison.reason.contains("count as one"),
            "{}",
            comparison.reason
        );
    }
    assert!(
        limits(&model).contains("restarts of redb were not sampled"),
        "{:?}",
        model.limits
    );
    let shown = model.text(Style::plain(120));
    assert!(shown.contains("6 (1 start)"), "{shown}");
}

#[test]
fn trials_of_servers_by_url_count_and_the_report_says_what_was_not_sampled() {
    let mut results = study("servers", &[FJALL, REDB], &WORKLOADS[..1], 6, 10);
    for trial in &mut results.trials {
        if trial.system.name == "redb" {
            trial.system.address = "redb://host".to_owned();
        }
    }
    let model = ReportModel::build(&results);
    let own = model.cells[0].systems.iter().find(|system| system.name == "redb");
    assert_eq!(own.unwrap().throughput.as_ref().unwrap().estimate.n, 6);
    let limits = limits(&model);
    assert!(limits.contains("restarts of redb were not sampled"), "{limits}");
}
