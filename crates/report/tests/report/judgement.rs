//! What a report says must follow from the records: planted cases, one by one.

use crate::common;
use crate::common::{Engine, FJALL, REDB, SQLITE, TrialPlan, WORKLOADS, ask, results, study, trial};
use dbdyno_record::{Finding, Severity, TrialRecord, TrialStatus};
use dbdyno_report::model::{Cell, FlagCode, Metric, MetricVerdict, Tone, Word};
use dbdyno_report::{Render, ReportModel, StudyResults, Style};

fn first(cell: &Cell, metric: Metric) -> &MetricVerdict {
    cell.verdicts
        .iter()
        .find(|verdict| verdict.metric == metric)
        .unwrap()
}

fn is_compared(cell: &Cell, system: &str) -> bool {
    cell.comparisons
        .iter()
        .any(|comparison| comparison.a == system || comparison.b == system)
}

/// All three outputs that people read.
fn texts(model: &ReportModel) -> [String; 3] {
    [model.html(), model.markdown(), model.text(Style::plain(200))]
}

fn change(results: &mut StudyResults, of: impl Fn(&TrialRecord) -> bool, how: impl Fn(&mut TrialRecord)) {
    results.trials.iter_mut().filter(|trial| of(trial)).for_each(how);
}

#[test]
fn a_clear_winner_is_named_with_ratio_and_interval() {
    let model = ReportModel::build(&study("s", &[FJALL, REDB, SQLITE], &WORKLOADS[..1], 6, 10));
    let verdict = first(&model.cells[0], Metric::Throughput);
    assert_eq!(
        (verdict.tone, verdict.leader.as_deref()),
        (Tone::Shown, Some("fjall"))
    );
    assert!(
        verdict
            .sentence
            .flat()
            .starts_with("fjall has the highest throughput: "),
        "{}",
        verdict.sentence
    );
    assert!(
        verdict.sentence.flat().contains("x as fast as sqlite ("),
        "{}",
        verdict.sentence
    );
    assert_eq!(
        model.summary[0].text.flat(),
        "A: update heavy – fjall, 2.4x as fast as sqlite, 2.7x as redb."
    );
}

#[test]
fn a_study_that_drifts_from_block_to_block_says_so_and_no_other_does() {
    let of = |slower: fn(u32) -> f64| {
        let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..2], 9, 10);
        change(
            &mut results,
            |_| true,
            |trial| {
                let factor = slower(trial.block);
                let duration_ns = &mut trial.measure.as_mut().unwrap().duration_ns;
                *duration_ns = (*duration_ns as f64 * factor) as u64;
            },
        );
        let model = ReportModel::build(&results);
        let mut drifts = model.findings.into_iter();
        drifts.find(|group| group.code == "drift-over-blocks")
    };
    let found = of(|block| 1.0 + 0.04 * f64::from(block)).unwrap();
    assert!(
        found
            .message
            .starts_with("everything became slower from block to block: in the last third of 9 blocks"),
        "{}",
        found.message
    );
    assert_eq!(
        (found.trials, found.systems.len(), found.workloads.len()),
        (36, 2, 2)
    );
    let faster = of(|block| 1.0 - 0.04 * f64::from(block)).unwrap();
    assert!(faster.message.contains("became faster"), "{}", faster.message);
    assert!(of(|_| 1.0).is_none(), "nothing changes");
    assert!(
        of(|block| if block == 8 { 2.0 } else { 1.0 }).is_none(),
        "one bad block is no drift"
    );
    assert!(
        of(|block| 1.0 + 0.002 * f64::from(block)).is_none(),
        "too little to matter"
    );
}

#[test]
fn too_few_trials_are_undecided_and_stated_so() {
    let model = ReportModel::build(&study("s", &[FJALL, REDB], &WORKLOADS[..1], 1, 10));
    let verdict = first(&model.cells[0], Metric::Throughput);
    assert_eq!(verdict.tone, Tone::Undecided);
    assert_eq!(model.summary[0].tone, Tone::Undecided);
    for text in texts(&model) {
        assert!(text.to_lowercase().contains("undecided"), "{text}");
        assert!(!text.contains("has the highest throughput:"), "{text}");
    }
}

#[test]
fn the_same_engine_twice_under_other_names_is_never_faster() {
    let other = Engine {
        name: "other",
        noise: 0.004,
        ..REDB
    };
    let quiet = Engine { noise: 0.004, ..REDB };
    let model = ReportModel::build(&study("s", &[quiet, other], &WORKLOADS[..3], 8, 10));
    for comparison in model.cells.iter().flat_map(|cell| &cell.comparisons) {
        let expected = match comparison.metric {
            Metric::LatencyP99 | Metric::LatencyP50 => Word::NotComparable,
            Metric::Throughput | Metric::LoadThroughput => Word::Equivalent,
        };
        assert_eq!(comparison.word, expected, "{comparison:?}");
    }
    assert_eq!(model.summary[0].tone, Tone::Same);
}

