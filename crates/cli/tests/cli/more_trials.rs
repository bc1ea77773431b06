//! Studies that go on in their folder with more trials or another title, with the real binary.

use std::collections::BTreeMap;

use crate::common::{Ended, Place, read_json, wait_for};

const STUDY: &str = "name = \"s\"\ntrials = 2\nsystems = [\"memory\", \"redb\"]\nworkloads = [\"a\"]\nrecords = 100\n\
                     clients = 2\noperations = 300\nwarmup = \"0s\"\ndurability = \"none\"\nrepeat_disturbed = 0\n";

/// The records of all trials, byte by byte.
fn records(place: &Place) -> BTreeMap<String, Vec<u8>> {
    let Ok(trials) = place.path("results/s/trials").read_dir() else {
        return BTreeMap::new();
    };
    trials
        .filter_map(|trial| {
            let trial = trial.unwrap();
            let record = std::fs::read(trial.path().join("record.json")).ok()?;
            Some((trial.file_name().into_string().unwrap(), record))
        })
        .collect()
}

fn stored(place: &Place) -> String {
    std::fs::read_to_string(place.path("results/s/study.toml")).unwrap()
}

fn refused(place: &Place, line: &str) -> Ended {
    let refused = place.run(line);
    assert_eq!(refused.code, 2, "{line}: {refused:?}");
    refused
}

#[test]
fn raised_trials_keep_those_that_ran_and_the_report_says_how_they_were_planned() {
    let place = Place::new();
    place.write("s.toml", STUDY);
    place.succeed("study run s.toml");
    let before = records(&place);
    assert_eq!(before.len(), 4);

    place.write("s.toml", &STUDY.replace("trials = 2", "trials = 3"));
    let run = place.succeed("study run s.toml");
    assert!(
        run.stderr.contains("4 trials were already done, 2 were run now"),
        "{}",
        run.stderr
    );
    let after = records(&place);
    assert_eq!(after.len(), 6);
    for (trial, record) in &before {
        assert!(after[trial] == *record, "{trial} was changed");
    }
    assert_eq!(stored(&place), STUDY.replace("trials = 2", "trials = 3"));

    let sentence = "3 trials per test were planned in 2 steps (2, then 1 more after all 2 had run)";
    let status = place.succeed("study status s.toml").stdout;
    assert!(
        status.starts_with("6 of 6 trials are done") && status.contains(sentence),
        "{status}"
    );
    let page = std::fs::read_to_string(place.path("results/s/report.html")).unwrap();
    assert!(page.contains(sentence), "{page}");
    let json = place.succeed("report results/s --format json").stdout;
    assert!(json.contains(sentence), "{json}");
    // The plan is the memory: the sums beside it fit, and a study that goes on keeps it.
    place.succeed("study run s.toml");
    let plan = read_json(&place.path("results/s/plan.json"));
    assert_eq!(plan["study"]["extended_after"], serde_json::json!([2]));
}

#[test]
fn trials_are_added_on_the_command_line_and_stay_without_it() {
    let place = Place::new();
    place.write("s.toml", STUDY);
    let plan = place.succeed("study plan s.toml --trials 4").stdout;
    assert!(plan.contains("8 trials: "), "{plan}");
    place.succeed("study run s.toml");
    let before = records(&place);
    place.succeed("study run s.toml --trials +2");
    let after = records(&place);
    assert_eq!(after.len(), 8);
    assert!(before.iter().all(|(trial, record)| after[trial] == *record));
    assert_eq!(stored(&place), STUDY.replace("trials = 2", "trials = 4"));

    let again = place.succeed("study run s.toml");
    assert_eq!(
        records(&place),
        after,
        "nothing is lost, and nothing is left to do"
    );
    assert!(
        again.stderr.contains("was planned with 4 trials per cell") && again.stderr.contains("--trials 2"),
        "{}",
        again.stderr
    );
    let status = place.succeed("study status s.toml").stdout;
    assert!(status.starts_with("8 of 8 trials are done"), "{status}");

    let fewer = refused(&place, "study run s.toml --trials 2");
    assert!(
        fewer.stderr.contains("already contains 4 trials per cell"),
        "{}",
        fewer.stderr
    );
    assert!(fewer.stderr.contains("--trials 4"), "{}", fewer.stderr);
    assert_eq!(stored(&place), STUDY.replace("trials = 2", "trials = 4"));

    // A file without the key gets a first line.
    place.write("s.toml", &STUDY.replace("trials = 2\n", ""));
    place.succeed("study run s.toml --trials 5");
    assert!(
        stored(&place).starts_with("trials = 5 # Set by --trials.\n"),
        "{}",
        stored(&place)
    );
    assert_eq!(records(&place).len(), 10);
}

