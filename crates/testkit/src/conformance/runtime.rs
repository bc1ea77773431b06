//! How the suite waits for a driver's futures without knowing an async runtime.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Waits for a future. Called from several threads at a time; a multi-threaded tokio runtime implements it in a line.
pub trait BlockOn: Sync {
    /// The future's output.
    fn block_on<F: Future>(&self, future: F) -> F::Output;
}

/// For drivers whose calls block, so that their futures are ready when they are polled.
#[derive(Clone, Copy, Debug)]
pub struct Ready;

impl BlockOn for Ready {
    fn block_on<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        let mut context = Context::from_waker(Waker::noop());
        loop {
            // Blocking drivers are ready here. That they are is a check of its own, so others go on polling.
            match future.as_mut().poll(&mut context) {
                Poll::Ready(output) => return output,
                Poll::Pending => std::thread::yield_now(),
            }
        }
    }
}
