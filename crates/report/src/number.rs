//! Numbers and number words of reports: the vocabulary's.

pub use dbdyno_vocabulary::number::{
    Quantity, at_least, bounded, bytes, count, duration_ns, latency, percentile, quantity, rate, ratio,
    ratio_digits, share, times,
};
pub use dbdyno_vocabulary::words::{list, plural};
