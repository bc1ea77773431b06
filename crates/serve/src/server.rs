//! The pages over HTTP: studies, their live pages with server-sent events, and their reports.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Query, Request, State};
use axum::http::header::{
    CONTENT_TYPE, HeaderValue, REFERRER_POLICY, SET_COOKIE, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use dbdyno_record::{PlanFile, PlannedStudy, ResultFolder};
use dbdyno_report::StudyResults;
use thiserror::Error;
use tokio::net::TcpListener;

use crate::compared;
use crate::comparison_page;
use crate::connections::{self, Admission, LIMITS};
use crate::control;
use crate::events;
use crate::guard::{self, Access, COOKIE_NAME, Token};
use crate::listed::Listed;
use crate::metrics;
use crate::otlp::{self, Push};
use crate::overview::{self, Entry};
use crate::places;
use crate::problem_page;
use crate::shared::{Failure, Shared, lock, reading};
use crate::study_page;

/// How long clients that are slow to read or to ask can hold up the end.
const END_PATIENCE: Duration = Duration::from_secs(2);

/// Why the pages cannot be served.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The address is taken, or not one of this machine.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address that was asked for.
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
    push: Option<Push>,
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
        Ok(Self {
            listener,
            address,
            shared: Arc::new(Shared::new(root, token)),
            push: None,
        })
    }

    /// Also pushes metrics while it answers.
    #[must_use]
    pub fn pushing(mut self, push: Option<Push>) -> Self {
        self.push = push;
        self
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
    pub async fn run(self, end: impl Future<Output = ()> + Send + 'static) {
        let ending = self.shared.ending.clone();
        let given_up = {
            let shared = Arc::clone(&self.shared);
            async move {
                end.await;
                // Nobody may be listening any more.
                let _ = shared.end.send(true);
                tokio::time::sleep(END_PATIENCE).await;
            }
        };
        let pushing = self
            .push
            .map(|push| tokio::spawn(otlp::push(push, Arc::clone(&self.shared))));
        tokio::select! {
            () = connections::serve(self.listener, router(self.shared), LIMITS, ending) => {}
            () = given_up => {}
        }
        if let Some(pushing) = pushing {
            // The last push has deadlines of its own; the folders that it reads before have none.
            let _ = tokio::time::timeout(END_PATIENCE * 2, pushing).await;
        }
    }
}

fn router(shared: Arc<Shared>) -> Router {
    Router::new()
        .route("/", get(all_studies))
        .route("/compare", get(compare))
        .route("/metrics", get(metrics::answer))
        .route("/studies/{name}", get(study))
        .route("/studies/{name}/events", get(events::events))
        .route("/studies/{name}/report", get(report))
        .route("/studies/{name}/{asked}", post(control::ask))
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
        Access::Granted | Access::GrantedByAddress => {
            if let Some(admission) = request.extensions().get::<Admission>() {
                admission.grant();
            }
            let is_question = request.method() == Method::GET;
            explained(next.run(request).await, is_question)
        }
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

/// Gives an answer of the router itself, which refuses with a status alone or a few words, a page that leads on.
fn explained(response: Response, is_question: bool) -> Response {
    let is_page = |kind: &HeaderValue| !kind.as_bytes().starts_with(b"text/plain");
    let status = response.status();
    if !status.is_client_error() || response.headers().get(CONTENT_TYPE).is_some_and(is_page) {
        return response;
    }
    let (status, title, text) = match status {
        // Only a POST has an answer there, and people follow links.
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED if is_question => (
            StatusCode::NOT_FOUND,
            "No such page",
            "There is no page at this address.",
        ),
        status => (status, "Nothing was done", "The request cannot be understood."),
    };
    (status, Html(problem_page::page(title, text))).into_response()
}

fn refusal(needs_token: bool) -> Response {
    let text = if needs_token {
        "This page needs the token that `dbdyno serve` printed: open the address that it showed, with ?token=...\n"
    } else {
        "`dbdyno serve` answers on this machine's own names only (localhost, 127.0.0.1); for others, use --listen.\n"
    };
    (StatusCode::FORBIDDEN, text).into_response()
}

async fn all_studies(State(shared): State<Arc<Shared>>) -> Html<String> {
    let page = move || {
        let folders = places::folders(&shared.root);
        let entry = |name: &str, path: &PathBuf| match shared.watch_path(path.clone()) {
            Ok(watched) => Entry::Readable(Box::new(Listed::of(name, &lock(&watched)))),
            Err(error) => Entry::Unreadable(error.to_string()),
        };
        let entries = folders
            .iter()
            .map(|(name, path)| (name.clone(), entry(name, path)))
            .collect();
        overview::page(&shared.root.display().to_string(), &entries)
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

/// Two result folders side by side.
async fn compare(
    State(shared): State<Arc<Shared>>,
    Query(query): Query<Vec<(String, String)>>,
) -> Result<Html<String>, Failure> {
    let page = move || -> Result<Html<String>, Failure> {
        let asked = compared::asked(&query)?;
        let [before, after] = compared::in_order(&shared, asked)?;
        let is_anyway = query.iter().any(|(name, _)| name == "anyway");
        Ok(Html(comparison_page::page(&before, &after, is_anyway)?))
    };
    reading(page).await
}

/// The report of what there is so far, made anew.
async fn report(State(shared): State<Arc<Shared>>, Path(name): Path<String>) -> Result<Response, Failure> {
    let page = move || -> Result<Response, Failure> {
        let folder = ResultFolder::open(&shared.path(&name)?)?;
        let plan = folder
            .plan()?
            .unwrap_or_else(|| PlanFile::new(PlannedStudy::default(), Vec::new()));
        let results = StudyResults::read(&folder, plan)?;
        if results.trials.is_empty() {
            let text = "No trial is done yet; the report begins with the first.";
            return Ok((
                StatusCode::NOT_FOUND,
                Html(problem_page::page("No report yet", text)),
            )
                .into_response());
        }
        let html = dbdyno_report::page(&results);
        Ok(([(CONTENT_TYPE, "text/html; charset=utf-8")], html).into_response())
    };
    reading(page).await
}
