//! Studies at rising load: the answers, the tables, the page.

use crate::common;
use crate::common::machine_rows;
use crate::common::rising::{capacity_study, capacity_study_on, sweep_study};
use dbdyno_record::{Finding, Objective, Purpose, Severity};
use dbdyno_report::model::{CapacityWord, FlagCode, RisingLoad, RisingLoadSystem, Word};
use dbdyno_report::{Render, ReportModel, Style, rising_load_json};

fn rising_load(results: &dbdyno_report::StudyResults) -> (ReportModel, RisingLoad) {
    let model = ReportModel {
        environment: machine_rows(),
        ..ReportModel::build(results)
    };
    let rising_load = model.rising_load.clone().unwrap();
    (model, rising_load)
}

fn system<'a>(rising_load: &'a RisingLoad, name: &str) -> &'a RisingLoadSystem {
    rising_load.cells[0]
        .systems
        .iter()
        .find(|system| system.name == name)
        .unwrap()
}

#[test]
fn a_summary_shows_capacities_with_their_intervals() {
    let summary = ReportModel::build(&capacity_study()).brief();
    assert_eq!(summary.matches('●').count(), 1 + 2, "{summary}");
    assert!(summary.contains("Capacity (●)"), "{summary}");
    let knees = ReportModel::build(&sweep_study()).brief();
    assert!(knees.contains("Throughput at the knee"), "{knees}");
    // What was shown to hold is a lower bound where the search found no capacity.
    let mut unbounded = ReportModel::build(&capacity_study());
    let system = &mut unbounded.rising_load.as_mut().unwrap().cells[0].systems[0];
    let answer = system.capacity.as_mut().unwrap();
    (answer.word, answer.held) = (CapacityWord::Unbounded, Some(5_000.0));
    (answer.estimate, answer.interval, answer.missed) = (None, None, None);
    let summary = unbounded.brief();
    assert!(summary.contains(">= 5.00k/s (unbounded)"), "{summary}");
}

#[test]
fn a_capacity_has_an_interval_around_the_edge_that_was_planted() {
    let results = capacity_study();
    let (model, rising_load) = rising_load(&results);
    assert!(model.cells.is_empty(), "a trial at a rate is no cell to compare");
    for name in ["fjall", "redb"] {
        let answer = system(&rising_load, name).capacity.as_ref().unwrap();
        assert_eq!(
            answer.word,
            CapacityWord::Capacity,
            "{}",
            system(&rising_load, name).sentence
        );
        let (held, missed) = (answer.held.unwrap(), answer.missed.unwrap());
        // The rate at which p99 is 1 ms, by bisection on the made-up system itself.
        let slow = |rate: f64| {
            let step = system(&rising_load, name)
                .steps
                .iter()
                .find(|step| step.rate == Some(rate));
            step.unwrap().p99.as_ref().unwrap().estimate.median
        };
        assert!(slow(held) < 1e6 && slow(missed) >= 1e6, "{name}");
        assert!(missed / held < 1.2, "{name}: {held} to {missed}");
        let estimate = answer.estimate.unwrap();
        assert!(held <= estimate && estimate <= missed);
        assert!(answer.interval.is_some());
    }
    let comparison = &rising_load.cells[0].comparisons[0];
    assert_eq!((comparison.a.as_str(), comparison.word), ("fjall", Word::Faster));
    assert!(comparison.interval.unwrap().low > 1.05);
}

#[test]
fn one_missing_trial_leaves_the_search_open() {
    let mut results = capacity_study();
    let last = results
        .trials
        .iter()
        .rposition(|trial| trial.system.name == "fjall")
        .unwrap();
    results.trials.remove(last);
    let (_, rising_load) = rising_load(&results);
    let fjall = system(&rising_load, "fjall");
    assert_eq!(fjall.capacity.as_ref().unwrap().word, CapacityWord::Open);
    assert!(fjall.sentence.contains("not finished"), "{}", fjall.sentence);
    assert_eq!(rising_load.cells[0].comparisons[0].word, Word::Undecided);
}

#[test]
fn a_search_that_the_machine_ended_is_not_measurable_here_and_never_unbounded() {
    let objective = Objective::parse(["p99(read)<1ms"]).unwrap();
    let disturbed = capacity_study_on(|trial| {
        if !objective.judge(trial).outcome.holds() {
            trial.conditions.disturbed_by = vec!["steal".to_owned()];
        }
    });
    let client_bound = capacity_study_on(|trial| {
        trial
            .findings
            .push(Finding::in_words(Severity::Warning, "cpu-saturated", "", ""));
    });
    for (results, remedy) in [
        (disturbed, "Search on a quieter machine"),
        (client_bound, "Give it a quieter machine"),
    ] {
        let (model, rising_load) = rising_load(&results);
        for name in ["fjall", "redb"] {
            let reported = system(&rising_load, name);
            assert_eq!(
                reported.capacity.as_ref().unwrap().word,
                CapacityWord::NotMeasurableHere,
                "{}",
                reported.sentence
            );
            assert!(reported.sentence.contains(remedy), "{}", reported.sentence);
        }
        assert_eq!(rising_load.cells[0].comparisons[0].word, Word::Undecided);
        let page = model.html();
        assert_eq!(
            page.contains("dashed vertical line"),
            page.contains("class=\"mark-line\""),
            "a note describes what is drawn"
        );
        for text in [model.text(Style::plain(100)), model.markdown(), page] {
            assert!(
                text.contains("not measurable here") && !text.contains("unbounded"),
                "{text}"
            );
        }
    }
}

