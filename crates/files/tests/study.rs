//! Study files are values: what is written is read again as the same.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeMap;
use std::time::Duration;

use dbdyno_files::values::{
    ArrivalSpacing, Clients, CommonRate, Consistency, Count, Currency, Day, Durability, Kind, Machines,
    Noise, NoiseSource, Operations, Order, PhaseTime, Precision, Price, Rate, RepeatBudget, Repeats, Restart,
    Seed, Step, Switch, Text, Trials, WarmUp,
};
use dbdyno_files::{
    CostTable, List, PaperSizes, PaperTable, Placed, PlannedTable, Properties, StudyFile, SystemCostTable,
    SystemTable, TOGETHER, Table, Tables, Vary, WorkloadTable, with_comment_above, with_first_line,
};
use dbdyno_workload::arrivals::Arrivals;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;

fn placed<T: Clone + std::fmt::Debug>(
    values: impl Strategy<Value = T>,
) -> impl Strategy<Value = Option<Placed<T>>> {
    option::of(values.prop_map(Placed::from))
}

fn list<T: Clone + std::fmt::Debug>(values: impl Strategy<Value = T>) -> impl Strategy<Value = List<T>> {
    vec(values, 0..3).prop_map(List::of)
}

/// Texts with everything that TOML escapes.
fn text() -> impl Strategy<Value = Text> {
    "[ -~\n\t\"\\\\é\u{7f}\u{1}]{0,12}".prop_map(Text)
}

fn properties() -> impl Strategy<Value = Properties> {
    btree_map("[a-z.#\" ]{1,8}", "[ -~\n]{0,8}", 0..3).prop_map(|entries| {
        let entries = entries.iter();
        Properties::of(entries.map(|(name, value)| (name.as_str(), value.as_str())))
    })
}

fn switch() -> impl Strategy<Value = Switch> {
    any::<bool>().prop_map(Switch)
}

fn price() -> impl Strategy<Value = Option<Placed<Price>>> {
    placed((1..=1_000_000_u32).prop_map(|price| Price(f64::from(price) / 1e4)))
}

fn cost() -> impl Strategy<Value = Table<CostTable>> {
    let of_system = (text(), placed((1..=9_u32).prop_map(Machines)), price(), price());
    let system = of_system.prop_map(|(name, nodes, node_hour, cpu_hour)| SystemCostTable {
        name: name.into(),
        nodes,
        node_hour,
        cpu_hour,
        memory_gib_hour: None,
        storage_gib_hour: None,
    });
    let day = Just(Day("2026-06-17".to_owned()));
    let about = (placed(text()), placed(day), placed(switch()));
    let prices = (price(), price(), price(), price());
    ("[A-Z]{1,12}", prices, about, vec(system, 0..3)).prop_map(|(currency, prices, about, systems)| {
        Table(CostTable {
            currency: Currency(currency).into(),
            node_hour: prices.0,
            cpu_hour: prices.1,
            memory_gib_hour: prices.2,
            storage_gib_hour: prices.3,
            source: about.0,
            as_of: about.1,
            example: about.2,
            system: Tables::of(systems),
        })
    })
}

fn trials() -> impl Strategy<Value = Trials> {
    (1..=10_000_u32).prop_map(Trials)
}

fn clients() -> impl Strategy<Value = Clients> {
    (1..=10_000_u32).prop_map(Clients)
}

fn count() -> impl Strategy<Value = Count> {
    (1..=u64::MAX).prop_map(Count)
}

fn time() -> impl Strategy<Value = PhaseTime> {
    (1..=u64::MAX).prop_map(|nanoseconds| PhaseTime(Duration::from_nanos(nanoseconds)))
}

fn share() -> impl Strategy<Value = f64> {
    prop_oneof![
        (1..100_u32).prop_map(|percent| f64::from(percent) / 100.0),
        1e-9..0.999_999
    ]
}

fn rate() -> impl Strategy<Value = Rate> {
    prop_oneof![
        Just(Rate::Unlimited),
        Just(Rate::Common),
        (1e-6..1e18).prop_map(Rate::PerSecond),
        (1..1_000_000_u32).prop_map(|rate| Rate::PerSecond(f64::from(rate))),
    ]
}

fn operations() -> impl Strategy<Value = Operations> {
    prop_oneof![
        Just(Operations::AsRecords),
        count().prop_map(|count| Operations::Count(count.0))
    ]
}

