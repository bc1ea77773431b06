//! One client's life: get a session, carry out pieces of work until there are no more.

use std::sync::Arc;

use dbdyno_driver::{Driver, Table};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::clock::Clock;
use crate::recorder::Recorder;
use crate::report::{Report, Reports};
use crate::work::SharedSequence;
use crate::worker::run_client;

/// Brings a client its next pieces of work. The channel's end is its end.
pub(crate) type Orders = UnboundedReceiver<Arc<SharedSequence>>;

/// A client that is not started yet.
pub(crate) struct Client<D> {
    pub(crate) driver: Arc<D>,
    pub(crate) table: Arc<Table>,
    pub(crate) orders: Orders,
    pub(crate) reports: Reports,
}

impl<D: Driver> Client<D> {
    /// Lives through a trial on the thread it was started on. The session is made, used and dropped here.
    pub(crate) async fn live<C: Clock>(mut self, clock: &C, recorder: &Recorder) {
        let reports = self.reports;
        let mut session = match self.driver.session(&self.table).await {
            Ok(session) => session,
            Err(error) => return reports.send(Report::NotReady(error)),
        };
        reports.send(Report::Ready);
        while let Some(work) = self.orders.recv().await {
            recorder.begin(&work, clock.now_ns());
            let slice = run_client(&mut session, &work, clock, recorder).await;
            reports.send(Report::Done(slice));
        }
    }
}
