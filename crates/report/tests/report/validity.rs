//! Verdicts that the numbers would allow and the circumstances do not.

use crate::common::{
    Engine, FJALL, REDB, TrialPlan, WORKLOADS, mark_invalid, never_settles, reads_fail, results, study, trial,
};
use dbdyno_record::{Conditions, Level, TrialState, TrialStatus};
use dbdyno_report::index::{Index, StudyEntry};
use dbdyno_report::model::{Comparison, Metric, Word};
use dbdyno_report::{Render, ReportModel, StudyResults, Style};

/// Two engines with a clear difference: 1.5 by default.
fn engines() -> [Engine; 2] {
    let slow = Engine {
        name: "slow",
        read: FJALL.read / 1.5,
        write: FJALL.write / 1.5,
        noise: 0.01,
        ..FJALL
    };
    [Engine { noise: 0.01, ..FJALL }, slow]
}

/// Both as fast as they go.
fn two(blocks: u32) -> StudyResults {
    study("s", &engines(), &WORKLOADS[..1], blocks, 10)
}

/// Both at a rate that they sustain.
fn two_paced(blocks: u32) -> StudyResults {
    let mut trials = Vec::new();
    for block in 0..blocks {
        for engine in &engines() {
            trials.push(trial(&TrialPlan {
                study: "s",
                engine,
                mix: &WORKLOADS[0],
                block,
                position: trials.len() as u32,
                seconds: 10,
                rate: Some(50_000.0),
            }));
        }
    }
    results("s", trials)
}

fn comparison(results: &StudyResults, metric: Metric) -> Comparison {
    let model = ReportModel::build(results);
    let mut found = model.cells[0]
        .comparisons
        .iter()
        .filter(|comparison| comparison.metric == metric);
    found.next().unwrap().clone()
}

fn never_steady(results: &mut StudyResults, system: &str, blocks: u32) {
    for trial in results
        .trials
        .iter_mut()
        .filter(|trial| trial.system.name == system && trial.block < blocks)
    {
        never_settles(trial);
    }
}

#[test]
fn no_verdict_rests_on_trials_that_never_settled() {
    let mut results = two(8);
    assert_eq!(comparison(&results, Metric::Throughput).word, Word::Faster);
    never_steady(&mut results, "slow", 3);
    assert_eq!(
        comparison(&results, Metric::Throughput).word,
        Word::Faster,
        "medians bear three of eight"
    );
    never_steady(&mut results, "slow", 4);
    let throughput = comparison(&results, Metric::Throughput);
    assert_eq!(throughput.word, Word::Undecided);
    assert!(
        throughput.reason.contains("slow never settled in 4 of 8 trials"),
        "{}",
        throughput.reason
    );
    assert_eq!(
        comparison(&results, Metric::LatencyP99).word,
        Word::NotComparable,
        "a closed loop ranks no latency, steady or not"
    );
    let load = comparison(&results, Metric::LoadThroughput);
    assert_eq!(load.word, Word::Faster, "the load came before");
    let model = ReportModel::build(&results);
    let verdict = &model.cells[0].verdicts[0];
    assert!(
        verdict.sentence.flat().starts_with("Undecided on throughput"),
        "{}",
        verdict.sentence
    );
}

#[test]
fn a_difference_that_is_the_same_at_every_level_needs_no_rest() {
    let decided = comparison(&two(8), Metric::Throughput);
    let lead = decided.ratio.max(1.0 / decided.ratio);
    let word_at = |slowest: f64, fastest: f64| {
        let mut results = two(8);
        never_steady(&mut results, "slow", 8);
        for trial in results
            .trials
            .iter_mut()
            .filter(|trial| trial.system.name == "slow")
        {
            let whole = trial.measure.as_ref().unwrap().throughput_per_second().unwrap();
            let levels = [fastest, 1.0, slowest].into_iter().enumerate();
            let levels = levels.map(|(number, share)| Level {
                from_ns: number as u64 * 20_000_000_000,
                throughput_per_second: whole * share,
                latency_p50_ns: None,
            });
            trial.conditions.steady.as_mut().unwrap().levels = levels.collect();
        }
        comparison(&results, Metric::Throughput)
    };
    let mild = word_at(0.9, 1.0 + (lead - 1.0) / 10.0);
    assert_eq!(mild.word, Word::Faster, "{}", mild.reason);
    assert!(
        mild.method().contains("slow never settled in 8 of 8 trials"),
        "{}",
        mild.method()
    );
    // At its fastest it might be as fast as the other.
    let wild = word_at(0.9, lead);
    assert_eq!(wild.word, Word::Undecided);
    assert!(wild.reason.contains("never settled"), "{}", wild.reason);
}

