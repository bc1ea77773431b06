//! How much of their CPU time processes give to just-in-time compilers.
//!
//! A Java server interprets its code first and compiles what is used often on threads of its own. While they work, it is not warm,
//! however steady its throughput is. HotSpot names the threads `C1 CompilerThread0`, `C2 CompilerThread0` and, for a compiler that
//! is written in Java, `JVMCI-native CompilerThread0` (`compiler/compileBroker.cpp`); Linux keeps 15 characters of a name.

use std::collections::BTreeMap;

use crate::process::{cpu_seconds, open};
use crate::seconds;
use crate::tables::process::Task;

/// How the names of compiler threads begin.
const COMPILERS: [&str; 3] = ["C1 Compiler", "C2 Compiler", "JVMCI"];

/// CPU time of processes up to a moment, and that of the compiler threads in them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompilerTime {
    /// Of the whole processes, seconds.
    pub whole_seconds: f64,
    /// Of each compiler thread that lives, by process and thread, seconds. The virtual machine starts and ends them as it needs.
    pub threads_seconds: BTreeMap<(u32, u32), f64>,
}

impl CompilerTime {
    /// What these processes have used so far; those that are gone count as nothing.
    #[must_use]
    pub fn of(processes: &[u32]) -> Self {
        let mut time = Self::default();
        for &id in processes {
            time.whole_seconds += cpu_seconds(id).unwrap_or(0.0);
            let threads = open(id).and_then(|process| process.tasks().ok());
            for thread in threads.into_iter().flatten().flatten() {
                if let Some(seconds) = of_compiler(&thread) {
                    time.threads_seconds
                        .insert((id, thread.tid.unsigned_abs()), seconds);
                }
            }
        }
        time
    }

    /// The share of the CPU time since an earlier look that compilers took, from 0 to 1: at least that, for a thread that ended took
    /// its time with it. `None` where there are none, or nothing was used.
    #[must_use]
    pub fn share_since(&self, before: &Self) -> Option<f64> {
        let whole = self.whole_seconds - before.whole_seconds;
        if self.threads_seconds.is_empty() || whole <= 0.0 {
            return None;
        }
        let compiling: f64 = self
            .threads_seconds
            .iter()
            .map(|(thread, seconds)| seconds - before.threads_seconds.get(thread).unwrap_or(&0.0))
            .sum();
        Some((compiling / whole).clamp(0.0, 1.0))
    }
}

/// The CPU time of a thread, seconds; `None` if it is no compiler's.
fn of_compiler(thread: &Task) -> Option<f64> {
    let stat = thread.stat().ok()?;
    let is_compiler = COMPILERS.iter().any(|compiler| stat.comm.starts_with(compiler));
    is_compiler.then(|| seconds(stat.utime + stat.stime))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn compiler_threads_are_known_by_their_names() {
        let own = [std::process::id()];
        let (ready, done) = (AtomicBool::new(false), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let compile = || {
                let mut work = 1_u64;
                while !done.load(Ordering::Relaxed) {
                    work = std::hint::black_box(work.wrapping_mul(3));
                    ready.store(true, Ordering::Relaxed);
                }
            };
            let thread = std::thread::Builder::new().name("C2 CompilerThread0".to_owned());
            thread.spawn_scoped(scope, compile).unwrap();
            while !ready.load(Ordering::Relaxed) {
                std::thread::yield_now();
            }
            let before = CompilerTime::of(&own);
            assert_eq!(before.threads_seconds.len(), 1, "{before:?}");
            let mut looks = (0..100_000).map(|_| CompilerTime::of(&own).share_since(&before));
            let seen = looks.any(|share| share.is_some_and(|share| share > 0.01));
            done.store(true, Ordering::Relaxed);
            assert!(seen, "it is busy");
        });
    }

    #[test]
    fn a_share_counts_threads_that_came_and_forgets_those_that_went() {
        let time = |whole_seconds, threads: &[((u32, u32), f64)]| CompilerTime {
            whole_seconds,
            threads_seconds: threads.iter().copied().collect(),
        };
        let before = time(10.0, &[((1, 5), 2.0), ((1, 6), 3.0)]);
        assert_eq!(
            time(20.0, &[((1, 5), 3.0), ((1, 7), 1.0)]).share_since(&before),
            Some(0.2)
        );
        assert_eq!(time(20.0, &[]).share_since(&before), None, "no compilers");
        assert_eq!(before.share_since(&before), None, "nothing was used");
        assert_eq!(CompilerTime::of(&[u32::MAX]), CompilerTime::default());
    }
}
