//! A whole study with the real binary: kill, resume, interrupt, report.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use crate::common;
use crate::common::{Ended, Place, read_json, wait_for, write_record};

const STUDY: &str = "name = \"s\"\ntrials = 2\nsystems = [\"memory\", \"redb\", \"fjall\", \"sqlite\"]\n\
                     workloads = [\"a\"]\nrecords = 100\nclients = 2\nduration = \"250ms\"\nwarmup = \"20ms\"\n\
                     durability = \"none\"\nrepeat_disturbed = 0\n";

/// The completed records, and when each was written.
fn records(folder: &Path) -> BTreeMap<String, SystemTime> {
    let Ok(trials) = folder.join("trials").read_dir() else {
        return BTreeMap::new();
    };
    trials
        .map(|entry| entry.unwrap().path())
        .filter_map(|trial| {
            let written = trial.join("record.json").metadata().ok()?.modified().unwrap();
            Some((trial.file_name().unwrap().to_str().unwrap().to_owned(), written))
        })
        .collect()
}

/// The planned trials that have a completed attempt; a killed attempt stays beside it.
fn completed(folder: &Path) -> Vec<String> {
    let state = |trial: &String| {
        read_json(&folder.join("trials").join(trial).join("record.json"))["status"]["state"].clone()
    };
    records(folder)
        .into_keys()
        .filter(|trial| state(trial) == "completed")
        .map(|trial| trial.split('~').next().unwrap().to_owned())
        .collect()
}

#[test]
fn a_killed_study_goes_on_with_the_next_missing_trial() {
    let place = Place::new();
    place.write("s.toml", STUDY);
    let folder = place.path("results/s");
    let mut child = place.start("study run s.toml");
    // The trials of a block take turns: what is left of a block that was cut would be measured again.
    wait_for("a block", || records(&folder).len() >= 4);
    child.kill().unwrap();
    child.wait().unwrap();
    let before = records(&folder);
    assert!(before.len() < 8, "the study had ended before it was killed");

    let status = place.succeed("study status s.toml").stdout;
    assert!(
        status.starts_with(&format!("{} of 8 trials are done", before.len())),
        "{status}"
    );

    let resumed = place.succeed("study run s.toml");
    let after = records(&folder);
    for (trial, written) in &before {
        assert_eq!(after[trial], *written, "{trial} was run twice");
    }
    let plan = read_json(&folder.join("plan.json"));
    let planned: Vec<&str> = plan["trials"]
        .as_array()
        .unwrap()
        .iter()
        .map(|trial| trial["trial"].as_str().unwrap())
        .collect();
    assert_eq!(planned.len(), 8);
    assert_eq!(completed(&folder), planned);
    assert!(resumed.stdout.contains("report.html"), "{}", resumed.stdout);
    assert!(
        resumed.stderr.contains("2 blocks cannot show any difference"),
        "{}",
        resumed.stderr
    );
    assert!(folder.join("report.html").metadata().unwrap().len() > 1000);
    let page = std::fs::read(folder.join("report.html")).unwrap();
    let table = std::fs::read(folder.join("results.csv")).unwrap();
    place.succeed("report results/s --format html");
    place.succeed("report results/s --format csv");
    assert_eq!(std::fs::read(folder.join("report.html")).unwrap(), page);
    assert_eq!(std::fs::read(folder.join("results.csv")).unwrap(), table);

    // Nothing is left to do: the same command shows the same result, and a changed study is another one.
    let again = place.succeed("study run s.toml");
    assert_eq!(again.stdout, resumed.stdout);
    assert_eq!(records(&folder), after);
    place.write("s.toml", &STUDY.replace("records = 100", "records = 101"));
    let refused = place.run("study run s.toml");
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(
        refused.stderr.contains("`records` was 100 and is now 101") && refused.stderr.contains("--output"),
        "{}",
        refused.stderr
    );
}