/// Three systems of which one is the twin of another and differs from it by a share that varies with the block.
fn with_twin(difference: f64, noise_of_twin: f64) -> StudyResults {
    let quiet = Engine { noise: 0.001, ..REDB };
    let slow = Engine {
        name: "slow",
        read: quiet.read / difference,
        write: quiet.write / difference,
        ..quiet
    };
    let twin = Engine {
        name: "redb (A/A)",
        noise: noise_of_twin,
        ..quiet
    };
    study("s", &[quiet, slow, twin], &WORKLOADS[..1], 8, 10)
}

/// Trials of one system that vary say nothing against what the trials of others show.
#[test]
fn a_noisy_twin_takes_no_verdict_back() {
    for noise_of_twin in [0.001, 0.4] {
        let found = comparison(&with_twin(1.12, noise_of_twin), Metric::Throughput);
        assert_eq!(found.word, Word::Faster, "{noise_of_twin}: {found:?}");
    }
}

#[test]
fn disturbed_trials_are_shown_and_do_not_count() {
    let mut results = two(6);
    let before = comparison(&results, Metric::Throughput);
    let mut disturbed = results.trials[0].clone();
    let original = disturbed.trial.clone();
    results.trials[0].trial = format!("{original}~2");
    disturbed.status = TrialStatus::Disturbed;
    disturbed.measure.as_mut().unwrap().duration_ns *= 3;
    disturbed.conditions = Conditions {
        disturbed_by: vec!["host-steal".to_owned()],
        ..Conditions::default()
    };
    results.trials.push(disturbed);
    let model = ReportModel::build(&results);
    let after = comparison(&results, Metric::Throughput);
    assert_eq!((after.ratio, after.n), (before.ratio, before.n));
    let progress = &model.progress;
    assert_eq!(
        (progress.planned, progress.completed, progress.disturbed),
        (12, 12, 1)
    );
    assert!(
        progress.missing.is_empty() && progress.is_complete(),
        "{progress:?}"
    );
    let rows: Vec<(&str, TrialState)> = model.cells[0]
        .systems
        .iter()
        .flat_map(|system| &system.trials)
        .filter(|row| row.trial.starts_with(&original))
        .map(|row| (row.trial.as_str(), row.status))
        .collect();
    assert_eq!(
        rows,
        [
            (original.as_str(), TrialState::Disturbed),
            (format!("{original}~2").as_str(), TrialState::Completed)
        ]
    );
    let reported = model
        .summary
        .iter()
        .find(|sentence| sentence.text.flat().contains("disturbed"));
    assert!(
        reported.unwrap().text.flat().starts_with("1 trial was disturbed"),
        "{reported:?}"
    );

    // Killed before the repetition: it is still to come.
    results.trials.retain(|trial| !trial.trial.ends_with("~2"));
    let progress = ReportModel::build(&results).progress;
    assert_eq!((progress.completed, progress.missing), (11, vec![original]));
}

/// Six cells, six blocks, a machine that drifts. In one cell the first system is ahead in every block.
fn drifting(ahead: f64, workloads: usize) -> StudyResults {
    of_two(ahead, workloads, 0.01)
}

fn noisy(ahead: f64, workloads: usize) -> StudyResults {
    of_two(ahead, workloads, 0.12)
}