fn durability() -> impl Strategy<Value = Durability> {
    prop::sample::select(vec!["none", "buffered", "synced"]).prop_map(|level| Durability(level.to_owned()))
}

fn consistency() -> impl Strategy<Value = Consistency> {
    prop::sample::select(vec!["one", "quorum", "all"]).prop_map(|level| Consistency(level.to_owned()))
}

fn system() -> impl Strategy<Value = SystemTable> {
    let options = (placed(properties()), placed(properties()));
    (
        placed(text()),
        text(),
        placed(durability()),
        placed(consistency()),
        options,
    )
        .prop_map(
            |(name, address, durability, consistency, (options, factors))| SystemTable {
                name,
                address: address.into(),
                durability,
                consistency,
                options,
                factors,
            },
        )
}

fn workload() -> impl Strategy<Value = WorkloadTable> {
    (
        placed(text()),
        placed(text()),
        placed(text()),
        placed(count()),
        list(rate()),
        placed(properties()),
    )
        .prop_map(|(name, file, base, records, rates, properties)| WorkloadTable {
            name,
            file,
            base,
            properties,
            records,
            rates,
        })
}

fn planned() -> impl Strategy<Value = Table<PlannedTable>> {
    let source = prop::sample::select(vec![
        NoiseSource::Given,
        NoiseSource::Measured,
        NoiseSource::Assumed,
    ]);
    (time(), trials(), placed(time()), share(), source, placed(count())).prop_map(
        |(budget, trials, duration, noise, source, load_rate)| {
            Table(PlannedTable {
                budget: budget.into(),
                trials: trials.into(),
                duration,
                noise: Noise(noise).into(),
                noise_is: source.into(),
                load_rate,
            })
        },
    )
}

fn paper() -> impl Strategy<Value = Table<PaperTable>> {
    let sizes = || option::of(btree_map(1..=u64::MAX, 1..=u64::MAX, 0..3).prop_map(PaperSizes));
    let sizes = (sizes(), sizes());
    (
        text(),
        text(),
        option::of(1e-9..1e9),
        (list(text()), list(text())),
        sizes,
    )
        .prop_map(|(id, part, scale, (claims, notes), (records, operations))| {
            Table(PaperTable {
                id: id.into(),
                part: part.into(),
                claims,
                scale,
                notes,
                records,
                operations,
            })
        })
}

fn vary() -> impl Strategy<Value = Vary> {
    // Keys of a table come back in the order of their names.
    let options = btree_map("[a-z_]{1,6}", vec(text(), 1..4), 0..3);
    let fits = |(names, _): &(BTreeMap<String, Vec<Text>>, _)| !names.contains_key(TOGETHER);
    (options, placed(switch()))
        .prop_filter("a key beside the options", fits)
        .prop_map(|(options, together)| Vary {
            options: options
                .into_iter()
                .map(|(option, levels)| (option.into(), List::of(levels)))
                .collect(),
            together,
        })
}

fn warmup() -> impl Strategy<Value = WarmUp> {
    prop_oneof![Just(WarmUp::Auto), time().prop_map(|time| WarmUp::Fixed(time.0))]
}

