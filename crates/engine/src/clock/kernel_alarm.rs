//! A timer of the kernel that a thread's runtime watches (timerfd_create(2)).

use std::os::fd::OwnedFd;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use tokio::io::unix::AsyncFd;

/// Rings once after each setting.
pub(super) struct KernelAlarm {
    timer: AsyncFd<OwnedFd>,
}

impl KernelAlarm {
    /// An alarm that is not set; needs the runtime of this thread.
    pub(super) fn new() -> std::io::Result<Self> {
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let timer = timerfd_create(TimerfdClockId::Monotonic, flags)?;
        // SAFETY: the descriptor is owned by the registration, nobody else has it, and it refers to the same timer
        // until the registration is dropped.
        #[expect(
            unsafe_code,
            reason = "tokio has no safe way to watch a descriptor of one's own"
        )]
        let timer = unsafe { AsyncFd::register(timer)? };
        Ok(Self { timer })
    }

    /// Ready when it has rung since the last time.
    pub(super) async fn rung(&self) -> std::io::Result<()> {
        let mut ready = self.timer.readable().await?;
        let mut expirations = [0; 8];
        // Nothing to read means that it was set anew meanwhile; due sleepers are looked for anyway.
        let _ = rustix::io::read(self.timer.get_ref(), &mut expirations);
        ready.clear_ready();
        Ok(())
    }

    /// Lets it ring after this time, and no longer at that of an earlier setting.
    pub(super) fn set(&self, left_ns: u64) -> std::io::Result<()> {
        // Zero would disarm it.
        let left_ns = left_ns.max(1);
        let setting = Itimerspec {
            it_interval: Timespec {
                tv_sec: 0,
                tv_nsec: 0,
            },
            it_value: Timespec {
                tv_sec: (left_ns / 1_000_000_000) as i64,
                tv_nsec: (left_ns % 1_000_000_000) as _,
            },
        };
        timerfd_settime(self.timer.get_ref(), TimerfdTimerFlags::empty(), &setting)?;
        Ok(())
    }
}
