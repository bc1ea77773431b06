//! Two result folders side by side.

use crate::common::{
    FJALL, REDB, UNLISTED, WORKLOADS, ask, folder, mark_invalid, never_settles, reads_fail, slice, study,
};
use dbdyno_analysis::level_order;
use dbdyno_record::{Interleaving, SliceRecord, TrialRecord};
use dbdyno_report::model::Word;
use dbdyno_report::{FolderComparison, Render, Side, Style, compare_folders, history, lines};
use dbdyno_vocabulary::twin_name;

pub fn trials(name: &str, how: impl Fn(&mut TrialRecord)) -> Vec<TrialRecord> {
    let mut results = study(name, &[FJALL, REDB], &WORKLOADS[..2], 8, 10);
    results.trials.iter_mut().for_each(how);
    results.trials
}

pub fn compared(before: &[TrialRecord], after: &[TrialRecord], anyway: bool) -> FolderComparison {
    let side = |trials| Side {
        trials,
        environment: None,
        levels: &UNLISTED,
    };
    compare_folders(side(before), side(after), 0.05, anyway)
}

#[test]
fn cells_stand_in_the_order_of_their_levels() {
    let mut all = Vec::new();
    for clients in ["16", "1", "4"] {
        all.extend(trials("main", |trial| {
            trial.trial.push_str(&format!("-{clients}"));
            ask(trial, "clients", clients);
        }));
    }
    let order = |study_text: &str| {
        let levels = level_order::of_folder(None, study_text);
        let side = Side {
            trials: &all,
            environment: None,
            levels: &levels,
        };
        let cells = compare_folders(side, side, 0.05, true).cells;
        let cells = cells
            .iter()
            .map(|cell| cell.cell.to_string().replace("workload ", ""));
        cells.collect::<Vec<_>>().join("; ").replace("clients = ", "")
    };
    assert_eq!(
        order(""),
        "fjall, a, 1; fjall, a, 4; fjall, a, 16; fjall, b, 1; fjall, b, 4; fjall, b, 16; \
         redb, a, 1; redb, a, 4; redb, a, 16; redb, b, 1; redb, b, 4; redb, b, 16"
    );
    assert!(
        order("name = \"main\"\nclients = [4, 16, 1]\n")
            .starts_with("fjall, a, 4; fjall, a, 16; fjall, a, 1; fjall, b, 4")
    );
}

#[test]
fn the_same_thing_measured_twice_is_not_slower() {
    let comparison = compared(&trials("main", |_| ()), &trials("branch", |_| ()), true);
    assert_eq!(comparison.cells.len(), 4);
    assert!(comparison.unmatched.is_empty());
    assert_eq!(
        (comparison.faster(), comparison.slower()),
        (0, 0),
        "{}",
        comparison.markdown()
    );
}

/// Trials in turns of which so many of eight slices were measured on CPUs that share no cache, where everything is half as fast.
fn on_far_cpus(far: u64) -> Vec<TrialRecord> {
    trials("main", |trial| {
        let measured = |number: u64| {
            let is_far = number < far;
            let ok = 1_000 + 3 * u64::from(trial.block) + number;
            slice(
                number as u32,
                if is_far { ok / 2 } else { ok },
                250_000_000,
                is_far,
            )
        };
        let slices: Vec<SliceRecord> = (0..8).map(measured).collect();
        let ok: u64 = slices.iter().map(|slice| slice.ok).sum();
        let measure = trial.measure.as_mut().unwrap();
        let all: u64 = measure.operations.values().map(|kind| kind.ok).sum();
        measure.duration_ns = all * 2_000_000_000 / ok;
        trial.conditions.interleaving = Some(Interleaving {
            beside: Vec::new(),
            head_ns: 25_000_000,
            slice_ns: 250_000_000,
            slices,
            work: None,
        });
    })
}

#[test]
fn folders_are_compared_where_the_cpus_stood_alike() {
    let near = on_far_cpus(0);
    let whole = compared(&near, &near, true);
    assert!(whole.cells.iter().all(|cell| cell.metrics[0].mode.is_none()));
    let verdict_of = |far: u64| {
        let comparison = compared(&near, &on_far_cpus(far), true);
        let metric = comparison.cells[0].metrics[0].clone();
        assert_eq!(metric.metric, "throughput");
        (metric, comparison.markdown())
    };
    // Half of the slices were half as fast: a quarter less on the whole, and nothing in the mode of both.
    let (mixed, page) = verdict_of(4);
    assert!(!matches!(mixed.found.word, Word::Slower), "{page}");
    assert!((mixed.found.ratio - 1.0).abs() < 0.01, "{page}");
    let remark = "throughput: compared only in slices in which the CPUs shared a cache (100% of them before, 50% after)";
    assert!(page.contains(remark), "{page}");
    // No mode of both: as measured it is half as fast, and that says nothing of the system.
    let (other, page) = verdict_of(8);
    assert_eq!(other.found.word, Word::Undecided, "{page}");
    let reason = "before, the CPUs of the machine shared a cache in 100% of the slices; after, they shared no cache in 100% of the slices";
    assert!(other.withheld && page.contains(reason), "{page}");
}

