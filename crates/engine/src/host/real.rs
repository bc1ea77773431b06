//! The machine's threads and the machine's clock.

use std::time::Duration;

use dbdyno_driver::{DbError, Driver, ErrorClass, Execution};

use super::{Crew, Hands, Host, blocking, tasks};
use crate::clock::{MonotonicTime, Reading};
use crate::error::EngineError;
use crate::thread_name::thread_name;

/// The real world. The trial itself runs in a tokio runtime.
pub(crate) struct Real {
    pub(crate) time: MonotonicTime,
}

impl Host for Real {
    const REAL: bool = true;

    fn now_ns(&self) -> u64 {
        self.time.now_ns()
    }

    fn clock_reading(&self) -> Option<Reading> {
        self.time.reading()
    }

    async fn sleep_until(&self, deadline_ns: u64) {
        let left_ns = deadline_ns.saturating_sub(self.now_ns());
        tokio::time::sleep(Duration::from_nanos(left_ns)).await;
    }

    async fn apart<T, F>(&self, make: impl FnOnce() -> F + Send + 'static) -> Result<T, DbError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, DbError>>,
    {
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let runtime = tokio::runtime::Handle::current();
        std::thread::Builder::new()
            .name(thread_name("contact"))
            .spawn(move || sender.send(runtime.block_on(make())))
            .map_err(|error| {
                DbError::new(
                    ErrorClass::Rejected,
                    format!("the operating system refused a thread to connect from ({error}); raise its limits (`ulimit -u`)"),
                )
            })?;
        receiver.await.unwrap_or_else(|_| {
            let broken = "the driver panicked; the message is above";
            Err(DbError::new(ErrorClass::Bug, broken))
        })
    }

    fn start<D: Driver>(&self, crew: Crew<D>) -> Result<Hands, EngineError> {
        match D::INFO.execution {
            Execution::Blocking => blocking::start(crew, self.time),
            Execution::Async => tasks::start(crew, self.time),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deadline_holds_over_a_future_that_never_yields() {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let host = Real {
            time: MonotonicTime::start(),
        };
        let began_ns = host.now_ns();
        let busy = host.apart(|| async {
            std::thread::sleep(Duration::from_secs(20));
            Ok(())
        });
        let ended = runtime.block_on(async { tokio::time::timeout(Duration::from_millis(50), busy).await });
        assert!(ended.is_err(), "the deadline came first");
        assert!(
            host.now_ns() - began_ns < 10_000_000_000,
            "and did not wait for it"
        );
        let done = runtime.block_on(host.apart(|| async { Ok(7) })).unwrap();
        assert_eq!(done, 7);
        runtime.shutdown_background();
    }
}
