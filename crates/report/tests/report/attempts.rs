//! Attempts that came to nothing.

use crate::common::{FJALL, REDB, WORKLOADS, study};
use dbdyno_record::TrialStatus;
use dbdyno_report::{Render, ReportModel, Style};

#[test]
fn a_system_is_not_to_blame_for_its_load_generators() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 6, 10);
    let mut earlier = results.trials[0].clone();
    results.trials[0].trial = format!("{}~2", earlier.trial);
    earlier.status = TrialStatus::Failed {
        reason: "agent a is gone".to_owned(),
        of_generators: true,
    };
    earlier.measure = None;
    results.trials.push(earlier);
    let model = ReportModel::build(&results);
    assert!(
        !model
            .flags
            .iter()
            .any(|flag| flag.text.flat().contains("failed in")),
        "{:?}",
        model.flags
    );
    let codes: Vec<&str> = model.findings.iter().map(|group| group.code.as_str()).collect();
    assert!(codes.contains(&"load-generators-failed"), "{codes:?}");
    assert!(!codes.contains(&"attempts-failed"), "{codes:?}");
}

#[test]
fn attempts_that_came_to_nothing_are_reported_though_the_study_is_complete() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 6, 10);
    let redb: Vec<usize> = (0..12)
        .filter(|&index| results.trials[index].system.name == "redb")
        .collect();
    for (number, &index) in redb.iter().enumerate() {
        let mut earlier = results.trials[index].clone();
        let name = std::mem::replace(&mut results.trials[index].trial, format!("{}~2", earlier.trial));
        if number < 5 {
            earlier.status = TrialStatus::failed("the load timed out".to_owned());
            earlier.measure = None;
        } else {
            earlier.status = TrialStatus::Interrupted;
        }
        earlier.trial = name;
        results.trials.push(earlier);
    }
    let model = ReportModel::build(&results);
    assert!(model.progress.is_complete(), "{:?}", model.progress);
    assert_eq!((model.progress.failed, model.progress.interrupted), (5, 1));
    let failed = "redb failed in 5 of 12 attempts: the load timed out (5 times)";
    assert!(
        model.flags.iter().any(|flag| flag.text.flat().contains(failed)),
        "{:?}",
        model.flags
    );
    for text in [model.html(), model.markdown(), model.text(Style::plain(200))] {
        assert!(text.contains("failed in 5 of 12"), "{text}");
    }
    let finding = |code: &str| model.findings.iter().find(|group| group.code == code);
    assert_eq!(finding("attempts-failed").unwrap().systems, ["redb"]);
    assert!(finding("load-generators-failed").is_none());
    let interrupted = &finding("attempts-interrupted").unwrap().message;
    assert!(
        interrupted.contains("1 attempt of redb was interrupted") && interrupted.contains("/s in "),
        "{interrupted}"
    );
    let redb = model.cells[0]
        .systems
        .iter()
        .find(|system| system.name == "redb")
        .unwrap();
    assert_eq!(redb.trials.len(), 12, "each in the table of trials");
    assert_eq!(
        redb.throughput.as_ref().unwrap().estimate.n,
        6,
        "and in no estimate"
    );
}
