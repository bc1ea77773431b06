//! How fast the machine is right now: the CPU time that a fixed piece of work takes.
//!
//! Virtual machines on one host share caches, memory bandwidth and clock speed. No counter inside a guest shows what its neighbours
//! use: steal is time without a CPU, not time on a slower one. The time of constant work does show it.

use std::hint::black_box;
use std::time::Duration;

use rustix::time::ClockId;

use crate::clock_ns;

/// Steps of the work: a few tenths of a millisecond.
const STEPS: u64 = 80_000;
/// How often it is done; the median counts.
const REPETITIONS: u32 = 15;

/// The median CPU time of the work, nanoseconds. The repetitions are spread over `span`, so that one burst of other work does not
/// affect all of them; they take a few milliseconds of it.
#[must_use]
pub fn time_reference_work(span: Duration) -> f64 {
    let mut taken: Vec<f64> = (0..REPETITIONS)
        .map(|_| {
            std::thread::sleep(span / REPETITIONS);
            let before = clock_ns(ClockId::ThreadCPUTime);
            black_box(work(black_box(STEPS)));
            clock_ns(ClockId::ThreadCPUTime) - before
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_is_the_same_every_time_and_takes_time() {
        assert_eq!(work(STEPS), work(STEPS));
        assert_ne!(work(STEPS), work(STEPS + 1));
        assert!(time_reference_work(Duration::ZERO) > 0.0);
    }
}
