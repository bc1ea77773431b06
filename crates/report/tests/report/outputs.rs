//! The text outputs of small made-up studies, letter by letter.

use crate::common;
use crate::common::{FJALL, REDB, TrialPlan, WORKLOADS, study, trial};
use dbdyno_record::{OperationRecord, TrialStatus};
use dbdyno_report::single::{LatencyKind, SingleRun, YcsbOptions};
use dbdyno_report::{Render, ReportModel, StudyResults, Style, csv, json, single};

fn small() -> ReportModel {
    ReportModel {
        environment: common::machine_rows(),
        ..ReportModel::build(&study("small", &[FJALL, REDB], &WORKLOADS[..2], 6, 10))
    }
}

/// One paced trial with every kind of outcome.
fn accidents() -> dbdyno_record::TrialRecord {
    let mut record = trial(&TrialPlan {
        study: "small",
        engine: &FJALL,
        mix: &WORKLOADS[0],
        block: 0,
        position: 0,
        seconds: 10,
        rate: Some(20_000.0),
    });
    let read = record
        .measure
        .as_mut()
        .unwrap()
        .operations
        .get_mut("read")
        .unwrap();
    read.not_found = 7;
    read.too_early = 2;
    read.errors.insert("timeout".to_owned(), 3);
    read.failed = common::latencies(12, 5_000_000.0, 2.0);
    read.verified = 1_000;
    read.verification_failures = 1;
    record
}

#[test]
fn markdown_of_a_small_study() {
    insta::assert_snapshot!(small().markdown());
}

#[test]
fn summary_of_a_small_study() {
    let summary = small().brief();
    insta::assert_snapshot!(summary);
    // A heading within a page of others, the verdicts, one table, one chart with an interval for each system of each workload.
    assert!(summary.starts_with("## "), "{summary}");
    assert_eq!(summary.matches("| --- | --- |").count(), 1, "{summary}");
    assert_eq!(summary.matches("```text").count(), 1, "{summary}");
    assert_eq!(summary.matches('●').count(), 1 + 4, "{summary}");
    assert!(!summary.contains("no interval"), "{summary}");
}

#[test]
fn summary_of_few_trials_shows_no_interval() {
    let few = ReportModel::build(&study("few", &[FJALL, REDB], &WORKLOADS[..1], 2, 10)).brief();
    assert_eq!(few.matches('├').count(), 1, "only the caption has one: {few}");
    assert_eq!(few.matches("no interval: 2 trials").count(), 2, "{few}");
}

#[test]
fn terminal_of_a_small_study() {
    insta::assert_snapshot!(small().text(Style::plain(110)));
}

#[test]
fn terminal_with_colour_marks_evidence_and_dims_the_undecided() {
    // Two trials of each allow no verdict: nothing may be green or red.
    let few = ReportModel::build(&study("few", &[FJALL, REDB], &WORKLOADS[..1], 2, 10));
    let text = few.text(Style {
        color: true,
        width: 100,
    });
    assert!(
        !text.contains("\u{1b}[32m") && !text.contains("38;5;10m") && !text.contains("38;5;9m"),
        "{text}"
    );
    assert!(text.contains("\u{1b}[2m"), "{text}");
    let text = small().text(Style {
        color: true,
        width: 100,
    });
    assert!(text.contains("\u{1b}[32m"), "{text}");
    assert!(!small().text(Style::plain(100)).contains('\u{1b}'));
}

