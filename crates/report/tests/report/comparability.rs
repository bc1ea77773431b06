//! Latency ranks systems at a rate that all of them sustained, throughput without a rate, and nothing else does.

use crate::common;
use crate::common::{FJALL, REDB, TrialPlan, UNLISTED, WORKLOADS, ask, folder, pace, results, study, trial};
use dbdyno_record::TrialRecord;
use dbdyno_report::index::{Index, StudyEntry};
use dbdyno_report::model::{Metric, Rank, ReportModel, Tone, Unranked, Word};
use dbdyno_report::words::figures::MetricFigures as _;
use dbdyno_report::{Render, Side, StudyResults, Style, compare_folders, history, lines};

/// Both sustain it.
const EASY: f64 = 50_000.0;
/// `fjall` sustains it, `redb` does not.
const HARD: f64 = 200_000.0;

fn paced(name: &str, rate: f64) -> Vec<TrialRecord> {
    let mut trials = Vec::new();
    for block in 0..8 {
        for engine in [&FJALL, &REDB] {
            let mut made = trial(&TrialPlan {
                study: name,
                engine,
                mix: &WORKLOADS[0],
                block,
                position: trials.len() as u32,
                seconds: 10,
                rate: Some(rate),
            });
            ask(&mut made, "rate", &format!("{rate}"));
            made.trial.push_str(&format!("-{rate}"));
            trials.push(made);
        }
    }
    trials
}

fn closed(name: &str) -> StudyResults {
    study(name, &[FJALL, REDB], &WORKLOADS[..1], 8, 10)
}

fn headline(model: &ReportModel) -> Vec<String> {
    model
        .summary
        .iter()
        .map(|sentence| sentence.text.flat())
        .collect()
}

fn words(model: &ReportModel, cell: usize, metric: Metric) -> Vec<Word> {
    let comparisons = model.cells[cell].comparisons.iter();
    comparisons
        .filter(|comparison| comparison.metric == metric)
        .map(|comparison| comparison.word)
        .collect()
}

/// Every output for people.
fn outputs(model: &ReportModel) -> [String; 4] {
    [
        model.html(),
        model.markdown(),
        model.latex(),
        model.text(Style::plain(200)),
    ]
}

#[test]
fn a_study_without_rates_ranks_throughput_and_no_latency() {
    let model = ReportModel::build(&closed("closed"));
    assert_eq!(
        headline(&model),
        ["A: update heavy – fjall, 2.7x as fast as redb."]
    );
    assert_eq!(words(&model, 0, Metric::Throughput), [Word::Faster]);
    assert_eq!(words(&model, 0, Metric::LatencyP99), [Word::NotComparable]);
    assert_eq!(words(&model, 0, Metric::LatencyP50), [Word::NotComparable]);
    assert_eq!(words(&model, 0, Metric::LoadThroughput).len(), 1);
    assert_ne!(words(&model, 0, Metric::LoadThroughput), [Word::NotComparable]);
    let latency = &model.cells[0].verdicts[1];
    assert_eq!(
        (latency.tone, &latency.unranked, &latency.leader),
        (Tone::NotComparable, &Some(Unranked::OwnSpeed), &None)
    );
    assert_eq!(
        latency.sentence.flat(),
        "p99 latency is not comparable: at full speed each system ran at its own throughput."
    );
    for comparison in &model.cells[0].comparisons {
        let is_refused = comparison.word == Word::NotComparable;
        assert_eq!(comparison.p_adjusted.is_none(), is_refused, "{comparison:?}");
    }
    for text in outputs(&model) {
        assert!(!text.contains("lowest p99"), "{text}");
        assert!(text.contains("not comparable"), "{text}");
    }
    let json = dbdyno_report::json(&model);
    assert!(json.contains("\"not-comparable\"") && json.contains("\"own-speed\""));
}

