//! Effects of single factors and growth over sizes: planted ones are found, absent ones are not.

use crate::common::{
    Engine, FJALL, Mix, REDB, TrialPlan, WORKLOADS, ask, mark_invalid, results, trial, wobble,
};
use dbdyno_analysis::level_order;
use dbdyno_record::TrialRecord;
use dbdyno_report::model::{Effect, Metric, Word};
use dbdyno_report::{Render, ReportModel, StudyResults, Style, json};

const QUIET: Engine = Engine { noise: 0.01, ..REDB };
const TWIN: Engine = Engine {
    name: "redb (A/A)",
    ..QUIET
};

/// One trial of `engine`, `speed` times as fast as it is, with these factors.
fn at(engine: &Engine, mix: &Mix, block: u32, speed: f64, factors: &[(&str, &str)]) -> TrialRecord {
    // Each level has its own luck, or levels would differ by exactly what was planted.
    let salt = factors.iter().map(|(_, level)| level.len() as u64).sum();
    let luck = 1.0
        + engine.noise
            * wobble(
                factors.last().map_or("", |(_, level)| level),
                &[u64::from(block), salt],
            );
    let own = Engine {
        read: engine.read * speed * luck,
        write: engine.write * speed * luck,
        ..*engine
    };
    let mut record = trial(&TrialPlan {
        study: "s",
        engine: &own,
        mix,
        block,
        position: block,
        seconds: 10,
        rate: None,
    });
    for (name, level) in factors {
        record.trial.push_str(&format!("-{level}"));
        ask(&mut record, name, level);
    }
    record
}

/// Two systems of one product that differ in encryption, beside an A/A pair.
fn encrypted(speed: f64, aa: bool, blocks: u32) -> StudyResults {
    let plain = Engine {
        name: "redb plain",
        ..QUIET
    };
    let tls = Engine {
        name: "redb tls",
        ..QUIET
    };
    let mut trials = Vec::new();
    for block in 0..blocks {
        for (engine, level, speed) in [(&plain, "off", 1.0), (&tls, "on", speed)] {
            let mut record = at(
                engine,
                &WORKLOADS[0],
                block,
                speed,
                &[("system.encryption", level)],
            );
            record.system.driver = "redb".to_owned();
            trials.push(record);
        }
        if aa {
            trials.push(at(&QUIET, &WORKLOADS[0], block, 1.0, &[]));
            trials.push(at(&TWIN, &WORKLOADS[0], block, 1.0, &[]));
        }
    }
    results("s", trials)
}

fn encryption(speed: f64, aa: bool, blocks: u32) -> ReportModel {
    ReportModel::build(&encrypted(speed, aa, blocks))
}

fn effect(model: &ReportModel, metric: Metric) -> &Effect {
    let rows = &model.effects.as_ref().unwrap().rows;
    rows.iter().find(|row| row.comparison.metric == metric).unwrap()
}

#[test]
fn a_planted_overhead_is_named_with_ratio_and_interval_beside_the_noise() {
    let model = encryption(0.8, true, 8);
    assert_eq!(model.cells.len(), 1, "factors of systems make no cells");
    let found = effect(&model, Metric::Throughput);
    assert_eq!(
        (found.base.as_str(), found.level.as_str(), found.word),
        ("off", "on", Word::Slower)
    );
    assert!((found.comparison.ratio - 0.8).abs() < 0.02, "{found:?}");
    let interval = found.comparison.interval.unwrap();
    assert!(interval.low < 0.8 && 0.8 < interval.high && interval.high - interval.low < 0.05);
    assert!(found.comparison.p_adjusted.unwrap() >= found.comparison.p_value.unwrap());
    for text in [model.html(), model.markdown(), model.text(Style::plain(120))] {
        assert!(text.contains("encryption: on against off"), "{text}");
        assert!(text.contains("measured twice, agrees with that"), "{text}");
    }
    assert!(json(&model).contains("\"factor\": \"encryption\""));
}

#[test]
fn no_effect_is_called_one() {
    let found = encryption(1.0, true, 8);
    assert_eq!(effect(&found, Metric::Throughput).word, Word::Equivalent);
}

