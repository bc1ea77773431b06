//! The pages over HTTP: studies, their live pages with server-sent events, and their reports.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Query, Request, State};
use axum::http::header::{
    CONTENT_TYPE, HeaderValue, REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{self, Next};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use dbdyno_document::{Render as _, section_html};
use dbdyno_record::live::{self, Asked};
use dbdyno_record::{FolderError, PlanFile, PlannedStudy, ResultFolder};
use dbdyno_report::{ReportModel, StudyResults};
use futures_util::stream::{self, Stream};
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::guard::{self, Access, COOKIE_NAME, Token};
use crate::overview::{self, Entry};
use crate::places;
use crate::study_page;
use crate::watched::Watched;

/// A header of our page's own requests. A page of another site may not send it without asking first, and that is not answered.
const CONTROL_HEADER: &str = "x-dbdyno-control";
/// Between two looks at a folder whose page is open: a running trial adds a line each second.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// How long clients that are slow to read or to ask can hold up the end.
const END_PATIENCE: Duration = Duration::from_secs(2);

/// Why the pages cannot be served.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The address is taken, or not one of this machine.
    #[error("cannot listen on {address}: {source}; choose another one with --listen")]
    Listen {
        /// What was asked for.
        address: SocketAddr,
        /// Why not.
        source: std::io::Error,
    },
    /// The operating system refused something else.
    #[error("cannot serve: {0}")]
    System(#[from] std::io::Error),
}

/// A server that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    root: PathBuf,
    token: Option<Token>,
    watched: Mutex<BTreeMap<PathBuf, Arc<Mutex<Watched>>>>,
    /// Becomes `true` when the server ends: open event streams end with it.
    ending: watch::Receiver<bool>,
    end: watch::Sender<bool>,
}

impl Server {
    /// Listens. `root` is a result folder or holds result folders; with a token, only who shows it gets an answer.
    ///
    /// # Errors
    /// When the address is taken or not one of this machine.
    pub async fn bind(root: PathBuf, address: SocketAddr, token: Option<Token>) -> Result<Self, ServeError> {
        let listener = TcpListener::bind(address)
            .await
            .map_err(|source| ServeError::Listen { address, source })?;
        let address = listener.local_addr()?;
        let (end, ending) = watch::channel(false);
        let shared = Shared {
            root,
            token,
            watched: Mutex::default(),
            ending,
            end,
        };
        Ok(Self {
            listener,
            address,
            shared: Arc::new(shared),
        })
    }

    /// Where a browser finds it.
    #[must_use]
    pub fn url(&self) -> String {
        let address = self.address;
        match &self.shared.token {
            Some(token) => format!("http://{address}/?token={}", token.as_str()),
            None => format!("http://{address}/"),
        }
    }

    /// Answers until `end` is ready.
    ///
    /// # Errors
    /// When the operating system refuses.
    pub async fn run(self, end: impl Future<Output = ()> + Send + 'static) -> Result<(), ServeError> {
        let shared = Arc::clone(&self.shared);
        let mut ending = self.shared.ending.clone();
        let ended = async move {
            end.await;
            // Nobody may be listening any more.
            let _ = shared.end.send(true);
        };
        let given_up = async move {
            let _ = ending.wait_for(|is_ending| *is_ending).await;
            tokio::time::sleep(END_PATIENCE).await;
        };
        let serving = axum::serve(self.listener, router(self.shared)).with_graceful_shutdown(ended);
        tokio::select! {
            served = serving.into_future() => served?,
            () = given_up => {}
        }
        Ok(())
    }
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(all_studies))
        .route("/studies/{name}", get(study))
        .route("/studies/{name}/events", get(events))
        .route("/studies/{name}/report", get(report))
        .route("/studies/{name}/{asked}", post(ask))
        .layer(middleware::from_fn_with_state(Arc::clone(&shared), guarded))
        .with_state(shared)
}

