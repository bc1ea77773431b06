//! Time that passes only when somebody moves it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use crate::work::nanoseconds;

/// Virtual time in nanoseconds from zero. Clones share one time.
///
/// It stands still while futures run. [`advance`](Self::advance) jumps to the next deadline somebody sleeps for, so
/// an executor that calls it whenever nothing else can run is a discrete-event simulation. Sleepers of the same
/// deadline wake in the order in which they fell asleep: every run is the same.
#[derive(Clone, Default)]
pub struct VirtualTime {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    now_ns: u64,
    sleepers: BinaryHeap<Reverse<Sleeper>>,
    next_order: u64,
}

struct Sleeper {
    deadline_ns: u64,
    order: u64,
    waker: Waker,
}

impl Sleeper {
    fn rank(&self) -> (u64, u64) {
        (self.deadline_ns, self.order)
    }
}

impl PartialEq for Sleeper {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Sleeper {}

impl PartialOrd for Sleeper {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Sleeper {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl VirtualTime {
    /// A time that stands at zero.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while the lock is held, so the state is whole even if a holder's thread died.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Nanoseconds since the beginning of this time.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        self.state().now_ns
    }

    /// Ready when the time is at or after `deadline_ns`.
    pub fn sleep_until(&self, deadline_ns: u64) -> Sleep {
        Sleep {
            time: self.clone(),
            deadline_ns,
            asleep: false,
        }
    }

    /// Ready when `duration` has passed.
    pub fn sleep(&self, duration: Duration) -> Sleep {
        self.sleep_until(self.now_ns().saturating_add(nanoseconds(duration)))
    }

    /// Jumps to the next deadline and wakes one sleeper; `false` when nobody sleeps.
    pub fn advance(&self) -> bool {
        let mut state = self.state();
        let Some(Reverse(sleeper)) = state.sleepers.pop() else {
            return false;
        };
        state.now_ns = state.now_ns.max(sleeper.deadline_ns);
        drop(state);
        sleeper.waker.wake();
        true
    }
}

/// The future of [`VirtualTime::sleep_until`].
#[must_use = "futures do nothing unless awaited"]
pub struct Sleep {
    time: VirtualTime,
    deadline_ns: u64,
    asleep: bool,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let time = self.time.clone();
        let mut state = time.state();
        if state.now_ns >= self.deadline_ns {
            return Poll::Ready(());
        }
        // One entry per sleep: a task keeps its waker in the executors this is for, and a dropped sleep's entry only
        // makes its deadline pass.
        if !self.asleep {
            self.asleep = true;
            let order = state.next_order;
            state.next_order += 1;
            state.sleepers.push(Reverse(Sleeper {
                deadline_ns: self.deadline_ns,
                order,
                waker: context.waker().clone(),
            }));
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::task::Wake;

    #[derive(Default)]
    struct Wakes(AtomicU32);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn it_jumps_from_deadline_to_deadline() {
        let time = VirtualTime::new();
        let wakes = Arc::new(Wakes::default());
        let waker = Waker::from(Arc::clone(&wakes));
        let mut context = Context::from_waker(&waker);
        let mut late = std::pin::pin!(time.sleep(Duration::from_secs(7)));
        let mut early = std::pin::pin!(time.sleep(Duration::from_secs(3)));
        assert!(late.as_mut().poll(&mut context).is_pending());
        assert!(early.as_mut().poll(&mut context).is_pending());

        assert!(time.advance());
        assert_eq!(time.now_ns(), 3_000_000_000);
        assert!(early.as_mut().poll(&mut context).is_ready());
        assert!(late.as_mut().poll(&mut context).is_pending());
        assert!(time.advance());
        assert!(late.as_mut().poll(&mut context).is_ready());
        assert!(!time.advance());
        assert_eq!(wakes.0.load(Ordering::Relaxed), 2);
    }
}
