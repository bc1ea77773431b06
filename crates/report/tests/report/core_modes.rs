//! A machine whose CPUs now and then share no cache: systems are compared in the mode that prevailed, and the report names ratios
//! that differ in another mode.

use crate::common::{Engine, FJALL, WORKLOADS, slice, study};
use dbdyno_record::{CoreMode, Interleaving, SliceRecord};
use dbdyno_report::model::{Metric, Word};
use dbdyno_report::{Render, ReportModel, StudyResults, Style, json};

/// Two systems in six blocks of two workloads, in slices of which `far` of ten are measured on CPUs that share no cache. There both are half
/// as fast, and the second one slower still by `extra`.
fn in_turns(far: usize, extra: f64) -> StudyResults {
    let quiet = Engine { noise: 0.01, ..FJALL };
    let second = Engine {
        name: "second",
        read: FJALL.read / 1.7,
        write: FJALL.write / 1.7,
        ..quiet
    };
    let mut results = study("s", &[quiet, second], &WORKLOADS[..2], 6, 10);
    for trial in &mut results.trials {
        let measure = trial.measure.as_mut().unwrap();
        let rate = measure.throughput_per_second().unwrap();
        let slower = if trial.system.name == "second" {
            0.5 / extra
        } else {
            0.5
        };
        let measured = |index: usize| {
            let is_far = index < far;
            let ok = (rate * if is_far { slower } else { 1.0 }) as u64;
            slice(index as u32, ok, 1_000_000_000, is_far)
        };
        let slices: Vec<SliceRecord> = (0..10).map(measured).collect();
        let ok: u64 = slices.iter().map(|slice| slice.ok).sum();
        // What the trial as a whole did.
        measure.duration_ns = (measure.duration_ns as f64 * rate * 10.0 / ok as f64) as u64;
        trial.conditions.interleaving = Some(Interleaving {
            beside: Vec::new(),
            head_ns: 1,
            slice_ns: 1_000_000_000,
            slices,
            work: None,
        });
    }
    results
}

/// Lets the trials of these blocks be measured on far CPUs only, where the second system is slower still; the second system alone, if so
/// asked.
fn far_blocks(results: &mut StudyResults, blocks: std::ops::Range<u32>, second_alone: bool) {
    let names: Vec<(u32, String, String)> = results
        .trials
        .iter()
        .map(|trial| (trial.block, trial.spec.workload.clone(), trial.trial.clone()))
        .collect();
    for trial in &mut results.trials {
        let workload = trial.spec.workload.clone();
        let turns = trial.conditions.interleaving.as_mut().unwrap();
        turns.beside = names
            .iter()
            .filter(|(block, own, name)| *block == trial.block && *own == workload && *name != trial.trial)
            .map(|(.., name)| name.clone())
            .collect();
        if !blocks.contains(&trial.block) || (second_alone && trial.system.name != "second") {
            continue;
        }
        let far = turns.slices[0].clone();
        for slice in &mut turns.slices {
            (slice.ok, slice.reference, slice.reference_after) = (far.ok, far.reference, far.reference_after);
        }
        let ok: u64 = turns.slices.iter().map(|slice| slice.ok).sum();
        let measure = trial.measure.as_mut().unwrap();
        let done = measure.throughput_per_second().unwrap() * measure.duration_ns as f64 / 1e9;
        measure.duration_ns = (done * 10e9 / ok as f64) as u64;
    }
}