/// An A/A checks the noise of a study; without one, the trials still show it.
#[test]
fn without_an_a_a_an_effect_is_named_too() {
    let model = encryption(0.8, false, 8);
    let found = effect(&model, Metric::Throughput);
    assert_eq!(found.word, Word::Slower, "{found:?}");
    let beside = &model.effects.as_ref().unwrap().beside;
    assert!(beside.flat().starts_with("Trials differ by "), "{beside}");
}

#[test]
fn no_effect_rests_on_an_invalid_trial() {
    let mut results = encrypted(0.8, true, 8);
    let tls = results
        .trials
        .iter_mut()
        .find(|trial| trial.system.name == "redb tls");
    mark_invalid(tls.unwrap(), "verification-failed");
    let model = ReportModel::build(&results);
    let found = effect(&model, Metric::Throughput);
    assert_eq!(
        (found.word, found.reason.as_str()),
        (
            Word::Undecided,
            "1 of 8 trials of redb tls is invalid (verification-failed)"
        )
    );
}

/// The same figures, but one thing differs from itself by more: intervals of effects are widened like all others.
#[test]
fn twins_that_disagree_leave_no_small_effect() {
    let plain = encryption(0.8, true, 8);
    let mut trials = Vec::new();
    for block in 0..8 {
        for (engine, speed) in [(&QUIET, 1.0), (&TWIN, 0.7)] {
            trials.push(at(engine, &WORKLOADS[0], block, speed, &[]));
        }
        for (name, level, speed) in [("redb plain", "off", 1.0), ("redb tls", "on", 0.8)] {
            let engine = Engine { name, ..QUIET };
            let mut record = at(
                &engine,
                &WORKLOADS[0],
                block,
                speed,
                &[("system.encryption", level)],
            );
            record.system.driver = "redb".to_owned();
            trials.push(record);
        }
    }
    let noisy = ReportModel::build(&results("s", trials));
    assert_eq!(effect(&plain, Metric::Throughput).word, Word::Slower);
    let found = effect(&noisy, Metric::Throughput);
    assert_eq!(found.word, Word::Undecided);
    let width = |model: &ReportModel| {
        let interval = effect(model, Metric::Throughput).comparison.interval.unwrap();
        (interval.high / interval.low).ln()
    };
    let widened = noisy
        .noise
        .as_ref()
        .unwrap()
        .of(Metric::Throughput)
        .unwrap()
        .widened();
    assert!(widened > 3.0, "{:?}", noisy.noise);
    assert!(width(&noisy) > 3.0 * width(&plain), "{found:?}");
}

/// Levels of a factor of the study: the same system in two cells, all else equal, and Holm over all of them.
#[test]
fn levels_of_a_study_are_compared_within_each_system() {
    let mut trials = Vec::new();
    for block in 0..8 {
        for (level, speed) in [("quorum", 0.7), ("one", 1.0)] {
            for engine in [&FJALL, &QUIET, &TWIN] {
                for mix in &WORKLOADS[..2] {
                    trials.push(at(engine, mix, block, speed, &[("consistency", level)]));
                }
            }
        }
    }
    let model = ReportModel::build(&results("s", trials));
    let effects = model.effects.as_ref().unwrap();
    // Two systems, two workloads, two metrics; the twin is the measure, not an effect.
    assert_eq!(effects.rows.len(), 8);
    for row in &effects.rows {
        assert_eq!((row.base.as_str(), row.level.as_str()), ("one", "quorum"));
        let expected = match row.comparison.metric {
            Metric::Throughput => Word::Slower,
            _ => Word::NotComparable,
        };
        assert_eq!(row.word, expected, "{row:?}");
    }
    let throughput: Vec<f64> = effects
        .rows
        .iter()
        .filter(|row| row.comparison.metric == Metric::Throughput)
        .map(|row| row.comparison.p_adjusted.unwrap())
        .collect();
    assert_eq!(throughput.len(), 4);
    assert!(throughput.iter().all(|p| *p < 0.001), "{throughput:?}");
}

