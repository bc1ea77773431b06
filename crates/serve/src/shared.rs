//! What all requests share: the folders that are watched, and how a request fails.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::StatusCode;
use axum::http::header::{CONNECTION, HeaderValue};
use axum::response::{Html, IntoResponse, Response};
use dbdyno_record::FolderError;
use tokio::sync::watch;

use crate::feeds::Feeds;
use crate::guard::Token;
use crate::places;
use crate::problem_page;
use crate::tally::Tallies;
use crate::watched::Watched;

/// State that all requests share.
#[derive(Debug)]
pub(crate) struct Shared {
    pub root: PathBuf,
    pub token: Option<Token>,
    watched: Mutex<BTreeMap<PathBuf, Arc<Mutex<Watched>>>>,
    /// The studies whose pages are open.
    pub feeds: Feeds,
    /// What the metrics count.
    pub tallies: Tallies,
    /// Becomes `true` when the server ends: open event streams end with it.
    pub ending: watch::Receiver<bool>,
    pub end: watch::Sender<bool>,
}

/// Why a request has no answer.
pub(crate) enum Failure {
    /// No result folder has this name.
    NoSuchStudy(String),
    /// The folder cannot be read.
    Folder(FolderError),
    /// The request is refused, with the reason.
    Refused(StatusCode, String),
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        Self::Folder(error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (status, title, text) = match self {
            Self::NoSuchStudy(name) => (
                StatusCode::NOT_FOUND,
                "No such results",
                format!("There are no results named {name:?}. They may have been removed or renamed."),
            ),
            Self::Folder(error) => (
                StatusCode::INTERNAL_SERVER_ERROR,
                "These results cannot be read",
                format!("{error}"),
            ),
            // Where there is no room, no connection is kept for a further request.
            Self::Refused(StatusCode::SERVICE_UNAVAILABLE, reason) => {
                let closes = [(CONNECTION, HeaderValue::from_static("close"))];
                return (StatusCode::SERVICE_UNAVAILABLE, closes, format!("{reason}\n")).into_response();
            }
            Self::Refused(status, reason) => (status, "Nothing was done", reason),
        };
        (status, Html(problem_page::page(title, text))).into_response()
    }
}

impl Shared {
    /// Nothing is watched yet.
    pub fn new(root: PathBuf, token: Option<Token>) -> Self {
        let (end, ending) = watch::channel(false);
        Self {
            root,
            token,
            watched: Mutex::default(),
            feeds: Feeds::default(),
            tallies: Tallies::default(),
            ending,
            end,
        }
    }

    /// The path of the folder of that name.
    pub fn path(&self, name: &str) -> Result<PathBuf, Failure> {
        places::find(&self.root, name).ok_or_else(|| Failure::NoSuchStudy(name.to_owned()))
    }

    /// The folder of that name, as of now.
    pub fn watch(&self, name: &str) -> Result<Arc<Mutex<Watched>>, Failure> {
        Ok(self.watch_path(self.path(name)?)?)
    }

    /// The folder at that path, as of now.
    pub fn watch_path(&self, path: PathBuf) -> Result<Arc<Mutex<Watched>>, FolderError> {
        let known = || self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known().get(&path).cloned();
        let watched = match found {
            Some(watched) => {
                let looked = lock(&watched).look();
                if looked.is_err() {
                    // The next request opens it anew.
                    known().remove(&path);
                }
                looked?;
                watched
            }
            None => {
                let watched = Arc::new(Mutex::new(Watched::open(&path)?));
                known().insert(path, Arc::clone(&watched));
                watched
            }
        };
        Ok(watched)
    }
}

/// A study for oneself. A panic in another request leaves at most a look that is unfinished, and the next one goes on from there.
pub(crate) fn lock(watched: &Mutex<Watched>) -> MutexGuard<'_, Watched> {
    watched.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs what reads files beside the tasks that answer.
pub(crate) async fn reading<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(value) => value,
        Err(panic) => std::panic::resume_unwind(panic.into_panic()),
    }
}
