//! The studies whose pages are open, and what the pages were told: found and written once for all pages of a study.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use tokio::sync::{Semaphore, broadcast};

use crate::shown::{Shown, Update};
use crate::study_page;
use crate::watched::{Versions, Watched};

/// A page that is more changes behind is told everything anew.
const MOST_BEHIND: usize = 16;
/// Pages that follow studies at a time. The other connections are left for whoever opens a page.
pub(crate) const MOST_OPEN: usize = 128;

/// The studies whose pages are open.
#[derive(Debug)]
pub(crate) struct Feeds {
    /// By the name of the study.
    feeds: Mutex<HashMap<String, Arc<Feed>>>,
    pub places: Arc<Semaphore>,
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
    /// The feed of a study, a receiver that keeps it, and whether it was begun for that.
    pub fn open(&self, name: &str) -> (Arc<Feed>, broadcast::Receiver<Bytes>, bool) {
        let mut feeds = self.lock();
        let is_new = !feeds.contains_key(name);
        let feed = feeds
            .entry(name.to_owned())
            .or_insert_with(|| Arc::new(Feed::new(name)));
        (Arc::clone(feed), feed.changes.subscribe(), is_new)
    }

    /// Ends a feed that nobody follows; whether it has ended.
    pub fn retire(&self, feed: &Arc<Feed>) -> bool {
        let mut feeds = self.lock();
        let is_unwanted = feed.changes.receiver_count() == 0;
        if is_unwanted {
            remove(&mut feeds, feed);
        }
        is_unwanted
    }

    /// Ends a feed. With the last of its owners the streams end.
    pub fn end(&self, feed: &Arc<Feed>) {
        remove(&mut self.lock(), feed);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Feed>>> {
        self.feeds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn remove(feeds: &mut HashMap<String, Arc<Feed>>, feed: &Arc<Feed>) {
    if feeds
        .get(&feed.name)
        .is_some_and(|known| Arc::ptr_eq(known, feed))
    {
        feeds.remove(&feed.name);
    }
}

/// What the pages of one study are told.
#[derive(Debug)]
pub(crate) struct Feed {
    pub name: String,
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

    /// Tells all pages what changed; `state` is what may be asked of the study.
    pub fn tell(&self, watched: &Watched, state: &'static str) {
        self.with_news(watched, state, |_| ());
    }

    /// Everything as of now, for a page that from now on is told the changes; `changes` is any receiver of them.
    pub fn join(
        &self,
        watched: &Watched,
        state: &'static str,
        changes: &broadcast::Receiver<Bytes>,
    ) -> (Bytes, broadcast::Receiver<Bytes>) {
        self.with_news(watched, state, |told| {
            let whole = told
                .whole
                .get_or_insert_with(|| Page::default().text(watched, state).into());
            // Under the lock: no change is missed, and none is told twice.
            (whole.clone(), changes.resubscribe())
        })
    }

    fn with_news<T>(&self, watched: &Watched, state: &'static str, then: impl FnOnce(&mut Told) -> T) -> T {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        let changes = told.page.text(watched, state);
        if !changes.is_empty() {
            told.whole = None;
            // Nobody may be following.
            let _ = self.changes.send(changes.into());
        }
        then(&mut told)
    }
}

/// The state of a page.
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
    use dbdyno_trial::{SystemSpec, TrialSpec};

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
            spec: TrialSpec::new(SystemSpec::named("redb"), "a", 1),
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