#[test]
fn a_block_without_slices_of_the_mode_is_left_out_and_no_two_modes_are_compared() {
    for second_alone in [false, true] {
        let mut results = in_turns(2, 1.3);
        far_blocks(&mut results, 0..2, second_alone);
        let model = ReportModel::build(&results);
        for ratio in ratios(&model) {
            assert!((ratio / 1.7 - 1.0).abs() < 0.03, "{second_alone}: {ratio}");
        }
        let sentence = &model.core_modes.as_ref().unwrap().sentence;
        assert!(
            sentence
                .flat()
                .contains("4 of 12 groups of trials had hardly any of them and are left out."),
            "{sentence}"
        );
    }
    // With three of six blocks left there would be no interval: all are compared as they were measured.
    let mut results = in_turns(2, 1.0);
    far_blocks(&mut results, 0..3, false);
    let model = ReportModel::build(&results);
    assert_eq!(ratios(&model).len(), 2);
    let sentence = &model.core_modes.as_ref().unwrap().sentence;
    assert!(
        sentence
            .flat()
            .ends_with("so throughputs at full speed are compared over all slices."),
        "{sentence}"
    );
    // In one workload of two.
    for trial in &mut results.trials {
        if trial.spec.workload == "a" {
            trial.conditions.interleaving = in_turns(2, 1.0).trials[0].conditions.interleaving.clone();
        }
    }
    let model = ReportModel::build(&results);
    let sentence = &model.core_modes.as_ref().unwrap().sentence;
    assert!(
        sentence.flat().contains("but in 1 of 2 tests over all slices"),
        "{sentence}"
    );
}

/// Systems whose servers do not fit into memory together take turns in groups of their own.
#[test]
fn no_system_is_left_out_as_a_whole() {
    let mut results = in_turns(2, 1.0);
    far_blocks(&mut results, 0..6, true);
    for trial in &mut results.trials {
        trial.conditions.interleaving.as_mut().unwrap().beside.clear();
    }
    let model = ReportModel::build(&results);
    assert_eq!(ratios(&model).len(), 2);
}

fn ratios(model: &ReportModel) -> Vec<f64> {
    let comparisons = model.cells.iter().flat_map(|cell| &cell.comparisons);
    let of_throughput = comparisons.filter(|comparison| comparison.metric == Metric::Throughput);
    of_throughput
        .inspect(|comparison| assert_eq!(comparison.word, Word::Faster))
        .map(|comparison| comparison.ratio)
        .collect()
}

#[test]
fn systems_are_compared_in_the_mode_that_prevailed() {
    let model = ReportModel::build(&in_turns(4, 1.3));
    let modes = model.core_modes.as_ref().unwrap();
    assert_eq!(modes.shares[0].mode, CoreMode::Near);
    assert!((modes.shares[1].share - 0.4).abs() < 1e-9, "{modes:?}");
    for ratio in ratios(&model) {
        assert!((ratio / 1.7 - 1.0).abs() < 0.03, "{ratio}");
    }
    assert_eq!(modes.otherwise.len(), 2, "{modes:?}");
    let other = &modes.otherwise[0];
    assert!((other.other / (1.7 * 1.3) - 1.0).abs() < 0.03, "{other:?}");
    let sentence = &modes.sentence;
    assert!(
        sentence.flat().starts_with(
            "The CPUs of the machine changed places: in 60% of the slices they shared a cache, in 40% they shared no cache."
        ),
        "{sentence}"
    );
    assert!(
        sentence.flat().contains("A: update heavy – fjall is 2.2")
            && sentence
                .flat()
                .contains("while they share no cache, instead of 1.7"),
        "{sentence}"
    );
    assert!(model.html().contains("Cores of the machine."));
    assert!(model.text(Style::plain(10_000)).contains(&sentence.flat()));
    let as_json: serde_json::Value = serde_json::from_str(&json(&model)).unwrap();
    assert_eq!(as_json["core_modes"]["shares"][0]["mode"], "near");

    let model = ReportModel::build(&in_turns(7, 1.3));
    assert_eq!(model.core_modes.as_ref().unwrap().shares[0].mode, CoreMode::Far);
    for ratio in ratios(&model) {
        assert!((ratio / (1.7 * 1.3) - 1.0).abs() < 0.03, "{ratio}");
    }
}

#[test]
fn a_ratio_that_is_the_same_in_both_modes_is_told_once() {
    let model = ReportModel::build(&in_turns(4, 1.0));
    let modes = model.core_modes.as_ref().unwrap();
    assert!(modes.otherwise.is_empty(), "{modes:?}");
    assert!(
        modes.sentence.flat().ends_with("compared in those 60%."),
        "{}",
        modes.sentence
    );
}

#[test]
fn one_mode_needs_no_word() {
    assert!(ReportModel::build(&in_turns(0, 1.3)).core_modes.is_none());
    assert!(ReportModel::build(&in_turns(10, 1.3)).core_modes.is_none());
}