#[test]
fn different_durability_is_flagged_everywhere_and_never_ranked() {
    let synced = Engine {
        durability: "synced",
        ..SQLITE
    };
    let model = ReportModel::build(&study("s", &[FJALL, REDB, synced], &WORKLOADS[..1], 6, 10));
    let cell = &model.cells[0];
    assert!(!is_compared(cell, "sqlite"));
    assert!(cell.verdicts.iter().any(|verdict| {
        verdict.tone == Tone::NotComparable
            && verdict
                .sentence
                .flat()
                .contains("sqlite alone has durability synced")
    }));
    assert!(cell.verdicts.iter().any(|verdict| {
        verdict
            .sentence
            .flat()
            .starts_with("Among systems with durability buffered: fjall")
    }));
    assert_eq!(
        model.summary[0].text.flat(),
        "A: update heavy – with durability buffered: fjall, 2.7x as fast as redb; sqlite alone has durability synced."
    );
    assert_eq!(model.summary[0].tone, Tone::NotComparable);
    for text in texts(&model) {
        assert!(text.contains("Durability differs"), "{text}");
    }
}

#[test]
fn different_durability_is_ranked_when_the_study_asks_for_it() {
    let synced = Engine {
        durability: "synced",
        ..SQLITE
    };
    let mut results = study("s", &[FJALL, REDB, synced], &WORKLOADS[..1], 6, 10);
    results.across_promises = true;
    let model = ReportModel::build(&results);
    let cell = &model.cells[0];
    assert!(is_compared(cell, "sqlite"), "{:?}", cell.comparisons);
    assert!(
        cell.flags
            .iter()
            .any(|flag| flag.code == FlagCode::DurabilityDiffers && !flag.refuses)
    );
    for text in texts(&model) {
        assert!(text.contains("against each other only because"), "{text}");
    }
}

#[test]
fn different_consistency_is_flagged_and_never_ranked() {
    let with = |levels: [&str; 3]| {
        let mut results = study("s", &[FJALL, REDB, SQLITE], &WORKLOADS[..1], 6, 10);
        for (system, level) in ["fjall", "redb", "sqlite"].into_iter().zip(levels) {
            change(
                &mut results,
                |trial| trial.system.name == system,
                |trial| trial.system.consistency = level.parse().unwrap(),
            );
        }
        ReportModel::build(&results)
    };
    let model = with(["quorum", "quorum", "one"]);
    let cell = &model.cells[0];
    assert!(!is_compared(cell, "sqlite"));
    assert!(cell.verdicts.iter().any(|verdict| {
        verdict.tone == Tone::NotComparable && verdict.sentence.flat().contains("consistency one")
    }));
    for text in texts(&model) {
        assert!(text.contains("Consistency differs"), "{text}");
    }
    // One copy, and a majority of several: a read sees every acknowledged write.
    let model = with(["quorum", "", ""]);
    assert!(model.cells[0].flags.is_empty(), "{:?}", model.cells[0].flags);
    assert_eq!(
        model.cells[0].comparisons.len(),
        ReportModel::build(&study("s", &[FJALL, REDB, SQLITE], &WORKLOADS[..1], 6, 10)).cells[0]
            .comparisons
            .len()
    );
}

#[test]
fn scan_order_matters_only_where_there_are_scans() {
    let mut results = study("s", &[FJALL, REDB], &[WORKLOADS[0], WORKLOADS[4]], 6, 10);
    change(
        &mut results,
        |trial| trial.system.name == "redb",
        |trial| trial.system.scan_order = "other".parse().unwrap(),
    );
    let model = ReportModel::build(&results);
    assert!(model.cells[0].flags.is_empty(), "{:?}", model.cells[0].flags);
    assert_eq!(model.cells[1].flags[0].code, FlagCode::ScanOrderDiffers);
    assert!(model.cells[1].comparisons.is_empty());
    assert!(!model.cells[0].comparisons.is_empty());
}

#[test]
fn different_seeds_in_a_block_refuse_the_verdict() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 6, 10);
    change(
        &mut results,
        |trial| trial.system.name == "redb",
        |trial| trial.seed += 1,
    );
    let model = ReportModel::build(&results);
    assert_eq!(
        first(&model.cells[0], Metric::Throughput).tone,
        Tone::NotComparable
    );
    assert!(model.cells[0].comparisons.is_empty());
    assert_eq!(model.flags[0].code, FlagCode::SeedsDiffer);
}

