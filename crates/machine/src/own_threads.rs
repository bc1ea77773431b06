//! CPU time of each thread of this process: whose background work runs when.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::text;

/// CPU time of the threads of this process that live now, by thread; empty if the kernel does not report it
/// (`/proc/self/task/*/schedstat`, Documentation/scheduler/sched-stats.rst).
#[must_use]
pub fn own_threads() -> BTreeMap<u32, Duration> {
    let Ok(tasks) = std::fs::read_dir("/proc/self/task") else {
        return BTreeMap::new();
    };
    tasks
        .filter_map(|task| {
            let path = task.ok()?.path();
            let number = path.file_name()?.to_str()?.parse().ok()?;
            let statistics = text(path.join("schedstat"))?;
            let ran_ns = statistics.split(' ').next()?.parse().ok()?;
            Some((number, Duration::from_nanos(ran_ns)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_thread_that_works_is_seen_and_one_that_waits_uses_nothing() {
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let before = own_threads();
            scope.spawn(|| {
                let mut sum = 0_u64;
                while !done.load(Ordering::Relaxed) {
                    sum = std::hint::black_box(sum.wrapping_mul(3));
                }
            });
            let waits = scope.spawn(std::thread::park);
            let new = || {
                let mut now = own_threads();
                now.retain(|thread, _| !before.contains_key(thread));
                now
            };
            let long = Duration::from_millis(20);
            while !new().values().any(|time| *time > long) {
                std::thread::yield_now();
            }
            assert!(new().values().any(|time| *time < long / 2), "{:?}", new());
            done.store(true, Ordering::Relaxed);
            waits.thread().unpark();
        });
    }
}
