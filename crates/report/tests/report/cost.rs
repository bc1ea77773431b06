//! Money per operation: figures that were calculated by hand, verdicts that follow from intervals alone, and honest gaps.

use dbdyno_analysis::cost::{Amount, HourPrices, Prices, Pricing, Resource, SystemPrices, Unpriced};
use dbdyno_record::{OperationRecord, ServerCost, TrialRecord};
use dbdyno_report::model::{CellCost, Cost, CostRate, Metric, Word};
use dbdyno_report::{Render, ReportModel, StudyResults, Style, csv, json};
use proptest::prelude::*;

use crate::common::rising::{capacity_study, sweep_study};
use crate::common::{Engine, FJALL, REDB, SQLITE, TrialPlan, WORKLOADS, ask, results, study, trial};

const GIB: u64 = 1 << 30;

/// A node for an hour costs this much.
pub fn by_node(price: f64) -> Prices {
    Prices {
        currency: "EUR".to_owned(),
        source: "a price list".to_owned(),
        as_of: "2026-06-17".to_owned(),
        is_example: true,
        usual: Some(HourPrices {
            node: Some(price),
            ..HourPrices::default()
        }),
        systems: [].into(),
    }
}

pub fn with(mut prices: Prices, system: &str, node: f64) -> Prices {
    let hour = HourPrices {
        node: Some(node),
        ..HourPrices::default()
    };
    let own = SystemPrices {
        hour: Some(hour),
        nodes: None,
    };
    prices.systems.insert(system.to_owned(), own);
    prices
}

/// CPU, memory and disk cost this much.
pub fn by_use() -> Prices {
    Prices {
        usual: Some(HourPrices {
            node: None,
            cpu: Some(0.04),
            memory_gib: Some(0.005),
            storage_gib: Some(0.0001),
        }),
        ..by_node(1.0)
    }
}

/// A trial of 500 operations a second for ten seconds, on servers that the lab watched.
fn known() -> TrialRecord {
    let mut known = trial(&TrialPlan {
        study: "s",
        engine: &FJALL,
        mix: &WORKLOADS[2],
        block: 0,
        position: 0,
        seconds: 10,
        rate: None,
    });
    known.system.nodes = Some(3);
    let measure = known.measure.as_mut().unwrap();
    let reads = OperationRecord {
        ok: 5000,
        ..OperationRecord::default()
    };
    measure.operations = [("read".to_owned(), reads)].into();
    measure.server = Some(ServerCost {
        cpu_seconds: 5.0,
        resident_bytes: 2 * GIB,
        disk_bytes: Some(10 * GIB),
        written_bytes: Some(5_000_000),
        ..ServerCost::default()
    });
    known
}

/// Rates of trials that the lab's servers took part in.
pub fn watched(cpu_seconds: impl Fn(&TrialRecord) -> f64, rate: Option<f64>) -> StudyResults {
    let mut trials = Vec::new();
    for block in 0..8 {
        for (index, engine) in [FJALL, REDB].iter().enumerate() {
            let mut one = trial(&TrialPlan {
                study: "s",
                engine,
                mix: &WORKLOADS[2],
                block,
                position: block * 2 + index as u32,
                seconds: 10,
                rate,
            });
            one.system.nodes = Some(1);
            let cpu_seconds = cpu_seconds(&one);
            one.measure.as_mut().unwrap().server = Some(ServerCost {
                cpu_seconds,
                resident_bytes: GIB,
                disk_bytes: Some(GIB),
                ..ServerCost::default()
            });
            trials.push(one);
        }
    }
    results("s", trials)
}

fn priced(mut results: StudyResults, prices: Prices) -> ReportModel {
    results.prices = Some(prices);
    ReportModel::build(&results)
}

fn cost(model: &ReportModel) -> &Cost {
    model.cost.as_ref().unwrap()
}

fn of<'c>(cell: &'c CellCost, engine: &Engine) -> &'c dbdyno_analysis::cost::SystemCost {
    cell.systems
        .iter()
        .find(|system| system.system == engine.name)
        .unwrap()
}

