//! What an answer may rest on: invalid trials feed none, and doubtful ones make none surer.

use crate::common;
use crate::common::needs::{advise, goal, keep, need, require, small, why, work};
use crate::common::{Engine, FJALL, REDB, TrialPlan, WORKLOADS, results, study, trial};
use dbdyno_record::{Finding, OperationRecord, Severity, TrialRecord};
use dbdyno_report::advice::{Advice, RequirementKind, Word};
use dbdyno_report::{Render, StudyResults, Style};
use dbdyno_trial::Durability;

fn find(trial: &mut TrialRecord, code: &str) {
    trial
        .findings
        .push(Finding::in_words(Severity::Warning, code, "m", "r"));
}

/// Eight trials of each of two systems, 5% of noise, of which these carry a finding.
pub fn flagged(code: &str, is: impl Fn(&TrialRecord) -> bool) -> StudyResults {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 8, 10);
    let concerned = results.trials.iter_mut().filter(|trial| is(trial));
    concerned.for_each(|trial| find(trial, code));
    results
}

pub fn answer(results: &StudyResults) -> Advice {
    advise(
        &need(vec![goal("updates", "throughput", "a", 1.0)]),
        &[("r", results)],
    )
    .unwrap()
}

pub fn feeds(trial: &TrialRecord) -> bool {
    trial.system.name == "redb" && trial.workload.name == "a"
}

/// What takes a verdict away in a report takes a recommendation away.
#[test]
fn nobody_is_recommended_on_trials_on_which_no_verdict_rests() {
    type Doubt = fn(&mut TrialRecord);
    let ours = |trial: &TrialRecord| trial.workload.name == "a" && trial.system.name == "sqlite";
    let doubts: [(&str, Doubt); 3] = [
        ("invalid (integrity)", |trial| {
            common::mark_invalid(trial, "integrity")
        }),
        ("had no answer", |trial| common::reads_fail(trial, 0.05)),
        ("steady state", common::never_settles),
    ];
    for (reason, doubt) in doubts {
        let mut results = small();
        results
            .trials
            .iter_mut()
            .filter(|trial| ours(trial))
            .for_each(doubt);
        let answer = |metric: &str| {
            let need = need(vec![goal("updates", metric, "a", 1.0)]);
            advise(&need, &[("r", &results)]).unwrap()
        };
        let advice = answer("throughput");
        assert_ne!(advice.word, Word::Recommend, "{reason}");
        let reported = advice.text(Style::plain(400));
        assert!(reported.contains(reason), "{reported}");
        let of_load = answer("throughput(load)");
        let recommended = of_load.word == Word::Recommend;
        // A load needs no steady state.
        assert_eq!(recommended, reason == "steady state", "{reason}");
    }
}

/// Losing is worse than being slow: it is not weighed against anything, and the others are ranked without it.
#[test]
fn who_lost_data_is_out_by_name_first_and_keeps_nobody_else_from_being_recommended() {
    for code in ["not-found", "verification-failed"] {
        let mut results = small();
        let lost = results
            .trials
            .iter_mut()
            .find(|trial| trial.system.name == "redb" && trial.workload.name == "c");
        common::mark_invalid(lost.unwrap(), code);
        let need = need(vec![goal("updates", "throughput", "a", 1.0)]);
        let advice = advise(&need, &[("r", &results)]).unwrap();
        assert_eq!(advice.word, Word::Recommend, "{:?}", advice.why);
        assert_eq!(advice.systems, ["fjall"]);
        assert!(
            advice.why[0]
                .text
                .starts_with("redb is out: no acknowledged data lost: missed in 1 of 18 trials"),
            "{:?}",
            advice.why
        );
        assert_eq!(advice.requirements[0].requirement, "no acknowledged data lost");
    }
}

#[test]
fn too_few_trials_ask_for_more() {
    let results = study("small", &[FJALL, REDB], &WORKLOADS[..1], 3, 10);
    let advice = advise(
        &need(vec![goal("updates", "throughput", "a", 1.0)]),
        &[("r", &results)],
    )
    .unwrap();
    assert_eq!(advice.word, Word::Undecided);
    let next = &advice.next[0];
    assert!(
        next.what
            .contains("7 more trials of fjall and redb under workload a"),
        "{}",
        next.what
    );
    // Two systems, seven trials, at least the 12 s of warm-up and measured phase.
    assert!(next.minutes > 2.0 * 7.0 * 12.0 / 60.0, "{}", next.minutes);
    let study: toml::Table = next.study.parse().unwrap();
    assert_eq!(study["trials"].as_integer(), Some(7));
    assert_eq!(study["system"].as_array().unwrap().len(), 2);
    assert_eq!(
        study["workload"][0]["properties"]["readproportion"].as_str(),
        Some("0.5")
    );
}

