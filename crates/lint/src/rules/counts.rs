//! `counts`, `rate-exceeded` and `copied`: numbers of operations that do not add up, that the stated rate does not allow, or that two
//! results share to the last digit.

use std::collections::HashMap;

use super::busy::TOLERANCE;
use crate::words::{list, number};
use crate::{Certainty, Figure, Finding, Line, OfKind, Part, Printed, Quantity, Rule};

/// Standard deviations by which random arrivals may exceed their rate.
const CHANCE: f64 = 4.0;
/// Figures that two results must share to be copies; one system does not repeat three of them to the last digit.
const SAME: usize = 3;
/// A number with fewer significant digits is shared by chance.
const DIGITS: usize = 4;

pub fn check(printed: &Printed) -> Vec<Finding> {
    let lines = printed.lines.iter();
    lines
        .flat_map(|line| of_kinds(line).into_iter().chain(of_total(line)))
        .collect()
}

/// `Return=OK` against `Operations`: what succeeded is what has a latency.
fn of_kinds(line: &Line) -> Vec<Finding> {
    let of_part = |part: &Part| {
        let (count, succeeded) = (part.count?, part.succeeded?);
        let wrong = if part.counts_successes {
            !count.agrees(succeeded)
        } else {
            succeeded.low() > count.high()
        };
        wrong.then(|| {
            let arithmetic = format!(
                "{} operations, {} that succeeded",
                number(count.value()),
                number(succeeded.value())
            );
            let explanation = "both numbers describe the same operations";
            let place = line.place.part(&part.kind);
            Finding::new(Rule::Counts, Certainty::Certain, &place, arithmetic, explanation).doubting_in(
                &line.place,
                OfKind::Count.of(&part.kind),
                None,
            )
        })
    };
    line.parts.iter().filter_map(of_part).collect()
}

/// The kinds' operations against all of them.
fn of_total(line: &Line) -> Option<Finding> {
    let operations = line.operations?;
    let counts = || {
        line.parts
            .iter()
            .filter_map(|part| Some((part.kind.as_str(), part.count?)))
    };
    let sum = counts().fold(Figure::exact(0.0), |sum, (_, count)| sum + count);
    let again = counts()
        .filter(|(kind, _)| *kind == "read_modify_write")
        .fold(0.0, |sum, (_, count)| sum + count.value());
    let slack = operations.value() * TOLERANCE;
    // YCSB counts the halves of read-modify-writes with the reads and with the updates, too.
    let least = sum.low() - 2.0 * again - slack;
    if least > operations.high() {
        let terms: Vec<String> = counts()
            .map(|(kind, count)| format!("{} ({kind})", number(count.value())))
            .collect();
        let arithmetic = format!(
            "{} = {}, of {} operations",
            terms.join(" + "),
            number(sum.value()),
            number(operations.value())
        );
        let explanation = "the kinds have more operations than there are in all";
        let finding = Finding::new(
            Rule::Counts,
            Certainty::Certain,
            &line.place,
            arithmetic,
            explanation,
        );
        return Some(finding.doubting(Quantity::Operations, Some(sum.value())));
    }
    (counts().count() > 1 && sum.high() + slack < operations.low()).then(|| {
        let arithmetic = format!(
            "the kinds add up to {} of {} operations",
            number(sum.value()),
            number(operations.value())
        );
        let explanation = "the others failed, or are of a kind that is not printed";
        Finding::new(
            Rule::Counts,
            Certainty::Notice,
            &line.place,
            arithmetic,
            explanation,
        )
    })
}

/// With a rate, N operations take at least N over the rate.
pub fn rate_exceeded(printed: &Printed) -> Vec<Finding> {
    printed
        .lines
        .iter()
        .filter_map(|line| of_rate(printed, line))
        .collect()
}

fn of_rate(printed: &Printed, line: &Line) -> Option<Finding> {
    let rate = line.rate?;
    let operations = printed.operations_of(line);
    let slack = 1.0 + TOLERANCE + operations.map_or(0.0, |operations| CHANCE / operations.value().sqrt());
    let (what, reached) = match (line.throughput, line.run_time_s, operations) {
        (Some(throughput), ..) => (
            format!("{} operations a second", number(throughput.value())),
            throughput,
        ),
        (None, Some(time), Some(operations)) => (
            format!(
                "{} operations in {} s, {} a second",
                number(operations.value()),
                number(time.value()),
                number((operations / time).value())
            ),
            operations / time,
        ),
        _ => return None,
    };
    (reached.low() > rate.high() * slack).then(|| {
        let least = operations.map_or_else(String::new, |operations| {
            format!(
                "; at that rate {} operations take {} s",
                number(operations.value()),
                number((operations / rate).value())
            )
        });
        let arithmetic = format!("{what}, where {} were requested{least}", number(rate.value()));
        let explanation = "clients limited to a rate cannot exceed it: the rate, the count or the time belongs to another run";
        let finding = Finding::new(Rule::RateExceeded, Certainty::Likely, &line.place, arithmetic, explanation);
        finding.doubting(Quantity::Throughput, Some(rate.value()))
    })
}

/// Two lines, of one author or of several files, that are one.
pub fn copied(printed: &Printed) -> Vec<Finding> {
    let mut seen: HashMap<Vec<String>, &Line> = HashMap::new();
    let mut findings = Vec::new();
    for line in &printed.lines {
        let own = figures(line);
        if own.len() < SAME {
            continue;
        }
        if let Some(other) = seen.get(&own) {
            let arithmetic = format!("the same numbers as in {}: {}", other.place, list(&own));
            let explanation =
                "two runs do not agree to the last digit: one of them was copied, or counted twice";
            findings.push(Finding::new(
                Rule::Copied,
                Certainty::Likely,
                &line.place,
                arithmetic,
                explanation,
            ));
        } else {
            seen.insert(own, line);
        }
    }
    findings
}

/// What was measured, as far as it has digits enough; counts are what was asked for.
fn figures(line: &Line) -> Vec<String> {
    let of_line = [
        ("s", line.run_time_s),
        ("ops/s", line.throughput),
        ("us", line.all.mean_latency_us),
    ];
    let of_parts = line.parts.iter().flat_map(|part| {
        let percentiles = part.percentiles_us.iter().map(|(_, value)| ("us", Some(*value)));
        [("us", part.mean_latency_us), ("us", part.max_latency_us)]
            .into_iter()
            .chain(percentiles)
    });
    let values = of_line.into_iter().chain(of_parts);
    values
        .filter_map(|(unit, value)| {
            let text = value?.value().to_string();
            let significant = text
                .trim_start_matches(['0', '.'])
                .trim_end_matches(['0', '.'])
                .chars()
                .filter(char::is_ascii_digit)
                .count();
            (significant >= DIGITS).then(|| format!("{text} {unit}"))
        })
        .collect()
}
