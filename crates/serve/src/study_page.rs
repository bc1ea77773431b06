//! The page of one study: what runs now, and every trial.

use std::time::Duration;

use dbdyno_document::{Block, Document, Section, Text, live_html, named};
use dbdyno_vocabulary::{shell, shown_name};

use crate::error_classes;
use crate::live_generators;
use crate::live_tiles;
use crate::places;
use crate::timeline;
use crate::trial_list;
use crate::watched::{Current, Watched};

/// Replaces sections as they change.
const SCRIPT: &str = concat!(include_str!("replace.js"), include_str!("live.js"));

/// The whole page.
pub(crate) fn page(name: &str, watched: &Watched) -> String {
    let report = format!("{}/report", places::address(name));
    let document = Document {
        kind: "live".to_owned(),
        name: name.to_owned(),
        title: watched.title(name),
        about: Text::new()
            .link(
                if is_over(watched) {
                    "report"
                } else {
                    "report of what there is so far"
                },
                report,
            )
            .plain(" · ")
            .link("all results", "/"),
        body: sections(watched).into_iter().map(Block::from).collect(),
        ..Document::default()
    };
    live_html(&document, SCRIPT)
}

/// The sections, each of which the page replaces when it changes.
fn sections(watched: &Watched) -> Vec<Section> {
    std::iter::once(now(watched)).chain(lists(watched)).collect()
}

/// What changes with the list of trials and how each of them ended only.
pub(crate) fn lists(watched: &Watched) -> [Section; 2] {
    [trial_list::section(watched), error_classes::section(watched)]
}

/// The trial that runs, which changes each second: its main numbers and figures, then which trial it is.
pub(crate) fn now(watched: &Watched) -> Section {
    let mut body = Vec::new();
    let (done, planned) = (watched.done(), watched.planned().len());
    match watched.current() {
        Some(current) => {
            body.push(live_tiles::of_current(watched, current));
            let figures = timeline::figures(current);
            if !figures.is_empty() {
                body.push(Block::Figures(figures));
            }
            body.extend(live_generators::table(current));
            body.push(Block::Facts(facts(watched, current)));
        }
        None => {
            body.push(Block::paragraph(idle(watched, done, planned)));
            body.push(live_tiles::of_ended(watched));
        }
    }
    Section {
        is_answer: true,
        ..Section::new("now", "Now", body)
    }
}

/// Whether nothing runs, and nothing that was planned is left.
fn is_over(watched: &Watched) -> bool {
    let planned = watched.planned().len();
    watched.current().is_none() && !watched.is_running() && planned > 0 && watched.done() == planned
}

fn idle(watched: &Watched, done: usize, planned: usize) -> Text {
    if watched.is_single() {
        return Text::from(match (watched.is_running(), done) {
            (true, 0) => "The run begins.",
            (true, _) => "The run ends.",
            (false, 0) => "The run did not complete.",
            (false, _) => "The run is over.",
        });
    }
    let trials = format!("{done} of {planned} planned trials are done");
    if watched.is_paused() {
        Text::from(format!("Paused between two trials; {trials}."))
    } else if watched.is_running() {
        Text::from(format!("Between two trials; {trials}."))
    } else if is_over(watched) {
        Text::from(format!("The study is over: {trials}."))
    } else {
        resume(watched, &format!("Nothing runs; {trials}."))
    }
}

/// How a study goes on: the folder keeps its file, but no password in it.
fn resume(watched: &Watched, before: &str) -> Text {
    let mut planned = watched.planned().iter();
    if planned.any(|planned| planned.spec.system.lacks_secret()) {
        return Text::from(format!(
            "{before} To continue, repeat the command that started it: this folder keeps no password, so its "
        ))
        .code("study.toml")
        .plain(" alone cannot reach the systems.");
    }
    let folder = watched.folder().path();
    let (study, folder) = (shell::path(&folder.join("study.toml")), shell::path(folder));
    Text::from(format!("{before} To continue: "))
        .code(format!("dbdyno study run {study} --output {folder}"))
        .plain(".")
}

fn facts(watched: &Watched, current: &Current) -> Vec<(Text, Text)> {
    let trial = &current.trial;
    let fact = |label: &str, value: String| (Text::from(label), Text::from(value));
    let mut facts = vec![
        (Text::from("system"), named(&trial.system)),
        fact("test", watched.test_of(trial)),
    ];
    if !trial.takes_turns_with.is_empty() {
        let others: Vec<_> = trial
            .takes_turns_with
            .iter()
            .map(|system| shown_name(system))
            .collect();
        facts.insert(1, fact("takes turns with", others.join(", ")));
    }
    if !watched.is_single() {
        let place = format!("{} of {}", trial.number, trial.total);
        facts.insert(0, fact("trial", place));
        let (done, planned) = (watched.done(), watched.planned().len());
        facts.push(fact("done", format!("{done} of {planned} planned trials")));
    }
    if trial.remaining_s > 0.0 {
        let left = time_left(trial.remaining_s, trial.repeats_s);
        facts.push(fact("time left at its start", left));
    }
    let phase = match (current.preparing.is_empty(), current.phase_expected_s) {
        (false, _) => current.preparing.clone(),
        (true, Some(expected_s)) => format!("{}, {} in all", current.phase, seconds(expected_s)),
        (true, None) => current.phase.clone(),
    };
    if !phase.is_empty() {
        facts.push(fact("phase", phase));
    }
    if watched.is_paused() {
        facts.push(fact("then", "pause, as asked".to_owned()));
    }
    facts
}

