//! How fast the machine is right now: the CPU time that a fixed piece of work takes.
//!
//! On machines that others share, caches, memory and the clock of a core belong to everybody, and no counter of the guest tells what others
//! take of them: steal is time without a processor, not time with a slower one. Work that never changes tells it. It is done between
//! trials, while the system is idle, so that what the system does has no part in it.

use std::hint::black_box;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Steps of the work: a few tenths of a millisecond.
const STEPS: u64 = 80_000;
/// How often it is done; the median counts.
const REPETITIONS: usize = 15;
/// The time between two, so that a burst of something else is not all that is seen.
const PAUSE: Duration = Duration::from_millis(3);

/// CPU time of the work, nanoseconds. Takes about fifty milliseconds, a few of them on a processor.
#[must_use]
pub fn measure() -> f64 {
    let mut taken: Vec<f64> = (0..REPETITIONS)
        .map(|_| {
            std::thread::sleep(PAUSE);
            let before = thread_time_ns();
            black_box(work(black_box(STEPS)));
            thread_time_ns() - before
        })
        .collect();
    taken.sort_unstable_by(f64::total_cmp);
    taken[REPETITIONS / 2]
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
    fn the_work_is_the_same_every_time_and_takes_time() {
        assert_eq!(work(STEPS), work(STEPS));
        assert_ne!(work(STEPS), work(STEPS + 1));
        assert!(measure() > 0.0);
    }
}
