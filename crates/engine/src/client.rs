//! One client's life: get a session, carry out pieces of work until there are no more.

use std::sync::Arc;

use dbdyno_driver::{Driver, Table};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::clock::Clock;
use crate::recorder::Recorder;
use crate::report::{Report, Reports};
use crate::work::SharedSequence;
use crate::worker::run_client;

/// What a client receives: the next piece of work. The channel's end is its end.
pub(crate) type Orders = UnboundedReceiver<Arc<SharedSequence>>;

/// Lives through a trial on the thread it was started on. The session is made, used and dropped here.
pub(crate) async fn live<D: Driver, C: Clock>(
    driver: Arc<D>,
    table: Arc<Table>,
    mut orders: Orders,
    reports: Reports,
    clock: &C,
    recorder: &Recorder,
) {
    let mut session = match driver.session(&table).await {
        Ok(session) => session,
        Err(error) => return reports.send(Report::NotReady(error)),
    };
    reports.send(Report::Ready);
    while let Some(work) = orders.recv().await {
        recorder.begin(&work, clock.now_ns());
        let slice = run_client(&mut session, &work, clock, recorder).await;
        reports.send(Report::Done(slice));
    }
}
