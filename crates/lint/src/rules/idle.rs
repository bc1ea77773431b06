//! `littles-law` from below: in a closed loop each client sends its next operation when the last one has been answered, so clients
//! are in operations for most of the run.
//!
//! They may well be idle: held back to a rate, connecting, working by themselves. All of that would have to be stated, so it is never
//! certain.

use super::busy::{TOLERANCE, busy_s, count, timed};
use super::units;
use crate::words::{number, whole_share};
use crate::{Certainty, Figure, Finding, Line, Printed, Quantity, Rule};

/// Below this share of their time in operations clients did something else.
const LEAST: f64 = 0.2;
/// Seconds that one client spends by itself for each operation: choosing keys, making values, taking the time.
const OWN_WORK_S: f64 = 20e-6;
/// Seconds in which a client connects, or a Java machine warms up.
const CONNECTING_S: f64 = 3.0;
/// With fewer operations for each client the last one, which the others wait for, is too large a part of the run.
const FEWEST: f64 = 100.0;

pub fn check(printed: &Printed) -> Vec<Finding> {
    let closed = printed
        .lines
        .iter()
        .filter(|line| !line.throttled && line.rate.is_none());
    closed.filter_map(|line| of_line(line, printed)).collect()
}

/// What clients did in one line, as far as its digits allow the most of it.
struct Clients {
    number: f64,
    /// Operations at a time.
    busy: f64,
    /// Operations per second.
    rate: f64,
    run_time_s: Option<f64>,
    arithmetic: String,
}

fn of_line(line: &Line, printed: &Printed) -> Option<Finding> {
    let number_of_clients = printed.clients_of(line)?.number;
    let clients = of_counts(line, number_of_clients).or_else(|| of_rate(line, number_of_clients))?;
    let share = clients.busy / clients.number;
    let idle_s = (clients.number - clients.busy) / clients.rate;
    let is_short = clients
        .run_time_s
        .is_some_and(|time| time * (1.0 - share) < CONNECTING_S);
    // Latencies in another unit are a finding of their own.
    let is_idle = share < LEAST && idle_s > OWN_WORK_S && !is_short && !units::is_in_milliseconds(share);
    is_idle.then(|| {
        let arithmetic = format!(
            "{}; {} clients of a closed loop are in operations for {} of their time",
            clients.arithmetic,
            number(clients.number),
            whole_share(share)
        );
        let explanation = "clients were held back, connected for long or worked by themselves, which is not stated; or the throughput, \
                           the latency or the number of clients does not belong to these runs";
        let finding = Finding::new(
            Rule::LittlesLaw,
            Certainty::Likely,
            &line.place,
            arithmetic,
            explanation,
        );
        finding.doubting(Quantity::Throughput, None).doubting(Quantity::Clients, None)
    })
}

/// From the counts of all kinds, where they are all operations.
fn of_counts(line: &Line, clients: f64) -> Option<Clients> {
    let (time, parts) = (line.run_time_s?, timed(line));
    let counted = count(&parts);
    let of_throughput = || line.throughput.map(|throughput| throughput * time);
    let operations = line.operations.or_else(of_throughput)?;
    let is_all = counted.high() >= operations.low() * (1.0 - TOLERANCE);
    let is_long = counted.low() >= clients * FEWEST;
    (!parts.is_empty() && is_all && is_long).then(|| {
        let longest = line
            .parts
            .iter()
            .chain([&line.all])
            .filter_map(|part| part.max_latency_us);
        let longest_s = longest.map(Figure::high).fold(0.0, f64::max) * 1e-6;
        let busy = busy_s(&parts);
        // Where operations are counted out, clients wait for the longest at the end.
        let accounted_s = busy.high() + line.otherwise_s + clients * longest_s;
        Clients {
            number: clients,
            busy: (accounted_s / time.low()).min(clients),
            rate: operations.high() / time.low(),
            run_time_s: Some(time.high()),
            arithmetic: format!(
                "{} s in operations / {} s = {} at a time",
                number(busy.value()),
                number(time.value()),
                number((busy / time).value())
            ),
        }
    })
}