fn close(one: f64, other: f64) {
    assert!((one / other - 1.0).abs() < 1e-9, "{one} is not {other}");
}

#[test]
fn whole_nodes_cost_what_was_calculated_by_hand() {
    // Three nodes at 0.60 are 1.80 an hour; 500/s are 1 800 000 operations an hour: a million for one unit of money.
    let pricing = Pricing::of(&by_node(0.6), &["fjall"], Some(3)).unwrap();
    let trial = known();
    assert_eq!(pricing.fixed_per_hour(), Some(0.6 * 3.0));
    close(pricing.per_hour(&trial).unwrap(), 1.8);
    close(pricing.operations_per_unit(&trial).unwrap(), 1e6);
    close(dbdyno_analysis::cost::pricing::per_million(1e6), 1.0);
}

#[test]
fn what_is_used_costs_what_was_calculated_by_hand() {
    // Half a CPU at 0.04, 2 GiB at 0.005 and 10 GiB at 0.0001 are 0.02 + 0.01 + 0.001 an hour, for 1 800 000 operations.
    let pricing = Pricing::of(&by_use(), &["fjall"], Some(3)).unwrap();
    let mut trial = known();
    assert_eq!(pricing.fixed_per_hour(), None, "it depends on what is used");
    close(pricing.per_hour(&trial).unwrap(), 0.031);
    close(
        pricing.operations_per_unit(&trial).unwrap(),
        58_064_516.129_032_26,
    );
    trial
        .measure
        .as_mut()
        .unwrap()
        .server
        .as_mut()
        .unwrap()
        .disk_bytes = None;
    let unknown = Err(Unpriced::NotMeasured(Resource::Storage));
    assert_eq!(pricing.per_hour(&trial), unknown);
    trial.measure.as_mut().unwrap().server = None;
    assert_eq!(
        pricing.per_hour(&trial),
        Err(Unpriced::NotMeasured(Resource::Cpu)),
        "the client of a server is not the server"
    );
}

#[test]
fn nodes_come_from_the_topology_unless_the_prices_state_them() {
    let mut prices = by_node(0.5);
    assert_eq!(
        Pricing::of(&prices, &["a"], Some(0)).unwrap().nodes,
        Some(1),
        "the process runs on one"
    );
    assert_eq!(Pricing::of(&prices, &["a"], None), Err(Unpriced::UnknownNodes));
    let own = SystemPrices {
        hour: None,
        nodes: Some(4),
    };
    prices.systems.insert("a".to_owned(), own);
    for names in [&["a"][..], &["a (A/A)", "a"], &["a security=tls", "a"]] {
        assert_eq!(
            Pricing::of(&prices, names, None).unwrap().fixed_per_hour(),
            Some(2.0)
        );
    }
    prices.usual = None;
    assert_eq!(Pricing::of(&prices, &["a"], Some(3)), Err(Unpriced::NoPrice));
}

#[test]
fn a_price_for_other_nodes_than_were_measured_says_so() {
    let page = |nodes: Option<u32>| {
        let mut prices = by_node(0.5);
        let own = SystemPrices { hour: None, nodes };
        prices.systems.insert("redb".to_owned(), own);
        priced(watched(|_| 1.0, None), prices).text(Style::plain(120))
    };
    assert!(
        page(Some(3)).contains("3 paid for, 1 measured"),
        "{}",
        page(Some(3))
    );
    for same in [None, Some(1)] {
        assert!(!page(same).contains("paid for"), "{}", page(same));
    }
}

#[test]
fn a_cell_shows_its_throughput_in_another_unit() {
    let model = priced(study("s", &[FJALL, REDB], &WORKLOADS[..1], 8, 10), by_node(0.36));
    let cell = &cost(&model).cells[0];
    assert_eq!(cell.rate, CostRate::FullSpeed);
    let own = model.cells[0]
        .systems
        .iter()
        .find(|system| system.name == "redb")
        .unwrap();
    let throughput = &own.throughput.as_ref().unwrap().estimate;
    let (operations, million) = (
        of(cell, &REDB).operations_per_unit.unwrap(),
        of(cell, &REDB).per_million.unwrap(),
    );
    // 3600 seconds for 0.36.
    close(operations.value, throughput.median * 10_000.0);
    let ends = |amount: Amount| amount.interval.unwrap().ends();
    let interval = throughput.interval.unwrap();
    close(ends(operations).0, interval.low * 10_000.0);
    close(ends(million).0, 100.0 / interval.high);
    close(ends(million).1, 100.0 / interval.low);
    close(million.value, 100.0 / throughput.median);
}

