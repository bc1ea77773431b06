//! How the CPUs stand to each other while all of them work.
//!
//! The virtual CPUs of a rented machine are moved between physical cores, and nothing that a guest can read says where they are. Two
//! things show it. Work that fills a core's multipliers takes twice as long where two CPUs share a core; work of dependent steps does
//! not, because each step waits for the one before. And a cache line that threads hand to each other arrives several times as late
//! where their cores have no cache in common: on a machine of two AMD EPYC CPUs, after 160 to 260 ns instead of 30 to 60. That halves
//! the throughput of stores whose clients share locks or counters.
//!
//! CPUs that the kernel calls threads of one core always share it: one of each core is looked at.
//!
//! Where a CPU runs may change at any time, so two readings that agree, one at each end of a stretch, say where it ran in between.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use dbdyno_record::BusyReference;
use rustix::time::ClockId;

use crate::clock_ns;

/// Steps of the work: about a tenth of a millisecond.
const STEPS: u32 = 40_000;
/// The CPUs that are looked at: with more, threads would take longer to start than to work.
#[cfg(target_os = "linux")]
const MOST_CPUS: usize = 64;
/// How often a cache line goes around all CPUs.
const ROUNDS: usize = 300;
/// How often a thread looks whether the line has come: longer than any hand-off takes.
const MOST_LOOKS: u32 = 100_000;
/// How often the work is timed on an idle machine to find how fast it can be.
const ALONE: u32 = 10;
/// Work whose thread was off its CPU for more than this share of its CPU time says nothing of the core: another program ran there.
const MOST_WAITING: f64 = 0.25;
/// How often the work is timed until no other program comes in between.
const ATTEMPTS: u32 = 3;
/// How long threads wait for each other: one may have to wait for its CPU.
const PATIENCE: Duration = Duration::from_millis(2);

/// Work that is timed on all CPUs at once, and compared with the fastest that it has been.
#[derive(Debug, Default)]
pub struct BusyWork {
    /// One of each core.
    cpus: Option<Vec<usize>>,
    fastest_ns: Option<f64>,
}

impl BusyWork {
    /// Times the work on all CPUs at once: a few tenths of a millisecond, and a millisecond longer the first time. `None` with a single
    /// CPU, where other programs keep it from its CPUs, or where threads cannot be started or bound to CPUs.
    #[must_use]
    pub fn time(&mut self) -> Option<BusyReference> {
        let cpus = self.cpus.get_or_insert_with(cpus).clone();
        if cpus.len() < 2 {
            return None;
        }
        if self.fastest_ns.is_none() {
            let alone = || timed(|| black_box(work(black_box(STEPS))));
            (0..ALONE)
                .filter_map(|_| alone())
                .for_each(|(ns, _)| self.note(ns));
        }
        let all = (0..ATTEMPTS).find_map(|_| on_all(&cpus))?;
        all.iter().for_each(|own| self.note(own.work_ns));
        let mean = |of: fn(&Timed) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
        Some(BusyReference {
            one_ns: self.fastest_ns?,
            all_ns: mean(|own| own.work_ns),
            handoff_ns: Some(mean(|own| own.handoff_ns)),
        })
    }

    fn note(&mut self, ns: f64) {
        let fastest = self.fastest_ns.map_or(ns, |before| before.min(ns));
        self.fastest_ns = Some(fastest);
    }
}

/// Of the CPUs that this process may use, one of each core.
#[cfg(target_os = "linux")]
fn cpus() -> Vec<usize> {
    use rustix::thread::{CpuSet, sched_getaffinity};
    let Ok(usable) = sched_getaffinity(None) else {
        return Vec::new();
    };
    let own = (0..CpuSet::MAX_CPU).filter(|cpu| usable.is_set(*cpu));
    let siblings = |cpu: &usize| {
        crate::text(format!(
            "/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"
        ))
    };
    let mut cpus = one_of_each_core(own, siblings);
    cpus.truncate(MOST_CPUS);
    cpus
}

/// The first of the CPUs that have the same siblings; one without a word about them has none.
#[cfg(target_os = "linux")]
fn one_of_each_core(
    cpus: impl Iterator<Item = usize>,
    siblings: impl Fn(&usize) -> Option<String>,
) -> Vec<usize> {
    let mut cores = std::collections::BTreeSet::new();
    cpus.filter(|cpu| siblings(cpu).is_none_or(|core| cores.insert(core)))
        .collect()
}

/// Lets this thread run on one CPU only; whether that could be done.
#[cfg(target_os = "linux")]
fn bind(cpu: usize) -> bool {
    use rustix::thread::{CpuSet, sched_setaffinity};
    let mut own = CpuSet::new();
    own.set(cpu);
    sched_setaffinity(None, &own).is_ok()
}

/// Other systems do not bind threads to CPUs.
#[cfg(not(target_os = "linux"))]
fn cpus() -> Vec<usize> {
    Vec::new()
}

#[cfg(not(target_os = "linux"))]
fn bind(_: usize) -> bool {
    false
}

/// What a CPU took while all of them worked, nanoseconds.
struct Timed {
    work_ns: f64,
    /// From one CPU to the next.
    handoff_ns: f64,
}

/// A number in a cache line of its own.
#[repr(align(128))]
#[derive(Default)]
struct Line(AtomicUsize);