#[test]
fn doubtful_trials_are_reported() {
    let mut results = small();
    results.trials[0]
        .findings
        .push(dbdyno_record::Finding::in_words(Severity::Invalid, "x", "m", "r"));
    let advice = advise(
        &need(vec![goal("updates", "throughput", "a", 1.0)]),
        &[("r", &results)],
    )
    .unwrap();
    assert!(
        advice
            .cautions
            .iter()
            .any(|reported| reported.text.starts_with("1 of 18 trials")),
        "{:?}",
        advice.cautions
    );
}

#[test]
fn a_system_measured_twice_says_what_is_noise() {
    let twin = |noise: f64| Engine {
        name: "redb (A/A)",
        write: REDB.write * noise,
        ..REDB
    };
    let need = need(vec![goal("updates", "throughput", "a", 1.0)]);
    let cautions = |noise: f64| {
        let results = study("aa", &[FJALL, REDB, twin(noise)], &WORKLOADS[..1], 6, 10);
        let advice = advise(&need, &[("r", &results)]).unwrap();
        assert_eq!(
            advice.all_systems(),
            ["fjall", "redb"],
            "a twin is nobody to choose"
        );
        advice.cautions
    };
    let text = &cautions(1.0)[0].text;
    assert!(
        text.starts_with("updates: two equal systems would differ by up to ")
            && text.ends_with(" (redb, measured twice, agrees)."),
        "{text}"
    );
    let apart = &cautions(0.8)[0].text;
    assert!(
        apart.contains("differed by more than its trials explain): more than the margin"),
        "{apart}"
    );
    assert!(cautions(0.2)[0].text.contains("may be noise"));
}

/// Neither is much faster: that is evidence, whoever is first.
#[test]
fn two_systems_that_are_close_are_called_close_and_others_are_not() {
    let why = |share: f64| {
        let second = Engine {
            name: "second",
            read: FJALL.read * share,
            write: FJALL.write * share,
            ..FJALL
        };
        let results = study("close", &[FJALL, second], &WORKLOADS[..1], 8, 10);
        let need = need(vec![goal("updates", "throughput", "a", 1.0)]);
        let why = advise(&need, &[("r", &results)]).unwrap().why;
        let close = why
            .into_iter()
            .find(|own| own.text.contains("neither is more than"));
        close.map(|own| (own.text, own.evidence.len()))
    };
    let (text, evidence) = why(0.95).unwrap();
    assert!(
        text.starts_with("updates: of fjall and second, neither is more than 1.")
            && text.ends_with("x as fast as the other."),
        "{text}"
    );
    assert_eq!(evidence, 2);
    assert_eq!(why(0.5), None);
}

/// The case of the issue: half-second trials that were all flagged gave "best in 98.1%".
#[test]
fn short_trials_of_the_winner_or_its_rival_decide_nothing() {
    assert_eq!(answer(&flagged("x", |_| true)).word, Word::Recommend);
    for (name, sound) in [("redb", 0), ("fjall", 0), ("redb", 3)] {
        // Where there are longer trials, the short ones do not count at all.
        let is_short = |trial: &TrialRecord| trial.system.name == name && trial.block >= sound;
        let results = flagged("too-short", is_short);
        let advice = answer(&results);
        assert_eq!(advice.word, Word::Undecided, "{name} {sound}: {}", why(&advice));
        let expected = if sound == 0 {
            format!(
                "No trial of {name} for updates is sound: all 8 were too short to be judged. A recommendation requires at least 4 sound trials; longer phases would show more."
            )
        } else {
            format!("{name} has 3 trials of updates; a recommendation requires at least 4.")
        };
        assert!(why(&advice).contains(&expected), "{}", why(&advice));
        if sound == 0 {
            assert!(why(&advice).starts_with("No trial"), "{}", why(&advice));
        }
    }
    // The study that would decide measures for longer.
    let advice = answer(&flagged("too-short", |_| true));
    let next: toml::Table = advice.next[0].study.parse().unwrap();
    assert_eq!(next["duration"].as_str(), Some("40s"));
    assert_eq!(next["trials"].as_integer(), Some(10));
    assert!(
        advice.next[0].what.contains("with a measured phase of 40"),
        "{}",
        advice.next[0].what
    );
    let cell = &advice.goals[0].systems[0];
    assert_eq!((cell.trials, cell.sound_trials), (8, 0));
}