/// Pairs of systems, each with its verdict.
type Verdicts = Vec<(String, String, Word)>;

/// Every pair of a cost section with its verdict, and every pair of throughput.
fn verdicts(model: &ReportModel) -> (Verdicts, Verdicts) {
    let costs = cost(model).cells.iter().flat_map(|cell| &cell.comparisons);
    let costs = costs.map(|own| (own.a.clone(), own.b.clone(), own.word));
    let throughputs = model.cells.iter().flat_map(|cell| &cell.comparisons);
    let throughputs = throughputs.filter(|own| own.metric == Metric::Throughput);
    let throughputs = throughputs.map(|own| (own.a.clone(), own.b.clone(), own.word));
    (costs.collect(), throughputs.collect())
}

/// The same with a twin of fjall that is 3% slower in every trial.
fn with_a_twin(mut results: StudyResults) -> StudyResults {
    let originals = results.trials.iter().filter(|trial| trial.system.name == "fjall");
    let twins: Vec<TrialRecord> = originals
        .map(|original| {
            let mut twin = original.clone();
            twin.trial = format!("{}-twin", original.trial);
            twin.system.name = "fjall (A/A)".to_owned();
            twin.spec.system.name.clone_from(&twin.system.name);
            for operation in twin.measure.as_mut().unwrap().operations.values_mut() {
                operation.ok = operation.ok * 97 / 100;
            }
            twin
        })
        .collect();
    results.trials.extend(twins);
    results
}

#[test]
fn one_price_for_all_gives_the_verdicts_of_throughput() {
    let alone = study("s", &[FJALL, REDB, SQLITE], &WORKLOADS[..3], 8, 10);
    // A twin that differs from its original widens all intervals: those of costs as well.
    for (results, is_decided) in [(with_a_twin(alone.clone()), false), (alone, true)] {
        let model = priced(results, by_node(0.36));
        let (costs, throughputs) = verdicts(&model);
        assert_eq!(costs, throughputs);
        let decided = costs.iter().any(|(.., word)| *word == Word::Faster);
        assert_eq!((costs.len(), decided), (9, is_decided), "{costs:?}");
        let cost = &cost(&model).cells[0].comparisons[0];
        let throughput = &model.cells[0].comparisons[0];
        close(cost.ratio, throughput.ratio);
        close(cost.interval.unwrap().low, throughput.interval.unwrap().low);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn doubling_all_prices_doubles_the_money_and_decides_nothing_else(cents in 1..100_000_u32, own in 1..1000_u32) {
        let results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 8, 10);
        let price = f64::from(cents) / 1000.0;
        let own = price * f64::from(own) / 100.0;
        let one = priced(results.clone(), with(by_node(price), "redb", own));
        let two = priced(results, with(by_node(2.0 * price), "redb", 2.0 * own));
        prop_assert_eq!(verdicts(&one).0, verdicts(&two).0);
        for (one, two) in cost(&one).cells[0].systems.iter().zip(&cost(&two).cells[0].systems) {
            let (one, two) = (one.per_million.unwrap(), two.per_million.unwrap());
            prop_assert!((two.value / one.value / 2.0 - 1.0).abs() < 1e-9);
            let (one, two) = (one.interval.unwrap(), two.interval.unwrap());
            prop_assert!((two.low / one.low / 2.0 - 1.0).abs() < 1e-9);
        }
    }
}