#[test]
fn percentiles_come_from_merged_histograms() {
    let mut results = study("s", &[FJALL], &WORKLOADS[2..3], 2, 10);
    for (record, (count, latency)) in results
        .trials
        .iter_mut()
        .zip([(1_000, 1_000), (9_000, 1_000_000)])
    {
        let read = record
            .measure
            .as_mut()
            .unwrap()
            .operations
            .get_mut("read")
            .unwrap();
        read.ok = count;
        read.service = dbdyno_record::Latency::new();
        read.service.0.record_n(latency, count).unwrap();
    }
    let model = ReportModel::build(&results);
    let read = &model.cells[0].systems[0].operations[0];
    // The average of the two medians would be half a millisecond.
    let median = read.percentiles[0].latency_ns.unwrap();
    assert!((999_000..=1_001_000).contains(&median), "{median}");
    assert_eq!(read.ok, 10_000);
}

#[test]
fn failed_and_interrupted_trials_are_shown_but_not_counted() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 6, 10);
    let failed = results.trials[0].trial.clone();
    results.trials[0].status = TrialStatus::failed("the disk is full".to_owned());
    results.trials[0].measure = None;
    results.trials[2].status = TrialStatus::Interrupted;
    let model = ReportModel::build(&results);
    assert_eq!(
        (
            model.progress.failed,
            model.progress.interrupted,
            model.progress.completed
        ),
        (1, 1, 10)
    );
    let fjall = &model.cells[0].systems[0];
    assert_eq!(fjall.throughput.as_ref().unwrap().estimate.n, 4);
    assert_eq!(fjall.trials.len(), 6);
    for text in texts(&model) {
        assert!(
            text.contains("the disk is full") && text.contains(&failed),
            "{text}"
        );
    }
    assert!(
        model
            .summary
            .last()
            .unwrap()
            .text
            .flat()
            .contains("1 interrupted, 1 failed")
    );
}

/// A load that fails half the time, and an attempt that was stopped, do not end with a clean report.

#[test]
fn an_unfinished_study_says_what_is_missing() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 6, 10);
    results.trials.truncate(5);
    let model = ReportModel::build(&results);
    assert_eq!(model.progress.missing.len(), 7);
    assert_eq!(
        model.summary.last().unwrap().text.flat(),
        "5 of 12 planned trials are complete, 7 not yet run."
    );
    assert!(model.html().contains(&results.planned[11]));
}

#[test]
fn nothing_completed_is_a_report_too() {
    for results in [StudyResults::default(), {
        let mut results = study("s", &[FJALL], &WORKLOADS[..1], 1, 10);
        results.trials[0].status = TrialStatus::failed("no".to_owned());
        results.trials[0].measure = None;
        results.trials[0].load = None;
        results
    }] {
        let model = ReportModel::build(&results);
        for text in texts(&model) {
            assert!(text.contains("No trial was completed"), "{text}");
        }
    }
}

#[test]
fn one_system_alone_has_figures_and_no_winner() {
    let model = ReportModel::build(&study("s", &[FJALL], &WORKLOADS[..2], 1, 10));
    assert_eq!(
        model.summary[0].text.flat(),
        "Only fjall was measured: there is nothing to compare it with."
    );
    assert_eq!(first(&model.cells[0], Metric::Throughput).tone, Tone::Plain);
    assert!(model.html().contains("<svg"));
}

#[test]
fn a_kind_without_a_single_success_has_no_latency_and_does_not_break_anything() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 2, 10);
    change(
        &mut results,
        |trial| trial.system.name == "redb",
        |trial| {
            for operation in trial.measure.as_mut().unwrap().operations.values_mut() {
                operation.ok = 0;
                operation.service = dbdyno_record::Latency::new();
                operation.errors.insert("timeout".to_owned(), 500);
            }
        },
    );
    let model = ReportModel::build(&results);
    let redb = &model.cells[0].systems[1];
    assert_eq!(redb.throughput.as_ref().unwrap().estimate.median, 0.0);
    // Nothing was answered: the percentile is a lower bound, and there is no curve.
    assert!(redb.is_bound(Metric::LatencyP99) && redb.operations[0].curve.is_empty());
    for text in texts(&model) {
        assert!(
            !text.contains("NaN") && !text.contains("inf×") && !text.contains(">inf"),
            "{text}"
        );
    }
}