#[test]
fn terminal_lines_fit_the_width() {
    let model = ReportModel::build(&common::quickstart());
    for width in [72, 90, 104, 140] {
        assert!(
            model
                .text(Style::plain(width))
                .contains("has the highest throughput"),
            "{width}"
        );
        for line in model.text(Style::plain(width)).lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
}

#[test]
fn csv_of_one_trial_has_a_row_for_each_figure() {
    let text = single::csv(&accidents());
    let mut lines = text.lines();
    assert_eq!(
        lines.next().unwrap(),
        "study,trial,block,status,system,workload,clients,durability,rate,records,metric,value,unit"
    );
    let place = "small,000-fjall-a-block0,0,completed,fjall,a,4,buffered,20000,100000";
    assert!(
        text.contains(&format!("{place},read.not_found,7,operations\n")),
        "{text}"
    );
    assert!(
        text.contains(&format!("{place},read.errors.timeout,3,operations\n")),
        "{text}"
    );
}

#[test]
fn csv_of_a_study_has_every_trial() {
    let results = study("small", &[FJALL, REDB], &WORKLOADS[..1], 2, 10);
    let text = csv(&results);
    for trial in &results.trials {
        assert!(text.contains(&trial.trial), "{} is missing", trial.trial);
    }
}

#[test]
fn json_holds_the_verdicts_and_parses() {
    let value: serde_json::Value = serde_json::from_str(&json(&small())).unwrap();
    assert_eq!(value["format"], "dbdyno.report/1");
    assert_eq!(value["cells"][0]["verdicts"][0]["metric"], "throughput");
    assert_eq!(value["cells"][0]["verdicts"][0]["leader"], "fjall");
    assert_eq!(
        value["cells"][0]["systems"][0]["throughput"]["values"]
            .as_array()
            .unwrap()
            .len(),
        6
    );
    let mut document: serde_json::Value = serde_json::from_str(&single::json(&accidents())).unwrap();
    let summary = document["summary"].take();
    let record: dbdyno_record::TrialRecord = serde_json::from_value(document["record"].take()).unwrap();
    let (read, original) = (record.measure.unwrap(), accidents().measure.unwrap());
    for (name, operation) in &original.operations {
        assert_eq!(read.operations[name].ok, operation.ok);
        assert_eq!(
            read.operations[name].service.percentile_ns(99.0),
            operation.service.percentile_ns(99.0)
        );
        assert_eq!(
            summary["operations"][name]["service"]["p99_ns"].as_u64(),
            operation.service.percentile_ns(99.0)
        );
    }
}

#[test]
fn table_of_one_trial() {
    insta::assert_snapshot!(single::table(&accidents(), Style::plain(100)));
}

/// The results of `dbdyno run`: one planned trial, with its series.
fn run(status: TrialStatus) -> StudyResults {
    let mut results = study("20261127-redb-a", &[REDB], &WORKLOADS[..1], 1, 10);
    let planned = std::mem::replace(&mut results.trials[0].trial, single::TRIAL.to_owned());
    let timeline = results.timelines.remove(&planned).unwrap();
    results.timelines.insert(single::TRIAL.to_owned(), timeline);
    results.planned = vec![single::TRIAL.to_owned()];
    results.trials[0].status = status;
    results
}

#[test]
fn a_run_has_a_page_of_its_own_which_compares_nothing() {
    let results = run(TrialStatus::Completed);
    let page = dbdyno_report::page(&results);
    for shown in [
        "<h1>redb 4.4.0, workload A: update heavy</h1>",
        "<dt>Throughput</dt>",
        "<dt>p50 latency</dt>",
        "<dt>p99 latency</dt>",
        "<dt>Errors</dt>",
        "id=\"workload-a\"",
        "id=\"over-time\"",
        "id=\"distribution\"",
        "id=\"operations\"",
        "id=\"findings\"",
        "id=\"settings\"",
        "throughput-over-time",
        "Latency of update",
    ] {
        assert!(page.contains(shown), "{shown} is missing");
    }
    for other in ["Verdict", "compare it with", "At a glance"] {
        assert!(!page.contains(other), "{other}");
    }
    let model = ReportModel::build(&results);
    let unlike = StudyResults {
        planned: vec!["001-redb-a".to_owned()],
        ..results
    };
    assert!(
        dbdyno_report::page(&unlike).contains("Verdict"),
        "a study of one trial"
    );
    assert_ne!(model.html(), page);
}

#[test]
fn text_of_one_run() {
    let results = run(TrialStatus::Completed);
    let run = SingleRun::of(&results).unwrap();
    insta::assert_snapshot!(run.text(Style::plain(80)));
    insta::assert_snapshot!(run.markdown());
}

#[test]
fn overhead_that_exceeds_what_it_is_a_part_of_says_why() {
    let mut results = run(TrialStatus::Completed);
    let text = |results: &StudyResults| {
        let run = SingleRun::of(results).unwrap();
        run.text(Style::plain(80)).replace('\n', " ")
    };
    assert!(!text(&results).contains("the machine was slower"));
    results.trials[0].floor.operation_ns = 20_000.0;
    let text = text(&results);
    assert!(
        text.contains("Overhead of dbdyno: 20.0 µs per operation, timed"),
        "{text}"
    );
    assert!(text.contains("more than the 9.09 µs of CPU time"), "{text}");
}

#[test]
fn a_run_that_ended_early_says_so_above_its_numbers() {
    let failed = TrialStatus::failed("the disk is full".to_owned());
    for (status, said) in [
        (TrialStatus::Interrupted, "Interrupted: figures up to that point."),
        (failed, "Failed: the disk is full"),
    ] {
        let mut results = run(status);
        let page = dbdyno_report::page(&results);
        let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is missing"));
        assert!(place(said) < place("<dt>Throughput</dt>"), "{said}");
        assert!(place("throughput-over-time") > 0);
        // One that failed before its measured phase has a page all the same.
        (results.trials[0].load, results.trials[0].measure) = (None, None);
        let page = dbdyno_report::page(&results);
        assert!(page.contains(said) && page.contains("id=\"settings\""), "{page}");
        assert!(!page.contains("<dt>Throughput</dt>"));
    }
}

#[test]
fn csv_of_a_run_has_the_columns_that_a_study_has() {
    let header = |text: String| text.lines().next().unwrap().to_owned();
    let mut results = study("small", &[FJALL, REDB], &WORKLOADS[..1], 2, 10);
    for trial in &mut results.trials {
        trial.spec.durability = Some(dbdyno_trial::Durability::Buffered);
        trial.spec.factors.insert(dbdyno_trial::Factor::Rate);
    }
    let of_study = header(csv(&results));
    let of_run = header(csv(&run(TrialStatus::Completed)));
    for column in of_study.split(',') {
        assert!(of_run.split(',').any(|own| own == column), "{column}: {of_run}");
    }
}

#[test]
fn ycsb_text_of_service_time_alone() {
    let options = YcsbOptions {
        interval: LatencyKind::Operation,
        ..YcsbOptions::default()
    };
    insta::assert_snapshot!(single::ycsb(&accidents(), &options));
}

/// Scripts that read `[READ]` find it as it was; what a rate is for stands beside it.
#[test]
fn ycsb_text_with_a_rate_shows_intended_lines_too() {
    let text = single::ycsb(&accidents(), &YcsbOptions::default());
    for section in ["READ", "Intended-READ"] {
        assert!(
            text.contains(&format!("[{section}], 99thPercentileLatency(us), ")),
            "{text}"
        );
    }
    assert!(!text.contains("[Intended-READ], Return"), "{text}");
}

#[test]
fn ycsb_text_with_both_intervals_and_a_fractional_percentile() {
    let options = YcsbOptions {
        percentiles: vec![95.0, 99.9],
        interval: LatencyKind::Both,
        ..YcsbOptions::default()
    };
    insta::assert_snapshot!(single::ycsb(&accidents(), &options));
}

#[test]
fn ycsb_text_of_a_load() {
    insta::assert_snapshot!(single::ycsb(
        &accidents(),
        &YcsbOptions {
            load: true,
            ..YcsbOptions::default()
        }
    ));
}

#[test]
fn ycsb_text_of_nothing_but_failures_has_no_latency_of_successes() {
    let mut record = accidents();
    let measure = record.measure.as_mut().unwrap();
    measure.operations.clear();
    measure.operations.insert(
        "read".to_owned(),
        OperationRecord {
            errors: [("unavailable".to_owned(), 1_000)].into(),
            failed: common::latencies(1_000, 2_000_000.0, 3.0),
            ..OperationRecord::default()
        },
    );
    let text = single::ycsb(&record, &YcsbOptions::default());
    assert!(text.contains("[OVERALL], Throughput(ops/sec), 0.0\n"), "{text}");
    assert!(
        text.contains("[READ], Operations, 0\n[READ], Return=ERROR, 1000\n"),
        "{text}"
    );
    assert!(text.contains("[READ-FAILED], Operations, 1000\n"), "{text}");
    assert!(!text.contains("[READ], AverageLatency"), "{text}");
}

#[test]
fn ycsb_text_without_a_rate_has_no_intended_section() {
    let closed = trial(&TrialPlan {
        study: "small",
        engine: &REDB,
        mix: &WORKLOADS[2],
        block: 0,
        position: 0,
        seconds: 10,
        rate: None,
    });
    let options = YcsbOptions {
        interval: LatencyKind::Both,
        ..YcsbOptions::default()
    };
    let text = single::ycsb(&closed, &options);
    assert!(text.contains("[READ], 99thPercentileLatency(us), "), "{text}");
    assert!(!text.contains("Intended"), "{text}");
}
