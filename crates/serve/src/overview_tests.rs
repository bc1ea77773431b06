//! The list of results.

use std::path::Path;

use dbdyno_document::{html, markdown};
use dbdyno_record::{PlanFile, PlannedStudy, PlannedTrial, ResultFolder, TrialStatus};
use dbdyno_trial::{SystemSpec, TrialSpec};

use super::*;
use crate::test_record::record;
use crate::watched::Watched;

/// A trial: its name, when it began, and how it ended; `None` if it is yet to come.
type Trial<'a> = (&'a str, &'a str, Option<TrialStatus>);

/// Writes a result folder. Pilots are in no plan.
fn write(root: &Path, name: &str, title: Option<&str>, trials: &[Trial<'_>]) {
    let folder = ResultFolder::create(&root.join(name), "name = \"x\"\n").unwrap();
    let planned = |trial: &str| PlannedTrial {
        trial: trial.to_owned(),
        block: 0,
        position: 0,
        seed: 0,
        spec: TrialSpec::new(SystemSpec::named("redb"), "a", 500),
    };
    let names = trials.iter().map(|(trial, ..)| *trial);
    let planned = names.filter(|trial| !trial.starts_with("pilot")).map(planned);
    let study = PlannedStudy {
        title: title.map(str::to_owned),
        ..PlannedStudy::default()
    };
    folder
        .write_plan(&PlanFile::new(study, planned.collect()))
        .unwrap();
    for (trial, started_at, status) in trials {
        let Some(status) = status else { continue };
        let mut record = record(trial);
        record.started_at = (*started_at).to_owned();
        record.status = status.clone();
        folder.begin_trial(trial).unwrap();
        folder.write_trial(&record).unwrap();
    }
}

fn entries(root: &Path) -> BTreeMap<String, Entry> {
    let entry = |(name, path): (String, std::path::PathBuf)| {
        let listed = Listed::of(&name, &Watched::open(&path).unwrap());
        (name, Entry::Readable(Box::new(listed)))
    };
    places::folders(root).into_iter().map(entry).collect()
}

#[test]
fn the_newest_stands_first_with_its_title_numbers_and_state() {
    let place = tempfile::tempdir().unwrap();
    let done = || Some(TrialStatus::Completed);
    let failed = || Some(TrialStatus::failed("the disk is full".to_owned()));
    for (name, title, trials) in [
        (
            "a-study",
            Some("Two engines"),
            vec![
                ("pilot-1", "2026-11-20T08:00:00Z", done()),
                ("001-redb-a", "2026-11-20T08:01:00Z", done()),
                ("002-redb-a", "2026-11-20T08:02:00Z", failed()),
                ("003-redb-a", "", None),
            ],
        ),
        ("z-oldest", None, vec![("001", "2026-11-19T08:00:00Z", done())]),
        (
            "b-stopped",
            None,
            vec![("001", "2026-11-22T08:00:00Z", Some(TrialStatus::Interrupted))],
        ),
        ("c-failed", None, vec![("001", "2026-11-23T08:00:00Z", failed())]),
    ] {
        write(place.path(), name, title, &trials);
    }
    let mut entries = entries(place.path());
    entries.insert("damaged".to_owned(), Entry::Unreadable("no plan".to_owned()));
    let document = document("results", &entries);
    insta::assert_snapshot!(markdown(&document));
    let page = html(&document);
    // Only what has a completed trial can be ticked.
    for (name, can_be_ticked) in [
        ("a-study", true),
        ("z-oldest", true),
        ("b-stopped", false),
        ("c-failed", false),
        ("damaged", false),
    ] {
        let tick = format!("<input type=\"checkbox\" name=\"results\" value=\"{name}\"");
        assert_eq!(page.contains(&tick), can_be_ticked, "{name}: {page}");
    }
    assert!(
        page.contains("<form class=\"ticks\" action=\"/compare\">"),
        "{page}"
    );
}

#[test]
fn a_single_result_has_nothing_to_be_compared_with() {
    let place = tempfile::tempdir().unwrap();
    let trial = ("001", "2026-11-19T08:00:00Z", Some(TrialStatus::Completed));
    write(place.path(), "one", None, &[trial]);
    let page = page("results", &entries(place.path()));
    assert!(
        page.contains("redb") && !page.contains("<form") && !page.contains("Tick two"),
        "{page}"
    );
    assert!(super::page("results", &BTreeMap::new()).contains("holds no results yet"));
}

#[test]
fn the_report_of_a_study_that_is_over_is_no_longer_of_what_there_is_so_far() {
    let place = tempfile::tempdir().unwrap();
    let ended = ("001-redb-a", "2026-11-19T08:00:00Z", Some(TrialStatus::Completed));
    write(place.path(), "over", None, std::slice::from_ref(&ended));
    write(place.path(), "cut", None, &[ended, ("002-redb-a", "", None)]);
    for (name, link) in [("over", ">report<"), ("cut", ">report of what there is so far<")] {
        let watched = Watched::open(&place.path().join(name)).unwrap();
        let page = crate::study_page::page(name, &watched);
        assert!(page.contains(link), "{name}: {page}");
    }
}
