//! `single-thread-tautology`: with one client in a closed loop, throughput x mean latency = 1, whatever the database does.

use super::busy::mean_latency_s;
use crate::words::{list, number, plural};
use crate::{Certainty, Finding, Place, Printed, Rule};

/// How near to one the product must be.
const NEAR: std::ops::RangeInclusive<f64> = 0.9..=1.02;

pub fn check(printed: &Printed) -> Vec<Finding> {
    let mut stated = true;
    let mut tables: Vec<String> = Vec::new();
    let mut products: Vec<f64> = Vec::new();
    let mut places: Vec<&Place> = Vec::new();
    for line in &printed.lines {
        let Some(clients) = printed.clients_of(line).filter(|clients| clients.number == 1.0) else {
            continue;
        };
        stated &= clients.stated;
        let (Some(throughput), Some(mean_s)) = (line.throughput, mean_latency_s(line)) else {
            continue;
        };
        let product = (throughput * mean_s).value();
        if NEAR.contains(&product) {
            products.push(product);
            places.push(&line.place);
            if tables.last() != Some(&line.table) {
                tables.push(line.table.clone());
            }
        }
    }
    let (Some(least), Some(most)) = (
        products.iter().copied().reduce(f64::min),
        products.iter().copied().reduce(f64::max),
    ) else {
        return Vec::new();
    };
    let arithmetic = format!(
        "throughput x mean latency is {} in {}{}",
        if number(least) == number(most) {
            number(least)
        } else {
            format!("{} to {}", number(least), number(most))
        },
        plural(products.len(), "line", "lines"),
        if stated {
            ""
        } else {
            ": one client, though the text does not say so"
        }
    );
    let explanation = "one client waits for each answer, so throughput and latency are one figure printed twice, and the server was \
                       never busy: this says nothing about what it can do";
    vec![Finding::new(
        Rule::SingleThreadTautology,
        Certainty::Notice,
        &Place::around(list(&tables), places),
        arithmetic,
        explanation,
    )]
}
