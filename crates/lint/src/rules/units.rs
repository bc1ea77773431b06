//! `units`: a figure that cannot be of what its axis or column says.

use super::busy::{busy_s, timed};
use crate::words::{list, number, whole_share};
use crate::{Certainty, Finding, Line, OfKind, Printed, Rates, Rule};

/// How far rates of one run may differ once each is divided by its share of the mix.
const FACTOR: f64 = 2.0;
/// Share of the clients' time that must be seen in operations when no rate holds them back; a thousandth of it is another unit.
const CLOSED_LOOP: std::ops::RangeInclusive<f64> = 0.2..=1.02;
const THOUSAND: f64 = 1000.0;

pub fn check(printed: &Printed) -> Vec<Finding> {
    let rates = printed.rates.iter().filter_map(of_rates);
    let lines = printed.lines.iter().filter_map(|line| of_latency(line, printed));
    rates.chain(lines).collect()
}

/// Rates of several kinds in one mix imply one rate of all operations.
fn of_rates(rates: &Rates) -> Option<Finding> {
    let implied: Vec<f64> = rates
        .kinds
        .iter()
        .filter(|(_, share, _)| *share > 0.0)
        .map(|(_, share, rate)| rate / share)
        .collect();
    let least = implied.iter().copied().reduce(f64::min)?;
    let most = implied.iter().copied().reduce(f64::max)?;
    let terms: Vec<String> = rates
        .kinds
        .iter()
        .map(|(kind, share, rate)| {
            format!(
                "{} {kind} a second at {} of the mix are {} operations a second",
                number(*rate),
                whole_share(*share),
                number(rate / share)
            )
        })
        .collect();
    (most > least * FACTOR).then(|| {
        let explanation =
            "these cannot come from one run: the axis is the rate of all operations, not of the kind that it is printed for";
        Finding::new(Rule::Units, Certainty::Likely, &rates.place, terms.join("; "), explanation)
    })
}

/// Whether so small a share of the clients' time is a usual one once the latencies are read as milliseconds.
pub fn is_in_milliseconds(share: f64) -> bool {
    CLOSED_LOOP.contains(&(share * THOUSAND))
}

/// Clients of a closed loop spend nearly all of their time in operations. A thousandth of it is a thousandth of the unit.
fn of_latency(line: &Line, printed: &Printed) -> Option<Finding> {
    // Of logs and of our own records the unit is known.
    let clients = printed
        .clients_of(line)
        .filter(|_| !line.throttled && !line.from_send)?;
    let time = line.run_time_s?;
    let parts = timed(line);
    let busy = (busy_s(&parts) / time).value() / clients.number;
    let kinds: Vec<String> = parts
        .iter()
        .map(|part| format!("{} us ({})", number(part.mean_latency_us.value()), part.kind))
        .collect();
    is_in_milliseconds(busy).then(|| {
        let arithmetic = format!(
            "with latencies of {} the {} clients are in operations for {}% of the {} s",
            list(&kinds),
            number(clients.number),
            number(busy * 100.0),
            number(time.value())
        );
        let explanation =
            "read as milliseconds they fill the run: the unit is a thousand times larger than the column says";
        let finding = Finding::new(Rule::Units, Certainty::Likely, &line.place, arithmetic, explanation);
        parts.iter().fold(finding, |finding, part| {
            let as_milliseconds = part.mean_latency_us.value() * THOUSAND;
            finding.doubting(OfKind::Mean.of(&part.kind), Some(as_milliseconds))
        })
    })
}
