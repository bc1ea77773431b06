//! A machine whose speed changes from trial to trial: what is compared is what it would have been at one speed.

use crate::common::{Engine, FJALL, WORKLOADS, ask, pace, results, study, wobble};
use dbdyno_record::{BusyReference, Interleaving, ReferenceWork, SliceRecord};
use dbdyno_report::model::{Effect, Metric, Word};
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
        let method = comparison.method();
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
        trial.spec.pace = Some(pace(1000.0));
    }
    assert!(ReportModel::build(&results).machine_speed.is_none());
}

/// Two systems that took turns in seven blocks of two workloads with one client and with eight (or as many of another factor), which are
/// 1.2 times as fast. What a group has in common follows the speed of the machine.
fn in_turns(slope: f64, factor: &str) -> StudyResults {
    let quiet = Engine { noise: 0.01, ..FJALL };
    let second = Engine {
        name: "second",
        read: FJALL.read / 1.5,
        write: FJALL.write / 1.5,
        ..quiet
    };
    let systems = [quiet, second];
    let mut trials = Vec::new();
    for (level, clients) in [(0, "1"), (1, "8")] {
        let measured = study("s", &systems, &WORKLOADS[..2], 7, 10).trials;
        let names: Vec<(String, u32, String)> = measured
            .iter()
            .map(|trial| (trial.workload.name.clone(), trial.block, trial.trial.clone()))
            .collect();
        for mut trial in measured {
            let group = [u64::from(trial.block), level];
            let mood = 0.3 * wobble(&format!("mood of {}", trial.workload.name), &group);
            let reading = Some(BusyReference {
                one_ns: 90_000.0,
                all_ns: 100_000.0 * mood.exp(),
                handoff_ns: Some(40.0),
            });
            let slice = SliceRecord {
                round: 0,
                ok: 1000,
                measured_ns: 250_000_000,
                reference: reading,
                reference_after: reading,
                parked: None,
                head: None,
            };
            let group = names
                .iter()
                .filter(|(workload, block, _)| (workload, *block) == (&trial.workload.name, trial.block));
            let others = group.filter(|(_, _, name)| *name != trial.trial);
            let beside = others.map(|(_, _, name)| format!("{name}-{clients}")).collect();
            trial.conditions.interleaving = Some(Interleaving {
                beside,
                head_ns: 25_000_000,
                slice_ns: 250_000_000,
                slices: vec![slice],
                work: None,
            });
            trial.trial.push_str(&format!("-{clients}"));
            ask(&mut trial, factor, clients);
            let faster = if clients == "8" { 1.2 } else { 1.0 };
            // Each level has its own luck, or levels would differ by exactly what was planted.
            let luck = 1.0 + 0.01 * wobble(&trial.trial, &[level]);
            let measure = trial.measure.as_mut().unwrap();
            measure.duration_ns =
                (measure.duration_ns as f64 / (faster * luck) * (-slope * mood).exp()) as u64;
            trials.push(trial);
        }
    }
    results("s", trials)
}

fn throughputs(model: &ReportModel) -> impl Iterator<Item = &Effect> {
    let rows = model.effects.as_ref().unwrap().rows.iter();
    rows.filter(|row| row.comparison.metric == Metric::Throughput)
}

fn comparisons_of_systems(model: &ReportModel) -> Vec<String> {
    let comparisons = model.cells.iter().flat_map(|cell| &cell.comparisons);
    comparisons.map(|comparison| format!("{comparison:?}")).collect()
}

#[test]
fn tests_that_were_measured_at_different_times_are_compared_at_one_speed() {
    let mut results = in_turns(-2.0, "clients");
    let model = ReportModel::build(&results);
    let sentence = model.effects.as_ref().unwrap().machine_speed.clone().unwrap();
    assert!(
        sentence.contains("timed between the turns")
            && sentence.contains("For each 1% longer, throughput was 2% lower"),
        "{sentence}"
    );
    assert!(model.machine_speed.is_none(), "within a test it cancels");
    for page in [model.html(), model.markdown(), model.text(Style::plain(10_000))] {
        assert_eq!(page.matches("timed between the turns").count(), 1);
    }
    for effect in throughputs(&model) {
        assert_eq!(effect.word, Word::Faster);
        let comparison = &effect.comparison;
        assert!((comparison.ratio / 1.2 - 1.0).abs() < 0.04, "{comparison:?}");
        assert!(comparison.method().ends_with("as at the machine's usual speed"));
    }

    // Without the readings it is noise. Ratios of systems that took turns are the same.
    let of_systems = comparisons_of_systems(&model);
    let turns = results.trials[3].conditions.interleaving.as_mut().unwrap();
    turns.beside.clear();
    turns.slices[0].reference = None;
    turns.slices[0].reference_after = None;
    let model = ReportModel::build(&results);
    let effects = model.effects.as_ref().unwrap();
    assert_eq!(effects.machine_speed, None);
    let words: Vec<Word> = throughputs(&model).map(|effect| effect.word).collect();
    assert!(words.contains(&Word::Undecided), "{words:?}");
    assert_eq!(comparisons_of_systems(&model), of_systems);
}

#[test]
fn a_study_in_turns_that_compares_no_tests_has_no_use_for_the_speed() {
    let mut results = in_turns(-2.0, "clients");
    results.trials.retain(|trial| trial.spec.clients == 1);
    for results in [results, in_turns(-2.0, "records")] {
        let model = ReportModel::build(&results);
        assert!(model.machine_speed.is_none());
        let effects = model.effects.as_ref();
        assert!(effects.is_none_or(|effects| effects.machine_speed.is_none()));
    }
}
