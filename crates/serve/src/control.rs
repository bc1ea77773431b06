//! Requests of a page to a study that runs: to pause, to go on, to stop.

use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use dbdyno_record::FolderError;
use dbdyno_record::live::{self, Asked};

use crate::shared::{Failure, Shared, lock, reading};
use crate::watched::Watched;

/// A header of our page's own requests. A page of another site may not send it without asking first, and that is not answered.
const HEADER: &str = "x-dbdyno-control";

/// What may be asked of the study now, in a word that the page's script knows.
pub(crate) fn state(watched: &Watched, shared: &Shared) -> &'static str {
    if shared.token.is_some() || !watched.is_running() {
        "fixed"
    } else if watched.is_single() {
        "single"
    } else if watched.is_paused() {
        "paused"
    } else {
        "running"
    }
}

/// Asks the study to pause, go on or stop. Only from this machine, and only with a header that a page of another site cannot set.
pub(crate) async fn ask(
    State(shared): State<Arc<Shared>>,
    Path((name, asked)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<StatusCode, Failure> {
    let refused = |status, reason: &str| Err(Failure::Refused(status, reason.to_owned()));
    if shared.token.is_some() || !headers.contains_key(HEADER) {
        let reason = "Studies are paused and stopped from the machine on which they run only.";
        return refused(StatusCode::FORBIDDEN, reason);
    }
    let asked = match asked.as_str() {
        "run" => Asked::Run,
        "pause" => Asked::Pause,
        "stop" => Asked::Stop,
        _ => {
            let reason = "A study can be asked to `pause`, `run` or `stop`.";
            return refused(StatusCode::NOT_FOUND, reason);
        }
    };
    reading(move || -> Result<StatusCode, Failure> {
        let watched = shared.watch(&name)?;
        let watched = lock(&watched);
        let refusal = if !watched.is_running() {
            Some("This study does not run.")
        } else if watched.is_single() && asked != Asked::Stop {
            Some("A single run has no trials to pause between; it can be stopped.")
        } else {
            None
        };
        if let Some(reason) = refusal {
            return Err(Failure::Refused(StatusCode::CONFLICT, reason.to_owned()));
        }
        let path = watched.folder().path();
        live::ask(path, asked).map_err(|source| FolderError::Io {
            action: "write to",
            path: path.to_owned(),
            source,
        })?;
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}
