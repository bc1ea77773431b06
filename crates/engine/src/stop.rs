//! The wish to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Asks a running trial to end early (Ctrl-C): it drains and keeps what it measured. Clones are the same wish.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Nobody wishes to stop yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Wishes it, from any thread or a signal handler. The trial notices within 100 ms.
    pub fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody wished it.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