#[test]
fn every_kind_of_doubt_lowers_the_certainty() {
    let close = Engine {
        name: "close",
        write: REDB.write * 1.01,
        read: REDB.read * 1.01,
        noise: 0.2,
        ..REDB
    };
    let probability = |code: Option<&str>| {
        let mut results = study(
            "s",
            &[close, Engine { noise: 0.2, ..REDB }],
            &WORKLOADS[..1],
            8,
            10,
        );
        for trial in results.trials.iter_mut().filter(|trial| trial.block % 2 == 0) {
            code.into_iter().for_each(|code| find(trial, code));
        }
        let advice = answer(&results);
        (advice.ranking[0].probability_first, why(&advice))
    };
    let (sure, text) = probability(None);
    assert!(!text.contains("add no certainty"), "{text}");
    for (code, words) in [
        ("host-steal", "4 were disturbed by other work on the machine"),
        ("host-other-processes", "4 were disturbed"),
        ("slow-start", "4 were not steady throughout"),
        ("no-steady-state", "4 were not steady throughout"),
        ("still-compiling", "4 were not steady throughout"),
    ] {
        let (lower, text) = probability(Some(code));
        assert!(lower < sure - 0.01, "{code}: {lower} against {sure}");
        assert!(
            text.contains("4 of 8 trials of close add no certainty") && text.contains(words),
            "{code}: {text}"
        );
    }
}

#[test]
fn an_outlier_makes_nothing_surer_and_stays_in_the_median() {
    let with_outlier = |system: &str| {
        let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 4, 10);
        let outlying = results
            .trials
            .iter_mut()
            .find(|trial| trial.system.name == system && trial.block == 3);
        outlying.unwrap().measure.as_mut().unwrap().duration_ns *= 4;
        answer(&results)
    };
    let advice = with_outlier("fjall");
    let fjall = &advice.goals[0].systems[0];
    assert_eq!((fjall.trials, fjall.sound_trials), (4, 3));
    assert_eq!(advice.word, Word::Undecided);
    assert!(
        why(&advice)
            .contains("Only 3 of 4 trials of fjall for updates are sound: 1 stands out from the others."),
        "{}",
        why(&advice)
    );
    // All trials of the other one are far behind, whatever the truth of one of them.
    let advice = with_outlier("redb");
    assert_eq!(advice.goals[0].systems[1].sound_trials, 3);
    assert_eq!(advice.word, Word::Recommend);
}

#[test]
fn a_percentile_of_few_operations_is_in_doubt() {
    let mut trials = Vec::new();
    for block in 0..6 {
        for (index, engine) in [FJALL, REDB].iter().enumerate() {
            trials.push(trial(&TrialPlan {
                study: "s",
                engine,
                mix: &WORKLOADS[0],
                block,
                position: block * 2 + index as u32,
                seconds: 10,
                rate: Some(100.0),
            }));
        }
    }
    let results = results("s", trials);
    // 500 reads in each trial.
    let sound = |metric: &str| {
        let advice = advise(&need(vec![goal("tail", metric, "a", 1.0)]), &[("r", &results)]).unwrap();
        advice.goals[0].systems[0].sound_trials
    };
    assert_eq!((sound("p95(read)"), sound("p99(read)"), sound("p99")), (6, 0, 6));
}

#[test]
fn doubtful_trials_show_no_objective() {
    for (flagged, standing) in [(0, "shown"), (4, "shown"), (5, "not shown"), (8, "not shown")] {
        let results = self::flagged("host-steal", |trial| trial.block < flagged);
        let mut need = need(vec![goal("updates", "throughput", "a", 1.0)]);
        need.requirements = vec![keep("throughput", 1.0, work("a"))];
        let advice = advise(&need, &[("r", &results)]).unwrap();
        let cell = &advice.requirements[0].systems[0];
        assert_eq!(cell.compliance, standing, "{flagged}: {}", cell.why.text);
        assert_eq!(
            cell.why.text.contains("disturbed by other work"),
            flagged > 0,
            "{}",
            cell.why.text
        );
    }
}

