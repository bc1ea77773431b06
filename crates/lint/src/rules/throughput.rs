//! `ops-over-time` and `hidden-variance`. Over runs of N operations each, with run times T and throughputs X = N / T,
//! mean(X) x mean(T) / N = mean(1 / T) x mean(T). That is 1 where all runs took as long, never less (Jensen's inequality),
//! and about 1 + CV^2 where their times have the coefficient of variation CV (method.md, section 1).

use crate::words::number;
use crate::{Certainty, Finding, Line, Printed, Rule};

/// Below one by so much is more than rounding of the printed digits.
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
    let spread = (ratio - 1.0).max(0.0).sqrt();
    let arithmetic = format!(
        "{} operations / {} s = {} a second; printed: {}, {} times as much",
        number(operations),
        number(time),
        number(operations / time),
        number(throughput),
        number(ratio),
    );
    let single = runs == Some(1);
    let (rule, certainty, explanation) = if ratio < 1.0 - ROUNDING {
        let words = "the mean of throughputs is never below the operations over the mean run time; not all of these \
                     operations are counted, or the numbers are of different runs";
        (Rule::OpsOverTime, Certainty::Certain, words.to_owned())
    } else if single && ratio > 1.0 + ROUNDING {
        let words = "these are numbers of one run, so they must be equal";
        (Rule::OpsOverTime, Certainty::Certain, words.to_owned())
    } else if spread > LARGEST_SPREAD {
        let words = format!(
            "the runs' times would have to differ by {} (coefficient of variation); rather a misprint, or a \
             throughput of other runs",
            percent(spread)
        );
        (Rule::OpsOverTime, Certainty::Likely, words)
    } else if spread > SMALLEST_SPREAD && !single {
        let words = format!(
            "the runs' times differ by about {} (coefficient of variation), which the mean alone does not tell",
            percent(spread)
        );
        (Rule::HiddenVariance, Certainty::Notice, words)
    } else {
        return None;
    };
    Some(Finding {
        rule,
        place: line.place.clone(),
        certainty,
        arithmetic,
        explanation,
    })
}

fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}
