//! A timer for systems without timerfd: a thread that sleeps, and then wakes the runtime of the thread whose alarm it is.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

/// Rings once after each setting.
pub(super) struct ThreadAlarm {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    request: Mutex<Request>,
    changed: Condvar,
    bell: Notify,
}

/// The wake-ups that the sleeping thread has not yet seen.
#[derive(Default)]
struct Request {
    left_ns: Option<u64>,
    ended: bool,
}

impl Request {
    fn is_empty(&self) -> bool {
        self.left_ns.is_none() && !self.ended
    }
}

impl ThreadAlarm {
    /// An alarm that is not set.
    pub(super) fn new() -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let sleeper = Arc::clone(&shared);
        std::thread::Builder::new()
            .name("alarm".to_owned())
            .spawn(move || sleeper.serve())?;
        Ok(Self { shared })
    }

    /// Ready when it has rung since the last time.
    pub(super) async fn rung(&self) -> std::io::Result<()> {
        self.shared.bell.notified().await;
        Ok(())
    }

    /// Lets it ring after this time, and no longer at that of an earlier setting.
    pub(super) fn set(&self, left_ns: u64) -> std::io::Result<()> {
        self.shared.lock().left_ns = Some(left_ns);
        self.shared.changed.notify_one();
        Ok(())
    }
}

impl Drop for ThreadAlarm {
    fn drop(&mut self) {
        self.shared.lock().ended = true;
        self.shared.changed.notify_one();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Request> {
        self.request.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self) {
        let mut request = self.lock();
        while !request.ended {
            request = match request.left_ns.take() {
                None => self
                    .changed
                    .wait_while(request, |request| request.is_empty())
                    .unwrap_or_else(PoisonError::into_inner),
                Some(left_ns) => {
                    let left = Duration::from_nanos(left_ns);
                    let (request, wait) = self
                        .changed
                        .wait_timeout_while(request, left, |request| request.is_empty())
                        .unwrap_or_else(PoisonError::into_inner);
                    if wait.timed_out() {
                        self.bell.notify_one();
                    }
                    request
                }
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::runtime::Builder;
    use tokio::time::timeout;

    use super::*;
    use crate::clock::MonotonicTime;

    const MS: u64 = 1_000_000;

    #[test]
    fn it_rings_after_the_last_setting_and_once() {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let alarm = ThreadAlarm::new().unwrap();
            let silence = timeout(Duration::from_millis(20), alarm.rung());
            assert!(silence.await.is_err(), "it is not set");

            let time = MonotonicTime::start();
            let began_ns = time.now_ns();
            alarm.set(60_000 * MS).unwrap();
            alarm.set(5 * MS).unwrap();
            timeout(Duration::from_secs(30), alarm.rung())
                .await
                .unwrap()
                .unwrap();
            assert!(time.now_ns() - began_ns >= 5 * MS);

            let silence = timeout(Duration::from_millis(20), alarm.rung());
            assert!(silence.await.is_err(), "it has rung");
            alarm.set(0).unwrap();
            timeout(Duration::from_secs(30), alarm.rung())
                .await
                .unwrap()
                .unwrap();
        });
    }

    #[test]
    fn its_thread_ends_with_it() {
        let alarm = ThreadAlarm::new().unwrap();
        alarm.set(60_000 * MS).unwrap();
        let shared = Arc::downgrade(&alarm.shared);
        drop(alarm);
        while shared.strong_count() > 0 {
            std::thread::yield_now();
        }
    }
}
