//! A discrete-event simulation: the trial and all clients on one thread, on a time that jumps.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use dbdyno_driver::{DbError, Driver};

use super::{Crew, Hands, Host};
use crate::clock::{Reading, VirtualClock, VirtualTime};
use crate::error::EngineError;
use crate::recorder::Recorder;

type Task = Pin<Box<dyn Future<Output = ()>>>;

/// A world of its own.
pub(crate) struct Virtual {
    time: VirtualTime,
    newborn: Rc<RefCell<Vec<Task>>>,
}

impl Host for Virtual {
    const REAL: bool = false;

    fn now_ns(&self) -> u64 {
        self.time.now_ns()
    }

    fn clock_reading(&self) -> Option<Reading> {
        None
    }

    async fn sleep_until(&self, deadline_ns: u64) {
        self.time.sleep_until(deadline_ns).await;
    }

    async fn apart<T, F>(&self, make: impl FnOnce() -> F + Send + 'static) -> Result<T, DbError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, DbError>>,
    {
        make().await
    }

    fn start<D: Driver>(&self, crew: Crew<D>) -> Result<Hands, EngineError> {
        for client in crew.clients() {
            let clock = VirtualClock(self.time.clone());
            // One recorder per client, as if every client had a thread of its own.
            let recorder = Recorder::new(client.reports.clone());
            self.newborn.borrow_mut().push(Box::pin(async move {
                client.live(&clock, &recorder).await;
            }));
        }
        Ok(Hands::default())
    }
}

/// Tasks that can run, in the order in which they were woken.
#[derive(Default)]
struct Ready(Mutex<VecDeque<usize>>);

impl Ready {
    fn push(&self, task: usize) {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push_back(task);
    }

    fn pop(&self) -> Option<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
    }
}

struct WakeTask {
    task: usize,
    ready: Arc<Ready>,
}

impl Wake for WakeTask {
    fn wake(self: Arc<Self>) {
        self.ready.push(self.task);
    }
}

/// Runs a trial in a world of virtual time until it is over. Whatever can run, runs; when nothing can, time jumps to
/// the next moment somebody sleeps for.
///
/// # Panics
/// When everybody waits and nobody sleeps: a deadlock of the engine or the driver.
pub(crate) fn run_on_virtual_time<T, F: Future<Output = T>>(
    time: &VirtualTime,
    trial: impl FnOnce(Virtual) -> F,
) -> T {
    const TRIAL: usize = usize::MAX;
    let newborn = Rc::new(RefCell::new(Vec::new()));
    let mut trial = std::pin::pin!(trial(Virtual {
        time: time.clone(),
        newborn: Rc::clone(&newborn),
    }));
    let ready = Arc::new(Ready::default());
    let waker_of = |task| {
        let ready = Arc::clone(&ready);
        Waker::from(Arc::new(WakeTask { task, ready }))
    };
    let trial_waker = waker_of(TRIAL);
    let mut tasks: Vec<Option<(Task, Waker)>> = Vec::new();
    ready.push(TRIAL);
    loop {
        while let Some(number) = ready.pop() {
            if number == TRIAL {
                let polled = trial.as_mut().poll(&mut Context::from_waker(&trial_waker));
                if let Poll::Ready(output) = polled {
                    return output;
                }
            } else if let Some((task, waker)) = &mut tasks[number] {
                let polled = task.as_mut().poll(&mut Context::from_waker(waker));
                if polled.is_ready() {
                    tasks[number] = None;
                }
            }
            for task in newborn.borrow_mut().drain(..) {
                ready.push(tasks.len());
                tasks.push(Some((task, waker_of(tasks.len()))));
            }
        }
        assert!(
            time.advance(),
            "virtual time stands still: everybody waits, nobody sleeps"
        );
    }
}
