//! Waiting on a thread that many clients share: an alarm of nanosecond resolution per thread, never the async runtime's own
//! timer, whose wheel turns in milliseconds.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;
use std::task::{Poll, Waker};

use super::{Alarm, Clock, MonotonicTime, yield_once};

/// Waits shorter than this are not worth a system call: the client stays ready and looks again, and its siblings run
/// in between.
const SHORT_NS: u64 = 20_000;

/// How long a client may keep the thread although it never had to wait.
const TURN_NS: u64 = 100_000;

/// The clients of one thread that wait for a moment.
pub(crate) struct Timers {
    time: MonotonicTime,
    alarm: Alarm,
    sleepers: RefCell<BinaryHeap<Reverse<Sleeper>>>,
    armed_ns: Cell<u64>,
}

struct Sleeper {
    deadline_ns: u64,
    waker: Waker,
}

impl PartialEq for Sleeper {
    fn eq(&self, other: &Self) -> bool {
        self.deadline_ns == other.deadline_ns
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
        self.deadline_ns.cmp(&other.deadline_ns)
    }
}

impl Timers {
    /// The timers of this thread; needs its runtime.
    pub(crate) fn new(time: MonotonicTime) -> std::io::Result<Rc<Self>> {
        Ok(Rc::new(Self {
            time,
            alarm: Alarm::new()?,
            sleepers: RefCell::default(),
            armed_ns: Cell::new(u64::MAX),
        }))
    }

    /// Wakes sleepers for as long as it is polled: the thread runs it beside its clients.
    pub(crate) async fn run(self: Rc<Self>) -> std::io::Result<()> {
        loop {
            self.alarm.rung().await?;
            self.armed_ns.set(u64::MAX);
            let now_ns = self.time.now_ns();
            let mut sleepers = self.sleepers.borrow_mut();
            while sleepers
                .peek()
                .is_some_and(|Reverse(next)| next.deadline_ns <= now_ns + SHORT_NS / 4)
            {
                if let Some(Reverse(sleeper)) = sleepers.pop() {
                    sleeper.waker.wake();
                }
            }
            let next = sleepers.peek().map(|Reverse(next)| next.deadline_ns);
            drop(sleepers);
            if let Some(deadline_ns) = next {
                self.arm(deadline_ns)?;
            }
        }
    }

    fn sleep(&self, deadline_ns: u64, waker: Waker) {
        self.sleepers
            .borrow_mut()
            .push(Reverse(Sleeper { deadline_ns, waker }));
        if deadline_ns < self.armed_ns.get() {
            self.arm(deadline_ns)
                .expect("an alarm of our own takes every time");
        }
    }

    fn arm(&self, deadline_ns: u64) -> std::io::Result<()> {
        self.armed_ns.set(deadline_ns);
        self.alarm.set(deadline_ns.saturating_sub(self.time.now_ns()))
    }
}

/// The clock of a client that shares its thread.
#[derive(Clone)]
pub(crate) struct TaskClock {
    timers: Rc<Timers>,
    turn_began_ns: Cell<u64>,
}

impl TaskClock {
    pub(crate) fn new(timers: Rc<Timers>) -> Self {
        Self {
            timers,
            turn_began_ns: Cell::new(0),
        }
    }
}

impl Clock for TaskClock {
    #[inline(always)]
    fn now_ns(&self) -> u64 {
        self.timers.time.now_ns()
    }

    async fn sleep_until(&self, deadline_ns: u64) {
        loop {
            let now_ns = self.now_ns();
            if now_ns >= deadline_ns {
                return;
            }
            if deadline_ns - now_ns <= SHORT_NS {
                yield_once().await;
                continue;
            }
            let mut asleep = false;
            std::future::poll_fn(|context| {
                if asleep {
                    return Poll::Ready(());
                }
                asleep = true;
                self.timers.sleep(deadline_ns, context.waker().clone());
                Poll::Pending
            })
            .await;
        }
    }

    async fn breathe(&self, now_ns: u64) {
        if now_ns.saturating_sub(self.turn_began_ns.get()) > TURN_NS {
            yield_once().await;
            self.turn_began_ns.set(self.now_ns());
        }
    }
}
