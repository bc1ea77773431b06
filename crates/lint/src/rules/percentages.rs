//! `throughput-vs-time` and `percentage-semantics`: the same operations in 1 + t of the time are 1 / (1 + t) of the throughput.

use super::outlier::median;
use crate::words::number;
use crate::{Better, Certainty, Change, Finding, Printed, Rule};

/// Percentage points between two effects that the spread of runs may explain.
const SPREAD: f64 = 3.0;
/// Percentage points between a percentage and what it was made of.
const ROUNDING: f64 = 0.1;
/// The same for one that is printed as a whole number, of times in whole seconds.
const WHOLE: f64 = 1.5;

pub fn check(printed: &Printed) -> Vec<Finding> {
    let tables = printed.changes.chunk_by(|a, b| a.table == b.table);
    tables
        .flat_map(|table| table.iter().flat_map(|change| of_change(change, table)))
        .chain(printed.better.iter().filter_map(of_better))
        .collect()
}

/// "p% better" may mean less time, or more in the same time; it cannot mean p% of the time.
fn of_better(better: &Better) -> Option<Finding> {
    let [slow, fast] = better.times;
    let (less, more) = ((1.0 - fast / slow) * 100.0, (slow / fast - 1.0) * 100.0);
    let is = |percent: f64| (percent - better.percent).abs() <= WHOLE;
    (!is(less) && !is(more)).then(|| Finding {
        rule: Rule::PercentageSemantics,
        place: better.place.clone(),
        certainty: Certainty::Certain,
        arithmetic: format!(
            "{} against {} is {}% less time, or {}% more in the same time; printed: {}% better",
            number(fast),
            number(slow),
            number(less),
            number(more),
            number(better.percent)
        ),
        explanation: if is(fast / slow * 100.0) {
            "the percentage is what one time is of the other, not what it is better by".to_owned()
        } else {
            "the percentage is not that of the numbers beside it".to_owned()
        },
    })
}

fn of_change(change: &Change, table: &[Change]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let implied = (100.0 / (100.0 + change.time_percent) - 1.0) * 100.0;
    if (implied - change.throughput_percent).abs() > SPREAD {
        findings.push(Finding {
            rule: Rule::ThroughputVsTime,
            place: change.place.clone(),
            certainty: Certainty::Likely,
            arithmetic: format!(
                "a run time changed by {}% implies a throughput changed by 1 / {} - 1 = {}%; printed: {}%",
                signed(change.time_percent),
                number(1.0 + change.time_percent / 100.0),
                signed(implied),
                signed(change.throughput_percent)
            ),
            explanation: explained(change, table),
        });
    }
    for (what, values, printed) in [
        ("run time", change.run_time_s, change.time_percent),
        ("throughput", change.throughput, change.throughput_percent),
    ] {
        let computed = (values[1] / values[0] - 1.0) * 100.0;
        if (computed - printed).abs() > ROUNDING {
            findings.push(Finding {
                rule: Rule::PercentageSemantics,
                place: change.place.clone(),
                certainty: Certainty::Certain,
                arithmetic: format!(
                    "{what}: {} / {} - 1 = {}%; printed: {}%",
                    number(values[1]),
                    number(values[0]),
                    signed(computed),
                    signed(printed)
                ),
                explanation: "the percentage is not that of the numbers beside it".to_owned(),
            });
        }
    }
    findings
}

/// Run time x throughput is the number of operations, before and after, and in all rows of a table: who is far from it is
/// to be doubted.
fn explained(change: &Change, table: &[Change]) -> String {
    let operations = |change: &Change| [0, 1].map(|side| change.run_time_s[side] * change.throughput[side]);
    let [before, after] = operations(change);
    let mut all: Vec<f64> = table.iter().flat_map(operations).collect();
    let usual = median(&mut all).unwrap_or(before);
    let [before_off, after_off] = [before, after].map(|operations| (operations / usual - 1.0).abs());
    let doubted = if before_off > after_off { "before" } else { "after" };
    format!(
        "run time x throughput is {} operations before and {} after, and {} in the middle of the table: the figures {doubted} \
         the change are of different runs, or one run decides a mean",
        number(before),
        number(after),
        number(usual)
    )
}

fn signed(percent: f64) -> String {
    format!("{percent:+.2}")
}
