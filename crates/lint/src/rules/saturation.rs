//! `client-saturation`: with a rate, operations a second x mean latency is how many operations are under way. Where that is
//! nearly the number of clients no client is free to send the next one, and the clients may be the ceiling (Little 1961).

use super::littles_law::{busy_s, own_parts};
use crate::words::number;
use crate::{Certainty, Finding, Line, Printed, Rule};

/// Share of the clients that are busy from which on some operation waits for a client at every moment.
const BUSY: f64 = 0.85;

pub fn check(printed: &Printed) -> Vec<Finding> {
    let lines = printed.lines.iter().filter(|line| line.throttled);
    lines.filter_map(|line| of_line(line, printed)).collect()
}

fn of_line(line: &Line, printed: &Printed) -> Option<Finding> {
    let clients = printed.clients_of(line)?;
    let parts = own_parts(line);
    let count: f64 = parts.iter().map(|part| part.count).sum();
    let throughput = line.throughput.filter(|_| count > 0.0)?;
    let mean_s = busy_s(&parts) / count;
    let under_way = throughput * mean_s;
    (under_way >= BUSY * clients.number).then(|| Finding {
        rule: Rule::ClientSaturation,
        place: line.place.clone(),
        certainty: Certainty::Likely,
        arithmetic: format!(
            "{} operations a second x {} ms = {} under way; there are {} clients, {:.0}% of them busy",
            number(throughput),
            number(mean_s * 1e3),
            number(under_way),
            number(clients.number),
            under_way / clients.number * 100.0
        ),
        explanation: "no client was free to send more, so the number of clients may be the ceiling and not the database; only a \
                      run with more clients shows which"
            .to_owned(),
    })
}