#[test]
fn the_first_level_is_the_one_that_the_study_lists_first() {
    let mut trials = Vec::new();
    for block in 0..6 {
        for level in ["16", "1", "4"] {
            for engine in [&QUIET, &TWIN] {
                trials.push(at(engine, &WORKLOADS[0], block, 1.0, &[("clients", level)]));
            }
        }
    }
    let of_file = |clients: &str| {
        let mut results = results("s", trials.clone());
        results.asked.levels = Some(level_order::of_folder(None, &format!("name = \"s\"\n{clients}")));
        let model = ReportModel::build(&results);
        let titles: Vec<String> = model.cells.iter().map(|cell| cell.title.clone()).collect();
        let effects = model.effects.unwrap().rows.into_iter();
        let effects = effects.filter(|row| row.comparison.metric == Metric::Throughput);
        let effects: Vec<String> = effects
            .map(|row| format!("{} against {}", row.level, row.base))
            .collect();
        (titles.join(", "), effects.join(", "))
    };
    let told = |titles: &str, effects: &str| (titles.to_owned(), effects.to_owned());
    assert_eq!(
        of_file(""),
        told(
            "A: update heavy, 1 client, A: update heavy, 4 clients, A: update heavy, 16 clients",
            "4 against 1, 16 against 1"
        )
    );
    assert_eq!(
        of_file("clients = [4, 16, 1]\n"),
        told(
            "A: update heavy, 4 clients, A: update heavy, 16 clients, A: update heavy, 1 client",
            "16 against 4, 1 against 4"
        )
    );
}

#[test]
fn what_differs_in_its_promises_too_is_no_level_of_a_factor() {
    let mut trials = Vec::new();
    for block in 0..6 {
        for (name, level, durability) in [("a", "off", "buffered"), ("b", "on", "synced")] {
            let engine = Engine {
                name,
                durability,
                ..QUIET
            };
            let mut record = at(
                &engine,
                &WORKLOADS[0],
                block,
                1.0,
                &[("system.encryption", level)],
            );
            record.system.driver = "redb".to_owned();
            trials.push(record);
        }
    }
    let model = ReportModel::build(&results("s", trials));
    let effects = model.effects.as_ref().unwrap();
    assert!(effects.rows.is_empty());
    assert!(
        effects.notes[0].flat().contains("also differ in durability"),
        "{:?}",
        effects.notes
    );
}

/// `falls` loses speed with the size, `steady` does not: they meet at 30 000 records.
fn sizes(levels: &[&str], blocks: u32) -> ReportModel {
    ReportModel::build(&results("s", trials_of_sizes(levels, blocks)))
}

fn trials_of_sizes(levels: &[&str], blocks: u32) -> Vec<TrialRecord> {
    let mut trials = Vec::new();
    for block in 0..blocks {
        for level in levels {
            let records: f64 = level.parse().unwrap();
            for (name, speed) in [("falls", (records / 30_000.0).powf(-0.25)), ("steady", 1.0)] {
                let engine = Engine { name, ..QUIET };
                let mut record = at(&engine, &WORKLOADS[0], block, speed, &[("records", level)]);
                record.workload.records = level.parse().unwrap();
                trials.push(record);
            }
        }
    }
    trials
}

#[test]
fn many_cells_are_counted_in_one_sentence_and_named_by_their_workloads() {
    let mut trials = Vec::new();
    for (mix, turns) in WORKLOADS[..2].iter().zip([9, 5]) {
        for block in 0..6 {
            for level in 0..7 {
                for (name, speed) in [("quick", 2.0), ("slow", if level < turns { 1.0 } else { 4.0 })] {
                    let engine = Engine { name, ..QUIET };
                    let records = ((level + 1) * 1000).to_string();
                    let mut record = at(&engine, mix, block, speed, &[("records", &records)]);
                    record.workload.records = (level + 1) * 1000;
                    trials.push(record);
                }
            }
        }
    }
    let model = ReportModel::build(&results("s", trials));
    let stated = &model.summary[0].text;
    assert!(
        stated
            .flat()
            .starts_with("quick has the highest throughput on 12 of 14 tests (a, b: 5 of 7), ")
            && stated
                .flat()
                .contains("x as fast as slow; slow on 2 (B: read mostly, 6.00k records; B: read mostly, 7.00k records), "),
        "{stated}"
    );
}

