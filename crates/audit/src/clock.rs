//! Deadlines of probes, and how long a withdrawn right still worked. No operation of a measurement is timed here.
#![expect(
    clippy::disallowed_methods,
    reason = "deadlines and seconds to revoke, not the time of an operation"
)]

use std::time::{Duration, Instant};

/// The latest moment at which a probe may still wait.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    /// That long from now.
    #[must_use]
    pub fn within(patience: Duration) -> Self {
        Self(Instant::now() + patience)
    }

    /// The time that is left of it; `None` when it has passed.
    #[must_use]
    pub fn left(self) -> Option<Duration> {
        let left = self.0.saturating_duration_since(Instant::now());
        (!left.is_zero()).then_some(left)
    }

    /// The earlier of this one and that long from now.
    #[must_use]
    pub fn at_most(self, patience: Duration) -> Self {
        Self(self.0.min(Instant::now() + patience))
    }
}

/// Seconds since a moment.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts now.
    #[must_use]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Seconds since the start.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}
