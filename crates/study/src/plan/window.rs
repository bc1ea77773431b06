//! The windows by which a measured phase is judged for steadiness: what is kept of each, and how long they are.
//!
//! Their lengths follow the phase, so that one of a few seconds is judged too: about forty, and none longer than a second.

use std::time::Duration;

use dbdyno_engine::{Limit, Pace};

/// The lengths of windows, milliseconds: a second is a whole number of each, for the rows of `intervals.csv` are seconds.
const LENGTHS_MS: [u64; 6] = [1000, 500, 250, 200, 100, 50];
/// The windows of a phase whose length is known, at the least, unless they would be too short.
pub const WINDOWS: u32 = 40;
/// With fewer windows nothing is said.
pub const FEWEST_WINDOWS: usize = 20;
/// With fewer operations in a window its figures are mostly chance.
pub const FEWEST_OPERATIONS: u64 = 20;
/// The window of a phase that ends by count, as fast as it goes: nobody knows how long it takes.
const UNKNOWN: Duration = Duration::from_millis(100);

/// One window of the measured phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Window {
    /// Successful operations.
    pub ok: u64,
    /// Operations that ended, whatever came of them.
    pub ended: u64,
    /// The median latency of the successful ones, nanoseconds. Of several kinds it is the geometric mean of their medians: the
    /// median of all may lie between fast reads and slow writes, and move with their numbers alone.
    pub latency_p50_ns: Option<f64>,
    /// The longest service time among them, nanoseconds.
    pub longest_ns: u64,
}

/// The windows of a phase that ends so and is asked at this pace.
#[must_use]
pub fn length(limit: &Limit, pace: Option<Pace>) -> Duration {
    let rate = pace.map(|pace| pace.rate).filter(|&rate| rate > 0.0);
    let counted = limit
        .operations
        .zip(rate)
        .and_then(|(operations, rate)| Duration::try_from_secs_f64(operations as f64 / rate).ok());
    let Some(phase) = counted.into_iter().chain(limit.duration).min() else {
        return UNKNOWN;
    };
    let enough =
        |length: Duration| rate.is_none_or(|rate| rate * length.as_secs_f64() >= FEWEST_OPERATIONS as f64);
    let lengths = LENGTHS_MS.map(Duration::from_millis);
    let of_phase = lengths
        .iter()
        .position(|&length| length <= phase / WINDOWS)
        .unwrap_or(lengths.len() - 1);
    // Longer ones at a low rate.
    lengths[..=of_phase]
        .iter()
        .rev()
        .copied()
        .find(|&length| enough(length))
        .unwrap_or(lengths[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_workload::Arrivals;

    fn milliseconds(operations: Option<u64>, seconds: Option<f64>, rate: Option<f64>) -> u128 {
        let limit = Limit {
            operations,
            duration: seconds.map(Duration::from_secs_f64),
        };
        let arrivals = Arrivals::Constant;
        length(&limit, rate.map(|rate| Pace { rate, arrivals })).as_millis()
    }

    #[test]
    fn a_phase_has_forty_windows_or_more_where_it_can() {
        let of = |seconds: f64| milliseconds(None, Some(seconds), None);
        assert_eq!(of(10.0), 250, "the default phase is judged");
        assert_eq!([of(60.0), of(40.0), of(30.0), of(20.0)], [1000, 1000, 500, 500]);
        assert_eq!([of(5.0), of(2.0), of(1.0), of(0.1)], [100, 50, 50, 50]);
        assert_eq!(milliseconds(Some(1_000_000), None, None), 100);
        assert_eq!(milliseconds(Some(5_000), Some(60.0), Some(500.0)), 250);
    }

    #[test]
    fn a_low_rate_has_longer_windows() {
        let of = |rate: f64| milliseconds(None, Some(10.0), Some(rate));
        assert_eq!([of(1000.0), of(50.0), of(20.0), of(1.0)], [250, 500, 1000, 1000]);
    }
}
