//! The streams of open pages: what a study's page has to change, as server-sent events. It is found and written once for all pages of a
//! study, however many are open and however slowly they read.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, broadcast};

use crate::control;
use crate::shared::{Failure, Shared, lock, reading};
use crate::shown::{Shown, Update};
use crate::study_page;
use crate::watched::{Versions, Watched};

/// Between two looks at a folder whose page is open: a running trial adds a line each second.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// A page that is more changes behind is told everything anew.
const MOST_BEHIND: usize = 16;
/// Pages that follow studies at a time. The other connections are left for whoever opens a page.
const MOST_OPEN: usize = 128;
/// A stream without changes says that it is alive.
const ALIVE_EVERY: Duration = Duration::from_secs(15);

/// The studies whose pages are open.
#[derive(Debug)]
pub(crate) struct Feeds {
    /// By the name of the study.
    feeds: Mutex<HashMap<String, Arc<Feed>>>,
    places: Arc<Semaphore>,
}

impl Default for Feeds {
    fn default() -> Self {
        Self {
            feeds: Mutex::default(),
            places: Arc::new(Semaphore::new(MOST_OPEN)),
        }
    }
}

impl Feeds {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Feed>>> {
        self.feeds.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends a feed that nobody follows; whether it has ended.
    fn retire(&self, feed: &Arc<Feed>) -> bool {
        let mut feeds = self.lock();
        let is_unwanted = feed.changes.receiver_count() == 0;
        if is_unwanted {
            Self::remove(&mut feeds, feed);
        }
        is_unwanted
    }

    fn remove(feeds: &mut HashMap<String, Arc<Feed>>, feed: &Arc<Feed>) {
        if feeds
            .get(&feed.name)
            .is_some_and(|known| Arc::ptr_eq(known, feed))
        {
            feeds.remove(&feed.name);
        }
    }
}

/// What the pages of one study are told.
#[derive(Debug)]
struct Feed {
    name: String,
    told: Mutex<Told>,
    changes: broadcast::Sender<Bytes>,
}

#[derive(Debug, Default)]
struct Told {
    /// A page that was told all so far.
    page: Page,
    /// All of it for a page that was told nothing; absent until one asks.
    whole: Option<Bytes>,
}

impl Feed {
    fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            told: Mutex::default(),
            changes: broadcast::channel(MOST_BEHIND).0,
        }
    }

    /// Looks at the study, and tells all pages what changed.
    fn look(&self, shared: &Shared) -> Result<(), Failure> {
        self.with_news(shared, |_, _, _| ())
    }

    /// Everything as of now, for a page that from now on is told the changes; `changes` is any receiver of them.
    fn join(
        &self,
        shared: &Shared,
        changes: &broadcast::Receiver<Bytes>,
    ) -> Result<(Bytes, broadcast::Receiver<Bytes>), Failure> {
        self.with_news(shared, |told, watched, state| {
            let whole = told
                .whole
                .get_or_insert_with(|| Page::default().text(watched, state).into());
            // Under the lock: no change is missed, and none is told twice.
            (whole.clone(), changes.resubscribe())
        })
    }

    fn with_news<T>(
        &self,
        shared: &Shared,
        then: impl FnOnce(&mut Told, &Watched, &'static str) -> T,
    ) -> Result<T, Failure> {
        let watched = shared.watch(&self.name)?;
        let watched = lock(&watched);
        let state = control::state(&watched, shared);
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let changes = told.page.text(&watched, state);
        if !changes.is_empty() {
            told.whole = None;
            // Nobody may be following.
            let _ = self.changes.send(changes.into());
        }
        Ok(then(&mut told, &watched, state))
    }
}

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
    let (feed, changes, is_new) = {
        let mut feeds = shared.feeds.lock();
        let is_new = !feeds.contains_key(name);
        let feed = feeds
            .entry(name.to_owned())
            .or_insert_with(|| Arc::new(Feed::new(name)));
        // Whoever is received keeps the feed.
        (Arc::clone(feed), feed.changes.subscribe(), is_new)
    };
    if is_new {
        tokio::spawn(follow(Arc::clone(&feed), Arc::clone(shared)));
    }
    let shared = Arc::clone(shared);
    reading(move || feed.join(&shared, &changes)).await
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
            reading(move || feed.look(&shared)).await
        };
        if looked.is_err() {
            break;
        }
    }
    // With the last of its owners the streams end.
    Feeds::remove(&mut shared.feeds.lock(), &feed);
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

