//! `ops-over-time` and `hidden-variance`. Over runs of N operations each, with run times T and throughputs X = N / T,
//! mean(X) x mean(T) / N = mean(1 / T) x mean(T). That is 1 where all runs took as long, never less (Jensen's inequality),
//! and about 1 + CV^2 where their times have the coefficient of variation CV (method.md, section 1).

use crate::words::number;
use crate::{Certainty, Finding, Line, Printed, Rule};

/// Below one by so much is more than how a tool rounds in between.
const ROUNDING: f64 = 0.005;
/// Run times of one thing on one machine that differ by more than this are no spread but an error, or a disturbance that
/// would have to be told.
const LARGEST_SPREAD: f64 = 0.5;
/// A spread that a reader would want to know.
const SMALLEST_SPREAD: f64 = 0.05;

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
        let words = "the mean of throughputs is never below the operations over the mean run time; not all of these \
                     operations are counted, or the numbers are of different runs";
        (Rule::OpsOverTime, Certainty::Certain, words)
    } else if single && ratio.low() > 1.0 + ROUNDING {
        let words = "these are numbers of one run, so they must be equal";
        (Rule::OpsOverTime, Certainty::Certain, words)
    } else if spread > LARGEST_SPREAD {
        arithmetic.push_str(&format!(
            "; the runs' times would have to differ by {:.0}% (coefficient of variation)",
            spread * 100.0
        ));
        let words = "rather a misprint, or a throughput of other runs";
        (Rule::OpsOverTime, Certainty::Likely, words)
    } else if spread > SMALLEST_SPREAD && !single {
        arithmetic.push_str(&format!(
            "; the runs' times differ by about {:.0}% (coefficient of variation)",
            spread * 100.0
        ));
        let words = "a mean alone does not tell how far the runs differ";
        (Rule::HiddenVariance, Certainty::Notice, words)
    } else {
        return None;
    };
    let finding = Finding::new(rule, certainty, &line.place, arithmetic, explanation);
    Some(
        finding
            .doubting("throughput_ops_s", Some((operations / time).value()))
            .doubting("run_time_s", Some((operations / throughput).value())),
    )
}
