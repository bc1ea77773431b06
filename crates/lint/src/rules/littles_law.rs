//! `littles-law`: a client of a closed loop waits for one answer at a time. So the time spent in operations, count x mean
//! latency over all kinds, is at most the run time times the number of clients (Little 1961; method.md, section 1).

use crate::words::number;
use crate::{Certainty, Clients, Finding, Line, Part, Printed, Protocol, Rule};

/// What rounding, and means of products against products of means, may add.
const TOLERANCE: f64 = 0.01;

pub fn check(printed: &Printed) -> Vec<Finding> {
    let findings = printed.lines.iter();
    findings
        .filter_map(|line| of_line(line, printed.clients_of(line)?, &printed.protocol))
        .collect()
}

fn of_line(line: &Line, clients: Clients, protocol: &Protocol) -> Option<Finding> {
    let time = line.run_time_s?;
    let parts = own_parts(line);
    let busy = busy_s(&parts) / time;
    let most = clients.number * (1.0 + TOLERANCE);
    if busy <= most {
        return None;
    }
    let terms: Vec<String> = parts
        .iter()
        .map(|part| {
            format!(
                "{} x {} us ({})",
                number(part.count),
                number(part.mean_latency_us),
                part.kind
            )
        })
        .collect();
    let arithmetic = format!(
        "({}) / {} s = {} operations at a time; there {} {} client{}{}",
        terms.join(" + "),
        number(time),
        number(busy),
        if clients.number > 1.0 { "are" } else { "is" },
        number(clients.number),
        if clients.number > 1.0 { "s" } else { "" },
        if clients.stated {
            ""
        } else {
            ", as the other lines show"
        },
    );
    Some(Finding {
        rule: Rule::LittlesLaw,
        place: line.place.clone(),
        certainty: Certainty::Certain,
        arithmetic,
        explanation: explained(&parts, time, most, protocol.runs),
    })
}

/// A latency that fits once it is divided by the number of runs was summed over them.
fn explained(parts: &[Part], time: f64, most: f64, runs: Option<u32>) -> String {
    let runs = runs.filter(|runs| *runs > 1).map(f64::from);
    let summed = runs.and_then(|runs| {
        let fits = parts.iter().enumerate().find(|(index, _)| {
            let mut divided = parts.to_vec();
            divided[*index].mean_latency_us /= runs;
            busy_s(&divided) / time <= most
        });
        fits.map(|(_, part)| {
            format!(
                "{} us of {} fits when it is divided by the {} runs, {} us: their sum stands in place of their mean",
                number(part.mean_latency_us),
                part.kind,
                number(runs),
                number(part.mean_latency_us / runs)
            )
        })
    });
    summed.unwrap_or_else(|| "a count, a latency or the run time is not of these runs".to_owned())
}

/// The parts without what they count twice: YCSB counts the reads of its read-modify-writes with the reads, too.
pub fn own_parts(line: &Line) -> Vec<Part> {
    let mut parts = line.parts.clone();
    let total: f64 = parts.iter().map(|part| part.count).sum();
    let again = parts
        .iter()
        .find(|part| part.kind == "read_modify_write")
        .map_or(0.0, |part| part.count);
    let counted_twice = line
        .operations
        .is_some_and(|operations| total > operations * (1.0 + TOLERANCE));
    if let Some(reads) = parts.iter_mut().find(|part| part.kind == "read")
        && counted_twice
    {
        reads.count = (reads.count - again).max(0.0);
    }
    parts
}

/// Seconds spent in operations.
pub fn busy_s(parts: &[Part]) -> f64 {
    parts
        .iter()
        .map(|part| part.count * part.mean_latency_us)
        .sum::<f64>()
        / 1e6
}
