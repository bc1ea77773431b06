//! `throughput-vs-time` and `percentage-semantics`: the same operations in 1 + t of the time are 1 / (1 + t) of the throughput.

use super::outlier::median;
use crate::words::number;
use crate::{Better, Certainty, Change, Figure, Finding, OfChange, Printed, Rule, Side};

/// Percentage points between two effects that the spread of runs may explain.
const SPREAD: f64 = 3.0;
/// Percentage points that a percentage may be off by for having been computed from longer numbers than the printed ones.
const ROUNDING: f64 = 0.1;
const WRONG: &str = "the percentage is not that of the numbers beside it";
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
    let part = fast / slow * 100.0;
    let less = Figure::exact(100.0) + part * -1.0;
    let more = slow / fast * 100.0 + Figure::exact(-100.0);
    let is = |percent: Figure| percent.agrees(better.percent);
    (!is(less) && !is(more)).then(|| {
        let arithmetic = format!(
            "{} against {} is {}% less time, or {}% more in the same time; printed: {}% better",
            number(fast.value()),
            number(slow.value()),
            number(less.value()),
            number(more.value()),
            number(better.percent.value())
        );
        let explanation = if is(part) {
            "the percentage is one time as a share of the other, not the improvement"
        } else {
            WRONG
        };
        Finding::new(
            Rule::PercentageSemantics,
            Certainty::Certain,
            &better.place,
            arithmetic,
            explanation,
        )
    })
}

fn of_change(change: &Change, table: &[Change]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let (time, throughput) = (change.time_percent, change.throughput_percent);
    let implied = |percent: f64| (100.0 / (100.0 + percent) - 1.0) * 100.0;
    let off = implied(time.value()) - throughput.value();
    if off.abs() > SPREAD {
        let arithmetic = format!(
            "a run time changed by {}% implies a throughput changed by 1 / {} - 1 = {}%; printed: {}%",
            signed(time.value()),
            number(1.0 + time.value() / 100.0),
            signed(implied(time.value())),
            signed(throughput.value())
        );
        let (side, usual, explanation) = doubted(change, table);
        let [run_time_s, rate] =
            [change.run_time_s, change.throughput].map(|sides| sides[side as usize].value());
        let finding = Finding::new(
            Rule::ThroughputVsTime,
            Certainty::Likely,
            &change.place,
            arithmetic,
            explanation,
        );
        findings.push(
            finding
                .doubting(OfChange::ThroughputPercent, Some(implied(time.value())))
                .doubting(OfChange::TimePercent, Some(implied(throughput.value())))
                .doubting(OfChange::RunTime(side), Some(usual / rate))
                .doubting(OfChange::Throughput(side), Some(usual / run_time_s)),
        );
    }
    for (what, doubted, values, printed) in [
        ("run time", OfChange::TimePercent, change.run_time_s, time),
        (
            "throughput",
            OfChange::ThroughputPercent,
            change.throughput,
            throughput,
        ),
    ] {
        let computed = values[1] / values[0] * 100.0 + Figure::exact(-100.0);
        if !computed.agrees(printed.give(ROUNDING)) {
            let arithmetic = format!(
                "{what}: {} / {} - 1 = {}%; printed: {}%",
                number(values[1].value()),
                number(values[0].value()),
                signed(computed.value()),
                signed(printed.value())
            );
            let finding = Finding::new(
                Rule::PercentageSemantics,
                Certainty::Certain,
                &change.place,
                arithmetic,
                WRONG,
            );
            findings.push(finding.doubting(doubted, Some(computed.value())));
        }
    }
    findings
}

/// Run time x throughput is the number of operations, before and after, and in all rows of a table: who is far from it is
/// to be doubted.
/// The doubted side, the usual number of operations, and why.
fn doubted(change: &Change, table: &[Change]) -> (Side, f64, String) {
    let operations =
        |change: &Change| [0, 1].map(|side| (change.run_time_s[side] * change.throughput[side]).value());
    let [before, after] = operations(change);
    let mut all: Vec<f64> = table.iter().flat_map(operations).collect();
    let usual = median(&mut all).unwrap_or(before);
    let [before_off, after_off] = [before, after].map(|operations| (operations / usual - 1.0).abs());
    let side = if after_off >= before_off {
        Side::After
    } else {
        Side::Before
    };
    let explanation = format!(
        "run time x throughput is {} operations before and {} after, and {} in the middle of the table: the figures {} \
         the change come from different runs, or one run decides a mean",
        number(before),
        number(after),
        number(usual),
        side
    );
    (side, usual, explanation)
}

fn signed(percent: f64) -> String {
    format!("{percent:+.2}")
}