#[test]
fn a_new_title_goes_on_and_a_changed_measurement_is_refused_with_its_key() {
    let place = Place::new();
    place.write("s.toml", STUDY);
    place.succeed("study run s.toml");
    let before = records(&place);
    place.write("s.toml", &format!("title = \"Two stores\"\n{STUDY}"));
    let titled = place.succeed("study run s.toml");
    assert!(titled.stdout.starts_with("Two stores"), "{}", titled.stdout);
    assert_eq!(records(&place), before);

    let changed = STUDY
        .replace("records = 100", "records = \"1k\"")
        .replace("trials = 2", "trials = 3");
    place.write("s.toml", &changed);
    let refused = refused(&place, "study run s.toml");
    assert!(
        refused.stderr.contains("`records` was 100 and is now 1k") && refused.stderr.contains("--output"),
        "{}",
        refused.stderr
    );
    assert!(!refused.stderr.contains("`trials` was"), "{}", refused.stderr);
    let status = place.run("study status s.toml");
    assert!(status.stderr.contains("`records` was 100"), "{}", status.stderr);
    assert_eq!(records(&place), before);
    place.succeed("study run s.toml --output elsewhere");
}

#[cfg(unix)]
#[test]
fn an_interrupted_study_is_reported_and_goes_on_with_more_trials() {
    use rustix::process::{Pid, Signal, kill_process};
    let place = Place::new();
    let slow = STUDY.replace("operations = 300", "duration = \"1s\"");
    place.write("s.toml", &slow);
    let mut child = place.start("study run s.toml");
    // Both systems of a group that is measured in turns: a group that is torn is measured anew.
    wait_for("a group", || records(&place).len() == 2);
    // However long the report takes, the study does not end meanwhile.
    kill_process(Pid::from_raw(child.id() as i32).unwrap(), Signal::STOP).unwrap();
    let running = place.succeed("report results/s").stdout;
    assert!(running.contains("planned trials are complete"), "{running}");
    child.kill().unwrap();
    child.wait().unwrap();
    let before = records(&place);
    assert!(before.len() < 4, "the study had ended before it was killed");
    place.succeed("report results/s --format html");
    assert!(place.path("results/s/report.html").exists());

    // One more than were planned, of which some never ran.
    place.succeed("study run s.toml --trials +1");
    let after = records(&place);
    assert!(before.iter().all(|(trial, record)| after[trial] == *record));
    let status = place.succeed("study status s.toml").stdout;
    assert!(status.starts_with("6 of 6 trials are done"), "{status}");
    assert!(
        !status.contains("in 2 steps"),
        "the first trials were not complete: {status}"
    );
}

#[test]
fn numbers_of_trials_that_make_no_sense_are_refused() {
    let place = Place::new();
    place.write("s.toml", STUDY);
    for trials in ["0", "+0", "-3", "10001", "+", "many"] {
        let refused = refused(&place, &format!("study run s.toml --trials {trials}"));
        assert!(
            refused
                .stderr
                .contains(&format!("invalid value '{trials}' for '--trials <N>'"))
                && refused
                    .stderr
                    .contains("from 1 to 10000, or how many to add, e.g. +5"),
            "{}",
            refused.stderr
        );
    }
    let most = refused(&place, "study run s.toml --trials +9999");
    assert!(most.stderr.contains("the maximum is 10000"), "{}", most.stderr);
    let quick = refused(&place, "study run s.toml --trials 3 --quick");
    assert!(quick.stderr.contains("--quick"), "{}", quick.stderr);
    let unplanned = STUDY
        .replace("trials = 2\n", "")
        .replace("operations = 300\n", "");
    place.write("budget.toml", &format!("budget = \"30m\"\n{unplanned}"));
    let budget = refused(&place, "study run budget.toml --trials 3");
    assert!(budget.stderr.contains("`budget`"), "{}", budget.stderr);
    assert!(!place.path("results").exists());
}
