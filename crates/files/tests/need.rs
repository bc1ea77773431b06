//! Need files are values: what is written is read again as the same.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use dbdyno_files::values::{
    Clients, Consistency, Count, Draws, Durability, Nodes, Percentage, Rate, Seed, Switch, Text, Times,
    Weight, WeightSpread,
};
use dbdyno_files::{
    GoalTable, List, NeedFile, ObjectiveTable, Placed, Properties, PublishedTable, RequireTable, Table,
    Tables,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;

fn placed<T: Clone + std::fmt::Debug>(
    values: impl Strategy<Value = T>,
) -> impl Strategy<Value = Option<Placed<T>>> {
    option::of(values.prop_map(Placed::from))
}

/// Texts with everything that TOML escapes.
fn text() -> impl Strategy<Value = Text> {
    "[ -~\n\t\"\\\\é\u{7f}\u{1}]{0,12}".prop_map(Text)
}

fn texts() -> impl Strategy<Value = List<Text>> {
    vec(text(), 0..3).prop_map(List::of)
}

fn switch() -> impl Strategy<Value = Switch> {
    any::<bool>().prop_map(Switch)
}

/// Thousandths from 0 to `most`.
fn number(most: u32) -> impl Strategy<Value = f64> {
    (0..=most * 1000).prop_map(|thousandths| f64::from(thousandths) / 1000.0)
}

fn percentage() -> impl Strategy<Value = Percentage> {
    (0..10_000_u32).prop_map(|hundredths| Percentage(f64::from(hundredths) / 10_000.0))
}

fn rate() -> impl Strategy<Value = Rate> {
    prop_oneof![
        Just(Rate::Unlimited),
        Just(Rate::Common),
        (1..1_000_000_u32).prop_map(|rate| Rate::PerSecond(f64::from(rate) / 8.0)),
    ]
}

fn require() -> impl Strategy<Value = RequireTable> {
    let levels = (
        placed(prop_oneof!["none", "buffered", "synced"].prop_map(Durability)),
        placed(prop_oneof!["one", "quorum", "all"].prop_map(Consistency)),
        placed((0..=u64::MAX).prop_map(Nodes)),
        placed(any::<bool>().prop_map(Switch)),
        placed(percentage()),
    );
    let version = btree_map("[a-z.# ]{1,8}", "[0-9.]{1,8}", 0..3).prop_map(|entries| {
        let entries = entries.iter();
        Properties::of(entries.map(|(name, value)| (name.as_str(), value.as_str())))
    });
    let not_measured = (texts(), texts(), texts(), texts(), texts());
    (levels, placed(version), not_measured).prop_map(|(levels, version, others)| RequireTable {
        durability: levels.0,
        consistency: levels.1,
        nodes: levels.2,
        ordered_scans: levels.3,
        errors: levels.4,
        version,
        security: others.0,
        max_unavailability: others.1,
        license: others.2,
        data_model: others.3,
        budget: others.4,
    })
}

type Work = (
    Text,
    Option<Placed<Count>>,
    Option<Placed<Clients>>,
    Option<Placed<Rate>>,
);

fn work() -> impl Strategy<Value = Work> {
    (
        text(),
        placed((1..=u64::MAX).prop_map(Count)),
        placed((1..=10_000_u32).prop_map(Clients)),
        placed(rate()),
    )
}

fn objective() -> impl Strategy<Value = ObjectiveTable> {
    (text(), work()).prop_map(|(keep, (workload, records, clients, rate))| ObjectiveTable {
        keep: keep.into(),
        workload: workload.into(),
        records,
        clients,
        rate,
    })
}

fn goal() -> impl Strategy<Value = GoalTable> {
    let texts = (
        placed(text()),
        placed(text()),
        placed(text()),
        placed(text()),
        placed(text()),
    );
    let times = number(50).prop_map(|more| Times(1.001 + more));
    let weight = number(1_000).prop_map(Weight);
    (texts, placed(times), placed(weight), work()).prop_map(|(texts, worth, weight, work)| {
        let (name, metric, keep, reference, enough) = texts;
        let (workload, records, clients, rate) = work;
        GoalTable {
            name,
            metric,
            keep,
            worth,
            reference,
            enough,
            workload: workload.into(),
            records,
            clients,
            rate,
            weight,
        }
    })
}

fn published() -> impl Strategy<Value = PublishedTable> {
    let favours = texts().prop_filter("a claim favours a database", |names| !names.0.is_empty());
    (text(), text(), favours).prop_map(|(paper, claim, favours)| PublishedTable {
        paper: paper.into(),
        claim: claim.into(),
        favours,
    })
}

fn need() -> impl Strategy<Value = NeedFile> {
    let numbers = (
        placed(percentage()),
        placed((0..=400_u32).prop_map(|spread| WeightSpread(f64::from(spread) / 1000.0))),
        placed((1_000..=100_000_u32).prop_map(Draws)),
        placed(any::<u64>().prop_map(Seed)),
    );
    let switches = (placed(switch()), placed(switch()), placed(switch()));
    let tables = (
        placed(require().prop_map(Table)),
        vec(objective(), 0..3).prop_map(Tables::of),
        vec(goal(), 0..3).prop_map(Tables::of),
        vec(published(), 0..3).prop_map(Tables::of),
    );
    (placed(text()), texts(), numbers, switches, tables).prop_map(
        |(title, systems, numbers, switches, tables)| NeedFile {
            title,
            systems,
            margin: numbers.0,
            weight_spread: numbers.1,
            draws: numbers.2,
            seed: numbers.3,
            across_durability: switches.0,
            across_consistency: switches.1,
            across_machines: switches.2,
            cost: None,
            require: tables.0,
            objective: tables.1,
            goal: tables.2,
            published: tables.3,
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(need in need()) {
        let text = need.to_text("# A comment.\n");
        let again: NeedFile = dbdyno_files::read(&text).unwrap_or_else(|mistake| panic!("{mistake:?}\n{text}"));
        prop_assert_eq!(again, need, "{}", text);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC{0,60}") {
        let reading = dbdyno_files::read_all::<NeedFile>(&text);
        prop_assert_eq!(reading.mistakes.is_empty(), dbdyno_files::read::<NeedFile>(&text).is_ok());
    }
}

#[test]
fn a_need_is_written_as_people_write_it() {
    let need = NeedFile {
        title: Some(Text::from("Sessions").into()),
        margin: Some(Percentage(0.05).into()),
        require: Some(
            Table(RequireTable {
                durability: Some(Durability("buffered".to_owned()).into()),
                nodes: Some(Nodes(3).into()),
                ..RequireTable::default()
            })
            .into(),
        ),
        goal: Tables::of([GoalTable {
            metric: Some(Text::from("throughput").into()),
            rate: Some(Rate::PerSecond(5000.0).into()),
            weight: Some(Weight(3.0).into()),
            ..GoalTable::of(Text::from("a"))
        }]),
        ..NeedFile::default()
    };
    let expected = "\
# Made by a test.
title = \"Sessions\"
margin = \"5%\"

[require]
durability = \"buffered\"
nodes = 3

[[goal]]
metric = \"throughput\"
workload = \"a\"
rate = \"5000\"
weight = 3
";
    assert_eq!(need.to_text("# Made by a test.\n"), expected);
}