/// Lets in who may see the pages, and says what a browser may do with them.
async fn guarded(
    State(shared): State<Arc<Shared>>,
    Query(query): Query<HashMap<String, String>>,
    headers: HeaderMap,
    request: Request,
    next: Next,
) -> Response {
    let shown = query.get("token").map(String::as_str);
    let access = guard::access(shared.token.as_ref(), &headers, shown);
    let mut response = match access {
        Access::Refused => refusal(shared.token.is_some()),
        Access::Granted | Access::GrantedByAddress => next.run(request).await,
    };
    let headers = response.headers_mut();
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if let (Access::GrantedByAddress, Some(token)) = (access, &shared.token) {
        let cookie = format!(
            "{COOKIE_NAME}={}; Path=/; HttpOnly; SameSite=Strict",
            token.as_str()
        );
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            headers.insert(SET_COOKIE, cookie);
        }
    }
    response
}

fn refusal(needs_token: bool) -> Response {
    let text = if needs_token {
        "This page needs the token that `dbdyno serve` printed: open the address that it showed, with ?token=...\n"
    } else {
        "`dbdyno serve` answers on this machine's own names only (localhost, 127.0.0.1); for others, use --listen.\n"
    };
    (StatusCode::FORBIDDEN, text).into_response()
}

/// What a handler cannot answer.
enum Failure {
    NoSuchStudy(String),
    Folder(FolderError),
    Refused(StatusCode, &'static str),
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        Self::Folder(error)
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        match self {
            Self::NoSuchStudy(name) => (
                StatusCode::NOT_FOUND,
                format!("There are no results named {name:?}.\n"),
            ),
            Self::Folder(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")),
            Self::Refused(status, reason) => (status, format!("{reason}\n")),
        }
        .into_response()
    }
}

/// Runs what reads files beside the tasks that answer.
async fn reading<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(value) => value,
        Err(panic) => std::panic::resume_unwind(panic.into_panic()),
    }
}

impl Shared {
    /// The folder of that name, as of now.
    fn watch(&self, name: &str) -> Result<Arc<Mutex<Watched>>, Failure> {
        let path = places::folders(&self.root)
            .remove(name)
            .ok_or_else(|| Failure::NoSuchStudy(name.to_owned()))?;
        Ok(self.watch_path(path)?)
    }

