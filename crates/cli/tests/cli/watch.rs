//! The live view of a real study in a real terminal.

use rustix::process::Signal;

use crate::common::{Place, read_json, wait_for};
use crate::pseudo_terminal::PseudoTerminal;

const STUDY: &str = "name = \"watched\"\nsystems = [\"memory\"]\nworkloads = [\"a\"]\nrecords = 500\ntrials = 2\n\
                     duration = \"5s\"\nwarmup = \"0s\"\n";

/// A study of many short trials.
fn long_study() -> String {
    STUDY.replace("trials = 2", "trials = 50").replace("5s", "1s")
}

fn states(place: &Place) -> Vec<String> {
    let trials = place.path("results/watched/trials").read_dir().unwrap();
    let record = |path: std::path::PathBuf| read_json(&path.join("record.json"));
    trials
        .map(|trial| {
            record(trial.unwrap().path())["status"]["state"]
                .as_str()
                .unwrap()
                .to_owned()
        })
        .collect()
}

#[test]
fn a_study_has_the_whole_screen_until_it_ends() {
    let place = Place::new();
    place.write("watched.toml", STUDY);
    let mut terminal = PseudoTerminal::start(&place, "study run watched.toml --tui");
    terminal.wait_for("Phase  ");
    terminal.wait_for("measure, ");
    assert_eq!(terminal.is_taken(), (true, true));
    // The numbers of a second, and the charts.
    wait_for("the numbers", || {
        let text = terminal.contents();
        let throughput = text.split("throughput ").nth(1).unwrap_or_default();
        throughput.starts_with(|first: char| first.is_ascii_digit()) && text.contains("p99 latency  up to ")
    });
    let text = terminal.contents();
    for part in [
        "dbdyno  watched",
        "running",
        "trial 1 of 2",
        "CPUs of dbdyno",
        "2 trials",
    ] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
    terminal.wait_for("completed");
    assert_eq!(terminal.code(), 0, "{}", terminal.contents());
    terminal.wait_until_restored();
    terminal.wait_for("Report: ");
    assert!(
        terminal.bytes().contains("[2/2] "),
        "the line about each trial follows the view"
    );
    assert_eq!(states(&place), ["completed", "completed"]);
}

#[test]
fn q_leaves_the_view_and_the_study_goes_on() {
    let place = Place::new();
    place.write("watched.toml", STUDY);
    let mut terminal = PseudoTerminal::start(&place, "study run watched.toml --tui");
    terminal.wait_for("trial 1 of 2");
    terminal.press("q");
    terminal.wait_until_restored();
    terminal.wait_for("measure ");
    assert_eq!(terminal.code(), 0, "{}", terminal.contents());
    terminal.wait_for("Report: ");
    assert_eq!(states(&place), ["completed", "completed"]);
}

#[test]
fn s_stops_the_study_after_a_question() {
    let place = Place::new();
    place.write("watched.toml", &long_study());
    let mut terminal = PseudoTerminal::start(&place, "study run watched.toml --tui");
    terminal.wait_for("measure, ");
    terminal.press("s");
    terminal.wait_for("Stop the study?");
    terminal.press("n");
    terminal.wait_for("scroll");
    terminal.press("s");
    terminal.wait_for("Stop the study?");
    terminal.press("y");
    assert_eq!(terminal.code(), 130, "{}", terminal.contents());
    terminal.wait_until_restored();
    terminal.wait_for("to resume, run");
}

#[test]
fn ctrl_c_drains_and_a_second_one_aborts() {
    let place = Place::new();
    place.write("watched.toml", &STUDY.replace("5s", "60s"));
    let mut terminal = PseudoTerminal::start(&place, "study run watched.toml --tui");
    terminal.wait_for("measure, ");
    terminal.press("\u{3}");
    assert_eq!(terminal.code(), 130, "{}", terminal.contents());
    terminal.wait_until_restored();
    terminal.wait_for("to resume, run");
    assert_eq!(states(&place), ["interrupted"]);

    let mut terminal = PseudoTerminal::start(&place, "study run watched.toml --tui");
    terminal.wait_for("measure, ");
    terminal.press("\u{3}\u{3}");
    assert_eq!(terminal.code(), 130, "{}", terminal.contents());
    terminal.wait_until_restored();
    terminal.wait_for("Aborted; the running trial is lost.");
}