#[test]
fn a_slowdown_is_found_where_it_is_and_nowhere_else() {
    let slower = |trial: &mut TrialRecord| {
        if trial.system.name == "redb" && trial.workload.name == "a" {
            let duration_ns = &mut trial.measure.as_mut().unwrap().duration_ns;
            *duration_ns = *duration_ns * 14 / 10;
        }
    };
    let comparison = compared(&trials("main", |_| ()), &trials("branch", slower), true);
    assert_eq!(
        (comparison.faster(), comparison.slower()),
        (0, 1),
        "{}",
        comparison.markdown()
    );
    let markdown = comparison.markdown();
    let mut lines = markdown.lines();
    let answer = lines.find(|line| line.contains("Slower"));
    assert!(
        answer.is_some_and(|line| line.contains("full speed, redb: throughput 29% lower (")),
        "the answer names it: {markdown}"
    );
    let row = lines.find(|line| line.contains("| throughput |")).unwrap();
    assert!(row.contains("−29%") && row.ends_with("| slower |"), "{row}");
    assert!(markdown.contains("All tests: "), "{markdown}");
    let back = compared(&trials("branch", slower), &trials("main", |_| ()), true);
    assert_eq!((back.faster(), back.slower()), (1, 0));
}

#[test]
fn what_never_came_to_rest_is_undecided() {
    let restless = |trial: &mut TrialRecord| {
        if trial.system.name == "redb" && trial.workload.name == "a" {
            let duration_ns = &mut trial.measure.as_mut().unwrap().duration_ns;
            *duration_ns = *duration_ns * 14 / 10;
            never_settles(trial);
        }
    };
    let comparison = compared(&trials("main", |_| ()), &trials("branch", restless), true);
    assert_eq!(comparison.slower(), 0, "{}", comparison.markdown());
    let cell = comparison
        .cells
        .iter()
        .find(|cell| cell.cell.system == "redb" && cell.cell.workload == "a")
        .unwrap();
    let throughput = &cell.metrics[0];
    assert_eq!(
        (throughput.found.word, throughput.trials_needed),
        (Word::Undecided, None)
    );
    assert!(
        throughput
            .found
            .reason
            .contains("after, no steady state: redb never settled in 8 of 8 trials"),
        "{}",
        throughput.found.reason
    );
    let load = cell.metrics.last().unwrap();
    assert_eq!(load.metric, "load throughput");
    assert!(!load.found.reason.contains("steady"), "the load came before");
}

#[test]
fn no_verdict_rests_on_an_invalid_trial() {
    let broken = |trial: &mut TrialRecord| {
        if trial.system.name == "redb" && trial.workload.name == "a" {
            let duration_ns = &mut trial.measure.as_mut().unwrap().duration_ns;
            *duration_ns = *duration_ns * 6 / 10;
            mark_invalid(trial, "verification-failed");
        }
    };
    let comparison = compared(&trials("main", |_| ()), &trials("branch", broken), true);
    assert_eq!((comparison.faster(), comparison.slower()), (0, 0));
    assert_eq!(
        comparison.answers_lost(),
        1,
        "a check for regressions does not pass"
    );
    let reason = "after, 8 of 8 trials of redb are invalid (verification-failed)";
    assert!(
        comparison.markdown().contains(reason) || comparison.text(Style::plain(300)).contains(reason),
        "{}",
        comparison.markdown()
    );
}

#[test]
fn one_reason_of_several_systems_is_one_sentence() {
    let broken = |trial: &mut TrialRecord| {
        if trial.workload.name == "a" {
            mark_invalid(trial, "verification-failed");
        }
    };
    let comparison = compared(&trials("main", |_| ()), &trials("branch", broken), true);
    let text = comparison.text(Style::plain(300));
    let joined = "after, 8 of 8 trials of each of fjall and redb are invalid (verification-failed)";
    assert_eq!(
        (text.matches(joined).count(), text.matches("are invalid").count()),
        (1, 1),
        "{text}"
    );
}

