//! The streams of open pages: what a study's page has to change, as server-sent events, however many pages are open and however slowly
//! they read.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{OwnedSemaphorePermit, broadcast};

use crate::control;
use crate::feeds::{Feed, MOST_OPEN};
use crate::shared::{Failure, Shared, lock, reading};

/// Between two looks at a folder whose page is open: a running trial adds a line each second.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// A stream without changes says that it is alive.
const ALIVE_EVERY: Duration = Duration::from_secs(15);

/// The sections of a study's page: all of them at once, then what changes.
pub(crate) async fn events(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
) -> Result<Response, Failure> {
    let place = Arc::clone(&shared.feeds.places).try_acquire_owned();
    let place = place.map_err(|_| {
        let reason =
            format!("{MOST_OPEN} pages follow studies already; close some, or reload this page to see news.");
        Failure::Refused(StatusCode::SERVICE_UNAVAILABLE, reason)
    })?;
    // A study that is not there is an error now, not a stream that stays empty.
    let (whole, changes) = join(&shared, &name).await?;
    let open = OpenPage {
        shared,
        name,
        whole: Some(whole),
        changes,
        _place: place,
    };
    let texts = stream::unfold(open, |mut open| async move {
        let text = open.next().await?;
        Some((Ok::<_, Infallible>(text), open))
    });
    let headers = [(CONTENT_TYPE, "text/event-stream"), (CACHE_CONTROL, "no-cache")];
    Ok((headers, Body::from_stream(texts)).into_response())
}

/// Everything that the page of a study shows, and what changes from then on.
async fn join(shared: &Arc<Shared>, name: &str) -> Result<(Bytes, broadcast::Receiver<Bytes>), Failure> {
    let (feed, changes, is_new) = shared.feeds.open(name);
    if is_new {
        tokio::spawn(follow(Arc::clone(&feed), Arc::clone(shared)));
    }
    let shared = Arc::clone(shared);
    reading(move || {
        let watched = shared.watch(&feed.name)?;
        let watched = lock(&watched);
        Ok(feed.join(&watched, control::state(&watched, &shared), &changes))
    })
    .await
}

/// Looks at the study, and tells all pages what changed.
fn look(feed: &Feed, shared: &Shared) -> Result<(), Failure> {
    let watched = shared.watch(&feed.name)?;
    let watched = lock(&watched);
    feed.tell(&watched, control::state(&watched, shared));
    Ok(())
}

/// Looks at a study as long as one of its pages is open.
async fn follow(feed: Arc<Feed>, shared: Arc<Shared>) {
    let mut ending = shared.ending.clone();
    loop {
        tokio::select! {
            () = tokio::time::sleep(LOOK_EVERY) => {}
            _ = ending.changed() => break,
        }
        if shared.feeds.retire(&feed) {
            return;
        }
        let looked = {
            let (feed, shared) = (Arc::clone(&feed), Arc::clone(&shared));
            reading(move || look(&feed, &shared)).await
        };
        if looked.is_err() {
            break;
        }
    }
    shared.feeds.end(&feed);
}

/// A page that is open.
struct OpenPage {
    shared: Arc<Shared>,
    name: String,
    /// Everything, until it was told.
    whole: Option<Bytes>,
    changes: broadcast::Receiver<Bytes>,
    _place: OwnedSemaphorePermit,
}

impl OpenPage {
    /// The next thing that it is told; `None` when the server ends or the study is gone.
    async fn next(&mut self) -> Option<Bytes> {
        if let Some(whole) = self.whole.take() {
            return Some(whole);
        }
        match tokio::time::timeout(ALIVE_EVERY, self.changes.recv()).await {
            // A comment.
            Err(_) => Some(Bytes::from_static(b":\n\n")),
            Ok(Ok(change)) => Some(change),
            Ok(Err(RecvError::Closed)) => None,
            Ok(Err(RecvError::Lagged(_))) => {
                let (whole, changes) = join(&self.shared, &self.name).await.ok()?;
                self.changes = changes;
                Some(whole)
            }
        }
    }
}
