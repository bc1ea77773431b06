//! The stream of an open page: what a study's page has to change, as server-sent events.

use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream::{self, Stream};
use tokio::sync::watch;

use crate::control;
use crate::shared::{Failure, Shared, lock, reading};
use crate::shown::{Shown, Update};
use crate::study_page;
use crate::watched::{Versions, Watched};

/// Between two looks at a folder whose page is open: a running trial adds a line each second.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// The sections of a study's page: all of them at once, then what changes.
pub(crate) async fn events(
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
        page: Page::default(),
        waiting: VecDeque::new(),
        has_looked: false,
    };
    let events = stream::unfold(following, |mut following| async move {
        let event = following.next().await?;
        Some((Ok(event), following))
    });
    Ok(Sse::new(events).keep_alive(KeepAlive::default()))
}

/// A page that is open.
struct Following {
    shared: Arc<Shared>,
    name: String,
    ending: watch::Receiver<bool>,
    page: Page,
    /// What it has not been told yet.
    waiting: VecDeque<Event>,
    has_looked: bool,
}

impl Following {
    /// The next thing that the page has to change; `None` when the server ends or the study is gone.
    async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Some(event);
            }
            if self.has_looked {
                tokio::select! {
                    () = tokio::time::sleep(LOOK_EVERY) => {}
                    _ = self.ending.changed() => return None,
                }
            }
            self.has_looked = true;
            let (shared, name) = (Arc::clone(&self.shared), self.name.clone());
            let mut page = std::mem::take(&mut self.page);
            let (page, events) = reading(move || {
                let watched = shared.watch(&name).ok()?;
                let watched = lock(&watched);
                let state = control::state(&watched, &shared);
                let events = page.events(&watched, state);
                Some((page, events))
            })
            .await?;
            self.page = page;
            self.waiting.extend(events);
        }
    }
}

/// What a page shows.
#[derive(Default)]
struct Page {
    /// By the section's id.
    sections: BTreeMap<String, Shown>,
    /// The state of the study of which that was made, and whether it was paused.
    made_of: Option<(Versions, bool)>,
    /// What may be asked of the study, as the page knows it.
    state: Option<&'static str>,
}

impl Page {
    /// What brings it up to date.
    fn events(&mut self, watched: &Watched, state: &'static str) -> Vec<Event> {
        let mut events = Vec::new();
        if self.state.replace(state) != Some(state) {
            events.push(Event::default().event("state").data(state));
        }
        let updates = self.updates(watched).into_iter();
        events.extend(updates.map(|update| {
            let data = update.data().to_string();
            Event::default().event(update.name()).data(data)
        }));
        events
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