    fn watch_path(&self, path: PathBuf) -> Result<Arc<Mutex<Watched>>, FolderError> {
        let known = || self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known().get(&path).cloned();
        let watched = match found {
            Some(watched) => {
                let looked = lock(&watched).look();
                if looked.is_err() {
                    // Another study may have taken its place: the next request opens it anew.
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

fn lock(watched: &Mutex<Watched>) -> std::sync::MutexGuard<'_, Watched> {
    watched.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn all_studies(State(shared): State<Arc<Shared>>) -> Html<String> {
    let page = move || {
        let folders = places::folders(&shared.root);
        let entry = |path: &PathBuf| match shared.watch_path(path.clone()) {
            Ok(watched) => Entry::of(&lock(&watched)),
            Err(error) => Entry::Unreadable(error.to_string()),
        };
        let entries = folders
            .iter()
            .map(|(name, path)| (name.clone(), entry(path)))
            .collect();
        overview::page(&shared.root.display().to_string(), &folders, &entries)
    };
    Html(reading(page).await)
}

async fn study(State(shared): State<Arc<Shared>>, Path(name): Path<String>) -> Result<Html<String>, Failure> {
    let page = move || -> Result<Html<String>, Failure> {
        let watched = shared.watch(&name)?;
        Ok(Html(study_page::page(&name, &lock(&watched))))
    };
    reading(page).await
}

/// The sections of a study's page: all of them at once, then each when it changes.
async fn events(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Failure> {
    // A study that is not there is an error now, not a stream that stays empty.
    let first = {
        let (shared, name) = (Arc::clone(&shared), name.clone());
        reading(move || shared.watch(&name).map(|_| ())).await
    };
    first?;
    let following = Following {
        ending: shared.ending.clone(),
        shared,
        name,
        sent: BTreeMap::new(),
        waiting: Vec::new(),
        state: None,
        due: None,
    };
    let events = stream::unfold(following, |mut following| async move {
        let event = following.next().await?;
        Some((Ok(event), following))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// What the page may ask of the study, in a word that its script knows.
fn state(watched: &Watched, shared: &Shared) -> &'static str {
    match (shared.token.is_some(), watched.is_running(), watched.is_paused()) {
        (false, true, true) => "paused",
        (false, true, false) => "running",
        _ => "fixed",
    }
}

/// A page that is open.
struct Following {
    shared: Arc<Shared>,
    name: String,
    ending: watch::Receiver<bool>,
    /// What the page shows, by the section's id.
    sent: BTreeMap<String, String>,
    /// Sections that it does not show yet, the next one last.
    waiting: Vec<(String, String)>,
    /// What may be asked of the study, as the page knows it.
    state: Option<&'static str>,
    /// The same, where it does not know it yet.
    due: Option<&'static str>,
}

impl Following {
    /// The next section that changed; `None` when the server ends or the study is gone.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(state) = self.due.take() {
                return Some(Event::default().event("state").data(state));
            }
            if let Some((id, html)) = self.waiting.pop() {
                let data = serde_json::json!({ "id": id, "html": html }).to_string();
                self.sent.insert(id, html);
                return Some(Event::default().event("section").data(data));
            }
            if !self.sent.is_empty() {
                tokio::select! {
                    () = tokio::time::sleep(LOOK_EVERY) => {}
                    _ = self.ending.changed() => return None,
                }
            }
            let (shared, name) = (Arc::clone(&self.shared), self.name.clone());
            let (state, sections) = reading(move || {
                let watched = shared.watch(&name).ok()?;
                let watched = lock(&watched);
                let sections = study_page::sections(&watched);
                let written = sections
                    .iter()
                    .map(|section| (section.id.clone(), section_html(section)));
                Some((state(&watched, &shared), written.collect::<Vec<_>>()))
            })
            .await?;
            if self.state.replace(state) != Some(state) {
                self.due = Some(state);
            }
            self.waiting = sections
                .into_iter()
                .rev()
                .filter(|(id, html)| self.sent.get(id) != Some(html))
                .collect();
        }
    }
}

/// Asks the study to pause, go on or stop. Only from this machine, and only with a header that a page of another site cannot set.
async fn ask(
    State(shared): State<Arc<Shared>>,
    Path((name, asked)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<StatusCode, Failure> {
    if shared.token.is_some() || !headers.contains_key(CONTROL_HEADER) {
        let reason = "Studies are paused and stopped from the machine on which they run only.";
        return Err(Failure::Refused(StatusCode::FORBIDDEN, reason));
    }
    let asked = match asked.as_str() {
        "run" => Asked::Run,
        "pause" => Asked::Pause,
        "stop" => Asked::Stop,
        _ => {
            return Err(Failure::Refused(
                StatusCode::NOT_FOUND,
                "A study can be asked to `pause`, `run` or `stop`.",
            ));
        }
    };
    reading(move || -> Result<StatusCode, Failure> {
        let watched = shared.watch(&name)?;
        let watched = lock(&watched);
        if !watched.is_running() {
            return Err(Failure::Refused(StatusCode::CONFLICT, "This study does not run."));
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

/// The report of what there is so far, made anew.
async fn report(State(shared): State<Arc<Shared>>, Path(name): Path<String>) -> Result<Response, Failure> {
    let page = move || -> Result<Response, Failure> {
        let path = places::folders(&shared.root)
            .remove(&name)
            .ok_or(Failure::NoSuchStudy(name))?;
        let folder = ResultFolder::open(&path)?;
        let plan = folder
            .plan()?
            .unwrap_or_else(|| PlanFile::new(PlannedStudy::default(), Vec::new()));
        let results = StudyResults::read(&folder, plan)?;
        if results.trials.is_empty() {
            return Ok((
                StatusCode::NOT_FOUND,
                "No trial is done yet; the report begins with the first.\n",
            )
                .into_response());
        }
        let html = ReportModel::build(&results).html();
        Ok(([(CONTENT_TYPE, "text/html; charset=utf-8")], html).into_response())
    };
    reading(page).await
}