#[cfg(unix)]
#[test]
fn an_interrupted_study_keeps_its_trials_and_says_how_to_go_on() {
    use rustix::process::{Pid, Signal, kill_process};
    let place = Place::new();
    place.write("s.toml", &STUDY.replace("250ms", "2s"));
    let folder = place.path("elsewhere");
    let child = place.start("study run s.toml --output elsewhere");
    wait_for("one trial", || !records(&folder).is_empty());
    kill_process(Pid::from_raw(child.id() as i32).unwrap(), Signal::INT).unwrap();
    let ended = common::ended(child.wait_with_output().unwrap());
    assert_eq!(ended.code, 130, "{ended:?}");
    assert!(
        ended
            .stderr
            .contains("to resume, run `dbdyno study run s.toml --output elsewhere`"),
        "{}",
        ended.stderr
    );
    assert!(folder.join("report.html").exists(), "what was measured is shown");
    let status = place.succeed("study status s.toml --output elsewhere").stdout;
    assert!(status.contains("missing"), "{status}");
}

#[test]
fn a_result_folder_is_not_a_study_file() {
    let place = Place::new();
    std::fs::create_dir(place.path("results")).unwrap();
    let refused = place.run("study status results");
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(
        refused.stderr.contains("FILE --output results"),
        "{}",
        refused.stderr
    );
}

#[test]
fn a_folder_of_others_or_a_damaged_one_is_refused() {
    let place = Place::new();
    let short = "name = \"s\"\ntrials = 1\nsystems = [\"null\"]\nworkloads = [\"c\"]\nrecords = 10\noperations = 10\nwarmup = \"0s\"\n";
    place.write("s.toml", short);
    std::fs::create_dir(place.path("full")).unwrap();
    place.write("full/notes.txt", "mine");
    let refused = place.run("study run s.toml --output full");
    assert_eq!(refused.code, 6, "{refused:?}");
    assert!(refused.stderr.contains("full"), "{}", refused.stderr);

    place.succeed("study run s.toml");
    place.write("results/s/plan.json", "{");
    let damaged = place.run("report results/s");
    assert_eq!(damaged.code, 6, "{damaged:?}");
    assert!(damaged.stderr.contains("plan.json"), "{}", damaged.stderr);
}

#[test]
fn a_target_precision_adds_blocks_up_to_its_limit() {
    let place = Place::new();
    place.write(
        "s.toml",
        "name = \"s\"\ntrials = 2\nmax_trials = 3\nprecision = \"0.1%\"\nsystems = [\"memory\", \"null\"]\n\
         workloads = [\"a\"]\nrecords = 100\nclients = 2\noperations = 500\nwarmup = \"0s\"\n",
    );
    let plan = place.succeed("study plan s.toml").stdout;
    assert!(plan.contains("x 2 to 3 blocks"), "{plan}");
    assert!(
        plan.contains("until every interval is within 0.1%, up to 3 blocks"),
        "{plan}"
    );
    let before = place.succeed("study status s.toml").stdout;
    assert!(before.starts_with("0 of 4 trials are done"), "{before}");
    let run = place.succeed("study run s.toml");
    assert!(
        run.stderr.contains("after 3 blocks, `max_trials` is reached"),
        "{}",
        run.stderr
    );
    assert_eq!(records(&place.path("results/s")).len(), 6);
    let status = place.succeed("study status s.toml").stdout;
    assert!(status.starts_with("6 of 6 trials are done"), "{status}");
    assert!(status.contains("`max_trials` is reached"), "{status}");
}

#[test]
fn a_disturbed_trial_is_shown_and_repeated() {
    let place = Place::new();
    place.write(
        "s.toml",
        "name = \"s\"\ntrials = 2\nsystems = [\"memory\", \"null\"]\nworkloads = [\"a\"]\nrecords = 100\n\
         clients = 2\noperations = 500\nwarmup = \"0s\"\n",
    );
    place.succeed("study run s.toml");
    let folder = place.path("results/s");
    let names: Vec<String> = records(&folder).into_keys().collect();
    // As a disturbed trial leaves it, killed before the repetition began.
    let path = folder.join("trials").join(&names[1]).join("record.json");
    let mut record = read_json(&path);
    record["status"]["state"] = "disturbed".into();
    record["conditions"]["disturbed_by"] = serde_json::json!(["host-steal"]);
    write_record(&path, &record);
    let status = place.succeed("study status s.toml").stdout;
    assert!(status.starts_with("3 of 4 trials are done"), "{status}");
    assert!(status.contains("disturbed, will be repeated"), "{status}");

    place.succeed("study run s.toml");
    let repetition = format!("{}~2", names[1]);
    // With it, the trial that took turns with it.
    assert_eq!(records(&folder).len(), 6);
    let repeated = read_json(&folder.join("trials").join(&repetition).join("record.json"));
    assert_eq!(repeated["status"]["state"], "completed");
    assert_eq!(repeated["seed"], record["seed"]);
    let status = place.succeed("study status s.toml").stdout;
    assert!(status.starts_with("4 of 4 trials are done"), "{status}");
    assert!(status.contains("done, at attempt 2"), "{status}");
    let page = std::fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(
        page.contains("1 trial was disturbed by something else on the machine"),
        "it stays visible"
    );
    assert!(
        page.contains("1 trial was measured again, because others that had taken turns with it were missing"),
        "and so does the other one"
    );
    let table = std::fs::read_to_string(folder.join("results.csv")).unwrap();
    assert!(
        table.contains(",disturbed,") && table.contains(&repetition),
        "{table}"
    );
}

