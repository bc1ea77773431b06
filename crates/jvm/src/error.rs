//! What can go wrong before the first operation.

use dbdyno_driver::{DbError, ErrorClass};

/// Java, its compiler, the class path or the bridge class is not as it must be; says what mends it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct JvmError(pub String);

impl From<JvmError> for DbError {
    fn from(error: JvmError) -> Self {
        Self::new(ErrorClass::Rejected, error.0)
    }
}