/// What every reader of the numbers sees: all of them are far on one side.
#[test]
fn unsteady_trials_show_an_objective_that_is_far_away() {
    let results = self::flagged("no-steady-state", |trial| trial.block < 5);
    let least = results
        .trials
        .iter()
        .filter_map(|trial| trial.measure.as_ref()?.throughput_per_second())
        .fold(f64::INFINITY, f64::min);
    for (limit, standing, said) in [
        (least / 1000.0, "shown", "8 of 8 trials keep it"),
        (least * 1000.0, "violated", "0 of 8 trials keep it"),
        (least / 1.5, "not shown", "3 of 3 trials keep it"),
    ] {
        let mut need = need(vec![goal("updates", "throughput", "a", 1.0)]);
        need.requirements = vec![keep("throughput", limit, work("a"))];
        let advice = advise(&need, &[("r", &results)]).unwrap();
        for cell in &advice.requirements[0].systems {
            if cell.compliance == standing {
                assert!(cell.why.text.contains(said), "{}", cell.why.text);
            }
        }
        let found = advice.requirements[0].systems.iter();
        assert!(
            found.clone().any(|cell| cell.compliance == standing),
            "{limit}: {standing}"
        );
    }
}

/// Absurdly good numbers in trials that are invalid change nothing that is shown.
#[test]
fn invalid_trials_feed_neither_goals_nor_objectives_nor_capabilities() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..2], 8, 10);
    let valid = answer(&results);
    for trial in results
        .trials
        .iter_mut()
        .filter(|trial| feeds(trial) && trial.block < 4)
    {
        common::mark_invalid(trial, "debug-build");
        trial.measure.as_mut().unwrap().duration_ns /= 1000;
    }
    let advice = answer(&results);
    let value = |advice: &Advice| advice.goals[0].systems[1].value.unwrap();
    assert!(
        (value(&advice) / value(&valid) - 1.0).abs() < 0.1,
        "{}",
        value(&advice)
    );
    assert_eq!(advice.goals[0].systems[1].trials, 4);
    assert_ne!(advice.word, Word::Recommend);
    for evidence in &advice.evidence {
        for trial in evidence.places.iter().flat_map(|place| &place.trials) {
            let record = results
                .trials
                .iter()
                .find(|record| record.trial == *trial)
                .unwrap();
            assert!(record.findings.is_empty(), "{} cites {trial}", evidence.what);
        }
    }

    let mut need = need(vec![goal("reads", "throughput", "b", 1.0)]);
    need.requirements = vec![
        keep("throughput", 1e6, work("a")),
        require(
            "durability at least buffered",
            RequirementKind::Durability(Durability::Buffered),
        ),
        require("errors at most 50%", RequirementKind::Errors(0.5)),
    ];
    for trial in results
        .trials
        .iter_mut()
        .filter(|trial| feeds(trial) && trial.block >= 4)
    {
        common::mark_invalid(trial, "debug-build");
        trial.measure.as_mut().unwrap().duration_ns /= 1000;
    }
    let of_redb = |results: &StudyResults| -> Vec<&'static str> {
        let advice = advise(&need, &[("r", results)]).unwrap();
        advice
            .requirements
            .iter()
            .map(|row| row.systems[1].compliance)
            .collect()
    };
    assert_eq!(of_redb(&results), ["not shown", "shown", "shown"]);
    results
        .trials
        .iter_mut()
        .filter(|trial| trial.system.name == "redb" && trial.workload.name == "b")
        .for_each(|trial| common::mark_invalid(trial, "clock-drift"));
    assert_eq!(of_redb(&results), ["not shown", "not shown", "not shown"]);
}

/// Most operations failing makes a trial invalid, and is what a limit on errors asks about.
#[test]
fn a_system_that_fails_too_much_to_be_measured_is_out_nevertheless() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 6, 10);
    for trial in results.trials.iter_mut().filter(|trial| feeds(trial)) {
        common::mark_invalid(trial, "errors");
        let operations = trial.measure.as_mut().unwrap().operations.values_mut();
        let fail = |operation: &mut OperationRecord| {
            operation.errors.insert("timeout".to_owned(), operation.ok);
        };
        operations.for_each(fail);
    }
    let mut need = need(vec![goal("updates", "throughput", "a", 1.0)]);
    need.requirements = vec![
        require("errors at most 1%", RequirementKind::Errors(0.01)),
        keep("throughput", 1.0, work("a")),
    ];
    let advice = advise(&need, &[("r", &results)]).unwrap();
    let standings: Vec<&str> = advice
        .requirements
        .iter()
        .map(|row| row.systems[1].compliance)
        .collect();
    assert_eq!(standings, ["violated", "violated"]);
    assert!(
        why(&advice).contains("redb is out: errors at most 1%: "),
        "{}",
        why(&advice)
    );
    assert_eq!(advice.systems, ["fjall"]);
}

