//! Budgets of needs: whole nodes by their price, use trial by trial at the need's rates, and cost as a goal.

use dbdyno_analysis::cost::{HourPrices, Prices};
use dbdyno_report::StudyResults;
use dbdyno_report::advice::{Advice, Budget, Need, Per, RateChoice, RequirementKind, Word};

use crate::common::needs::{advise, goal, need, require};
use crate::common::{FJALL, REDB, WORKLOADS, ask, study};
use crate::cost::{by_node, watched, with};

/// A need of reads, at the rate of its trials where there is one.
fn within(most: f64, per: Per, prices: Option<Prices>) -> Need {
    let mut need = need(vec![goal("reads", "throughput", "c", 1.0)]);
    let budget = Budget {
        most,
        currency: None,
        per,
        place: 0..0,
    };
    need.requirements = vec![require("budget", RequirementKind::Budget(budget))];
    need.prices = prices;
    need
}

fn of(need: &Need, results: &StudyResults) -> Advice {
    advise(need, &[("r", results)]).unwrap()
}

/// How fjall and redb stand to the budget, and why redb does.
fn stand(need: &Need, results: &StudyResults) -> (&'static str, &'static str, String) {
    let advice = of(need, results);
    let row = advice
        .requirements
        .iter()
        .find(|row| row.requirement == "budget")
        .unwrap();
    let redb = &row.systems[1];
    (row.systems[0].compliance, redb.compliance, redb.why.text.clone())
}

/// Trials at 20 000 reads a second, of which redb keeps 0.2 CPUs busy and fjall 0.4.
fn at_a_rate() -> StudyResults {
    let mut results = watched(
        |trial| if trial.system.name == "redb" { 2.0 } else { 4.0 },
        Some(20_000.0),
    );
    for trial in &mut results.trials {
        ask(trial, "rate", "20000");
    }
    results
}

fn of_cpus() -> Prices {
    Prices {
        usual: Some(HourPrices {
            cpu: Some(1.0),
            ..HourPrices::default()
        }),
        ..by_node(1.0)
    }
}

#[test]
fn whole_nodes_are_held_against_a_budget_by_their_price() {
    let results = study("s", &[FJALL, REDB], &WORKLOADS[2..3], 6, 10);
    // 730 hours at 0.1 are 73, and at 0.2 146.
    let prices = || Some(with(by_node(0.1), "redb", 0.2));
    for (most, expected) in [
        (146.0, ("shown", "shown")),
        (73.0, ("shown", "violated")),
        (72.9, ("violated", "violated")),
    ] {
        let (fjall, redb, why) = stand(&within(most, Per::Month, prices()), &results);
        assert_eq!((fjall, redb), expected, "{most}");
        assert_eq!(why, "1 node at 0.2 EUR an hour: 146 EUR a month");
    }
    let (fjall, redb, why) = stand(&within(4.8, Per::Day, prices()), &results);
    assert_eq!(
        (fjall, redb, why.as_str()),
        ("shown", "shown", "1 node at 0.2 EUR an hour: 4.80 EUR a day")
    );
    let nobody = of(&within(1.0, Per::Month, prices()), &results);
    assert_eq!(nobody.word, Word::Nobody);
}

#[test]
fn nodes_that_did_not_carry_the_rate_are_not_shown_to_fit() {
    let mut results = at_a_rate();
    let late = results
        .trials
        .iter_mut()
        .find(|trial| trial.system.name == "redb")
        .unwrap();
    late.measure.as_mut().unwrap().pacing.as_mut().unwrap().sustained = false;
    let (fjall, redb, why) = stand(&within(100.0, Per::Month, Some(by_node(0.1))), &results);
    assert_eq!((fjall, redb), ("shown", "not shown"), "{why}");
    assert!(why.ends_with("the rate was not held in 1 trial"), "{why}");
}

#[test]
fn use_is_held_against_a_budget_at_the_rates_of_the_need() {
    let results = at_a_rate();
    // 0.2 and 0.4 CPUs at 1.00 for 730 hours are 146 and 292.
    let (fjall, redb, why) = stand(&within(200.0, Per::Month, Some(of_cpus())), &results);
    assert_eq!((fjall, redb), ("violated", "shown"), "{why}");
    assert_eq!(why, "8 of 8 trials keep it: 146 to 146 EUR a month");
    // 20 000/s are 72 million an hour, for 0.2 and 0.4.
    let (fjall, redb, why) = stand(&within(0.004, Per::Million, Some(of_cpus())), &results);
    assert_eq!((fjall, redb), ("violated", "shown"), "{why}");

    let unlimited = watched(|_| 4.0, None);
    let (fjall, redb, why) = stand(&within(200.0, Per::Month, Some(of_cpus())), &unlimited);
    assert_eq!((fjall, redb), ("not shown", "not shown"));
    assert!(why.contains("depends on the load"), "{why}");
}

#[test]
fn what_has_no_price_is_not_shown() {
    let results = study("s", &[FJALL, REDB], &WORKLOADS[2..3], 6, 10);
    let (_, redb, why) = stand(&within(1.0, Per::Month, None), &results);
    assert_eq!(
        (redb, why.starts_with("there are no prices")),
        ("not shown", true),
        "{why}"
    );
    let storage = Prices {
        usual: Some(HourPrices {
            storage_gib: Some(1.0),
            ..HourPrices::default()
        }),
        ..by_node(1.0)
    };
    let (_, redb, why) = stand(&within(1.0, Per::Million, Some(storage)), &results);
    assert_eq!(redb, "not shown");
    assert!(why.starts_with("space on disk was not measured"), "{why}");
}

#[test]
fn the_goal_cost_prefers_who_is_cheaper() {
    let results = study("s", &[FJALL, REDB], &WORKLOADS[2..3], 6, 10);
    let mut need = need(vec![goal("money", "cost", "c", 1.0)]);
    // redb reads 1.6 times as fast.
    need.prices = Some(by_node(0.1));
    let same = of(&need, &results);
    assert_eq!((same.word, same.systems[0].as_str()), (Word::Recommend, "redb"));
    need.prices = Some(with(by_node(0.1), "redb", 0.3));
    let dear = of(&need, &results);
    assert_eq!((dear.word, dear.systems[0].as_str()), (Word::Recommend, "fjall"));
    assert!(
        dear.goals[0]
            .measured
            .starts_with("cost in EUR per million operations")
    );
    assert!(dear.cautions.iter().any(|caution| {
        caution.text == "Costs hold for these prices: 0.1 EUR a node-hour; redb: 0.3 EUR a node-hour, from a price list, as of 2026-06-17. They are examples."
    }), "{:?}", dear.cautions);
    need.prices = None;
    let none = of(&need, &results);
    assert!(
        none.goals[0]
            .unjudged
            .as_ref()
            .unwrap()
            .contains("it takes a price")
    );
    assert_eq!(need.goals[0].work.rate, None::<RateChoice>);
}
