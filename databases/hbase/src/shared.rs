//! The connection of the Java client, shared by the driver and its sessions.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dbdyno_driver::DbError;
use dbdyno_jvm::{Channel, Failure};

use crate::calls;
use crate::error::classified;
use crate::options::Options;

/// Things that sessions keep alive.
pub(crate) struct Shared {
    pub control: Mutex<Channel>,
    pub options: Options,
    pub hosts: String,
}

impl Shared {
    /// The channel for everything but the operations of a session, for a call that may take so long.
    pub fn control(&self, longest: Duration) -> Result<MutexGuard<'_, Channel>, DbError> {
        // A request is always begun anew: one that was left half written does no harm.
        let mut control = self.control.lock().unwrap_or_else(PoisonError::into_inner);
        let limited = control.begin().number(milliseconds(longest)).call(calls::LIMIT);
        limited.map_err(|failure| self.classify(failure))?;
        Ok(control)
    }

    pub fn classify(&self, failure: Failure) -> DbError {
        classified(failure, &self.hosts)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // Nobody is left to hear that closing failed.
        if let Ok(mut control) = self.control(self.options.longest_inquiry()) {
            let _ = control.begin().call(calls::DISCONNECT);
        }
    }
}

/// A duration as the bridge takes it.
pub(crate) fn milliseconds(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX >> 1)
}