fn time_left(remaining_s: f64, repeats_s: f64) -> String {
    let (least, most) = (seconds(remaining_s), seconds(remaining_s + repeats_s));
    if least == most {
        least
    } else {
        format!("{least} to {most}")
    }
}

fn seconds(seconds: f64) -> String {
    let duration = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX);
    match duration.as_secs() {
        0..=119 => format!("{} s", duration.as_secs()),
        whole @ 120..=7199 => format!("{} min", (whole + 30) / 60),
        whole => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_document::section_html;
    use dbdyno_record::live::{LiveTrial, LiveWriter};
    use dbdyno_record::{PlanFile, PlannedStudy, PlannedTrial, ResultFolder};

    use super::*;
    use crate::watched::tests::trial;

    /// The page's sections while this trial runs, of a study that plans one.
    fn while_running(planned: &str, running: &str) -> (String, String) {
        let running = LiveTrial {
            trial: running.to_owned(),
            ..trial()
        };
        while_this_runs(planned, running)
    }

    fn while_this_runs(planned: &str, running: LiveTrial) -> (String, String) {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("results");
        let folder = ResultFolder::create(&path, "name = \"x\"\n").unwrap();
        let planned = PlannedTrial {
            trial: planned.to_owned(),
            block: 0,
            position: 0,
            seed: 0,
            spec: dbdyno_trial::TrialSpec::new(dbdyno_trial::SystemSpec::default(), "", 0),
        };
        let plan = PlanFile::new(PlannedStudy::default(), vec![planned]);
        folder.write_plan(&plan).unwrap();
        drop(LiveWriter::begin(&path, running).unwrap());
        let watched = Watched::open(&path).unwrap();
        let [trials, _] = lists(&watched);
        (section_html(&now(&watched)), section_html(&trials))
    }

    #[test]
    fn a_trial_that_is_repeated_says_so_in_the_list() {
        let (_, trials) = while_running("001-redb-a", "001-redb-a");
        assert!(
            trials.contains(">running<") && !trials.contains("repeated"),
            "{trials}"
        );
        let (_, trials) = while_running("001-redb-a", "001-redb-a~2");
        assert!(
            trials.contains("id=\"trial-001-redb-a~2\"") && trials.contains(">repeated<"),
            "{trials}"
        );
    }

    #[test]
    fn a_command_to_continue_is_offered_where_it_can_work() {
        for (address, is_offered) in [
            ("redis://me@h?password_env=PW", true),
            ("redis://me:***@h", false),
            ("redis://me@h?password_env=***", false),
        ] {
            let place = tempfile::tempdir().unwrap();
            let folder = ResultFolder::create(&place.path().join("it's x"), "name = \"x\"\n").unwrap();
            let system = dbdyno_trial::SystemSpec {
                address: address.to_owned(),
                ..Default::default()
            };
            let planned = PlannedTrial {
                trial: "001-redis-a".to_owned(),
                block: 0,
                position: 0,
                seed: 0,
                spec: dbdyno_trial::TrialSpec::new(system, "", 0),
            };
            let plan = PlanFile::new(PlannedStudy::default(), vec![planned]);
            folder.write_plan(&plan).unwrap();
            let path = folder.path().to_owned();
            drop(folder);
            let now = section_html(&now(&Watched::open(&path).unwrap()));
            assert_eq!(now.contains("dbdyno study run"), is_offered, "{address}: {now}");
            assert_eq!(
                now.contains(r"run '") && now.contains(r"it'\''s x/study.toml'"),
                is_offered,
                "{now}"
            );
            assert_eq!(
                now.contains("repeat the command"),
                !is_offered,
                "{address}: {now}"
            );
        }
    }

    #[test]
    fn trials_that_take_turns_are_named() {
        let running = LiveTrial {
            takes_turns_with: vec!["sqlite".to_owned(), "redb (A/A)".to_owned()],
            ..trial()
        };
        let (now, _) = while_this_runs("001-redb-a", running);
        let others = format!("<dd>{}</dd>", ["sqlite", "redb (A/A)"].map(shown_name).join(", "));
        assert!(now.contains("takes turns with") && now.contains(&others), "{now}");
    }

    #[test]
    fn a_single_run_has_no_place_among_trials() {
        let (now, _) = while_running("001-redb-a", "001-redb-a");
        assert!(now.contains("<dd>1 of 2</dd>"), "{now}");
        let (now, _) = while_running("001", "001");
        assert!(now.contains("redb") && !now.contains("1 of"), "{now}");
    }
}