/// From the throughput and the mean latency, or that of the slowest kind.
fn of_rate(line: &Line, clients: f64) -> Option<Clients> {
    if line.run_time_s.is_some() && !timed(line).is_empty() {
        return None;
    }
    let of_time = || Some(line.operations? / line.run_time_s?);
    let throughput = line.throughput.or_else(of_time)?;
    let slowest = || {
        let means: Option<Vec<Figure>> = line.parts.iter().map(|part| part.mean_latency_us).collect();
        means?.into_iter().max_by(|a, b| a.high().total_cmp(&b.high()))
    };
    let latency_us = line.all.mean_latency_us.or_else(slowest)?;
    let busy = throughput * latency_us * 1e-6;
    let is_long = line
        .operations
        .is_none_or(|operations| operations.low() >= clients * FEWEST);
    is_long.then(|| Clients {
        number: clients,
        busy: busy.high().min(clients),
        rate: throughput.high(),
        run_time_s: line.run_time_s.map(Figure::high),
        arithmetic: format!(
            "{} operations a second x {} us = {} at a time",
            number(throughput.value()),
            number(latency_us.value()),
            number(busy.value())
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Part;

    /// So many clients at this throughput for a minute, at this mean latency.
    fn line(clients: f64, throughput: f64, mean_us: f64) -> Line {
        let operations = throughput * 60.0;
        Line {
            operations: Some(operations.into()),
            run_time_s: Some(60.0.into()),
            throughput: Some(throughput.into()),
            clients: Some(clients),
            parts: vec![Part::new("read", operations, mean_us)],
            ..Line::default()
        }
    }

    fn is_found(line: Line) -> bool {
        let printed = Printed {
            lines: vec![line],
            ..Printed::default()
        };
        !check(&printed).is_empty()
    }

    #[test]
    fn idle_clients_of_a_closed_loop_are_found() {
        assert!(is_found(line(64.0, 1_000.0, 1_000.0)), "1 of 64");
        assert!(!is_found(line(64.0, 60_000.0, 1_000.0)), "60 of 64");
        // Throughput and mean alone.
        let mut short = line(64.0, 1_000.0, 1_000.0);
        (short.operations, short.run_time_s) = (None, None);
        short.parts[0].count = None;
        assert!(is_found(short.clone()));
        short.parts[0].mean_latency_us = None;
        short.all.mean_latency_us = Some(60_000.0.into());
        assert!(!is_found(short));
    }

    #[test]
    fn clients_with_a_reason_are_left_in_peace() {
        let mut paced = line(64.0, 1_000.0, 1_000.0);
        paced.throttled = true;
        assert!(!is_found(paced));
        // A store in the process answers sooner than a client makes the next operation.
        assert!(!is_found(line(1.0, 200_000.0, 0.5)));
        // Two seconds of connecting before three of work.
        let mut connecting = line(4.0, 10_000.0, 100.0);
        connecting.run_time_s = Some(2.5.into());
        connecting.operations = Some(5_000.0.into());
        connecting.throughput = Some(2_000.0.into());
        connecting.parts[0].count = Some(5_000.0.into());
        assert!(!is_found(connecting));
        // Failed operations took the time.
        let mut failing = line(64.0, 1_000.0, 1_000.0);
        failing.otherwise_s = 64.0 * 50.0;
        assert!(!is_found(failing));
        // Three in four operations are of kinds that are not printed.
        let mut partial = line(64.0, 1_000.0, 1_000.0);
        partial.parts[0].count = Some(15_000.0.into());
        assert!(!is_found(partial));
        // One operation took most of the run, and the other clients had no more to do.
        let mut tail = line(8.0, 1_000.0, 100.0);
        tail.parts[0].max_latency_us = Some(50e6.into());
        assert!(!is_found(tail));
    }
}