#[test]
fn another_process_watches_pauses_and_stops() {
    let place = Place::new();
    place.write("watched.toml", &long_study());
    let mut study = place.start("study run watched.toml");
    wait_for("the first trial", || {
        place.path("results/watched/live.jsonl").exists()
    });
    let mut terminal = PseudoTerminal::start_with(&place, "watch", &[("NO_COLOR", "1")]);
    terminal.wait_for("dbdyno  watched");
    terminal.wait_for("measure, ");
    terminal.press("p");
    terminal.wait_for("Paused between two trials");
    terminal.press("r");
    terminal.wait_for("measure, ");
    terminal.press("sy");
    assert_eq!(study.wait().unwrap().code(), Some(130));
    terminal.wait_for("not running");
    terminal.press("q");
    assert_eq!(terminal.code(), 0, "{}", terminal.contents());
    terminal.wait_until_restored();
    assert!(!terminal.bytes().contains("\u{1b}[38;"), "NO_COLOR");
}

#[test]
fn a_study_that_is_over_can_be_looked_at() {
    let place = Place::new();
    place.write("watched.toml", &STUDY.replace("5s", "1s"));
    place.succeed("study run watched.toml");
    let mut terminal = PseudoTerminal::start(&place, "watch results/watched");
    terminal.wait_for("The study is over");
    terminal.press("\u{3}");
    assert_eq!(terminal.code(), 0, "{}", terminal.contents());
    terminal.wait_until_restored();
}

#[test]
fn a_signal_gives_the_terminal_back() {
    let place = Place::new();
    place.write("watched.toml", &STUDY.replace("5s", "60s"));
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut study = PseudoTerminal::start(&place, "study run watched.toml --tui");
        study.wait_for("measure, ");
        let mut watch = PseudoTerminal::start(&place, "watch results/watched");
        watch.wait_for("measure, ");
        assert_eq!((study.is_taken(), watch.is_taken()), ((true, true), (true, true)));
        watch.signal(signal);
        assert_eq!(watch.code(), 0, "{signal:?}: {}", watch.contents());
        watch.wait_until_restored();
        let after = watch.after_the_view();
        assert!(!after.contains("\u{1b}[?1049h"), "{signal:?}: {after:?}");

        study.signal(signal);
        assert_eq!(study.code(), 130, "{signal:?}: {}", study.contents());
        study.wait_until_restored();
        // What it has to say stands where it stays.
        study.wait_for("to resume, run");
        let after = study.after_the_view();
        assert!(after.contains("to resume, run"), "{signal:?}: {after:?}");
    }
}

#[test]
fn a_terminal_that_goes_away_ends_the_view_and_keeps_the_results() {
    let place = Place::new();
    place.write("watched.toml", &STUDY.replace("5s", "60s"));
    let mut terminal = PseudoTerminal::start(&place, "study run watched.toml --tui");
    terminal.wait_for("measure, ");
    terminal.hang_up();
    terminal.code();
    assert_eq!(states(&place), ["interrupted"]);
    let mut terminal = PseudoTerminal::start(&place, "watch results/watched");
    terminal.wait_for("interrupted");
    terminal.hang_up();
    terminal.code();
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let place = Place::new();
    place.write("watched.toml", STUDY);
    for line in ["study run watched.toml --tui", "watch"] {
        let refused = place.run(line);
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.stderr.contains("needs a terminal"), "{refused:?}");
    }
    assert!(!place.path("results").exists(), "nothing was begun");
    const PLAIN: &[(&str, &str)] = &[];
    const DUMB: &[(&str, &str)] = &[("TERM", "dumb")];
    for (line, variables, code, expected) in [
        (
            "study run watched.toml --tui --quiet",
            PLAIN,
            2,
            "--quiet contradict each other",
        ),
        ("study run watched.toml --tui", DUMB, 2, "TERM=dumb"),
        ("watch nowhere", PLAIN, 6, "nowhere is not a folder"),
        ("watch .", PLAIN, 6, "holds no results of a study"),
    ] {
        let mut terminal = PseudoTerminal::start_with(&place, line, variables);
        assert_eq!(terminal.code(), code, "{line}: {}", terminal.contents());
        terminal.wait_for(expected);
        assert_eq!(terminal.is_taken(), (false, false), "{line}");
    }
}
