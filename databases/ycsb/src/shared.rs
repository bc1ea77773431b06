//! The binding with its properties, shared by the driver and its sessions.

use std::sync::Mutex;
use std::time::Duration;

use dbdyno_driver::{DbError, ErrorClass, Key};
use dbdyno_jvm::Channel;

use crate::error::Answered;
use crate::options::Options;

/// Things that sessions keep alive.
pub(crate) struct Shared {
    /// What makes instances of the binding.
    pub connection: Mutex<Channel>,
    pub options: Options,
}

impl Shared {
    /// A write that found nothing to write to.
    pub fn must_be_done(&self, answered: Answered, what: &str, key: &Key) -> Result<(), DbError> {
        match answered {
            Answered::Done => Ok(()),
            Answered::NotFound => Err(DbError::new(
                ErrorClass::NotFound,
                format!(
                    "YCSB's binding {} answered NOT_FOUND to the {what} of {}",
                    self.options.class,
                    key.as_str()
                ),
            )),
        }
    }
}

/// For the Java side, which counts in numbers of 31 bits.
pub(crate) fn milliseconds(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).map_or(u32::MAX >> 1, |time| time.min(u32::MAX >> 1))
}
