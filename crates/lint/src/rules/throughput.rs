//! `ops-over-time` and `hidden-variance`. Over runs of N operations each, with run times T and throughputs X = N / T,
//! mean(X) x mean(T) / N = mean(1 / T) x mean(T). That is 1 where all runs took as long, never less (Jensen's inequality),
//! and about 1 + CV^2 where their times have the coefficient of variation CV (method.md, section 1). It is less where operations that failed
//! are no throughput, or where runs had different numbers of operations.

use crate::words::{number, whole_share};
use crate::{Certainty, Figure, Finding, Line, Printed, Quantity, Rule};

/// Below one by so much is more than how a tool rounds in between.
const ROUNDING: f64 = 0.005;
/// Run times of one thing on one machine that differ by more than this are no spread but an error, or a disturbance that
/// would have to be stated.
const LARGEST_SPREAD: f64 = 0.5;
/// A spread that a reader would want to know.
const SMALLEST_SPREAD: f64 = 0.05;
/// What a mean hides from its reader.
pub const UNTOLD_SPREAD: &str = "a mean alone does not show how far the runs differ";

pub fn check(printed: &Printed) -> Vec<Finding> {
    let runs = printed.protocol.runs;
    printed
        .lines
        .iter()
        .filter_map(|line| of_line(line, runs))
        .collect()
}

fn of_line(line: &Line, runs: Option<u32>) -> Option<Finding> {
    let (operations, time, throughput) = (line.operations?, line.run_time_s?, line.throughput?);
    let ratio = throughput * time / operations;
    // The least that the digits allow.
    let spread = (ratio.low() - 1.0).max(0.0).sqrt();
    let mut arithmetic = format!(
        "{} operations / {} s = {} a second; printed: {}, {} times as much",
        number(operations.value()),
        number(time.value()),
        number((operations / time).value()),
        number(throughput.value()),
        number(ratio.value()),
    );
    let single = runs == Some(1);
    let (rule, certainty, explanation) = if ratio.high() < 1.0 - ROUNDING {
        // Operations that failed are no throughput.
        let succeeded = line.all.succeeded.or_else(|| {
            let counts: Option<Vec<Figure>> = line.parts.iter().map(|part| part.succeeded).collect();
            counts?.into_iter().reduce(|sum, count| sum + count)
        });
        if succeeded.is_some_and(|succeeded| {
            (throughput * time / succeeded)
                .give(ROUNDING)
                .agrees(Figure::exact(1.0))
        }) {
            return None;
        }
        let words =
            "some of these operations failed or are not counted, or the numbers come from different runs";
        (Rule::OpsOverTime, Certainty::Likely, words)
    } else if single && ratio.low() > 1.0 + ROUNDING {
        let words = "these are numbers of one run, so they must be equal";
        (Rule::OpsOverTime, Certainty::Certain, words)
    } else if spread > LARGEST_SPREAD {
        arithmetic.push_str(&format!(
            "; that takes runs whose times differ by {}",
            percent(spread)
        ));
        let words = "more likely a misprint, or the throughput of other runs";
        (Rule::OpsOverTime, Certainty::Likely, words)
    } else if spread > SMALLEST_SPREAD && !single {
        arithmetic.push_str(&format!(
            "; that takes runs whose times differ by about {}",
            percent(spread)
        ));
        (Rule::HiddenVariance, Certainty::Notice, UNTOLD_SPREAD)
    } else {
        return None;
    };
    let finding = Finding::new(rule, certainty, &line.place, arithmetic, explanation);
    Some(
        finding
            .doubting(Quantity::Throughput, Some((operations / time).value()))
            .doubting(Quantity::RunTime, Some((operations / throughput).value())),
    )
}

pub fn percent(spread: f64) -> String {
    format!("{} (coefficient of variation)", whole_share(spread))
}
