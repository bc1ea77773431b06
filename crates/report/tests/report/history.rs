//! Series over versions, with planted changes.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_record::HistoryEntry;
use dbdyno_report::model::Word;
use dbdyno_report::{History, Render, Style, already_held, compare_cells, facts, history};

/// Noise of two percent, from the bits of a multiplicative hash (Steele et al., SplitMix, OOPSLA'14).
fn noisy(level: f64, point: u32, trial: u32) -> f64 {
    let mut bits = (u64::from(point) * 97 + u64::from(trial) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    level * (1.0 + 0.02 * ((bits >> 40) as f64 / f64::from(1_u32 << 24) - 0.5))
}

fn entry(point: u32, level: f64, machine: &str) -> HistoryEntry {
    let known = |value: &str| BTreeSet::from([value.to_owned()]);
    HistoryEntry {
        format: dbdyno_record::HISTORY_FORMAT.to_owned(),
        study: "nightly".to_owned(),
        label: format!("v{point}"),
        started_at: format!("2026-01-{:02}T00:00:00Z", point + 1),
        cell: "redb, workload a".to_owned(),
        version: format!("4.{point}"),
        metric: "throughput".to_owned(),
        unit: "1/s".to_owned(),
        higher_is_better: true,
        values: (0..6).map(|trial| noisy(level, point, trial)).collect(),
        at_least: false,
        restless: None,
        failing: None,
        invalid: None,
        sustained: None,
        conditions: BTreeMap::from([
            ("durability".to_owned(), known("buffered")),
            ("processor".to_owned(), known(machine)),
        ]),
    }
}

fn of(levels: &[f64]) -> History {
    let entries: Vec<HistoryEntry> = levels
        .iter()
        .zip(0..)
        .map(|(level, point)| entry(point, *level, "m1"))
        .collect();
    history(&entries, 0.05)
}

fn changes(history: &History) -> Vec<(&str, bool)> {
    let points = history.series[0].points.iter();
    points
        .filter_map(|point| Some((point.label.as_str(), point.change?.slower)))
        .collect()
}

#[test]
fn a_level_that_stays_has_no_change() {
    let steady = of(&[1000.0; 12]);
    assert_eq!(changes(&steady), []);
    assert!(!steady.series[0].got_slower(3));
    assert_eq!(
        steady.series[0].last.as_ref().unwrap().found.word,
        Word::Equivalent
    );
}

#[test]
fn a_step_is_found_where_it_is() {
    let mut levels = [1000.0; 20];
    levels[14..].fill(850.0);
    let slower = of(&levels);
    assert_eq!(changes(&slower), [("v14", true)]);
    assert!(slower.series[0].got_slower(6));
    assert!(!slower.series[0].got_slower(3), "it is an old one");
    levels[14..].fill(1200.0);
    assert_eq!(changes(&of(&levels)), [("v14", false)]);
}

#[test]
fn the_last_point_is_judged_at_once() {
    let mut levels = [1000.0; 6];
    levels[5] = 850.0;
    let history = of(&levels);
    assert_eq!(changes(&history), [], "one point is no level");
    assert_eq!(history.series[0].last.as_ref().unwrap().found.word, Word::Slower);
    assert!(history.series[0].got_slower(1));
    let text = history.text(Style::plain(120));
    assert!(
        text.contains("v5 compared with the level before: slower"),
        "{text}"
    );
}

#[test]
fn an_undecided_point_reads_as_everything_else() {
    let mut entries: Vec<HistoryEntry> = (0..3).map(|point| entry(point, 1000.0, "m1")).collect();
    for (trial, value) in (0..).zip(&mut entries[2].values) {
        *value *= if trial % 2 == 0 { 0.7 } else { 1.3 };
    }
    let reported = history(&entries, 0.05);
    let text = reported.text(Style::plain(300));
    let remark = text
        .lines()
        .find(|line| line.contains("v2 compared with"))
        .unwrap();
    assert!(
        remark.contains("undecided") && remark.contains("% lower ("),
        "{remark}"
    );
    assert!(
        !remark.contains("x lower") && !remark.contains("x higher"),
        "{remark}"
    );
}

/// No verdict rests on invalid trials, and a check for regressions does not pass on them.
#[test]
fn an_invalid_last_point_is_undecided_and_fails_the_check() {
    let mut entries: Vec<HistoryEntry> = (0..6).map(|point| entry(point, 1000.0, "m1")).collect();
    entries[5].invalid = Some("6 of 6 trials of redb are invalid (not-found)".to_owned());
    let history = history(&entries, 0.05);
    let last = history.series[0].last.as_ref().unwrap();
    assert_eq!(last.found.word, Word::Undecided);
    assert!(
        last.found.reason.contains("are invalid (not-found)"),
        "{}",
        last.found.reason
    );
    assert!(history.series[0].got_slower(1));
}

/// Points that lost operations would be a level of their own.
#[test]
fn no_level_is_made_of_points_on_which_no_verdict_rests() {
    let mut entries: Vec<HistoryEntry> = (0..20)
        .map(|point| entry(point, if point < 14 { 1000.0 } else { 2000.0 }, "m1"))
        .collect();
    assert_eq!(changes(&history(&entries, 0.05)), [("v14", false)]);
    for entry in &mut entries[14..] {
        entry.failing = Some("5% of the operations of redb had no answer".to_owned());
        entry.at_least = true;
    }
    let reported = history(&entries, 0.05);
    assert_eq!(changes(&reported), []);
    let text = reported.text(Style::plain(160));
    assert!(
        text.contains("v14 belongs to no level: 5% of the operations of redb had no answer"),
        "{text}"
    );
    assert!(text.contains(">= 2."), "{text}");
}

#[test]
fn another_machine_is_reported_and_not_mixed_up() {
    let machines = ["m1", "m1", "m1", "m1", "m2", "m2", "m2", "m2"];
    let entries: Vec<HistoryEntry> = machines
        .iter()
        .zip(0..)
        .map(|(machine, point)| entry(point, if *machine == "m1" { 1000.0 } else { 500.0 }, machine))
        .collect();
    let reported = history(&entries, 0.05);
    assert_eq!(changes(&reported), []);
    assert!(!reported.series[0].got_slower(3));
    let markdown = reported.markdown();
    assert!(
        markdown.contains("Not compared with earlier points from v4 on, all series: processor: m1 and m2."),
        "{markdown}"
    );
    let first = history(&entries[..5], 0.05);
    assert!(first.series[0].last.is_none(), "nothing is comparable to it");
}

#[test]
fn two_points_are_compared_as_two_folders_are() {
    let entries = [
        entry(0, 1000.0, "m1"),
        entry(1, 800.0, "m1"),
        entry(2, 800.0, "m2"),
    ];
    let of = |label: &str| facts(&entries, label);
    let compared = compare_cells(&of("v0"), &of("v1"), 0.05, false);
    assert_eq!(compared.slower(), 1, "{}", compared.markdown());
    assert_eq!(compare_cells(&of("v1"), &of("v2"), 0.05, false).refused(), 1);
    assert!(facts(&entries, "v9").is_empty());
}

/// A file may have them, for earlier versions of dbdyno added them.
#[test]
fn a_point_with_trials_of_an_earlier_one_is_left_out() {
    let mut entries = Vec::new();
    for point in 0..8 {
        let first = if point < 4 { 0 } else { 4 };
        let level = if point < 4 { 1000.0 } else { 850.0 };
        let label = format!("v{point}");
        entries.push(HistoryEntry {
            label,
            ..entry(first, level, "m1")
        });
    }
    // Some of the trials are enough.
    entries[3].values.truncate(4);
    let reported = history(&entries, 0.05);
    assert_eq!(changes(&reported), [], "two points are no levels");
    let points = reported.series[0].points.iter();
    let labels: Vec<&str> = points.map(|point| point.label.as_str()).collect();
    assert_eq!(labels, ["v0", "v4"]);
    let text = reported.text(Style::plain(200));
    let expected =
        "Left out because an earlier point has the same trials: v1 (v0), v2 (v0), v3 (v0) and 3 more.";
    assert!(text.contains(expected), "{text}");
    let held = already_held(&entries[..3], &entries[3..4]).unwrap();
    assert_eq!((held.of.as_str(), held.trials), ("v0", 4));
    assert!(already_held(&entries[..3], &entries[4..5]).is_none());
}

#[test]
fn the_answer_names_what_changed_and_since_when() {
    let mut levels = [1000.0; 20];
    levels[14..].fill(850.0);
    let mut entries = Vec::new();
    for (system, levels) in [
        ("redb", levels),
        ("fjall", [500.0; 20]),
        ("sqlite", [300.0; 20]),
        ("null", [900.0; 20]),
    ] {
        for (level, point) in levels.iter().zip(0..) {
            // A workload of YCSB is one series, however a point calls it.
            let workload = if point % 2 == 0 { "a" } else { "A" };
            entries.push(HistoryEntry {
                cell: format!("{system}, workload {workload}, clients = 4"),
                ..entry(point, *level, "m1")
            });
        }
    }
    let history = history(&entries, 0.05);
    assert_eq!(history.series.len(), 4);
    let named = history.named("history.jsonl");
    insta::assert_snapshot!("history_on_a_terminal", named.text(Style::plain(80)));
    let page = named.html();
    assert!(page.contains("change worse") && page.contains("<title>history.jsonl · dbdyno history</title>"));
    assert_eq!(page.matches("<svg").count(), 4, "a chart for each series");
}
