//! How fast the CPUs are while all of them work.
//!
//! On a rented machine two virtual CPUs may run on one physical core for a while. Nothing that a guest can read says so, and work of
//! dependent steps does not show it: each step waits for the one before, so two threads fit into one core. Work that fills a core's
//! multipliers shows it: on a shared core it takes up to twice as long as on one CPU alone.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};

use dbdyno_record::BusyReference;
use rustix::time::ClockId;

use crate::{clock_ns, usable_cpus};

/// Multiplications of each chain: about a quarter of a millisecond.
const STEPS: u32 = 100_000;
/// More threads than this would take longer to start than to work.
const MOST_CPUS: u32 = 64;

/// Work whose thread was off its CPU for more than this share of its CPU time says nothing of the core: another program ran there.
const MOST_WAITING: f64 = 0.25;
/// How often the work is timed until no other program comes in between.
const ATTEMPTS: u32 = 3;

/// Times the work on one CPU, then on all at once. It takes about a millisecond, and keeps the CPUs awake. `None` with a single CPU,
/// where other programs keep it from its CPUs, or where no thread can be started.
#[must_use]
pub fn time_busy_reference() -> Option<BusyReference> {
    let cpus = usable_cpus().min(MOST_CPUS) as usize;
    if cpus < 2 {
        return None;
    }
    (0..ATTEMPTS).find_map(|_| time_on_all(cpus))
}

fn time_on_all(cpus: usize) -> Option<BusyReference> {
    let one_ns = timed()?;
    // They wait for each other without a barrier, which would wait for ever for a thread that could not be started.
    let ready = AtomicUsize::new(0);
    let at_once = || {
        ready.fetch_add(1, Ordering::SeqCst);
        while ready.load(Ordering::SeqCst) < cpus {
            std::hint::spin_loop();
        }
        timed()
    };
    std::thread::scope(|scope| {
        let mut others = Vec::with_capacity(cpus - 1);
        for _ in 1..cpus {
            match std::thread::Builder::new().spawn_scoped(scope, at_once) {
                Ok(other) => others.push(other),
                Err(_) => {
                    ready.store(cpus, Ordering::SeqCst);
                    return None;
                }
            }
        }
        let mut all_ns = at_once()?;
        for other in others {
            all_ns = all_ns.max(other.join().ok()??);
        }
        Some(BusyReference { one_ns, all_ns })
    })
}

/// The CPU time of the work, which a slower core makes longer; `None` where its thread did not have its CPU all the time.
fn timed() -> Option<f64> {
    let before = [ClockId::Monotonic, ClockId::ThreadCPUTime].map(clock_ns);
    black_box(work(black_box(STEPS)));
    let after = [ClockId::ThreadCPUTime, ClockId::Monotonic].map(clock_ns);
    let (cpu_ns, passed_ns) = (after[0] - before[1], after[1] - before[0]);
    (cpu_ns > 0.0 && passed_ns <= cpu_ns * (1.0 + MOST_WAITING)).then_some(cpu_ns)
}

/// Eight chains of multiplications that do not wait for each other (Knuth's MMIX multiplier): they fill the multiplier of a core.
fn work(steps: u32) -> u64 {
    const MULTIPLIER: u64 = 6_364_136_223_846_793_005;
    let mut chains = [1_u64, 3, 5, 7, 9, 11, 13, 15];
    for _ in 0..steps {
        for chain in &mut chains {
            *chain = chain.wrapping_mul(MULTIPLIER);
        }
    }
    chains.iter().fold(0, |sum, chain| sum ^ chain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_is_the_same_every_time_and_takes_time_on_every_cpu() {
        assert_eq!(work(STEPS), work(STEPS));
        assert_ne!(work(STEPS), work(STEPS + 1));
        if let Some(reference) = time_busy_reference() {
            assert!(reference.one_ns > 0.0 && reference.all_ns > 0.0, "{reference:?}");
        }
    }
}
