//! Numbers and number words of reports: the vocabulary's.

pub use dbdyno_vocabulary::number::{
    Quantity, at_least, bounded, bytes, count, duration_ns, latency, money, percentile, quantity, rate,
    ratio, ratio_digits, share, times, times_than, whole_share,
};
pub use dbdyno_vocabulary::words::{agreeing, list, plural};