fn of_two(ahead: f64, workloads: usize, noise: f64) -> StudyResults {
    let mut trials = Vec::new();
    for block in 0..6 {
        for (index, mix) in WORKLOADS[..workloads].iter().enumerate() {
            for (name, lead) in [("one", if index == 0 { ahead } else { 1.0 }), ("two", 1.0)] {
                let speed = lead * (1.0 + 0.2 * f64::from(block));
                let engine = Engine {
                    name,
                    read: FJALL.read * speed,
                    write: FJALL.write * speed,
                    scan: FJALL.scan * speed,
                    noise,
                    ..FJALL
                };
                trials.push(trial(&TrialPlan {
                    study: "s",
                    engine: &engine,
                    mix,
                    block,
                    position: trials.len() as u32,
                    seconds: 10,
                    rate: None,
                }));
            }
        }
    }
    results("s", trials)
}

#[test]
fn what_one_comparison_shows_is_not_shown_among_six() {
    assert_eq!(
        comparison(&drifting(1.15, 1), Metric::Throughput).word,
        Word::Faster,
        "what drifts with the block does not hide it"
    );
    let among = comparison(&noisy(1.15, 6), Metric::Throughput);
    assert!(among.p_value.unwrap() <= 0.05, "{among:?}");
    assert!(among.p_adjusted.unwrap() > 0.05, "{among:?}");
    assert_eq!(among.word, Word::Undecided, "{among:?}");
}

#[test]
fn six_blocks_can_decide_eighteen_comparisons() {
    let named = |name, share: f64| Engine {
        name,
        read: FJALL.read * share,
        write: FJALL.write * share,
        scan: FJALL.scan * share,
        noise: 0.02,
        ..FJALL
    };
    let systems = [named("one", 1.0), named("two", 0.7), named("three", 0.5)];
    let model = ReportModel::build(&study("s", &systems, &WORKLOADS, 6, 10));
    let throughput: Vec<&Comparison> = model
        .cells
        .iter()
        .flat_map(|cell| &cell.comparisons)
        .filter(|comparison| comparison.metric == Metric::Throughput)
        .collect();
    assert_eq!(throughput.len(), 18);
    assert!(
        throughput
            .iter()
            .all(|comparison| comparison.word == Word::Faster)
    );
}

#[test]
fn a_verdict_on_an_invalid_trial_is_undecided_with_that_reason_in_every_output() {
    let mut results = two(8);
    let slow = results
        .trials
        .iter_mut()
        .find(|trial| trial.system.name == "slow");
    mark_invalid(slow.unwrap(), "reads-not-found");
    let throughput = comparison(&results, Metric::Throughput);
    assert_eq!(
        (throughput.word, throughput.reason.as_str()),
        (
            Word::Undecided,
            "1 of 8 trials of slow is invalid (reads-not-found)"
        )
    );
    let model = ReportModel::build(&results);
    for text in [model.html(), model.markdown(), model.text(Style::plain(400))] {
        assert!(
            text.contains("Reason: 1 of 8 trials of") && text.contains("is invalid (reads-not-found)."),
            "{text}"
        );
    }
}

/// A trial that could not keep the rate is slower than its latency says, which can only make its system the slower one.
#[test]
fn a_system_that_once_could_not_keep_the_rate_may_lose_and_nothing_else() {
    let verdict = |name: &str, code: &str, trials: usize| {
        let mut results = two_paced(8);
        let own = results
            .trials
            .iter_mut()
            .filter(|trial| trial.system.name == name);
        own.take(trials).for_each(|trial| {
            mark_invalid(trial, code);
            // As far from the others as it may be.
            let measure = trial.measure.as_mut().unwrap();
            for operation in measure.operations.values_mut() {
                let count = operation.service.count();
                operation.service = dbdyno_record::Latency::new();
                operation.service.record_many(9_000_000_000, count);
                operation.response = Some(operation.service.clone());
            }
        });
        comparison(&results, Metric::LatencyP99)
    };
    let untouched = verdict("slow", "rate-not-sustained", 0);
    assert_eq!(untouched.word, Word::Faster);
    let once = verdict("slow", "rate-not-sustained", 1);
    assert_eq!(once.word, Word::Faster, "{once:?}");
    assert!((once.ratio / untouched.ratio - 1.0).abs() < 0.1, "{once:?}");
    assert!(
        once.method()
            .ends_with("1 of 8 trials of slow is invalid (rate-not-sustained)"),
        "{}",
        once.method()
    );
    for (name, code, trials) in [
        ("fjall", "rate-not-sustained", 1),
        ("slow", "rate-not-sustained", 4),
        ("slow", "reads-not-found", 1),
    ] {
        let other = verdict(name, code, trials);
        assert_eq!(other.word, Word::Undecided, "{name}, {code}: {other:?}");
    }
}

