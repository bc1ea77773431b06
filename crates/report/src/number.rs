//! Numbers and number words of reports: the vocabulary's, and the figures that expectations speak of.

use dbdyno_record::Measured;
pub use dbdyno_vocabulary::number::{
    Quantity, at_least, bounded, bytes, count, duration_ns, latency, percentile, quantity, rate, ratio,
    ratio_digits, share, times,
};
pub use dbdyno_vocabulary::words::{list, plural};

/// What an expectation speaks of, with its unit.
#[must_use]
pub fn measured(measured: &Measured) -> String {
    match *measured {
        Measured::LatencyNs(latency_ns) => duration_ns(latency_ns),
        Measured::LatencyAtLeastNs(latency_ns) => at_least(&duration_ns(latency_ns)),
        Measured::Rate(per_second) => rate(per_second),
        Measured::Share(part) => share(part),
        Measured::Count(count) => format!("{count:.0}"),
    }
}
