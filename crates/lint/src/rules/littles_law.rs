//! `littles-law`: a client of a closed loop waits for one answer at a time. So the time spent in operations, count x mean
//! latency over all kinds, is at most the run time times the number of clients, and throughput x mean latency at most the number of
//! clients (Little 1961; method.md, section 1).
//!
//! Over several runs the product of two means can be above the mean of the products: short latencies come with many operations. It is so
//! by 1 + CV^2, about, so only one run gives a certain error, and a small excess shows how far the runs differed.

use super::busy::{TOLERANCE, Timed, busy_s, least_latency_s, timed};
use super::throughput::{UNTOLD_SPREAD, percent};
use crate::words::number;
use crate::{Certainty, Clients, Figure, Finding, Line, OfKind, Printed, Protocol, Quantity, Rule};

/// The excess that runs whose times differ by half explain.
const OF_MEANS: f64 = 1.25;

pub fn check(printed: &Printed) -> Vec<Finding> {
    let findings = printed.lines.iter();
    findings
        // What waits for a free client keeps no client busy.
        .filter(|line| line.from_send || !line.throttled)
        .filter_map(|line| {
            let clients = printed.clients_of(line)?;
            of_counts(line, clients, &printed.protocol).or_else(|| of_rate(line, clients, &printed.protocol))
        })
        .collect()
}

/// How sure it is that so many operations at a time are too many; `None` where they are not.
fn certainty(at_a_time: Figure, clients: Clients, protocol: &Protocol) -> Option<Certainty> {
    let excess = at_a_time.low() / clients.number;
    if excess <= 1.0 + TOLERANCE {
        None
    } else if protocol.runs == Some(1) && clients.stated {
        Some(Certainty::Certain)
    } else if excess > OF_MEANS || protocol.runs == Some(1) {
        Some(Certainty::Likely)
    } else {
        Some(Certainty::Notice)
    }
}

/// The runs differ, and nothing else is wrong.
fn spread(line: &Line, arithmetic: String, at_a_time: Figure, clients: Clients) -> Finding {
    let spread = (at_a_time.low() / clients.number - 1.0).sqrt();
    let arithmetic = format!(
        "{arithmetic}; that takes runs that differ by about {}",
        percent(spread)
    );
    Finding::new(
        Rule::HiddenVariance,
        Certainty::Notice,
        &line.place,
        arithmetic,
        UNTOLD_SPREAD,
    )
}

fn of_counts(line: &Line, clients: Clients, protocol: &Protocol) -> Option<Finding> {
    let time = line.run_time_s?;
    let parts = timed(line);
    let busy = busy_s(&parts) / time;
    let certainty = certainty(busy, clients, protocol).filter(|_| !parts.is_empty())?;
    let terms: Vec<String> = parts
        .iter()
        .map(|part| {
            format!(
                "{} x {} us ({})",
                number(part.count.value()),
                number(part.mean_latency_us.value()),
                part.kind
            )
        })
        .collect();
    let arithmetic = format!(
        "({}) / {} s = {} operations at a time; {}",
        terms.join(" + "),
        number(time.value()),
        number(busy.value()),
        there_are(clients)
    );
    if certainty == Certainty::Notice {
        return Some(spread(line, arithmetic, busy, clients));
    }
    let most = clients.number * (1.0 + TOLERANCE);
    let summed = summed_over_runs(&parts, time.value(), most, protocol.runs);
    let explanation = match summed {
        Some((part, runs)) => format!(
            "{} us of {} fits when it is divided by the {} runs, {} us: their sum was printed in place of their mean",
            number(part.mean_latency_us.value()),
            part.kind,
            number(runs),
            number(part.mean_latency_us.value() / runs)
        ),
        None => "a count, a latency or the run time does not belong to these runs".to_owned(),
    };
    let finding = Finding::new(Rule::LittlesLaw, certainty, &line.place, arithmetic, explanation);
    Some(match summed {
        Some((part, runs)) => finding.doubting(
            OfKind::Mean.of(&part.kind),
            Some(part.mean_latency_us.value() / runs),
        ),
        None => parts
            .iter()
            .fold(finding.doubting(Quantity::RunTime, None), |finding, part| {
                finding
                    .doubting(OfKind::Mean.of(&part.kind), None)
                    .doubting(OfKind::Count.of(&part.kind), None)
            }),
    })
}

/// Without counts of the kinds: the rate times how long each operation takes at least.
fn of_rate(line: &Line, clients: Clients, protocol: &Protocol) -> Option<Finding> {
    if line.run_time_s.is_some() && !timed(line).is_empty() {
        return None;
    }
    let of_time = || Some(line.operations? / line.run_time_s?);
    let (throughput, latency_s) = (line.throughput.or_else(of_time)?, least_latency_s(line)?);
    let under_way = throughput * latency_s;
    let certainty = certainty(under_way, clients, protocol)?;
    let arithmetic = format!(
        "{} operations a second x {} us = {} at a time; {}",
        number(throughput.value()),
        number(latency_s.value() * 1e6),
        number(under_way.value()),
        there_are(clients)
    );
    if certainty == Certainty::Notice {
        return Some(spread(line, arithmetic, under_way, clients));
    }
    let explanation = "the throughput, the latency or the number of clients does not belong to these runs";
    let finding = Finding::new(Rule::LittlesLaw, certainty, &line.place, arithmetic, explanation);
    Some(
        finding
            .doubting(Quantity::Throughput, None)
            .doubting(OfKind::Mean.of(""), None),
    )
}

fn there_are(clients: Clients) -> String {
    let several = clients.number > 1.0;
    format!(
        "there {} {} client{}{}",
        if several { "are" } else { "is" },
        number(clients.number),
        if several { "s" } else { "" },
        if clients.stated {
            ""
        } else {
            ", as the other lines show"
        },
    )
}

/// A latency that fits once it is divided by the number of runs was summed over them.
fn summed_over_runs(parts: &[Timed], time_s: f64, most: f64, runs: Option<u32>) -> Option<(&Timed, f64)> {
    let runs = f64::from(runs.filter(|runs| *runs > 1)?);
    let fits = parts.iter().enumerate().find(|(index, _)| {
        let mut divided = parts.to_vec();
        divided[*index].mean_latency_us = divided[*index].mean_latency_us * (1.0 / runs);
        busy_s(&divided).value() / time_s <= most
    });
    fits.map(|(_, part)| (part, runs))
}
