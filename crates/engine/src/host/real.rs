//! The machine's threads and the machine's clock.

use std::time::Duration;

use dbdyno_driver::{Driver, Execution};

use super::{Crew, Hands, Host, blocking, tasks};
use crate::clock::{MonotonicTime, Reading};
use crate::error::EngineError;

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

    fn start<D: Driver>(&self, crew: Crew<D>) -> Result<Hands, EngineError> {
        match D::INFO.execution {
            Execution::Blocking => blocking::start(crew, self.time),
            Execution::Async => tasks::start(crew, self.time),
        }
    }
}