#[test]
fn a_study_at_a_sustained_rate_ranks_latency_and_no_throughput() {
    let model = ReportModel::build(&results("paced", paced("paced", EASY)));
    assert_eq!(
        headline(&model),
        ["A: update heavy, at 50.0k/s – fjall, p99 latency 1.8x lower than redb."]
    );
    assert_eq!(words(&model, 0, Metric::LatencyP99), [Word::Faster]);
    assert_eq!(words(&model, 0, Metric::Throughput), [Word::NotComparable]);
    for text in outputs(&model) {
        assert!(!text.contains("highest throughput"), "{text}");
    }
}

#[test]
fn a_rate_that_one_system_missed_ranks_nobody_and_says_who_missed_it() {
    let model = ReportModel::build(&results("paced", paced("paced", HARD)));
    assert_eq!(words(&model, 0, Metric::LatencyP99), [Word::NotComparable]);
    assert_eq!(words(&model, 0, Metric::Throughput), [Word::NotComparable]);
    assert_eq!(
        headline(&model),
        [
            "A: update heavy, at 200k/s – p99 latency not comparable: latency is comparable only at a rate that all of them \
             sustain, but redb sustained 200k/s in 0 of 8 trials."
        ]
    );

    // Medians bear a minority of trials that missed it, and half of them is too many.
    let mut trials = paced("paced", EASY);
    let mut miss = |blocks: u32| {
        for trial in trials
            .iter_mut()
            .filter(|trial| trial.system.name == "redb" && trial.block < blocks)
        {
            trial.measure.as_mut().unwrap().pacing.as_mut().unwrap().sustained = false;
        }
        words(
            &ReportModel::build(&results("paced", trials.clone())),
            0,
            Metric::LatencyP99,
        )
    };
    assert_eq!(miss(3), [Word::Faster]);
    assert_eq!(miss(4), [Word::NotComparable]);
}

#[test]
fn a_study_of_both_answers_both_questions() {
    let mut trials = closed("both").trials;
    trials.extend(paced("both", EASY));
    let model = ReportModel::build(&results("both", trials));
    assert_eq!(model.cells.len(), 2);
    assert_eq!(
        headline(&model),
        [
            "A: update heavy – fjall, 2.7x as fast as redb.",
            "A: update heavy, at 50.0k/s – fjall, p99 latency 1.8x lower than redb."
        ]
    );
    // A closed loop beside a rate is another question, no effect.
    let effects = model.effects.iter().flat_map(|effects| &effects.rows);
    assert_eq!(effects.filter(|effect| effect.factor == "rate").count(), 0);
}

#[test]
fn two_systems_at_two_rates_are_not_comparable() {
    let mut trials = paced("rates", EASY);
    for trial in &mut trials {
        trial.spec.factors.clear();
        if trial.system.name == "redb" {
            trial.spec.pace = Some(pace(EASY / 2.0));
        }
    }
    let model = ReportModel::build(&results("rates", trials));
    assert_eq!(words(&model, 0, Metric::LatencyP99), [Word::NotComparable]);
    assert_eq!(
        model.cells[0].verdicts[1].unranked,
        Some(Unranked::RatesDiffer),
        "{:?}",
        model.cells[0].verdicts
    );
}

#[test]
fn the_index_ranks_what_the_study_ranks() {
    let model = ReportModel::build(&closed("closed"));
    let index = Index::new(vec![StudyEntry::new(&model, "closed", None)]);
    let row = &index.groups[0].rows[0];
    assert_eq!(
        row.latency_p99_ns.as_ref().unwrap().rank,
        Some(Rank::NotComparable)
    );
    assert_eq!(row.throughput.as_ref().unwrap().rank, Some(Rank::Best));
    assert!(index.csv().contains("not comparable"), "{}", index.csv());
    let text = index.text(Style::plain(200));
    assert!(
        text.contains("latency only at a rate that all systems sustained"),
        "{text}"
    );
}