#[test]
fn findings_are_reported_once_with_the_number_of_trials() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 6, 10);
    change(
        &mut results,
        |_| true,
        |trial| {
            trial.findings.push(Finding::in_words(
                Severity::Invalid,
                "debug-build",
                "This is a debug build.",
                "Build with --release.",
            ));
        },
    );
    let model = ReportModel::build(&results);
    let reported = model.findings.iter().filter(|group| group.code == "debug-build");
    assert_eq!(reported.map(|group| group.trials).collect::<Vec<_>>(), [12]);
    let verdict = first(&model.cells[0], Metric::Throughput);
    assert_eq!(verdict.tone, Tone::Undecided);
    assert!(
        verdict
            .sentence
            .flat()
            .contains("6 of 6 trials of fjall are invalid (debug-build)"),
        "{}",
        verdict.sentence
    );
    for text in texts(&model) {
        assert_eq!(text.matches("This is a debug build.").count(), 1, "{text}");
    }
}

#[test]
fn trials_of_more_clients_are_not_called_impossible() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 6, 10);
    // Four times the clients do as much in a quarter of the time: more operations at a time than the other trials have clients.
    change(
        &mut results,
        |trial| trial.system.name == "redb",
        |trial| {
            trial.spec.clients = 16;
            trial.measure.as_mut().unwrap().duration_ns /= 4;
        },
    );
    let model = ReportModel::build(&results);
    let codes: Vec<&str> = model.findings.iter().map(|group| group.code.as_str()).collect();
    assert!(!codes.contains(&"lint.littles-law"), "{codes:?}");
}

#[test]
fn an_outlier_is_marked_and_kept() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 6, 10);
    change(
        &mut results,
        |trial| trial.system.name == "redb" && trial.block == 3,
        |trial| {
            trial.measure.as_mut().unwrap().duration_ns *= 4;
        },
    );
    let model = ReportModel::build(&results);
    let linted: Vec<&str> = model.findings.iter().map(|group| group.code.as_str()).collect();
    assert!(linted.contains(&"lint.outlier"), "{linted:?}");
    let redb = model.cells[0].systems[1].throughput.as_ref().unwrap();
    assert_eq!(redb.values.len(), 6);
    let marked: Vec<u32> = redb
        .values
        .iter()
        .filter(|value| value.outlier.is_some())
        .map(|value| value.block)
        .collect();
    assert_eq!(marked, [3]);
    assert!(model.html().contains("stands out"));
}

#[test]
fn every_further_factor_makes_cells_of_its_own_in_the_order_of_values() {
    let mut trials = Vec::new();
    for (position, clients) in ["16", "1", "2"].into_iter().enumerate() {
        for engine in [&FJALL, &REDB] {
            let mut record = trial(&TrialPlan {
                study: "s",
                engine,
                mix: &WORKLOADS[0],
                block: 0,
                position: position as u32,
                seconds: 10,
                rate: None,
            });
            record.trial.push_str(clients);
            ask(&mut record, "clients", clients);
            trials.push(record);
        }
    }
    let model = ReportModel::build(&results("s", trials));
    let titles: Vec<&str> = model.cells.iter().map(|cell| cell.title.as_str()).collect();
    assert_eq!(
        titles,
        [
            "A: update heavy, 1 client",
            "A: update heavy, 2 clients",
            "A: update heavy, 16 clients"
        ]
    );
    assert_eq!(model.cells[2].id, "workload-a-clients-16");
}

#[test]
fn an_a_a_twin_gives_the_noise_and_stays_out_of_the_verdict() {
    let model = ReportModel::build(&common::quickstart());
    let noise = model.noise.as_ref().unwrap();
    // Six workloads in a closed loop: noise of throughput alone.
    assert_eq!(noise.comparisons.len(), 6);
    assert!(
        noise
            .sentence
            .flat()
            .ends_with("redb, measured twice, agrees with that."),
        "{}",
        noise.sentence
    );
    for verdict in model.cells.iter().flat_map(|cell| &cell.verdicts) {
        assert!(
            !verdict.sentence.flat().contains("redb (A/A)"),
            "{}",
            verdict.sentence
        );
    }
}

#[test]
fn a_rate_that_was_not_held_is_reported() {
    let mut trials = Vec::new();
    for block in 0..4 {
        for (position, engine) in [&FJALL, &REDB].into_iter().enumerate() {
            trials.push(trial(&TrialPlan {
                study: "s",
                engine,
                mix: &WORKLOADS[0],
                block,
                position: block * 2 + position as u32,
                seconds: 10,
                rate: Some(200_000.0),
            }));
        }
    }
    let model = ReportModel::build(&results("s", trials));
    assert_eq!(model.flags[0].code, FlagCode::RateNotSustained);
    assert!(
        model.flags[0].text.flat().contains("redb did not sustain"),
        "{}",
        model.flags[0].text
    );
    assert!(model.cells[0].open_loop);
    assert!(
        model
            .html()
            .contains("Response time, counted from the intended start.")
    );
}
