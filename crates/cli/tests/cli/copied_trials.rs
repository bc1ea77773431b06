//! Result folders with copied trials or without their checksums.

use serde_json::Value;

use crate::common::{Place, read_json};

const STUDY: &str = "name = \"s\"\ntrials = 3\nsystems = [\"memory\", \"null\"]\nworkloads = [\"c\"]\nrecords = 50\nclients = 1\n\
                     operations = 200\nwarmup = \"0s\"\nrepeat_disturbed = 0\n";

/// Copies the folder of a trial under another name, as with `cp -r` and an editor.
fn copy(place: &Place, trial: &str, name: &str) {
    let from = place.path("results/s/trials").join(trial);
    let to = place.path("results/s/trials").join(name);
    std::fs::create_dir(&to).unwrap();
    for file in from.read_dir().unwrap() {
        let file = file.unwrap();
        if file.file_name() != "SHA256SUMS" {
            std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
        }
    }
    let mut record = read_json(&to.join("record.json"));
    record["trial"] = name.into();
    std::fs::write(to.join("record.json"), record.to_string()).unwrap();
}

fn first_trial(place: &Place) -> String {
    let plan = read_json(&place.path("results/s/plan.json"));
    plan["trials"][0]["trial"].as_str().unwrap().to_owned()
}

fn report(place: &Place) -> Value {
    serde_json::from_str(&place.succeed("report results/s --format json").stdout).unwrap()
}

fn samples(report: &Value) -> Vec<usize> {
    let systems = report["cells"][0]["systems"].as_array().unwrap();
    let values = systems
        .iter()
        .map(|system| system["throughput"]["values"].as_array());
    values.map(|values| values.map_or(0, Vec::len)).collect()
}

fn codes(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .map(|finding| finding["code"].as_str().unwrap())
        .collect()
}

#[test]
fn copied_trials_do_not_count_and_are_named_everywhere() {
    let place = Place::new();
    place.write("s.toml", STUDY);
    place.succeed("study run s.toml");
    let before = report(&place);
    assert!(
        !codes(&before)
            .iter()
            .any(|code| ["unplanned-trials", "no-checksum", "no-plan"].contains(code))
    );
    let ended = place.succeed("compare results/s results/s --anyway");
    assert!(!ended.stderr.contains("plan.json"), "{}", ended.stderr);

    let first = first_trial(&place);
    copy(&place, &first, "007-copied");
    copy(&place, &first, "008-copied");
    let after = report(&place);
    assert_eq!(samples(&after), samples(&before), "three trials of each system");
    assert!(codes(&after).contains(&"unplanned-trials"), "{:?}", codes(&after));
    let named = "2 trials are not those in plan.json and do not count: 007-copied, 008-copied";
    for line in [
        "report results/s",
        "lint results/s",
        "compare results/s results/s",
        "history add results/s --history h.jsonl --label one",
        "study status s.toml",
    ] {
        let ended = place.run(line);
        assert!(ended.stderr.contains(named), "{line}: {}", ended.stderr);
    }
    let lint = place.succeed("lint results/s");
    assert!(
        lint.stdout.contains("007-copied (not in the plan)"),
        "{}",
        lint.stdout
    );
    let refused = place.run("study run s.toml");
    assert_eq!(refused.code, 6, "{refused:?}");
    assert!(
        refused.stderr.contains("move their folders out of trials/"),
        "{}",
        refused.stderr
    );
    // Out of the way, the study goes on.
    for name in ["007-copied", "008-copied"] {
        std::fs::rename(place.path("results/s/trials").join(name), place.path(name)).unwrap();
    }
    place.succeed("study run s.toml");
}

#[test]
fn missing_checksums_are_said() {
    let place = Place::new();
    place.write("s.toml", STUDY);
    place.succeed("study run s.toml");
    let first = first_trial(&place);
    let sums = place.path("results/s/trials").join(&first).join("SHA256SUMS");
    std::fs::remove_file(&sums).unwrap();
    let ended = place.succeed("report results/s");
    let shown = ended.stderr.replace('\n', " ");
    assert!(shown.contains("have no checksum in SHA256SUMS"), "{shown}");
    assert!(codes(&report(&place)).contains(&"no-checksum"));
    let lint: Value = serde_json::from_str(&place.succeed("lint results/s --format json").stdout).unwrap();
    let files = lint["not_checked"]["results/s"]["files"].as_array().unwrap();
    assert!(
        files.contains(&format!("trials/{first}/record.json").into()),
        "{files:?}"
    );
    // Every trial is there and counts.
    assert_eq!(samples(&report(&place)), [3, 3]);
}