/// What a page shows.
#[derive(Debug, Default)]
struct Page {
    /// By the section's id.
    sections: BTreeMap<String, Shown>,
    /// The state of the study of which that was made, and whether it was paused.
    made_of: Option<(Versions, bool)>,
    /// What may be asked of the study, as the page knows it.
    state: Option<&'static str>,
}

impl Page {
    /// What brings it up to date, as server-sent events; empty where nothing does.
    fn text(&mut self, watched: &Watched, state: &'static str) -> String {
        let mut text = String::new();
        let mut tell = |name: &str, data: &str| {
            // Neither has a line end: JSON escapes them.
            write!(text, "event: {name}\ndata: {data}\n\n").expect("a string takes any text");
        };
        if self.state.replace(state) != Some(state) {
            tell("state", state);
        }
        for update in self.updates(watched) {
            tell(update.name(), &update.data().to_string());
        }
        text
    }

    fn updates(&mut self, watched: &Watched) -> Vec<Update> {
        let made_of = (watched.versions(), watched.is_paused());
        let before = self.made_of.replace(made_of);
        if before == Some(made_of) {
            return Vec::new();
        }
        let has_other_trials = before.is_none_or(|(versions, _)| versions.trials != made_of.0.trials);
        let mut sections = vec![study_page::now(watched)];
        // Long ones, which change with the trials only.
        if has_other_trials {
            sections.extend(study_page::lists(watched));
        }
        let mut updates = Vec::new();
        for section in sections {
            let shown = Shown::of(&section);
            updates.extend(shown.update(self.sections.get(&section.id), &section));
            self.sections.insert(section.id, shown);
        }
        updates
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_record::live::{LiveEvent, LiveWriter};
    use dbdyno_record::{PlanFile, PlannedStudy, PlannedTrial, ResultFolder};

    use super::*;
    use crate::watched::tests::{row, trial};

    fn size(updates: &[Update]) -> usize {
        updates.iter().map(|update| update.data().to_string().len()).sum()
    }

    #[test]
    fn what_happens_to_one_trial_of_a_thousand_costs_as_little_as_to_one_of_two() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("results");
        let folder = ResultFolder::create(&path, "name = \"x\"\n").unwrap();
        let planned = (1..=1000).map(|number| PlannedTrial {
            trial: format!("{number:04}-redb-a"),
            block: 0,
            position: 0,
            seed: 0,
            factors: BTreeMap::from([("system".to_owned(), "redb".to_owned())]),
            spec: None,
        });
        folder
            .write_plan(&PlanFile::new(PlannedStudy::default(), planned.collect()))
            .unwrap();
        let mut watched = Watched::open(&path).unwrap();
        let mut page = Page::default();
        let all = page.updates(&watched);
        assert_eq!(all.len(), 3);
        assert!(size(&all) > 100_000, "all rows: {} bytes", size(&all));
        assert_eq!(page.updates(&watched), [], "nothing happened");

        let mut running = trial();
        running.trial = "0500-redb-a".to_owned();
        let mut writer = LiveWriter::begin(&path, running).unwrap();
        watched.look().unwrap();
        let begins = page.updates(&watched);
        let names: Vec<&str> = begins.iter().map(Update::name).collect();
        assert_eq!(names, ["section", "rows"]);
        assert!(size(&begins) < 4_000, "{begins:?}");

        writer.write(&LiveEvent::Second(row("measure", 0))).unwrap();
        watched.look().unwrap();
        let second = page.updates(&watched);
        let names: Vec<&str> = second.iter().map(Update::name).collect();
        assert_eq!(names, ["section"], "the trials are as before");
    }
}
