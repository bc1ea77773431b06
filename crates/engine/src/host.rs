//! Where a trial runs: on the machine's threads and clock, or on one thread and virtual time.

mod blocking;
mod real;
mod tasks;
mod virtual_time;

use std::sync::Arc;

use dbdyno_driver::{DbError, Driver, Table};

use crate::client::{Client, Orders};
use crate::clock::Reading;
use crate::error::EngineError;
use crate::report::Reports;

pub(crate) use blocking::{STACK_BYTES, block_on};
pub(crate) use real::Real;
pub(crate) use virtual_time::run_on_virtual_time;

/// The clients of a trial, to be started.
pub(crate) struct Crew<D> {
    pub(crate) driver: Arc<D>,
    pub(crate) table: Arc<Table>,
    /// One entry per client.
    pub(crate) orders: Vec<Orders>,
    pub(crate) reports: Reports,
    pub(crate) threads: u32,
}

impl<D> Crew<D> {
    /// Each client on its own.
    fn clients(self) -> impl Iterator<Item = Client<D>> {
        let Self {
            driver,
            table,
            orders,
            reports,
            threads: _,
        } = self;
        orders.into_iter().map(move |orders| Client {
            driver: Arc::clone(&driver),
            table: Arc::clone(&table),
            orders,
            reports: reports.clone(),
        })
    }
}

/// A place for a trial.
pub(crate) trait Host {
    /// Now, on the clients' clock.
    fn now_ns(&self) -> u64;
    /// The clients' clock beside the kernel's; `None` where there is nothing to compare.
    fn clock_reading(&self) -> Option<Reading>;
    /// Waits, on the trial's behalf: to a millisecond.
    async fn sleep_until(&self, deadline_ns: u64);
    /// Runs the future apart from the trial, so that the trial's deadlines hold whatever the future does.
    async fn apart<T, F>(&self, make: impl FnOnce() -> F + Send + 'static) -> Result<T, DbError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, DbError>>;
    /// Starts the clients. They end when their orders do.
    fn start<D: Driver>(&self, crew: Crew<D>) -> Result<Hands, EngineError>;
    /// Whether time passes by itself, so that the process's own cost means something.
    const REAL: bool;
}

/// The threads that carry clients.
#[derive(Default)]
pub(crate) struct Hands(Vec<std::thread::JoinHandle<()>>);

impl Hands {
    /// Waits for their end. Only when every client is known to be about to end.
    pub(crate) fn join(self) {
        for thread in self.0 {
            // A panic was reported over the channel when it happened.
            let _ = thread.join();
        }
    }
}