#[test]
fn no_verdict_rests_on_operations_without_an_answer() {
    let failing = |trial: &mut TrialRecord| {
        if trial.system.name == "redb" && trial.workload.name == "a" {
            let duration_ns = &mut trial.measure.as_mut().unwrap().duration_ns;
            *duration_ns = *duration_ns * 14 / 10;
            reads_fail(trial, 0.05);
        }
    };
    let (whole, lossy) = (trials("main", |_| ()), trials("branch", failing));
    for (before, after, when, lost) in [
        (&whole, &lossy, "after, ", 1),
        (&lossy, &whole, "before, ", 0),
        (&lossy, &lossy, "before, ", 0),
    ] {
        let comparison = compared(before, after, true);
        assert_eq!((comparison.slower(), comparison.faster()), (0, 0));
        assert_eq!(comparison.answers_lost(), lost);
        let mut cells = comparison.cells.iter();
        let cell = cells
            .find(|cell| cell.cell.system == "redb" && cell.cell.workload == "a")
            .unwrap();
        let throughput = &cell.metrics[0];
        assert_eq!(throughput.found.word, Word::Undecided);
        assert!(
            throughput.found.reason.starts_with(when)
                && throughput
                    .found
                    .reason
                    .contains("of the operations of redb had no answer"),
            "{}",
            throughput.found.reason
        );
        if comparison.identical {
            continue;
        }
        let text = comparison.text(Style::plain(300));
        let reported = format!(": undecided: {}", throughput.found.reason);
        assert!(text.contains(&reported), "{text}");
        let page = comparison.html();
        assert!(page.contains("&gt;= 10"), "its p99 is a lower bound: {page}");
        let load = cell.metrics.last().unwrap();
        assert_eq!(
            (load.metric.as_str(), load.found.word),
            ("load throughput", Word::Undecided)
        );
    }

    // A history, too, has no verdict on the last point, and does not pass it.
    let machine = folder::environment();
    let mut entries = Vec::new();
    for (label, trials) in [("1", &whole), ("2", &whole), ("3", &lossy)] {
        let side = Side {
            trials,
            environment: Some(&machine),
            levels: &UNLISTED,
        };
        entries.extend(lines(side, "nightly", label));
    }
    let history = history(&entries, 0.05);
    let mut series = history.series.iter();
    let series = series
        .find(|one| one.cell.starts_with("redb, workload a") && one.metric == "throughput")
        .unwrap();
    assert_eq!(series.last.as_ref().unwrap().found.word, Word::Undecided);
    assert!(series.got_slower(1));
}

#[test]
fn what_is_not_the_same_thing_is_refused_and_says_why() {
    let before = trials("main", |_| ());
    let synced = trials("branch", |trial| {
        trial.system.durability = "synced".parse().unwrap()
    });
    let comparison = compared(&before, &synced, false);
    assert_eq!((comparison.refused(), comparison.cells.len()), (4, 4));
    let text = comparison.text(Style::plain(100));
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(
        words.matches("durability: ").count(),
        1,
        "a difference of all tests is said once: {text}"
    );
    assert!(
        words.starts_with("Nothing was compared. Not compared, all tests: durability: ")
            && words.contains(" and synced, machine: not stated."),
        "{text}"
    );
    let anyway = compared(&before, &synced, true);
    assert_eq!(anyway.refused(), 0);
    assert!(anyway.text(Style::plain(200)).contains("Compared anyway"));
    let other = trials("branch", |trial| {
        trial
            .workload
            .properties
            .insert("fieldlength".to_owned(), "1".to_owned());
    });
    let comparison = compared(&before, &other, false);
    assert!(
        comparison.cells[0].differences[0].condition == "fieldlength",
        "{comparison:?}"
    );
}

#[test]
fn what_only_one_folder_has_is_reported() {
    let before = trials("main", |_| ());
    let after: Vec<TrialRecord> = before
        .iter()
        .filter(|trial| trial.system.name != "redb")
        .cloned()
        .collect();
    let comparison = compared(&before, &after, true);
    assert_eq!(comparison.cells.len(), 2);
    assert_eq!(comparison.unmatched.len(), 2);
    assert!(
        comparison.unmatched[0].to_string().ends_with("only before"),
        "{:?}",
        comparison.unmatched
    );
    assert!(comparison.json().contains("\"verdict\": "));
    let text = comparison.text(Style::plain(200));
    assert!(
        text.contains("Only before: ") && text.contains("full speed, redb"),
        "{text}"
    );
    let same = compared(&before, &trials("branch", |_| ()), true);
    let text = same.text(Style::plain(200));
    assert!(!text.contains("Only"), "{text}");
}