#[test]
fn a_planted_exponent_and_a_planted_crossover_are_found() {
    let model = sizes(&["1000", "10000", "100000", "1000000"], 8);
    let growth = model.growth.as_ref().unwrap();
    let chart = &growth.charts[0];
    assert_eq!((chart.metric, chart.curves.len()), (Metric::Throughput, 2));
    for (curve, planted) in chart.curves.iter().zip([-0.25, 0.0]) {
        let interval = curve.interval.unwrap();
        assert!(
            (curve.exponent.unwrap() - planted).abs() < 0.01,
            "{}",
            curve.sentence
        );
        assert!(
            interval.low < planted && planted < interval.high,
            "{}",
            curve.sentence
        );
    }
    let crossing = &chart.crossings[0];
    let at = crossing.records.unwrap();
    assert!((at / 30_000.0 - 1.0).abs() < 0.1, "{}", crossing.sentence);
    assert!(
        crossing.from.unwrap() < 30_000.0 && 30_000.0 < crossing.to.unwrap(),
        "{}",
        crossing.sentence
    );
    assert!(
        crossing
            .sentence
            .flat()
            .contains("steady has the higher throughput; below, falls")
    );
    insta::assert_snapshot!(growth_part(&model.markdown()));
    let page = model.html();
    assert!(page.contains("id=\"growth\"") && page.contains("by number of records"));
    assert!(model.text(Style::plain(100)).contains("records^-0.25"));
}

#[test]
fn no_exponent_and_no_crossover_rest_on_an_invalid_trial() {
    let levels = ["1000", "10000", "100000", "1000000"];
    let mut trials = trials_of_sizes(&levels, 8);
    let one = trials.iter_mut().find(|trial| trial.system.name == "falls");
    mark_invalid(one.unwrap(), "not-found");
    let model = ReportModel::build(&results("s", trials));
    let chart = &model.growth.as_ref().unwrap().charts[0];
    let exponents: Vec<bool> = chart
        .curves
        .iter()
        .map(|curve| curve.exponent.is_some())
        .collect();
    assert_eq!(exponents, [false, true]);
    assert_eq!(
        chart.curves[0].sentence.flat(),
        "falls: no exponent, 1 of 8 trials of falls is invalid (not-found)."
    );
    assert!(chart.crossings.is_empty());
}

fn growth_part(markdown: &str) -> &str {
    let from = markdown.find("## Growth").unwrap();
    let to = markdown[from..]
        .find("\n## ")
        .map_or(markdown.len(), |length| from + length);
    &markdown[from..to]
}

#[test]
fn two_sizes_give_no_exponent_and_nothing_beyond_the_range_is_reported() {
    let model = sizes(&["1000", "10000"], 8);
    let growth = model.growth.as_ref().unwrap();
    assert!(
        growth.charts[0]
            .curves
            .iter()
            .all(|curve| curve.exponent.is_none())
    );
    assert!(growth.notes[0].contains("at least 3 sizes"), "{:?}", growth.notes);
    assert!(growth.charts[0].crossings.is_empty());
    // Both sizes lie below the place where they meet.
    let below = sizes(&["1000", "3000", "10000"], 8);
    let crossing = &below.growth.as_ref().unwrap().charts[0].crossings[0];
    assert_eq!(crossing.records, None);
    assert!(
        crossing
            .sentence
            .flat()
            .contains("falls has the higher throughput than steady at every size from 1.00k to 10.0k"),
        "{}",
        crossing.sentence
    );
}

#[test]
fn five_blocks_give_no_interval_and_say_so() {
    let model = sizes(&["1000", "10000", "100000"], 5);
    let curve = &model.growth.as_ref().unwrap().charts[0].curves[0];
    assert!(curve.exponent.is_some() && curve.interval.is_none());
    assert!(
        curve.sentence.flat().contains("no interval from 5 blocks"),
        "{}",
        curve.sentence
    );
}