/// Both sides of the edge take turns: what the lower rate bore in every trial is not why the higher one was missed.
#[test]
fn what_disturbs_both_sides_of_the_edge_alike_leaves_an_answer_that_says_so() {
    let results = capacity_study_on(|trial| trial.conditions.disturbed_by = vec!["steal".to_owned()]);
    let (_, beside_others) = rising_load(&results);
    let (_, alone) = rising_load(&capacity_study());
    for name in ["fjall", "redb"] {
        let reported = system(&beside_others, name);
        let answer = |system: &RisingLoadSystem| {
            let capacity = system.capacity.as_ref().unwrap();
            (capacity.word, capacity.held, capacity.missed)
        };
        assert_eq!(answer(reported), answer(system(&alone, name)));
        let caveat = "a quieter machine may reach more";
        assert!(reported.sentence.contains(caveat), "{}", reported.sentence);
        assert!(!system(&alone, name).sentence.contains(caveat));
    }
    assert_eq!(beside_others.cells[0].comparisons[0].word, Word::Faster);
}

#[test]
fn a_search_that_ended_in_its_pilot_shows_no_empty_table() {
    let mut results = capacity_study();
    results
        .trials
        .retain(|trial| trial.spec.purpose == Some(Purpose::Pilot));
    let model = ReportModel::build(&results);
    for text in [model.text(Style::plain(100)), model.markdown()] {
        assert!(!text.contains("achieved"), "{text}");
        assert!(text.contains("not finished"), "{text}");
    }
}

#[test]
fn a_latency_that_falls_on_operations_without_an_answer_is_reported_as_a_lower_bound() {
    let mut results = sweep_study();
    for trial in &mut results.trials {
        common::reads_fail(trial, 0.1);
    }
    let (model, rising_load) = rising_load(&results);
    let page = model.html();
    for text in [model.text(Style::plain(140)), model.markdown(), page] {
        let text = text.replace("&gt;", ">");
        assert!(text.contains(">= 10"), "{text}");
    }
    let sentence = &system(&rising_load, "redb").sentence;
    assert!(sentence.contains("p99 >= 10"), "{sentence}");
}

#[test]
fn systems_of_other_promises_are_not_compared() {
    let mut results = capacity_study();
    for trial in results
        .trials
        .iter_mut()
        .filter(|trial| trial.system.name == "redb")
    {
        trial.system.durability = "synced".parse().unwrap();
    }
    let (model, rising_load) = rising_load(&results);
    assert!(rising_load.cells[0].comparisons.is_empty());
    assert_eq!(rising_load.cells[0].flags[0].code, FlagCode::DurabilityDiffers);
    assert!(model.html().contains("Durability differs"));
}

/// Of a single queue the power is greatest at half of its capacity (Kleinrock 1979).
#[test]
fn the_knee_of_a_queue_is_at_half_of_its_capacity() {
    let (_, rising_load) = rising_load(&sweep_study());
    for (name, capacity) in [("fjall", 301_700.0), ("redb", 111_600.0)] {
        let knee = system(&rising_load, name).knee.as_ref().unwrap();
        let share = knee.throughput.median / capacity;
        assert!((0.4..=0.6).contains(&share), "{name}: {share}");
        assert_eq!(knee.throughput.n, 6);
    }
    assert_eq!(rising_load.cells[0].comparisons[0].word, Word::Faster);
}

#[test]
fn a_study_of_another_kind_has_no_rising_load() {
    let model = ReportModel::build(&common::quickstart());
    assert!(model.rising_load.is_none());
    assert_eq!(rising_load_json(&model), "null\n");
}

#[test]
fn the_terminal_tells_the_answer_first() {
    insta::assert_snapshot!(rising_load(&capacity_study()).0.text(Style::plain(100)));
}

#[test]
fn markdown_of_a_sweep() {
    insta::assert_snapshot!(rising_load(&sweep_study()).0.markdown());
}

#[test]
fn the_page_draws_the_rising_load_with_its_marks() {
    let page = rising_load(&capacity_study()).0.html();
    assert_eq!(
        page,
        rising_load(&capacity_study()).0.html(),
        "the same records give the same bytes"
    );
    assert_eq!(page.matches("class=\"objective\"").count(), 1);
    assert_eq!(
        page.matches("class=\"mark-line\"").count(),
        4,
        "two systems, two figures"
    );
    assert!(page.contains("The dashed vertical line is the highest rate"));
    assert!(page.contains("p99 latency against throughput"));
    assert!(!page.contains("At a glance"), "there are no cells to glance at");
    let json: serde_json::Value =
        serde_json::from_str(&rising_load_json(&rising_load(&capacity_study()).0)).unwrap();
    assert_eq!(json["kind"], "capacity");
    assert_eq!(json["cells"][0]["systems"][1]["capacity"]["word"], "capacity");
}
