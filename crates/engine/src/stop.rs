//! The request to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Asks a running trial to end early (Ctrl-C): it drains and keeps what it measured. Clones share one request.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// No stop is requested yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Requests it, from any thread or a signal handler. The trial notices within 100 ms.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether a stop was requested.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