impl Line {
    /// Waits until so many threads have come. They wait without a barrier, which would wait for ever for a thread that could not be
    /// started.
    fn meet(&self, threads: usize) -> Option<()> {
        self.0.fetch_add(1, Ordering::SeqCst);
        let latest = clock_ns(ClockId::Monotonic) + PATIENCE.as_nanos() as f64;
        while self.0.load(Ordering::SeqCst) < threads {
            if clock_ns(ClockId::Monotonic) > latest {
                return None;
            }
            std::hint::spin_loop();
        }
        Some(())
    }

    /// Hands the line on as the thread at this place of a circle.
    fn hand_on(&self, place: usize, threads: usize) -> Option<()> {
        for round in 0..ROUNDS {
            let own = round * threads + place;
            let mut looks = 0..MOST_LOOKS;
            looks.find(|_| {
                std::hint::spin_loop();
                self.0.load(Ordering::Acquire) == own
            })?;
            self.0.store(own + 1, Ordering::Release);
        }
        Some(())
    }
}

/// What each of these CPUs took; `None` where they did not all work at the same time.
fn on_all(cpus: &[usize]) -> Option<Vec<Timed>> {
    let (begun, worked, line) = (Line::default(), Line::default(), Line::default());
    let threads = cpus.len();
    let own = |place: usize, cpu: usize| {
        if !bind(cpu) {
            return None;
        }
        begun.meet(threads)?;
        let (work_ns, _) = timed(|| black_box(work(black_box(STEPS))))?;
        worked.meet(threads)?;
        let (circle_ns, ended) = timed(|| line.hand_on(place, threads))?;
        ended?;
        Some(Timed {
            work_ns,
            handoff_ns: circle_ns / (ROUNDS * threads) as f64,
        })
    };
    std::thread::scope(|scope| {
        let own = &own;
        let started: Vec<_> = (0..threads)
            .zip(cpus)
            .map_while(|(place, &cpu)| {
                let builder = std::thread::Builder::new();
                builder.spawn_scoped(scope, move || own(place, cpu)).ok()
            })
            .collect();
        let is_whole = started.len() == threads;
        let ended = started.into_iter().map(|thread| thread.join().ok().flatten());
        let times: Option<Vec<Timed>> = ended.collect();
        times.filter(|_| is_whole)
    })
}

/// The CPU time of something, which a slower core makes longer, and its result; `None` where its thread did not have its CPU all the
/// time.
fn timed<T>(something: impl FnOnce() -> T) -> Option<(f64, T)> {
    let before = [ClockId::Monotonic, ClockId::ThreadCPUTime].map(clock_ns);
    let result = something();
    let after = [ClockId::ThreadCPUTime, ClockId::Monotonic].map(clock_ns);
    let (cpu_ns, passed_ns) = (after[0] - before[1], after[1] - before[0]);
    Some((undisturbed(cpu_ns, passed_ns)?, result))
}

/// The CPU time, where hardly more time passed.
fn undisturbed(cpu_ns: f64, passed_ns: f64) -> Option<f64> {
    (cpu_ns > 0.0 && passed_ns <= cpu_ns * (1.0 + MOST_WAITING)).then_some(cpu_ns)
}

/// Eight chains of multiplications that do not wait for each other (Knuth's MMIX multiplier): they fill the multiplier of a core. The
/// shift keeps a compiler from joining the multiplications of two steps, which would leave half of the multiplier to others.
fn work(steps: u32) -> u64 {
    const MULTIPLIER: u64 = 6_364_136_223_846_793_005;
    let mut chains = [1_u64, 3, 5, 7, 9, 11, 13, 15];
    for _ in 0..steps {
        for chain in &mut chains {
            *chain = (*chain ^ (*chain >> 32)).wrapping_mul(MULTIPLIER);
        }
    }
    chains.iter().fold(0, |sum, chain| sum ^ chain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_is_discarded_where_another_program_had_the_cpu() {
        assert_eq!(undisturbed(1000.0, 1000.0), Some(1000.0));
        assert_eq!(undisturbed(1000.0, 1249.0), Some(1000.0));
        assert_eq!(undisturbed(1000.0, 1251.0), None);
        assert_eq!(undisturbed(0.0, 0.0), None);
    }

    #[test]
    fn the_work_is_the_same_every_time_and_is_compared_with_its_fastest() {
        assert_eq!(work(STEPS), work(STEPS));
        assert_ne!(work(STEPS), work(STEPS + 1));
        let mut busy = BusyWork::default();
        for _ in 0..20 {
            if let Some(reference) = busy.time() {
                assert!(reference.one_ns > 0.0, "{reference:?}");
                assert!(reference.all_ns >= reference.one_ns, "{reference:?}");
                assert!(reference.handoff_ns.is_some_and(|ns| ns > 0.0), "{reference:?}");
            }
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn threads_of_one_core_are_looked_at_once() {
        // Four cores of two threads, as a kernel counts them; only a part of them may be used.
        let siblings = |cpu: &usize| Some(format!("{},{}", cpu % 4, cpu % 4 + 4));
        assert_eq!(one_of_each_core(0..8, siblings), [0, 1, 2, 3]);
        assert_eq!(one_of_each_core([5, 6, 1].into_iter(), siblings), [5, 6]);
        assert_eq!(one_of_each_core(0..2, |cpu| Some(cpu.to_string())), [0, 1]);
        assert_eq!(one_of_each_core(0..2, |_| None), [0, 1]);
    }

    #[test]
    fn threads_leave_the_cpus_of_the_process_as_they_were() {
        let before = cpus();
        let _ = BusyWork::default().time();
        assert_eq!(cpus(), before);
    }
}
