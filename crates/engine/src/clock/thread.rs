//! Waiting on a thread of one's own: sleep for most of it, spin for the last few microseconds.

use std::cell::Cell;
use std::time::Duration;

use super::{Clock, MonotonicTime};

/// The least and the most of a wait that is spent spinning. The kernel wakes a sleeper some microseconds late, on a
/// virtual machine some tens; more than the most would burn the processor that the database may need.
const SPIN_NS: std::ops::RangeInclusive<u64> = 5_000..=100_000;

/// A clock whose waits block the thread. Made on the thread that uses it.
pub(crate) struct ThreadClock {
    time: MonotonicTime,
    /// How long before a deadline the sleep shall end: twice what sleeps were late lately.
    margin_ns: Cell<u64>,
}

impl ThreadClock {
    /// Also asks the kernel not to round this thread's sleeps up (its timer slack is 50 microseconds by default).
    pub(crate) fn new(time: MonotonicTime) -> Self {
        #[cfg(target_os = "linux")]
        {
            // Without it sleeps end later and the margin grows: waits cost more, they are not wrong.
            let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        }
        Self {
            time,
            margin_ns: Cell::new(50_000),
        }
    }
}

impl Clock for ThreadClock {
    #[inline(always)]
    fn now_ns(&self) -> u64 {
        self.time.now_ns()
    }

    async fn sleep_until(&self, deadline_ns: u64) {
        let margin_ns = self.margin_ns.get();
        let left_ns = deadline_ns.saturating_sub(self.time.now_ns());
        if left_ns > margin_ns {
            let wake_ns = deadline_ns - margin_ns;
            std::thread::sleep(Duration::from_nanos(left_ns - margin_ns));
            let late_ns = self.time.now_ns().saturating_sub(wake_ns);
            // A running mean over about eight sleeps follows the machine's mood.
            let next = (margin_ns * 7 + late_ns * 2) / 8;
            self.margin_ns.set(next.clamp(*SPIN_NS.start(), *SPIN_NS.end()));
        }
        while self.time.now_ns() < deadline_ns {
            std::hint::spin_loop();
        }
    }

    #[inline(always)]
    async fn breathe(&self, _: u64) {}
}