#[test]
fn every_kind_has_its_tail_compared_and_the_family_is_corrected() {
    let comparison = compared(&trials("main", |_| ()), &trials("branch", |_| ()), true);
    let metrics = &comparison.cells[0].metrics;
    let names: Vec<&str> = metrics.iter().map(|metric| metric.metric.as_str()).collect();
    for expected in [
        "throughput",
        "p99 latency",
        "median latency",
        "p99 latency of read",
    ] {
        assert!(names.contains(&expected), "{names:?}");
    }
    let written = serde_json::to_string(&metrics[0]).unwrap();
    let keys = "metric unit before after at_least trials ratio interval p_value p_adjusted verdict reason withheld rate_lost";
    let places = keys.split(' ').map(|key| written.find(&format!("\"{key}\":")));
    assert!(
        places.is_sorted() && written.contains("\"interval\":["),
        "{written}"
    );
    for metric in comparison.cells.iter().flat_map(|cell| &cell.metrics) {
        let (Some(plain), Some(adjusted)) = (metric.found.p_value, metric.found.p_adjusted) else {
            assert_eq!(metric.found.word, Word::NotComparable, "{metric:?}");
            continue;
        };
        assert!(adjusted >= plain && adjusted <= 1.0);
        assert!(metric.found.p_adjusted == Some(plain) || comparison.cells.len() > 1);
    }
}

#[test]
fn what_is_undecided_says_how_many_trials_would_decide() {
    let few = |name: &str| -> Vec<TrialRecord> {
        let all = trials(name, |_| ());
        all.into_iter().filter(|trial| trial.block < 3).collect()
    };
    let mut after = few("branch");
    for trial in &mut after {
        trial.measure.as_mut().unwrap().duration_ns += 1_000_000;
    }
    let comparison = compared(&few("main"), &after, true);
    let undecided: Vec<_> = comparison
        .cells
        .iter()
        .flat_map(|cell| &cell.metrics)
        .filter(|metric| metric.found.word == Word::Undecided)
        .collect();
    assert!(!undecided.is_empty());
    for metric in undecided {
        assert!(metric.trials_needed.is_none_or(|needed| needed > 3), "{metric:?}");
    }
    let markdown = comparison.markdown();
    assert!(
        markdown.contains("a verdict takes 4 or more on either side"),
        "{markdown}"
    );
}

/// Ranks of six trials cannot go below p = 0.002: corrected for so many tests, no difference at all would be significant.
#[test]
fn many_tests_that_are_five_times_slower_are_slower() {
    let of_many = |name: &str, change: fn(&mut TrialRecord)| -> Vec<TrialRecord> {
        let tests = (1..=13_u32).flat_map(|clients| {
            let mut all = trials(name, |_| ());
            for trial in &mut all {
                trial.spec.clients = clients;
                change(trial);
            }
            all
        });
        tests.collect()
    };
    let slower = |trial: &mut TrialRecord| trial.measure.as_mut().unwrap().duration_ns *= 5;
    let comparison = compared(&of_many("main", |_| ()), &of_many("branch", slower), true);
    let throughput: Vec<_> = comparison
        .cells
        .iter()
        .flat_map(|cell| &cell.metrics)
        .filter(|metric| metric.metric == "throughput")
        .collect();
    assert!(throughput.len() >= 25, "{}", throughput.len());
    for metric in throughput {
        assert_eq!(metric.found.word, Word::Slower, "{metric:?}");
    }
}

#[test]
fn a_workload_of_ycsb_is_one_in_any_case() {
    let upper = trials("branch", |trial| {
        trial.workload.name.make_ascii_uppercase();
        trial.spec.workload.make_ascii_uppercase();
    });
    let comparison = compared(&trials("main", |_| ()), &upper, true);
    assert_eq!((comparison.cells.len(), comparison.unmatched.len()), (4, 0));
    assert_eq!(
        comparison.cells[0].cell.to_string(),
        "fjall, workload a, clients = 4"
    );
}

#[test]
fn what_is_compared_with_itself_is_named_as_such() {
    let before = trials("main", |_| ());
    let comparison = compared(&before, &before, true);
    assert!(comparison.identical && comparison.json().contains("\"identical\": true"));
    let copy = comparison.named("results/main", "copy").text(Style::plain(100));
    assert_eq!(
        copy,
        "results/main and copy hold the same trials: nothing can differ.\n"
    );
    let same = comparison.named("main", "main").text(Style::plain(100));
    assert_eq!(same, "main is compared with itself: nothing can differ.\n");
    assert!(!comparison.named("main", "copy").html().contains("<table"));
}