const PACED: &str = "name = \"p\"\ntitle = \"Two sleepers\"\ntrials = 2\nsystems = [\"sick?delay=2ms\", \"sick?delay=5ms\"]\nrecords = 50\n\
                     clients = 2\nduration = \"300ms\"\nwarmup = \"10ms\"\nrepeat_disturbed = 0\nworkloads = [\"c\"]\n\
                     rates = [\"unlimited\", \"common\"]\n";

/// Runs it. In so short a phase a machine that pauses for ten milliseconds misses the rate, and dbdyno then says so by its exit code.
fn paced(place: &Place, command: &str) -> Ended {
    const MISSED: i32 = 5;
    let ended = place.run(command);
    assert!(
        ended.code == 0 || ended.code == MISSED && ended.stderr.contains("missed its rate"),
        "{}{}",
        ended.stdout,
        ended.stderr
    );
    ended
}

#[test]
fn a_common_rate_is_shown_with_its_pilots_and_no_estimate_uses_them() {
    let place = Place::new();
    place.write("p.toml", PACED);
    let plan = place.succeed("study plan p.toml").stdout;
    assert!(
        plan.contains("pilots at full speed")
            && plan.contains("    sick?delay=5ms, C: read only, pilot at full speed\n"),
        "{plan}"
    );
    let shown = paced(&place, "study run p.toml").stdout;
    assert!(
        shown.contains("C: read only, at ") && shown.contains("50% of the slowest"),
        "{shown}"
    );
    let model: serde_json::Value =
        serde_json::from_str(&place.succeed("report results/p --format json").stdout).unwrap();
    let cells = model["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 2);
    let paced = cells.iter().find(|cell| cell["common_rate"].is_object()).unwrap();
    let rate = paced["common_rate"]["per_second"].as_f64().unwrap();
    let pilots = paced["common_rate"]["pilots"].as_array().unwrap();
    let slowest = pilots
        .iter()
        .map(|pilot| pilot[1].as_f64().unwrap())
        .fold(f64::INFINITY, f64::min);
    assert_eq!(pilots.len(), 2);
    assert!((rate / (slowest * 0.5) - 1.0).abs() <= 0.05, "{rate} {slowest}");
    for cell in cells {
        for system in cell["systems"].as_array().unwrap() {
            assert_eq!(
                system["trials"].as_array().unwrap().len(),
                2,
                "pilots are no trials of a cell"
            );
        }
    }
    let table = place.succeed("report results/p --format csv").stdout;
    assert!(!table.contains("pilot"), "{table}");
    let status = place.succeed("study status p.toml").stdout;
    assert!(
        status.starts_with("8 of 8 trials are done") && status.contains("C: read only, pilot at full speed"),
        "{status}"
    );
}

#[test]
fn a_quick_look_says_first_that_it_is_one() {
    const WORDS: &str = "Quick look that decides nothing";
    let place = Place::new();
    place.write(
        "p.toml",
        &PACED
            .replace("trials = 2", "trials = 9")
            .replace("300ms", "100ms"),
    );
    let plan = place.succeed("study plan p.toml --quick").stdout;
    assert!(plan.starts_with(&format!("{WORDS}: Two sleepers")), "{plan}");
    let ran = paced(&place, "study run p.toml --quick");
    assert!(ran.stderr.contains(WORDS), "{}", ran.stderr);
    assert!(ran.stdout.starts_with(WORDS), "{}", ran.stdout);
    assert!(
        ran.stdout.contains("This is a quick look, which decides nothing"),
        "{}",
        ran.stdout
    );
    let folder = place.path("results/p-quick");
    assert!(!place.path("results/p").exists());
    let page = std::fs::read_to_string(folder.join("report.html")).unwrap();
    assert!(page.contains(&format!("<h1>{WORDS}: Two sleepers</h1>")));
    let markdown = place.succeed("report results/p-quick --format markdown").stdout;
    assert!(markdown.contains("This is a quick look"), "{markdown}");
    let before = records(&folder);
    let again = place.run("study run p.toml --quick");
    assert_eq!((again.code, again.stdout), (ran.code, ran.stdout));
    assert_eq!(records(&folder), before, "nothing is left to do");
}

/// Trials that take a quarter of a second in all beside what is measured.
const BUDGETED: &str = "name = \"s\"\nsystems = [\"memory\", \"null\"]\nworkloads = [\"a\"]\nrecords = 100\n\
                        clients = 2\nwarmup = \"0s\"\nrepeat_disturbed = 0\n";

#[test]
fn a_budget_chooses_blocks_and_phases_and_a_study_that_goes_on_keeps_them() {
    let place = Place::new();
    place.write("s.toml", BUDGETED);
    let plan = place.succeed("study plan s.toml --budget 10m").stdout;
    assert!(
        plan.contains("Within 10m: ") && plan.contains("in 9 of 10 cases"),
        "{plan}"
    );
    assert!(
        plan.contains("an assumption") && plan.contains("Other ways to spend the time: "),
        "{plan}"
    );
    assert!(plan.contains("results/s-10m"), "{plan}");
    let noisier = place.succeed("study plan s.toml --budget 10m --noise 40%").stdout;
    assert!(!noisier.contains("an assumption") && noisier != plan, "{noisier}");

    // Four blocks of 2 s are the fewest; more time would only make this test longer.
    let folder = place.path("results/s-24s");
    let mut child = place.start("study run s.toml --budget 24s");
    wait_for("two trials", || records(&folder).len() >= 2);
    child.kill().unwrap();
    child.wait().unwrap();
    let stored = std::fs::read_to_string(folder.join("study.toml")).unwrap();
    let (line, rest) = stored.split_once('\n').unwrap();
    assert_eq!(rest, BUDGETED);
    assert!(
        line.starts_with("planned = { budget = \"24s\", trials = 4, duration = \"2s\", noise = ")
            && line.contains("noise_is = \"assumed\""),
        "{line}"
    );
    // What noise is said to be now changes nothing of what was begun.
    let resumed = place.succeed("study run s.toml --budget 24s --noise 1%");
    assert!(
        resumed
            .stderr
            .contains("Within 24s: 4 blocks of 2 s; differences of"),
        "{}",
        resumed.stderr
    );
    assert_eq!(
        std::fs::read_to_string(folder.join("study.toml")).unwrap(),
        stored
    );
    assert_eq!(completed(&folder).len(), 8);
    let status = place.succeed("study status s.toml --budget 24s").stdout;
    assert!(status.starts_with("8 of 8 trials are done"), "{status}");

    // Another study learns from these results.
    let learned = place.succeed("study plan s.toml --budget 10m --noise-from results/s-24s");
    assert!(
        learned.stdout.contains("measured in earlier results")
            && learned.stdout.contains("loads are as fast as before"),
        "{}",
        learned.stdout
    );
}

#[test]
fn a_budget_that_cannot_be_spent_is_refused() {
    let place = Place::new();
    place.write("s.toml", BUDGETED);
    place.write("precise.toml", &format!("precision = \"5%\"\n{BUDGETED}"));
    place.write("sweep.toml", &format!("kind = \"sweep\"\n{BUDGETED}"));
    place.write("key.toml", &format!("budget = \"3s\"\n{BUDGETED}"));
    for (command, stated) in [
        (
            "plan s.toml --budget 3s",
            "4 blocks of 2 s, the fewest that can decide, take about",
        ),
        ("run key.toml", "3s is too short for this study"),
        ("run precise.toml --budget 10m", "`precision` adds blocks"),
        ("run sweep.toml --budget 10m", "this study is a search"),
        ("run s.toml --budget 10m --quick", "--quick"),
    ] {
        let refused = place.run(&format!("study {command}"));
        assert_eq!(refused.code, 2, "{command}: {refused:?}");
        assert!(refused.stderr.contains(stated), "{command}: {}", refused.stderr);
    }
    assert!(!place.path("results").exists());
}