/// A rate that the load generator could not send is no fault of the system.
#[test]
fn a_client_at_its_limit_does_not_put_a_system_out() {
    let paced = |client_bound: bool| {
        let mut trials = Vec::new();
        for block in 0..6 {
            let mut one = trial(&TrialPlan {
                study: "s",
                engine: &REDB,
                mix: &WORKLOADS[0],
                block,
                position: block,
                seconds: 10,
                rate: Some(400_000.0),
            });
            common::mark_invalid(&mut one, "rate-not-sustained");
            if client_bound {
                find(&mut one, "client-thread-saturated");
            }
            trials.push(one);
        }
        let mut need = need(vec![goal("load", "throughput(load)", "a", 1.0)]);
        need.requirements = vec![keep("p99", 1e12, work("a"))];
        let results = results("s", trials);
        let advice = advise(&need, &[("r", &results)]).unwrap();
        advice.requirements[0].systems[0].compliance
    };
    assert_eq!(paced(false), "violated");
    assert_eq!(paced(true), "not shown");
}

/// What was lost was lost, whatever became of the trial; and counts tell it as well as findings do.
#[test]
fn losses_count_in_every_trial() {
    type Plant = fn(&mut dbdyno_report::StudyResults);
    let of_redb = |results: &mut dbdyno_report::StudyResults| -> usize {
        let found = results
            .trials
            .iter()
            .position(|trial| trial.system.name == "redb");
        found.unwrap()
    };
    let plants: [(&str, Plant); 4] = [
        ("a trial that was repeated", |results| {
            let mut lost = results.trials[0].clone();
            lost.status = dbdyno_record::TrialStatus::Disturbed;
            common::mark_invalid(&mut lost, "not-found");
            results.trials.push(lost);
        }),
        ("a pilot", |results| {
            let mut lost = results.trials[0].clone();
            common::mark_invalid(&mut lost, "verification-failed");
            results.pilots.push(lost);
        }),
        ("updates that found no record", |results| {
            let measure = results.trials[0].measure.as_mut().unwrap();
            let updates = measure.operations.get_mut("update").unwrap();
            updates.errors.insert("not-found".to_owned(), 3);
        }),
        ("values that were wrong", |results| {
            let measure = results.trials[0].measure.as_mut().unwrap();
            measure.operations.get_mut("read").unwrap().verification_failures = 1;
        }),
    ];
    let need = need(vec![goal("updates", "throughput", "a", 1.0)]);
    for (what, plant) in plants {
        let mut results = small();
        let place = of_redb(&mut results);
        results.trials.swap(0, place);
        plant(&mut results);
        let advice = advise(&need, &[("r", &results)]).unwrap();
        assert!(
            advice.why[0]
                .text
                .starts_with("redb is out: no acknowledged data lost: missed in 1 of"),
            "{what}: {:?}",
            advice.why
        );
    }
    // Somebody else may have loaded the table of an imported result: nothing is shown, and nobody is out.
    let mut results = small();
    for trial in results
        .trials
        .iter_mut()
        .filter(|trial| trial.system.name == "fjall")
    {
        trial.load = None;
        let operations = &mut trial.measure.as_mut().unwrap().operations;
        operations
            .values_mut()
            .for_each(|operation| operation.not_found = 1);
    }
    let advice = advise(&need, &[("r", &results)]).unwrap();
    assert_ne!(advice.word, Word::Recommend, "{:?}", advice.why);
    let reported = advice.text(Style::plain(400));
    assert!(reported.contains("did not load the table"), "{reported}");
}

/// What the linter calls impossible feeds no answer.
#[test]
fn numbers_that_cannot_be_true_decide_nothing() {
    let need = need(vec![goal("updates", "throughput", "a", 1.0)]);
    let mut results = small();
    dbdyno_report::mark_impossible(&mut results.trials);
    assert_eq!(advise(&need, &[("r", &results)]).unwrap().word, Word::Recommend);
    for trial in results
        .trials
        .iter_mut()
        .filter(|trial| trial.system.name == "fjall")
    {
        // Four clients cannot be in so many operations at a time.
        trial.measure.as_mut().unwrap().duration_ns /= 100;
    }
    dbdyno_report::mark_impossible(&mut results.trials);
    let advice = advise(&need, &[("r", &results)]).unwrap();
    assert_ne!(advice.word, Word::Recommend, "{:?}", advice.why);
}
