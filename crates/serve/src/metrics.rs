//! Metrics of what runs now and of trials that are over, for Prometheus (`/metrics`) and for OpenTelemetry.

pub(crate) mod catalogue;
pub(crate) mod collect;
mod exposition;
pub(crate) mod family;

#[cfg(test)]
mod dashboard_tests;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::SystemTime;

use axum::extract::State;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use dbdyno_record::ResultFolder;

use self::collect::{Collector, Snapshot};
use self::exposition::Format;
use crate::places;
use crate::shared::{Shared, lock, reading};

/// Studies that are told about: running ones first, then those that changed last. It bounds the number of series.
const MOST_STUDIES: usize = 4;

/// Answers a scrape.
pub(crate) async fn answer(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    let accepted = headers.get(ACCEPT).and_then(|accept| accept.to_str().ok());
    let format = Format::of(accepted.unwrap_or_default());
    let written = reading(move || exposition::write(snapshot(&shared).families, format)).await;
    match written {
        Ok(bytes) => ([(CONTENT_TYPE, format.content_type())], bytes).into_response(),
        Err(error) => (
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("The metrics cannot be written: {error}\n"),
        )
            .into_response(),
    }
}

/// The metrics as of now. A folder that cannot be read has none: its page says why.
pub(crate) fn snapshot(shared: &Shared) -> Snapshot {
    let mut collector = Collector::default();
    let studies = recent(shared);
    let wanted: BTreeSet<PathBuf> = studies.iter().map(|(_, path)| path.clone()).collect();
    for (name, path) in &studies {
        let Ok(watched) = shared.watch_path(path.clone()) else {
            continue;
        };
        // Without a tally, there is nothing to tell.
        let _ = shared.tallies.look(&wanted, path, |tally| {
            collector.study(name, &lock(&watched), tally, SystemTime::now());
        });
    }
    collector.finish()
}

fn recent(shared: &Shared) -> Vec<(String, PathBuf)> {
    let mut folders: Vec<(bool, SystemTime, String, PathBuf)> = places::folders(&shared.root)
        .into_iter()
        .map(|(name, path)| {
            let is_running = ResultFolder::open(&path).is_ok_and(|folder| folder.is_being_written());
            let changed = fs::metadata(&path).and_then(|metadata| metadata.modified());
            (is_running, changed.unwrap_or(SystemTime::UNIX_EPOCH), name, path)
        })
        .collect();
    folders.sort();
    let recent = folders.into_iter().rev().take(MOST_STUDIES);
    recent.map(|(_, _, name, path)| (name, path)).collect()
}
