//! Time as clients see it.
//!
//! Real time is [`MonotonicTime`]; how a client waits on it differs: `ThreadClock` blocks its own thread,
//! `TaskClock` lets the thread's other clients run. [`VirtualTime`] passes only when a test's executor moves it.

#[cfg(target_os = "linux")]
mod kernel_alarm;
mod monotonic;
mod own;
#[cfg(any(test, target_arch = "x86_64"))]
mod scale;
mod task;
mod thread;
#[cfg(any(test, not(target_os = "linux")))]
mod thread_alarm;
mod virtual_time;

#[cfg(target_os = "linux")]
use kernel_alarm::KernelAlarm as Alarm;
pub use monotonic::MonotonicTime;
pub(crate) use monotonic::Reading;
#[cfg(all(test, target_arch = "x86_64"))]
pub(crate) use monotonic::planted;
pub(crate) use own::OwnClock;
pub(crate) use task::{TaskClock, Timers};
pub(crate) use thread::ThreadClock;
#[cfg(not(target_os = "linux"))]
use thread_alarm::ThreadAlarm as Alarm;
pub use virtual_time::{Sleep, VirtualTime};

/// A client's view of time. Nanoseconds count from an arbitrary beginning that all clocks of a trial share.
pub trait Clock {
    /// Now.
    fn now_ns(&self) -> u64;
    /// Ready at `deadline_ns` or as soon after it as the clock can.
    async fn sleep_until(&self, deadline_ns: u64);
    /// Lets other clients of this thread run, when there are any.
    async fn breathe(&self, now_ns: u64);
}

/// A client's clock on virtual time.
#[derive(Clone)]
pub(crate) struct VirtualClock(pub(crate) VirtualTime);

impl Clock for VirtualClock {
    fn now_ns(&self) -> u64 {
        self.0.now_ns()
    }

    async fn sleep_until(&self, deadline_ns: u64) {
        self.0.sleep_until(deadline_ns).await;
    }

    async fn breathe(&self, _: u64) {
        yield_once().await;
    }
}

/// Pending once, and ready to run again at once: behind all that are ready now.
pub(crate) async fn yield_once() {
    let mut yielded = false;
    std::future::poll_fn(|context| {
        if yielded {
            return std::task::Poll::Ready(());
        }
        yielded = true;
        context.waker().wake_by_ref();
        std::task::Poll::Pending
    })
    .await;
}
