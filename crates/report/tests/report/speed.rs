//! A machine whose speed changes from trial to trial: what is compared is what it would have been at one speed.

use crate::common::{Engine, FJALL, WORKLOADS, study, wobble};
use dbdyno_record::ReferenceWork;
use dbdyno_report::model::{Metric, Word};
use dbdyno_report::{Render, ReportModel, StudyResults, Style, json};

/// Two systems, one of which is faster by `ratio`, and a twin, in seven blocks of four workloads. Around each trial the reference work
/// takes up to a tenth longer or shorter; throughput follows with the slope.
fn on_a_moody_machine(ratio: f64, slope: f64) -> StudyResults {
    let quiet = Engine { noise: 0.01, ..FJALL };
    let second = Engine {
        name: "second",
        read: FJALL.read / ratio,
        write: FJALL.write / ratio,
        ..quiet
    };
    let twin = Engine {
        name: "fjall (A/A)",
        noise: 0.012,
        ..quiet
    };
    let mut results = study("s", &[quiet, second, twin], &WORKLOADS[..4], 7, 10);
    for (index, trial) in results.trials.iter_mut().enumerate() {
        let mood = 0.1 * wobble("mood", &[index as u64]);
        let work_ns = 300_000.0 * mood.exp();
        trial.conditions.reference = Some(ReferenceWork {
            before_ns: work_ns,
            after_ns: work_ns,
        });
        let measure = trial.measure.as_mut().unwrap();
        measure.duration_ns = (measure.duration_ns as f64 * (-slope * mood).exp()) as u64;
    }
    results
}

fn words(model: &ReportModel) -> Vec<Word> {
    let comparisons = model.cells.iter().flat_map(|cell| &cell.comparisons);
    comparisons
        .filter(|comparison| comparison.metric == Metric::Throughput)
        .map(|comparison| comparison.word)
        .collect()
}

#[test]
fn what_the_machine_did_to_both_does_not_hide_a_difference() {
    let mut results = on_a_moody_machine(1.2, -4.0);
    let model = ReportModel::build(&results);
    let speed = model.machine_speed.as_ref().unwrap();
    assert!((0.18..0.23).contains(&speed.range), "{speed:?}");
    assert!(
        (speed.slope + 4.0).abs() < 0.2 && speed.explained > 0.95,
        "{speed:?}"
    );
    assert_eq!(words(&model), [Word::Faster; 4]);
    let ratios = model.cells.iter().flat_map(|cell| &cell.comparisons);
    for comparison in ratios.filter(|comparison| comparison.metric == Metric::Throughput) {
        assert!((comparison.ratio / 1.2 - 1.0).abs() < 0.02, "{comparison:?}");
        let method = &comparison.method;
        assert!(method.ends_with("as at the machine's usual speed"), "{method}");
    }
    let reported = &speed.sentence;
    assert!(
        reported.contains("For each 1% longer, throughput was 3.9% lower"),
        "{reported}"
    );
    assert!(model.html().contains("Speed of the machine."));
    assert!(model.markdown().contains("as at the machine's usual speed"));
    assert!(model.text(Style::plain(10_000)).contains(reported));
    assert!(model.latex().contains("as at the machine's usual speed"));
    let as_json: serde_json::Value = serde_json::from_str(&json(&model)).unwrap();
    assert!(as_json["machine_speed"]["slope"].is_number());
    let system = &model.cells[0].systems[0];
    assert_ne!(
        system.throughput.as_ref().unwrap().estimate.median,
        system.levelled.as_ref().unwrap().estimate.median
    );

    // Without the readings it is noise, larger than the difference.
    results.trials[5].conditions.reference = None;
    let model = ReportModel::build(&results);
    assert!(model.machine_speed.is_none(), "one trial has no reading");
    assert!(
        words(&model).iter().all(|word| *word == Word::Undecided),
        "{:?}",
        words(&model)
    );
}

#[test]
fn equal_systems_stay_equal() {
    for slope in [-4.0, 0.0] {
        let words = words(&ReportModel::build(&on_a_moody_machine(1.0, slope)));
        assert!(
            words
                .iter()
                .all(|word| matches!(word, Word::Equivalent | Word::Undecided)),
            "{words:?}"
        );
    }
}

#[test]
fn too_few_trials_are_left_as_they_are() {
    let mut results = on_a_moody_machine(1.2, -4.0);
    results
        .trials
        .retain(|trial| trial.workload.name == "a" && trial.block < 5);
    let model = ReportModel::build(&results);
    assert!(model.machine_speed.is_none());
    assert!(model.cells[0].systems[0].levelled.is_none());
}

#[test]
fn paced_trials_have_no_part_in_it() {
    let mut results = on_a_moody_machine(1.2, -4.0);
    for trial in &mut results.trials {
        trial.settings.rate = Some(1000.0);
    }
    assert!(ReportModel::build(&results).machine_speed.is_none());
}