#[test]
fn effects_and_noise_hold_to_the_rule() {
    let mut trials = closed("factor").trials;
    for trial in &mut trials {
        ask(trial, "clients", "1");
    }
    let mut others = trials.clone();
    for trial in &mut others {
        ask(trial, "clients", "2");
        trial.trial.push_str("-2");
    }
    trials.extend(others);
    for trial in trials.clone().iter().filter(|trial| trial.system.name == "redb") {
        let mut twin = trial.clone();
        twin.system.name = "redb (A/A)".to_owned();
        twin.trial.push_str("-twin");
        trials.push(twin);
    }
    let model = ReportModel::build(&results("factor", trials));
    let effects = model.effects.unwrap();
    let of = |metric: Metric| {
        effects
            .rows
            .iter()
            .filter(move |row| row.comparison.metric == metric)
    };
    assert!(of(Metric::LatencyP99).count() > 0);
    assert!(of(Metric::LatencyP99).all(|row| row.word == Word::NotComparable));
    assert!(of(Metric::Throughput).all(|row| row.word != Word::NotComparable));
    let noise = model.noise.unwrap();
    assert!(
        noise.sentence.flat().contains("in throughput") && !noise.sentence.flat().contains("latency"),
        "{}",
        noise.sentence
    );
}

fn side(trials: &[TrialRecord]) -> Side<'_> {
    Side {
        trials,
        environment: None,
        levels: &UNLISTED,
    }
}

#[test]
fn a_change_that_slows_a_closed_loop_down_shows_in_throughput_alone() {
    let before = closed("main").trials;
    let mut after = before.clone();
    for trial in &mut after {
        let measure = trial.measure.as_mut().unwrap();
        for operation in measure.operations.values_mut() {
            operation.service = common::latencies(operation.ok, 90_000.0, 20.0);
        }
    }
    let comparison = compare_folders(side(&before), side(&after), 0.05, true);
    assert_eq!((comparison.slower(), comparison.faster()), (0, 0));
    let latency = &comparison.cells[0].metrics[1];
    assert_eq!(
        (latency.metric.as_str(), latency.found.word, latency.found.p_value),
        ("p99 latency", Word::NotComparable, None)
    );
    assert!(latency.after > latency.before, "the values are shown");
    let text = comparison.text(Style::plain(300));
    assert!(
        text.contains("p99 latency of read and 1 more: at full speed each system ran at its own throughput"),
        "{text}"
    );

    // At a rate the slower answers are a finding, and a rate that is lost is one, too.
    let before = paced("main", EASY);
    let mut after = before.clone();
    for trial in &mut after {
        let measure = trial.measure.as_mut().unwrap();
        for operation in measure.operations.values_mut() {
            operation.response = Some(common::latencies(operation.ok, 90_000.0, 20.0));
        }
    }
    let comparison = compare_folders(side(&before), side(&after), 0.05, true);
    assert_eq!(comparison.cells[0].metrics[0].found.word, Word::NotComparable);
    assert_eq!(comparison.cells[0].metrics[1].found.word, Word::Slower);
    assert_eq!(comparison.rates_lost(), 0);
    for trial in &mut after {
        trial.measure.as_mut().unwrap().pacing.as_mut().unwrap().sustained = false;
    }
    let comparison = compare_folders(side(&before), side(&after), 0.05, true);
    assert_eq!(comparison.cells[0].metrics[1].found.word, Word::NotComparable);
    assert_eq!((comparison.slower(), comparison.rates_lost()), (0, 2));
}

/// Few of all operations fail, but more than a hundredth of the reads.
#[test]
fn a_percentile_that_is_a_lower_bound_has_no_verdict() {
    let before = paced("main", EASY);
    let mut after = before.clone();
    for trial in &mut after {
        for operation in trial.measure.as_mut().unwrap().operations.values_mut() {
            operation.response = Some(common::latencies(operation.ok, 90_000.0, 20.0));
        }
        common::reads_fail(trial, 0.015);
    }
    let side = |trials| Side {
        trials,
        environment: None,
        levels: &UNLISTED,
    };
    let comparison = compare_folders(side(&before), side(&after), 0.05, true);
    let metric = |name: &str| {
        let mut metrics = comparison.cells[0].metrics.iter();
        metrics.find(|metric| metric.metric == name).unwrap()
    };
    assert_eq!(metric("p99 latency").found.word, Word::Slower);
    assert_eq!(metric("p99 latency of update").found.word, Word::Slower);
    let read = metric("p99 latency of read");
    assert_eq!(
        (read.found.word, read.found.reason.as_str()),
        (
            Word::Undecided,
            "after, p99 latency of read lies among operations that had no answer, so it is a lower bound"
        )
    );
    assert_eq!((comparison.cells.len(), comparison.answers_lost()), (2, 2));
}

