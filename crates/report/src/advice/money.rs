//! Money in advice: which prices stand behind it, and what a system costs against a budget, in words.

use dbdyno_analysis::advice::why::{Spent, SpentBy};

use super::compose::statement;
use super::{Goal, Metric, Need, Per, Statement};
use crate::number::{self, money};
use crate::words::cost::{hour_prices, price};

/// The prices, where the need is about money.
pub fn cautions(need: &Need) -> Vec<Statement> {
    let Some(prices) = need.prices.as_ref().filter(|_| need.is_about_money()) else {
        return Vec::new();
    };
    let mut parts: Vec<String> = Vec::new();
    parts.extend(
        prices
            .usual
            .as_ref()
            .map(|hour| hour_prices(hour, &prices.currency)),
    );
    for (system, own) in &prices.systems {
        let stated = own.hour.as_ref().map(|hour| hour_prices(hour, &prices.currency));
        let nodes = own
            .nodes
            .map(|nodes| number::plural(nodes as usize, "node", "nodes"));
        let all: Vec<String> = stated.into_iter().chain(nodes).collect();
        parts.push(format!("{system}: {}", all.join(", ")));
    }
    let source = if prices.source.is_empty() {
        String::new()
    } else {
        format!(", from {}", prices.source)
    };
    let day = if prices.as_of.is_empty() {
        String::new()
    } else {
        format!(", as of {}", prices.as_of)
    };
    let example = if prices.is_example {
        " They are examples."
    } else {
        ""
    };
    let text = format!(
        "Costs hold for these prices: {}{source}{day}.{example}",
        parts.join("; ")
    );
    vec![statement(text, Vec::new())]
}

/// A goal's metric, with the currency where it is money.
pub fn metric(goal: &Goal, need: &Need) -> String {
    match (&need.prices, goal.metric) {
        (Some(prices), Metric::Cost) => format!("cost in {} per million operations", prices.currency),
        _ => goal.metric.name(),
    }
}

/// What an amount is for: `a month`.
const fn per(per: Per) -> &'static str {
    match per {
        Per::Hour => "an hour",
        Per::Day => "a day",
        Per::Month => "a month",
        Per::Year => "a year",
        Per::Million => "per million operations",
    }
}

/// What a system costs against a budget, as a clause.
pub fn clause(spent: &Spent) -> String {
    let currency = &spent.currency;
    let amount = |value: f64| format!("{} {currency} {}", money(value), per(spent.per));
    let mut parts = vec![match &spent.by {
        SpentBy::Nodes {
            cost,
            nodes,
            measured_nodes,
            node_hour,
        } => format!(
            "{}{} at {} an hour: {}",
            number::plural(*nodes as usize, "node", "nodes"),
            measured_nodes.map_or_else(String::new, |measured| format!(
                " as the prices state, where {measured} {} measured,",
                number::agreeing(&measured, "was", "were")
            )),
            price(*node_hour, currency),
            amount(*cost)
        ),
        SpentBy::Trials {
            range: Some((low, high)),
            kept,
            trials,
            ..
        } => format!(
            "{kept} of {} keep it: {} to {}",
            number::plural(*trials, "trial", "trials"),
            money(*low),
            amount(*high)
        ),
        SpentBy::Trials { .. } => "no trial counts for it".to_owned(),
    }];
    if spent.late > 0 {
        parts.push(format!(
            "the rate was not held in {}",
            number::plural(spent.late, "trial", "trials")
        ));
    }
    parts.join("; ")
}
