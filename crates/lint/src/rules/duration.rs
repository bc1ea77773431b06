//! `duration`: too few operations for each client, too short a run, too small a share of the records.

use crate::words::{number, plural, share};
use crate::{Certainty, Finding, Line, Place, Printed, Rule};

/// Operations of a client below which its first ones, which meet cold caches, weigh.
const OPERATIONS_PER_CLIENT: f64 = 1000.0;
/// Seconds below which flushes and compactions have hardly begun.
const SHORTEST_S: f64 = 60.0;
/// Operations per record below which most of the table was never touched.
const SHARE: f64 = 0.01;

pub fn check(printed: &Printed) -> Vec<Finding> {
    let protocol = &printed.protocol;
    let mut findings = Vec::new();
    let mut notice = |arithmetic: String, explanation: &str| {
        let finding = Finding::new(
            Rule::Duration,
            Certainty::Notice,
            &Place::all("protocol"),
            arithmetic,
            explanation,
        );
        findings.push(finding);
    };
    let most = protocol.operations.iter().copied().reduce(f64::max);
    // Where lines have clients of their own, the one with the fewest operations for each.
    let own = printed
        .lines
        .iter()
        .filter_map(|line| Some((line.operations?.value(), line.clients?)));
    let of_all = most.zip(protocol.clients.map(|clients| clients.number));
    let fewest = own
        .chain(of_all)
        .min_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
    if let Some((most, clients)) = fewest
        && most / clients < OPERATIONS_PER_CLIENT
    {
        notice(
            format!(
                "{} operations / {} = {} for each",
                number(most),
                plural(clients as u64, "client", "clients"),
                number(most / clients)
            ),
            "connecting and cold caches are a large part of what is measured",
        );
    }
    if let (Some(most), Some(fewest)) = (most, protocol.records.iter().copied().reduce(f64::min))
        && most / fewest < SHARE
    {
        notice(
            format!(
                "{} operations on {} records touch {} of them at most",
                number(most),
                number(fewest),
                share(most / fewest)
            ),
            "this does not show how the database copes with all of its data",
        );
    }
    let lengths: Vec<Length> = printed
        .lines
        .iter()
        .filter_map(|line| length(printed, line))
        .collect();
    let short = lengths
        .iter()
        .filter(|length| length.seconds < SHORTEST_S)
        .count();
    if let Some(shortest) = lengths.iter().min_by(|a, b| a.seconds.total_cmp(&b.seconds))
        && short > 0
    {
        notice(
            format!(
                "{} of {} ran for less than {} s; the shortest for {}",
                short,
                plural(lengths.len(), "line", "lines"),
                number(SHORTEST_S),
                shortest.reported
            ),
            "compiling, flushing and compacting have hardly begun by then",
        );
    }
    findings
}

/// How long a run was.
struct Length {
    seconds: f64,
    reported: String,
}

/// As printed, else the operations over the rate that was reached or asked for.
fn length(printed: &Printed, line: &Line) -> Option<Length> {
    if let Some(time) = line.run_time_s {
        return Some(Length {
            seconds: time.value(),
            reported: format!("{} s", number(time.value())),
        });
    }
    let (operations, rate) = (printed.operations_of(line)?, line.throughput.or(line.rate)?);
    let seconds = (operations / rate).value();
    let reported = format!(
        "{} operations / {} a second = {} s",
        number(operations.value()),
        number(rate.value()),
        number(seconds)
    );
    Some(Length { seconds, reported })
}