#[test]
fn a_higher_price_turns_the_verdict_and_an_equal_cost_has_none() {
    let slower_and_cheap = || study("s", &[FJALL, REDB], &WORKLOADS[2..3], 8, 10);
    // redb reads 655/412 times as fast as fjall.
    let first = |prices: Prices| {
        let model = priced(slower_and_cheap(), prices);
        let found = cost(&model).cells[0].comparisons[0].clone();
        (found.a.clone(), found.word, found)
    };
    let (cheapest, word, found) = first(by_node(1.0));
    assert_eq!((cheapest.as_str(), word), ("redb", Word::Faster));
    let interval = found.interval.unwrap();
    assert!(
        interval.low < 655.0 / 412.0 && 655.0 / 412.0 < interval.high,
        "{found:?}"
    );
    let (cheapest, word, turned) = first(with(by_node(1.0), "redb", 10.0));
    assert_eq!((cheapest.as_str(), word), ("fjall", Word::Faster));
    close(turned.ratio, 10.0 / found.ratio);
    close(turned.interval.unwrap().low, 10.0 / interval.high);
    let (_, word, _) = first(with(by_node(1.0), "redb", found.ratio));
    assert!(!word.is_difference(), "{word:?}");
}

#[test]
fn nodes_at_one_rate_cost_their_price_and_busy_cpus_what_they_do() {
    let busy = |trial: &TrialRecord| if trial.system.name == "redb" { 2.0 } else { 4.0 };
    let of_nodes = priced(watched(busy, Some(20_000.0)), by_node(0.72));
    let cell = &cost(&of_nodes).cells[0];
    assert_eq!((cell.rate, cell.comparisons.len()), (CostRate::OneRate, 0));
    // 20 000/s for an hour at 0.72 are 0.01 for a million.
    close(of(cell, &FJALL).per_million.unwrap().value, 0.01);
    let text = of_nodes.text(Style::plain(120));
    assert!(
        text.contains("A node costs the same whether it is busy or idle."),
        "{text}"
    );

    let cpu_alone = HourPrices {
        cpu: Some(0.36),
        ..HourPrices::default()
    };
    let of_cpus = priced(
        watched(busy, Some(20_000.0)),
        Prices {
            usual: Some(cpu_alone),
            ..by_node(1.0)
        },
    );
    let cell = &cost(&of_cpus).cells[0];
    // 0.2 CPUs at 0.36 are 0.072 an hour, a tenth of the node above.
    close(of(cell, &REDB).per_million.unwrap().value, 0.001);
    let found = &cell.comparisons[0];
    assert_eq!((found.a.as_str(), found.word), ("redb", Word::Faster));
    close(found.ratio, 2.0);
}

#[test]
fn without_prices_a_page_shows_cpu_time_and_bytes_where_they_were_measured() {
    let model = ReportModel::build(&watched(|_| 4.0, None));
    let page = model.html();
    assert!(page.contains("CPU per million operations") && page.contains("on disk per record"));
    assert!(
        !model
            .text(Style::plain(120))
            .contains("CPU per million operations")
    );
    let embedded = ReportModel::build(&study("s", &[FJALL, REDB], &WORKLOADS[..1], 8, 10));
    assert!(embedded.cost.is_none());
    let mut mixed = watched(|_| 4.0, None);
    let others = mixed
        .trials
        .iter_mut()
        .filter(|trial| trial.system.name == "redb");
    others.for_each(|trial| trial.measure.as_mut().unwrap().server = None);
    let page = ReportModel::build(&mixed).html();
    assert!(page.contains("not measured"), "{page}");
}

#[test]
fn capacity_has_a_cost_and_its_verdict_is_that_of_the_interval() {
    let prices = || with(by_node(0.36), "redb", 3.6);
    let model = priced(capacity_study(), prices());
    let at = &cost(&model).rising_load[0];
    let redb = at.systems.iter().find(|system| system.system == "redb").unwrap();
    let capacity = model.rising_load.as_ref().unwrap().cells[0].systems.iter();
    let capacity = capacity
        .clone()
        .find(|system| system.name == "redb")
        .unwrap()
        .capacity
        .clone()
        .unwrap();
    close(
        redb.operations_per_unit.unwrap().value,
        capacity.estimate.unwrap() * 1000.0,
    );
    close(
        redb.per_million.unwrap().interval.unwrap().high,
        1e6 / (capacity.interval.unwrap().low * 1000.0),
    );
    let found = &at.comparisons[0];
    assert_eq!(
        (found.a.as_str(), found.b.as_str(), found.word),
        ("fjall", "redb", Word::Faster)
    );
    let text = model.text(Style::plain(140));
    assert!(text.contains("fjall is cheapest. redb costs"), "{text}");
    let sweep = priced(sweep_study(), prices());
    assert!(
        cost(&sweep).rising_load[0]
            .systems
            .iter()
            .any(|system| system.per_million.is_some())
    );
}

