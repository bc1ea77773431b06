//! Work that writes leave behind, for a thread that does it later: a flush, a compaction, a checkpoint, planted.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use dbdyno_driver::DbError;
use rustix::time::{ClockId, clock_gettime};

use crate::error;

/// No operation for so long, and the thread takes what was put off.
pub const QUIET: Duration = Duration::from_millis(5);
/// After so much work it looks whether operations have arrived.
const CHUNK: Duration = Duration::from_micros(200);

/// Work that was put off.
#[derive(Debug)]
pub(crate) struct Deferred {
    /// CPU time that each write leaves behind.
    per_write: Duration,
    /// From so many writes on, their work is done although operations arrive.
    limit: u64,
    /// Writes whose work is not done yet.
    owed: AtomicU64,
    /// All operations so far.
    operations: AtomicU64,
    ended: AtomicBool,
}

impl Deferred {
    fn new(per_write: Duration, limit: Duration) -> Self {
        Self {
            per_write,
            limit: (limit.as_nanos() / per_write.as_nanos().max(1)).max(1) as u64,
            owed: AtomicU64::new(0),
            operations: AtomicU64::new(0),
            ended: AtomicBool::new(false),
        }
    }

    /// An operation arrives.
    pub(crate) fn note_operation(&self) {
        self.operations.fetch_add(1, Ordering::Relaxed);
    }

    /// It is a write, and leaves its work behind.
    pub(crate) fn note_write(&self) {
        self.owed.fetch_add(1, Ordering::Relaxed);
    }

    /// How many writes' work is to be done now, before the next look.
    fn due(&self, is_quiet: bool) -> u64 {
        let owed = self.owed.load(Ordering::Relaxed);
        let at_once = (CHUNK.as_nanos() / self.per_write.as_nanos().max(1)).max(1) as u64;
        if is_quiet || owed >= self.limit {
            owed.min(at_once)
        } else {
            0
        }
    }

    fn work(&self) {
        let mut seen = self.operations.load(Ordering::Relaxed);
        while !self.ended.load(Ordering::Relaxed) {
            let operations = self.operations.load(Ordering::Relaxed);
            let due = self.due(operations == seen);
            seen = operations;
            if due > 0 {
                burn(self.per_write.as_nanos() as u64 * due);
                self.owed.fetch_sub(due, Ordering::Relaxed);
            } else {
                std::thread::park_timeout(QUIET);
            }
        }
    }
}

/// Uses so much CPU time of this thread, nanoseconds, whatever else the machine does.
fn burn(cpu_ns: u64) {
    let end_ns = own_cpu_ns() + cpu_ns;
    let mut steps = 0_u64;
    while own_cpu_ns() < end_ns {
        for _ in 0..1_000 {
            steps = std::hint::black_box(steps.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
        }
    }
}

/// What this thread has used. It says nothing of how long an operation takes.
fn own_cpu_ns() -> u64 {
    let cpu = clock_gettime(ClockId::ThreadCPUTime);
    cpu.tv_sec as u64 * 1_000_000_000 + cpu.tv_nsec as u64
}

/// The thread that does what was put off. It ends with its driver; what is left then is never done.
#[derive(Debug)]
pub(crate) struct Worker {
    deferred: Arc<Deferred>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Worker {
    /// Starts it; `None` where nothing is to be put off.
    pub(crate) fn start(per_write: Duration, limit: Duration) -> Result<Option<Self>, DbError> {
        if per_write.is_zero() {
            return Ok(None);
        }
        let deferred = Arc::new(Deferred::new(per_write, limit));
        let own = Arc::clone(&deferred);
        let thread = std::thread::Builder::new()
            .name("sick-deferred".to_owned())
            .spawn(move || own.work())
            .map_err(|refused| error::no_thread(&refused))?;
        Ok(Some(Self {
            deferred,
            thread: Mutex::new(Some(thread)),
        }))
    }

    pub(crate) fn deferred(&self) -> Arc<Deferred> {
        Arc::clone(&self.deferred)
    }

    /// Ends the thread and waits for that, a fraction of a millisecond.
    pub(crate) fn end(&self) {
        self.deferred.ended.store(true, Ordering::Relaxed);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            thread.thread().unpark();
            // It can panic over nothing.
            let _ = thread.join();
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WRITE: Duration = Duration::from_micros(20);

    #[test]
    fn work_waits_for_quiet_until_much_of_it_has_gathered() {
        let deferred = Deferred::new(WRITE, Duration::from_millis(1));
        assert_eq!(deferred.due(true), 0, "there is none");
        (0..49).for_each(|_| deferred.note_write());
        assert_eq!((deferred.due(false), deferred.due(true)), (0, 10));
        deferred.note_write();
        assert_eq!(deferred.due(false), 10, "a millisecond of it");
        let large = Deferred::new(Duration::from_millis(3), Duration::ZERO);
        large.note_write();
        assert_eq!(large.due(false), 1);
    }

    #[test]
    fn all_of_it_is_done_once_it_is_quiet() {
        let used_ns = || {
            let cpu = clock_gettime(ClockId::ProcessCPUTime);
            cpu.tv_sec as u64 * 1_000_000_000 + cpu.tv_nsec as u64
        };
        let before_ns = used_ns();
        let worker = Worker::start(WRITE, Duration::from_secs(1)).unwrap().unwrap();
        let deferred = worker.deferred();
        for _ in 0..1_000 {
            deferred.note_operation();
            deferred.note_write();
        }
        while deferred.owed.load(Ordering::Relaxed) > 0 {
            std::thread::sleep(QUIET);
        }
        assert!(used_ns() - before_ns >= 20_000_000, "20 us a write");
    }

    #[test]
    fn the_thread_ends_with_the_driver_and_leaves_the_rest_undone() {
        let worker = Worker::start(Duration::from_millis(10), Duration::ZERO)
            .unwrap()
            .unwrap();
        let deferred = worker.deferred();
        (0..1_000_000).for_each(|_| deferred.note_write());
        drop(worker);
        assert_eq!(Arc::strong_count(&deferred), 1, "nobody else holds it");
        assert!(deferred.owed.load(Ordering::Relaxed) > 0);
        assert!(Worker::start(Duration::ZERO, Duration::ZERO).unwrap().is_none());
    }
}
