//! How fast the machine is right now: the CPU time that a fixed piece of work takes.
//!
//! Virtual machines on one host share caches, memory bandwidth and clock speed. No counter inside a guest shows what its neighbours
//! use: steal is time without a processor, not time on a slower one. The time of constant work does show it. The work runs between
//! trials, while the system is idle, so the system's own load does not affect it.

use std::hint::black_box;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::definition::Study;
use crate::ladder::Kind;

/// Steps of the work: a few tenths of a millisecond.
const STEPS: u64 = 80_000;
/// How often it is done; the median counts.
const REPETITIONS: u32 = 15;
/// The share of a measured phase that a look takes, spread over it so that no burst of something else is all that is seen.
const SHARE: f64 = 0.05;
/// The shortest and the longest look.
const SPAN: std::ops::RangeInclusive<Duration> = Duration::from_millis(50)..=Duration::from_millis(500);

/// Whether trials of this study look at the machine. A ladder asks for rates, which no speed of the machine adjusts.
#[must_use]
pub fn is_looked_at(study: &Study) -> bool {
    study.kind == Kind::Comparison
}

/// How long to look around a trial whose measured phase is to take so long.
#[must_use]
pub fn span(measured: Option<Duration>) -> Duration {
    let wanted = measured.map_or(*SPAN.start(), |measured| measured.mul_f64(SHARE));
    wanted.clamp(*SPAN.start(), *SPAN.end())
}

/// CPU time of the work, nanoseconds. Takes about so long, a few milliseconds of it on a processor.
#[must_use]
pub fn measure(span: Duration) -> f64 {
    let mut taken: Vec<f64> = (0..REPETITIONS)
        .map(|_| {
            std::thread::sleep(span / REPETITIONS);
            let before = thread_time_ns();
            black_box(work(black_box(STEPS)));
            thread_time_ns() - before
        })
        .collect();
    taken.sort_unstable_by(f64::total_cmp);
    taken[taken.len() / 2]
}

/// Each step waits for the one before it (Marsaglia's xorshift, Journal of Statistical Software 8, 2003).
fn work(steps: u64) -> u64 {
    (0..steps).fold(88_172_645_463_325_252, |state, _| {
        let state = state ^ (state << 13);
        let state = state ^ (state >> 7);
        state ^ (state << 17)
    })
}

fn thread_time_ns() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_takes_a_twentieth_of_the_phase_within_bounds() {
        let seconds = Duration::from_secs;
        let spans = [None, Some(seconds(0)), Some(seconds(4)), Some(seconds(60))].map(span);
        assert_eq!(spans.map(|span| span.as_millis()), [50, 50, 200, 500]);
    }

    #[test]
    fn the_work_is_the_same_every_time_and_takes_time() {
        assert_eq!(work(STEPS), work(STEPS));
        assert_ne!(work(STEPS), work(STEPS + 1));
        assert!(measure(Duration::ZERO) > 0.0);
    }
}