/// Some of the trials of the other side are no second measurement, and more trials would not make them one.
#[test]
fn trials_of_both_sides_have_no_verdict_and_need_no_others() {
    let before = trials("main", |_| ());
    let few: Vec<TrialRecord> = before.iter().filter(|trial| trial.block < 5).cloned().collect();
    let fjall: Vec<TrialRecord> = before
        .iter()
        .filter(|trial| trial.system.name == "fjall")
        .cloned()
        .collect();
    for (after, count, tests) in [(&few, 20, 4), (&fjall, 16, 2)] {
        let comparison = compared(&before, after, true);
        assert!(!comparison.identical);
        let same = comparison.cells.iter().map(|cell| cell.same_trials);
        assert_eq!((comparison.cells.len(), same.sum()), (tests, count));
        let judged = comparison.cells.iter().flat_map(|cell| &cell.metrics);
        let judged = judged.filter(|metric| metric.found.word != Word::NotComparable);
        assert!(judged.clone().count() >= tests);
        for metric in judged {
            assert_eq!(
                (metric.found.word, metric.trials_needed),
                (Word::Undecided, None),
                "{}",
                metric.metric
            );
        }
        let text = comparison.text(Style::plain(300));
        let expected = format!("{count} trials are the same on both sides, so there is no verdict on ");
        assert!(
            text.starts_with(&expected) && !text.contains("would decide"),
            "{text}"
        );
    }
    let new = trials("branch", |trial| trial.measure.as_mut().unwrap().duration_ns += 1);
    assert!(
        compared(&before, &new, true)
            .cells
            .iter()
            .all(|cell| cell.same_trials == 0)
    );
}

#[test]
fn one_level_that_differs_is_a_condition_and_no_other_test() {
    let with = |records: u64| {
        trials("main", |trial| {
            ask(trial, "records", &records.to_string());
            trial.workload.records = records;
            for copy in ["recordcount", "insertcount"] {
                let properties = &mut trial.workload.properties;
                properties.insert(copy.to_owned(), records.to_string());
            }
        })
    };
    let (before, after) = (with(5000), with(2000));
    let machine = folder::environment();
    let side = |trials| Side {
        trials,
        environment: Some(&machine),
        levels: &UNLISTED,
    };
    let comparison = compare_folders(side(&before), side(&after), 0.05, false);
    assert_eq!((comparison.cells.len(), comparison.unmatched.len()), (4, 0));
    let text = comparison.text(Style::plain(100));
    assert!(
        text.starts_with("Nothing was compared.\nNot compared, all tests: records: 5000 and 2000.\n"),
        "{text}"
    );
}

#[test]
fn the_answer_comes_first_and_what_did_not_change_is_folded() {
    let twin = |all: Vec<TrialRecord>| {
        let repeats: Vec<TrialRecord> = all
            .iter()
            .filter(|trial| trial.system.name == "redb")
            .cloned()
            .map(|mut trial| {
                trial.trial.push_str("-aa");
                trial.system.name = twin_name("redb");
                trial.spec.system.name = twin_name("redb");
                trial
            })
            .collect();
        [all, repeats].concat()
    };
    let slower = |trial: &mut TrialRecord| {
        let measure = trial.measure.as_mut().unwrap();
        let is_slow = trial.system.name == "fjall" && trial.workload.name == "b";
        measure.duration_ns = measure.duration_ns * if is_slow { 1200 } else { 1001 } / 1000;
    };
    let (before, mut after) = (twin(trials("main", |_| ())), twin(trials("branch", slower)));
    for trial in &mut after {
        trial.system.version = format!("{}.1", trial.system.version);
    }
    let machine = folder::environment();
    let side = |trials| Side {
        trials,
        environment: Some(&machine),
        levels: &UNLISTED,
    };
    let comparison = compare_folders(side(&before), side(&after), 0.05, false);
    let named = comparison.named("results/main", "results/branch");
    insta::assert_snapshot!("comparison_on_a_terminal", named.text(Style::plain(80)));
    insta::assert_snapshot!("comparison_as_markdown", named.markdown());
    let page = named.html();
    assert!(page.contains("<title>results/main-results/branch · dbdyno comparison</title>"));
    assert!(page.contains("no change") && page.contains("<svg") && page.contains("<details"));
    assert!(page.contains("Content-Security-Policy"), "it loads nothing");
}
