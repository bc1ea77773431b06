//! `client-saturation`: with a rate, operations a second x mean latency is how many operations are under way. Where that is
//! nearly the number of clients no client is free to send the next one, and the clients may be the ceiling (Little 1961).

use super::busy::{TOLERANCE, mean_latency_s};
use crate::words::{number, whole_share};
use crate::{Certainty, Finding, Line, Printed, Rule};

/// Share of the clients that are busy from which on some operation waits for a client at every moment.
const BUSY: f64 = 0.85;

pub fn check(printed: &Printed) -> Vec<Finding> {
    let lines = printed.lines.iter().filter(|line| line.throttled);
    lines.filter_map(|line| of_line(line, printed)).collect()
}

fn of_line(line: &Line, printed: &Printed) -> Option<Finding> {
    let clients = printed.clients_of(line)?;
    let (throughput, mean_s) = (line.throughput?, mean_latency_s(line)?);
    let under_way = (throughput * mean_s).value();
    // More than all of them cannot be busy: then the latencies count from when an operation was due.
    let busy = BUSY * clients.number..=clients.number * (1.0 + TOLERANCE);
    busy.contains(&under_way).then(|| {
        let arithmetic = format!(
            "{} operations a second x {} ms = {} under way; there are {} clients, {} of them busy",
            number(throughput.value()),
            number(mean_s.value() * 1e3),
            number(under_way),
            number(clients.number),
            whole_share(under_way / clients.number)
        );
        let explanation = "no client was free to send more, so the number of clients may be the ceiling and not the database; only a \
                           run with more clients shows which";
        Finding::new(
            Rule::ClientSaturation,
            Certainty::Likely,
            &line.place,
            arithmetic,
            explanation,
        )
    })
}