fn study() -> impl Strategy<Value = StudyFile> {
    let kind = prop::sample::select(vec![Kind::Comparison, Kind::Capacity, Kind::Sweep]);
    let restart = prop::sample::select(vec![Restart::Block, Restart::Study]);
    let order = prop::sample::select(vec![Order::Interleaved, Order::Blocks]);
    let arrivals = prop::sample::select(vec![Arrivals::Constant, Arrivals::Poisson]);
    let head = (
        text(),
        placed(switch()),
        placed(planned()),
        placed(text()),
        placed(kind),
        list(text()),
    );
    let effort = (
        placed((1..=50_u32).prop_map(|percent| Step(f64::from(percent) / 100.0))),
        placed(switch()),
        placed(any::<u64>().prop_map(Seed)),
        placed(trials()),
        placed(trials()),
    );
    let repeats = (
        placed(share().prop_map(Precision)),
        placed(time()),
        placed((0..9_u32).prop_map(Repeats)),
        placed(share().prop_map(RepeatBudget)),
        placed(switch()),
    );
    let systems = (
        list(text()),
        vec(system(), 0..3),
        placed(properties()),
        list(text()),
        vec(workload(), 0..3),
    );
    let factors = (
        list(count()),
        list(clients()),
        placed(clients()),
        list(rate()),
        list(operations()),
    );
    let levels = (
        placed(share().prop_map(CommonRate)),
        list(durability()),
        list(consistency()),
        placed(arrivals.prop_map(ArrivalSpacing)),
        placed(paper()),
        placed(cost()),
    );
    let phases = (
        placed(time()),
        placed(warmup()),
        placed(time()),
        placed(restart),
        placed(order),
        placed(vary()),
        placed(time()),
    );
    (head, effort, repeats, systems, factors, levels, phases).prop_map(
        |(head, effort, repeats, systems, factors, levels, phases)| StudyFile {
            name: head.0.into(),
            quick: head.1,
            planned: head.2,
            title: head.3,
            kind: head.4,
            slo: head.5,
            step: effort.0,
            fresh: effort.1,
            seed: effort.2,
            trials: effort.3,
            max_trials: effort.4,
            precision: repeats.0,
            budget: repeats.1,
            repeat_disturbed: repeats.2,
            repeat_budget: repeats.3,
            aa: repeats.4,
            systems: systems.0,
            system: Tables::of(systems.1),
            properties: systems.2,
            workloads: systems.3,
            workload: Tables::of(systems.4),
            records: factors.0,
            clients: factors.1,
            client_threads: factors.2,
            rates: factors.3,
            operations: factors.4,
            common_rate: levels.0,
            durability: levels.1,
            consistency: levels.2,
            arrivals: levels.3,
            paper: levels.4,
            cost: levels.5,
            duration: phases.0,
            warmup: phases.1,
            warmup_limit: phases.2,
            restart: phases.3,
            order: phases.4,
            vary: phases.5,
            slice: phases.6,
        },
    )
}

proptest! {
    #[test]
    fn what_is_written_is_read_as_the_same(file in study()) {
        let text = file.to_text("# A comment.\n");
        let again: StudyFile = dbdyno_files::read(&text)
            .map_err(|mistake| TestCaseError::fail(format!("{mistake:?}\n{text}")))?;
        prop_assert_eq!(&again, &file, "{}", text);
        prop_assert!(text.starts_with("# A comment.\nname = "));
    }

    #[test]
    fn a_plan_is_written_in_one_line(planned in planned()) {
        let line = planned.0.to_line();
        prop_assert!(!line.contains('\n'));
        let file: StudyFile = dbdyno_files::read(&format!("{line}\nname = \"x\"\n")).unwrap();
        prop_assert_eq!(file.planned.unwrap().value, planned);
    }
}

#[test]
fn values_may_be_spelled_in_several_ways() {
    let read = |text: &str| dbdyno_files::read::<StudyFile>(&format!("name = \"x\"\n{text}")).unwrap();
    assert_eq!(
        read("clients = [1500, \"1.5k\", \"1e3\"]").clients,
        List::of([1500, 1500, 1000].map(Clients))
    );
    assert_eq!(read("records = \"1M\"").records, List::of([Count(1_000_000)]));
    assert_eq!(
        read("rates = [1e3, \"2.5k/s\"]").rates,
        List::of([1e3, 2.5e3].map(Rate::PerSecond))
    );
    assert_eq!(read("title = 2013").title, Some(Text::from("2013").into()));
    let nested = read("properties = { hdrhistogram.percentiles = 50, fieldcount = 1.0 }");
    assert_eq!(
        nested.properties.unwrap().value,
        Properties::of([("fieldcount", "1.0"), ("hdrhistogram.percentiles", "50")])
    );
}

#[test]
fn a_line_more_goes_below_the_line_that_names_the_schema() {
    assert_eq!(with_first_line("a = 1\n", "b = 2"), "b = 2\na = 1\n");
    assert_eq!(
        with_first_line("#:schema x.json\na = 1\n", "b = 2"),
        "#:schema x.json\nb = 2\na = 1\n"
    );
}

#[test]
fn a_comment_goes_above_its_table() {
    let text = "[paper]\nid = 1\n\n[paper.records]\n1 = 2\n";
    assert_eq!(
        with_comment_above(text, "[paper.records]", "# Ours first."),
        "[paper]\nid = 1\n\n# Ours first.\n[paper.records]\n1 = 2\n"
    );
    assert_eq!(with_comment_above(text, "[other]", "# No."), text);
}