/// So many reads of the slow engine time out, after ten seconds each.
fn failing(results: &mut StudyResults, share: f64) {
    for trial in results
        .trials
        .iter_mut()
        .filter(|trial| trial.system.name == "slow")
    {
        reads_fail(trial, share);
    }
}

#[test]
fn no_verdict_rests_on_operations_without_an_answer() {
    // Closed loops rank throughput, paced ones latency.
    for (mut results, metric) in [
        (two(8), Metric::Throughput),
        (two_paced(8), Metric::LatencyP99),
        (two_paced(8), Metric::LatencyP50),
    ] {
        assert_eq!(comparison(&results, metric).word, Word::Faster);
        // A twentieth of the reads are more than a hundredth of all operations.
        failing(&mut results, 0.05);
        let found = comparison(&results, metric);
        assert_eq!(found.word, Word::Undecided, "{found:?}");
        assert!(
            found.reason.contains("of the operations of slow had no answer"),
            "{}",
            found.reason
        );
        assert!(found.reason.contains("at least 10"), "{}", found.reason);
    }
    let mut results = two(8);
    failing(&mut results, 0.05);
    // The trials are invalid, and no verdict rests on what else they measured.
    let load = comparison(&results, Metric::LoadThroughput);
    assert_eq!(load.word, Word::Undecided);
    assert_eq!(load.reason, "8 of 8 trials of slow are invalid (errors)");
    let model = ReportModel::build(&results);
    let slow = model.cells[0]
        .systems
        .iter()
        .find(|system| system.name == "slow")
        .unwrap();
    assert!(slow.is_bound(Metric::LatencyP99) && !slow.is_bound(Metric::LatencyP50));
    for text in [
        model.text(Style::plain(120)),
        model.markdown().replace("&gt;", ">"),
        model.html().replace("&gt;", ">"),
    ] {
        assert!(text.contains(">= 10"), "{text}");
    }
    let json = serde_json::to_string(&model).unwrap();
    assert!(json.contains("\"at_least\":[\"latency-p99\"]"), "{json}");
}

/// A bar, an axis and a table of many studies show a lower bound as one, as sentences do.
#[test]
fn a_lower_bound_is_reported_as_one_in_strips_and_beside_other_studies() {
    let mut results = two_paced(8);
    failing(&mut results, 0.05);
    let model = ReportModel::build(&results);
    let strip = model
        .figures()
        .into_iter()
        .find(|figure| figure.name.ends_with("--p99-latency"))
        .unwrap();
    assert!(strip.svg.contains("slow &gt;= 10"), "{}", strip.svg);
    let index = Index::new(vec![StudyEntry::new(&model, "folder", None)]);
    for text in [index.text(Style::plain(120)), index.markdown(), index.html()] {
        assert!(text.replace("&gt;", ">").contains(">= 10"), "{text}");
    }
}

/// Who cannot be the best is an answer, too.
#[test]
fn where_the_best_is_undecided_the_first_sentence_says_who_is_behind() {
    let [fast, slow] = engines();
    let close = Engine {
        name: "close",
        read: fast.read * 0.9,
        write: fast.write * 0.9,
        ..fast
    };
    let mut results = study("behind", &[fast, close, slow], &WORKLOADS[..2], 8, 10);
    let doubtful = results
        .trials
        .iter_mut()
        .filter(|trial| trial.system.name == "close");
    doubtful.for_each(|trial| mark_invalid(trial, "integrity"));
    let model = ReportModel::build(&results);
    let first = model.summary[0].text.flat();
    assert_eq!(
        first,
        "A: update heavy – undecided between fjall and close, fjall 1.10x as fast as close (1.09x to 1.12x); 8 of 8 trials \
         of close are invalid (integrity); fjall 1.5x as fast as slow."
    );
}