#[test]
fn a_history_of_closed_loops_judges_throughput_alone() {
    let points = |of: &dyn Fn(&str) -> Vec<TrialRecord>, slow_from: u32| -> Vec<(String, bool, bool)> {
        let (mut entries, machine) = (Vec::new(), folder::environment());
        for version in 0..8 {
            let mut trials = of("nightly");
            for trial in trials.iter_mut().filter(|_| version >= slow_from) {
                for operation in trial.measure.as_mut().unwrap().operations.values_mut() {
                    let slow = common::latencies(operation.ok, 400_000.0, 20.0);
                    match &mut operation.response {
                        Some(response) => *response = slow,
                        None => operation.service = slow,
                    }
                }
            }
            let side = Side {
                trials: &trials,
                environment: Some(&machine),
                levels: &UNLISTED,
            };
            entries.extend(lines(side, "nightly", &format!("v{version}")));
        }
        let series = history(&entries, 0.05).series.into_iter();
        series
            .map(|series| {
                let is_refused = series
                    .last
                    .as_ref()
                    .is_some_and(|last| last.found.word == Word::NotComparable);
                (series.metric.clone(), series.got_slower(8), is_refused)
            })
            .collect()
    };
    for (metric, slower, refused) in points(&|name| closed(name).trials, 4) {
        assert!(!slower, "{metric}");
        assert_eq!(refused, metric.contains("latency"), "{metric}");
    }
    let paced = points(&|name| paced(name, EASY), 4);
    assert!(
        paced
            .iter()
            .any(|(metric, slower, _)| metric == "p99 latency" && *slower),
        "{paced:?}"
    );
}

#[test]
fn a_table_and_its_verdict_show_one_p99() {
    let mut trials = paced("p99", EASY);
    // One trial in eight with a tail of its own moves the merged percentile, and not the median of trials.
    for trial in trials.iter_mut().filter(|trial| trial.block == 0) {
        for operation in trial.measure.as_mut().unwrap().operations.values_mut() {
            operation.response = Some(common::latencies(operation.ok, 5_000_000.0, 30.0));
        }
    }
    let model = ReportModel::build(&results("p99", trials));
    let fjall = &model.cells[0].systems[0];
    let median = Metric::LatencyP99.format(fjall.metric(Metric::LatencyP99).unwrap().estimate.median);
    let merged = fjall.operations[0]
        .percentiles
        .iter()
        .find(|point| point.percentile == 99.0)
        .and_then(|point| point.latency_ns)
        .unwrap();
    let merged = Metric::LatencyP99.format(merged as f64);
    assert_ne!(median, merged);
    let text = model.text(Style::plain(200));
    assert_eq!(
        text.matches(&median).count(),
        2,
        "in the table and the verdict: {text}"
    );
    assert!(!text.contains(&merged), "{text}");
    let markdown = model.markdown();
    assert!(
        markdown.contains("| p50 | p99 | merged p95 | merged p99.9 |"),
        "{markdown}"
    );
    assert!(!markdown.contains(&merged), "{markdown}");
    assert!(dbdyno_report::json(&model).contains("\"merged_percentiles\""));
}

#[test]
fn no_output_says_a_ratio_below_one() {
    let mut trials = closed("ratios").trials;
    trials.extend(paced("ratios", EASY));
    let model = ReportModel::build(&results("ratios", trials));
    for text in [model.markdown(), model.latex(), model.text(Style::plain(200))] {
        assert!(
            text.contains("x as fast as redb (") || text.contains("x lower (") || text.contains("x lower ["),
            "{text}"
        );
        let small = text
            .split_whitespace()
            .find(|word| word.trim_start_matches('(').starts_with("0.") && word.ends_with(['×', 'x']));
        assert_eq!(small, None, "{text}");
    }
}
