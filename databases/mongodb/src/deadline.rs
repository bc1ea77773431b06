//! Waiting for answers, no longer than the settings say.

use std::future::Future;

use dbdyno_driver::DbError;

use crate::error::{classified, timeout};
use crate::options::Settings;

/// Waits for an answer as long as the settings say.
pub(crate) async fn within<T>(
    settings: &Settings,
    answer: impl Future<Output = mongodb::error::Result<T>>,
) -> Result<T, DbError> {
    match tokio::time::timeout(settings.timeout, answer).await {
        Ok(answer) => answer.map_err(|error| classified(error, &settings.hosts)),
        Err(_) => Err(timeout(&settings.hosts, settings.timeout)),
    }
}
