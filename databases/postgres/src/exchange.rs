//! Waiting for an answer: the task that waits moves the connection's bytes itself, and is woken by its socket only.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use dbdyno_driver::{DbError, ErrorClass};
use futures_util::task::AtomicWaker;
use tokio::time::{Instant, Sleep};
use tokio_postgres::Error;

use crate::bounded::Allowance;
use crate::error::{classified, timeout};

/// What moves bytes between the library's client and the socket.
pub(crate) type Pump = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

/// A failure, and whether the connection is of no use any more.
pub(crate) struct Broken {
    pub(crate) error: DbError,
    pub(crate) lost: bool,
}

impl From<Broken> for DbError {
    fn from(broken: Broken) -> Self {
        broken.error
    }
}

/// Wakes the task for the sake of its connection. The library's client rings it with each request that it hands to the
/// connection, which this task polls next anyway: woken for that, it would run once more for nothing, for each operation.
pub(crate) struct Bell {
    waker: Waker,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    task: AtomicWaker,
    muffled: AtomicBool,
    /// Whether it rang while it was muffled.
    rang: AtomicBool,
}

impl Wake for Shared {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if self.muffled.load(Ordering::Acquire) {
            self.rang.store(true, Ordering::Release);
        } else {
            self.task.wake();
        }
    }
}

impl Bell {
    pub(crate) fn new() -> Self {
        let shared = Arc::new(Shared::default());
        Self {
            waker: Waker::from(Arc::clone(&shared)),
            shared,
        }
    }

    /// Runs the action without waking the task. Returns whether the action tried to wake it.
    fn muffled<T>(&self, action: impl FnOnce() -> T) -> (T, bool) {
        self.shared.muffled.store(true, Ordering::Release);
        let done = action();
        self.shared.muffled.store(false, Ordering::Release);
        (done, self.shared.rang.swap(false, Ordering::AcqRel))
    }
}

/// The longest wait for an answer. Its timer is set once for many answers: it rings at the earliest when one of them may be
/// late, and is then set to when the present one will be.
pub(crate) struct Deadline {
    limit: Duration,
    timer: Pin<Box<Sleep>>,
}

impl Deadline {
    /// Needs the runtime that it will be used in.
    pub(crate) fn new(limit: Duration) -> Self {
        Self {
            limit,
            timer: Box::pin(tokio::time::sleep(limit)),
        }
    }

    /// Whether what began then is late; the task is woken when it is.
    fn is_over(&mut self, began: Instant, context: &mut Context<'_>) -> bool {
        while self.timer.as_mut().poll(context).is_ready() {
            let end = began + self.limit;
            if Instant::now() >= end {
                return true;
            }
            self.timer.as_mut().reset(end);
        }
        false
    }
}

/// Waits for answers of one connection.
pub(crate) struct Waiter<'a> {
    pub(crate) pump: &'a mut Pump,
    pub(crate) bell: &'a Bell,
    /// What the server may send for the answer.
    pub(crate) allowance: &'a Allowance,
    pub(crate) deadline: &'a mut Deadline,
    /// The servers as people write them, for errors.
    pub(crate) hosts: &'a str,
}

impl Waiter<'_> {
    /// The answer, or the error that there was none in time. After that, and when the server has closed the connection,
    /// the connection is lost.
    pub(crate) async fn wait<T>(
        &mut self,
        answer: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Broken> {
        self.allowance.renew();
        let mut answer = pin!(answer);
        let began = Instant::now();
        let mut ended = false;
        let exchange = poll_fn(|context| {
            let progress = self.advance(answer.as_mut(), context, &mut ended);
            match progress {
                Poll::Ready(answer) => Poll::Ready(Some(answer)),
                Poll::Pending if self.deadline.is_over(began, context) => Poll::Ready(None),
                Poll::Pending => Poll::Pending,
            }
        });
        let answered = exchange.await;
        let hosts = self.hosts;
        match answered {
            Some(Ok(answer)) => Ok(answer),
            Some(Err(error)) => {
                let error = classified(error, hosts);
                Err(Broken {
                    lost: ended || error.class == ErrorClass::Unavailable,
                    error,
                })
            }
            None => Err(Broken {
                error: timeout(hosts, "answer", "timeout", self.deadline.limit),
                lost: true,
            }),
        }
    }

    /// Sends what is to be sent and takes what has come; `ended` when the connection has.
    fn advance<T>(
        &mut self,
        mut answer: Pin<&mut impl Future<Output = Result<T, Error>>>,
        context: &mut Context<'_>,
        ended: &mut bool,
    ) -> Poll<Result<T, Error>> {
        // What the answer waits for is brought by the pump alone, after which it is asked again.
        let mut nobody = Context::from_waker(Waker::noop());
        let (early, _) = self.bell.muffled(|| answer.as_mut().poll(&mut nobody));
        if early.is_ready() {
            return early;
        }
        self.bell.shared.task.register(context.waker());
        let mut ringing = Context::from_waker(&self.bell.waker);
        let end = match self.pump.as_mut().poll(&mut ringing) {
            Poll::Pending => None,
            Poll::Ready(end) => Some(end),
        };
        let (late, rang) = self.bell.muffled(|| answer.as_mut().poll(&mut nobody));
        match (late, end) {
            (Poll::Ready(answer), None) => Poll::Ready(answer),
            (Poll::Pending, None) => {
                if rang {
                    context.waker().wake_by_ref();
                }
                Poll::Pending
            }
            (late, Some(end)) => {
                *ended = true;
                // What came before the end counts.
                match (late, end) {
                    (Poll::Ready(Ok(answer)), _) => Poll::Ready(Ok(answer)),
                    (_, Err(error)) => Poll::Ready(Err(error)),
                    (other, Ok(())) => other,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run<F: Future>(future: F) -> F::Output {
        tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap()
            .block_on(future)
    }

    #[test]
    fn each_answer_has_the_whole_time_although_the_timer_ran_before() {
        run(async {
            let limit = Duration::from_millis(40);
            let mut deadline = Deadline::new(limit);
            for pause in [0, 15, 60] {
                tokio::time::sleep(Duration::from_millis(pause)).await;
                let began = Instant::now();
                poll_fn(|context| match deadline.is_over(began, context) {
                    true => Poll::Ready(()),
                    false => Poll::Pending,
                })
                .await;
                assert!(began.elapsed() >= limit, "after a pause of {pause} ms");
            }
        });
    }

    #[test]
    fn a_muffled_bell_is_heard_by_nobody_and_remembered() {
        struct Count(std::sync::atomic::AtomicUsize);
        impl Wake for Count {
            fn wake(self: Arc<Self>) {
                self.0.fetch_add(1, Ordering::SeqCst);
            }
        }
        let count = Arc::new(Count(Default::default()));
        let bell = Bell::new();
        bell.shared.task.register(&Waker::from(Arc::clone(&count)));
        assert_eq!(bell.muffled(|| 7), (7, false));
        assert_eq!(bell.muffled(|| bell.waker.wake_by_ref()), ((), true));
        assert_eq!(bell.muffled(|| 7), (7, false));
        assert_eq!(count.0.load(Ordering::SeqCst), 0);
        bell.waker.wake_by_ref();
        assert_eq!(count.0.load(Ordering::SeqCst), 1);
    }
}
