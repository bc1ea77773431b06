//! Clients of blocking drivers: one thread each, and the smallest executor there is.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

use dbdyno_driver::Driver;

use super::{Crew, Hands};
use crate::clock::{MonotonicTime, ThreadClock};
use crate::error::EngineError;
use crate::recorder::Recorder;
use crate::report::{Report, Reports};
use crate::thread_name::thread_name;

/// Address space for one client's stack; memory is used only as the stack grows.
pub(crate) const STACK_BYTES: usize = 1 << 20;

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Runs one future on this thread. Futures of blocking drivers are ready when first polled.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(output) => return output,
            Poll::Pending => std::thread::park(),
        }
    }
}

/// Reports a thread that ends by a panic: the trial would wait for it for ever.
pub(super) struct PanicReport(pub(super) Reports);

impl Drop for PanicReport {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.send(Report::Broken(
                "its thread panicked; the message is above".to_owned(),
            ));
        }
    }
}

pub(super) fn start<D: Driver>(crew: Crew<D>, time: MonotonicTime) -> Result<Hands, EngineError> {
    start_with_stacks(crew, time, STACK_BYTES)
}

fn start_with_stacks<D: Driver>(
    crew: Crew<D>,
    time: MonotonicTime,
    stack_bytes: usize,
) -> Result<Hands, EngineError> {
    let mut hands = Hands::default();
    for (number, client) in crew.clients().enumerate() {
        let life = move || {
            let _panic = PanicReport(client.reports.clone());
            let clock = ThreadClock::new(time);
            let recorder = Recorder::new(client.reports.clone());
            block_on(client.live(&clock, &recorder));
        };
        let thread = std::thread::Builder::new()
            .name(thread_name(&format!("client-{number}")))
            .stack_size(stack_bytes)
            .spawn(life)
            .map_err(|error| EngineError::System {
                what: "a thread for every client",
                error,
            })?;
        hands.0.push(thread);
    }
    Ok(hands)
}

#[cfg(test)]
mod tests {
    use dbdyno_driver::{Driver, Table};
    use dbdyno_testkit::simulated::{Behaviour, Simulated, Simulation};

    use super::*;
    use crate::error::EngineErrorClass;

    #[test]
    fn a_refused_thread_is_no_bug() {
        let simulation = Simulation::new(Behaviour::default());
        let driver = block_on(Simulated::connect(&simulation.target())).unwrap();
        let (reports, _received) = Reports::channel();
        let (_sender, orders) = tokio::sync::mpsc::unbounded_channel();
        let crew = Crew {
            driver: Arc::new(driver),
            table: Arc::new(Table {
                name: "t".to_owned(),
                field_names: Vec::new(),
            }),
            orders: vec![orders],
            reports,
            threads: 1,
        };
        // No machine has a stack of this size to give.
        let refused = start_with_stacks(crew, MonotonicTime::start(), 1 << 56)
            .err()
            .unwrap();
        assert_eq!(refused.class(), EngineErrorClass::Input);
        let words = refused.to_string();
        assert!(
            words.starts_with("the operating system refused a thread"),
            "{words}"
        );
    }

    #[test]
    fn a_future_that_waits_is_woken() {
        let (sender, mut receiver) = tokio::sync::mpsc::unbounded_channel();
        let other = std::thread::spawn(move || sender.send(7).unwrap());
        assert_eq!(block_on(receiver.recv()), Some(7));
        other.join().unwrap();
    }
}