/// The section as Markdown.
fn section(model: &ReportModel) -> String {
    let text = model.markdown();
    let (_, from) = text.split_once("## Cost\n").unwrap_or_else(|| panic!("{text}"));
    let end = from.find("\n## ").unwrap_or(from.len());
    from[..end].to_owned()
}

#[test]
fn the_section_reads_well() {
    let mut results = study("s", &[FJALL, REDB, SQLITE], &WORKLOADS[..1], 8, 10);
    let at_a_rate = study_at_a_rate(20_000.0);
    results.trials.extend(at_a_rate);
    insta::assert_snapshot!(section(&priced(
        results.clone(),
        with(by_node(0.0816), "redb", 0.1632)
    )));
    insta::assert_snapshot!(section(&priced(results, by_use())));
}

fn study_at_a_rate(rate: f64) -> Vec<TrialRecord> {
    let mut trials = Vec::new();
    for block in 0..8 {
        for (index, engine) in [FJALL, REDB, SQLITE].iter().enumerate() {
            let mut one = trial(&TrialPlan {
                study: "s",
                engine,
                mix: &WORKLOADS[0],
                block,
                position: 100 + block * 3 + index as u32,
                seconds: 10,
                rate: Some(rate),
            });
            ask(&mut one, "rate", &rate.to_string());
            trials.push(one);
        }
    }
    trials
}

#[test]
fn programs_read_the_costs_of_trials_and_cells() {
    let mut results = study("s", &[FJALL, REDB], &WORKLOADS[..1], 2, 10);
    results.prices = Some(by_node(0.36));
    let table = csv(&results);
    let rows: Vec<&str> = table.lines().filter(|line| line.contains("cost.")).collect();
    assert_eq!(rows.len(), 3 * results.trials.len(), "{rows:?}");
    assert!(
        rows.iter().any(|row| row.ends_with("cost.per_hour,0.36,EUR/h")),
        "{rows:?}"
    );
    let model: serde_json::Value = serde_json::from_str(&json(&ReportModel::build(&results))).unwrap();
    assert_eq!(model["cost"]["prices"]["currency"], "EUR");
    assert_eq!(model["cost"]["prices"]["systems"][0]["nodes"], 1);
    assert!(
        model["cost"]["cells"][0]["systems"][0]["per_million"]["value"]
            .as_f64()
            .unwrap()
            > 0.0
    );
    results.prices = None;
    assert!(!csv(&results).contains("cost."));
}

#[test]
fn figures_papers_and_summaries_show_who_is_cheapest() {
    let mut results = study("s", &[FJALL, REDB, SQLITE], &WORKLOADS[..1], 8, 10);
    results.trials.extend(study_at_a_rate(20_000.0));
    let model = priced(results.clone(), with(by_node(0.0816), "redb", 0.1632));
    let figures = model.figures();
    let figure = figures
        .iter()
        .find(|figure| figure.name.contains("cost-ratio"))
        .unwrap();
    insta::assert_snapshot!(figure.csv);
    let latex = model.latex();
    let (_, tables) = latex.split_once("Cost of operations").unwrap();
    insta::assert_snapshot!(tables);
    let summary = model.brief();
    let (_, sentences) = summary.split_once("**Cost, ").unwrap();
    insta::assert_snapshot!(sentences);

    results.prices = None;
    let model = ReportModel::build(&results);
    assert!(
        !model
            .figures()
            .iter()
            .any(|figure| figure.name.contains("cost-ratio"))
    );
    assert!(!model.latex().contains("Cost of operations") && !model.brief().contains("Cost, "));
}
