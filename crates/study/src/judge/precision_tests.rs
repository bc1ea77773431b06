use std::path::Path;

use super::*;
use crate::file::parse;

fn study(keys: &str) -> Study {
    let text = format!("name = \"x\"\nsystems = [\"memory\", \"null\"]\nworkloads = [\"a\"]\n{keys}");
    parse(&text, Path::new(".")).unwrap_or_else(|mistake| panic!("{mistake:?}"))
}

/// Complete blocks whose throughputs differ by this share from block to block, each system in its own way.
fn records(study: &Study, blocks: u32, noise: f64) -> Vec<TrialRecord> {
    let record = |trial: crate::plan::Trial| {
        let system = study
            .systems
            .iter()
            .position(|system| system.name == trial.planned.spec.system.name);
        let wave = f64::from(trial.planned.block * 7 + system.unwrap() as u32 * 5).sin();
        let ok = (1e6 * (1.0 + noise * wave)) as u64;
        let mut record = crate::test_record::completed(&trial.planned.trial, ok);
        record.block = trial.planned.block;
        record.position = trial.planned.position;
        record.system.name.clone_from(&trial.planned.spec.system.name);
        record.spec = trial.planned.spec;
        record
    };
    Plan::of_blocks(study, blocks)
        .trials
        .into_iter()
        .map(record)
        .collect()
}

#[test]
fn without_a_target_the_trials_are_counted() {
    let study = study("trials = 3\n");
    assert_eq!(blocks(&study, &[]), (3, Need::Trials));
    assert_eq!(blocks(&study, &records(&study, 3, 0.5)), (3, Need::Nothing(0.0)));
}

/// Systems that differ in a factor are compared with each other: the interval of their ratio must be narrow.
#[test]
fn factors_of_systems_change_nothing() {
    let keys = "name = \"x\"\nworkloads = [\"a\"]\ntrials = 8\nprecision = \"9%\"\nmax_trials = 8\n";
    let plain = format!("{keys}systems = [\"memory\", \"null\"]\n");
    let factors = format!(
        "{keys}[[system]]\naddress = \"memory\"\nfactors = {{ cache = \"on\" }}\n\
         [[system]]\naddress = \"null\"\nfactors = {{ cache = \"off\" }}\n"
    );
    let needs = [plain, factors].map(|text| {
        let study = parse(&text, Path::new(".")).unwrap_or_else(|mistake| panic!("{mistake:?}"));
        blocks(&study, &records(&study, 8, 0.05))
    });
    assert_eq!(needs[0], needs[1]);
    assert_ne!(needs[0].1, Need::Trials);
}

#[test]
fn quiet_trials_are_enough_and_noisy_ones_want_more() {
    let study = study("trials = 6\nmax_trials = 12\nprecision = \"5%\"\n");
    assert_eq!(
        blocks(&study, &records(&study, 6, 0.01)),
        (7, Need::Trials),
        "the first narrow look is confirmed"
    );
    let (count, need) = blocks(&study, &records(&study, 8, 0.01));
    assert!(
        count == 8 && matches!(need, Need::Nothing(share) if share > 0.0 && share <= 0.05),
        "{need:?}"
    );
    // Narrow at the last block that there may be: nothing confirms it.
    let short = self::study("trials = 6\nmax_trials = 6\nprecision = \"5%\"\n");
    let (count, need) = blocks(&short, &records(&short, 6, 0.01));
    assert!(
        count == 6
            && matches!(need, Need::Unconfirmed(why, share) if why.contains("max_trials") && share <= 0.05),
        "{need:?}"
    );
    let sentence = sentence(&short.precision.unwrap(), count, &need).unwrap();
    assert!(
        sentence.ends_with("but further blocks did not confirm it"),
        "{sentence}"
    );
    assert_eq!(
        blocks(&study, &records(&study, 6, 0.4)),
        (7, Need::Trials),
        "a whole block more"
    );
    assert_eq!(blocks(&study, &records(&study, 9, 0.4)), (10, Need::Trials));
    let (count, need) = blocks(&study, &records(&study, 12, 0.4));
    assert!(
        count == 12
            && matches!(need, Need::Stopped(why, Some(share)) if why.contains("max_trials") && share > 0.05),
        "{need:?}"
    );
}

#[test]
fn later_blocks_do_not_change_what_was_decided_before_them() {
    let study = study("trials = 6\nmax_trials = 12\nprecision = \"5%\"\n");
    let mut all = records(&study, 8, 0.01);
    all.extend(
        records(&study, 12, 0.4)
            .into_iter()
            .filter(|record| record.block >= 8),
    );
    assert_eq!(blocks(&study, &all).0, 8);
}

#[test]
fn the_budget_ends_it() {
    // Every block takes 24 s.
    let study = study("trials = 6\nmax_trials = 12\nprecision = \"1%\"\nbudget = \"200s\"\n");
    assert_eq!(blocks(&study, &records(&study, 7, 0.4)), (8, Need::Trials));
    let (count, need) = blocks(&study, &records(&study, 8, 0.4));
    assert!(
        count == 8 && matches!(need, Need::Stopped(why, _) if why.contains("budget")),
        "{need:?}"
    );
}

#[test]
fn an_incomplete_or_failed_block_comes_first() {
    let study = study("trials = 6\nprecision = \"5%\"\n");
    let mut records = records(&study, 6, 0.4);
    records[3].status = TrialStatus::failed("x".to_owned());
    assert_eq!(blocks(&study, &records), (6, Need::Trials));
    records[3].status = TrialStatus::Disturbed;
    assert_eq!(blocks(&study, &records), (6, Need::Trials));
    let mut again = records[3].clone();
    again.trial.push_str("~2");
    again.status = TrialStatus::Completed;
    records.push(again);
    assert_eq!(
        blocks(&study, &records),
        (7, Need::Trials),
        "the repetition counts in its place"
    );
}
