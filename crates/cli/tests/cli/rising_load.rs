//! Capacity and sweep with the real binary. What a machine can do is not asserted, only what must be so on any machine.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use crate::common::Place;

const QUICK: &str = "--records 50 --clients 2 --duration 40ms --warmup 0s --trials 2 --quiet";

fn written(folder: &Path) -> BTreeMap<String, SystemTime> {
    folder
        .join("trials")
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|trial| {
            let time = trial.join("record.json").metadata().unwrap().modified().unwrap();
            (trial.file_name().unwrap().to_str().unwrap().to_owned(), time)
        })
        .collect()
}

#[test]
fn an_objective_that_nothing_keeps_has_no_capacity() {
    let place = Place::new();
    let call = format!("capacity memory --slo 'errors>50%' {QUICK} --output r");
    let reported = place.succeed(&format!("{call} --format json"));
    let json: serde_json::Value = serde_json::from_str(&reported.stdout).unwrap();
    let system = &json["cells"][0]["systems"][0];
    assert_eq!(system["capacity"]["word"], "none", "{system:#}");
    assert!(system["ceiling"].as_f64().unwrap() > 0.0);
    let lowest = system["capacity"]["missed"].as_f64().unwrap();
    assert!(lowest < system["ceiling"].as_f64().unwrap() / 900.0);
    let page = std::fs::read_to_string(place.path("r/report.html")).unwrap();
    assert!(page.contains("p99 latency against throughput"));

    // The same call again has nothing to do, and prints the same.
    let before = written(&place.path("r"));
    let again = place.succeed(&format!("{call} --format json"));
    assert_eq!(again.stdout, reported.stdout);
    assert_eq!(written(&place.path("r")), before);
    let expected = place.run(&format!("{call} --expect 'capacity>1'"));
    assert_eq!(expected.code, 3, "{expected:?}");
    assert!(
        expected.stderr.contains("no rate was shown to hold"),
        "{}",
        expected.stderr
    );
    // The folder is a study like any other.
    assert!(
        place
            .succeed("report r")
            .stdout
            .contains("none: missed even at the lowest rate")
    );
    assert!(
        place
            .succeed("study status r/study.toml --output r")
            .stdout
            .contains("none left")
    );
    let other = place.run(&format!("{} --seed 7", call));
    assert_eq!(other.code, 2, "another search in the same folder: {other:?}");
}

#[test]
fn a_search_of_a_store_ends_with_an_answer() {
    let place = Place::new();
    let reported = place.succeed(&format!(
        "capacity redb --slo 'p99(read)<1s' {QUICK} --output r --format json"
    ));
    let json: serde_json::Value = serde_json::from_str(&reported.stdout).unwrap();
    let capacity = &json["cells"][0]["systems"][0]["capacity"];
    let word = capacity["word"].as_str().unwrap();
    assert!(
        [
            "capacity",
            "unbounded",
            "undecided",
            "none",
            "not measurable here"
        ]
        .contains(&word),
        "{capacity:#}"
    );
    if let (Some(held), Some(missed)) = (capacity["held"].as_f64(), capacity["missed"].as_f64())
        && word == "capacity"
    {
        assert!(held < missed, "{capacity:#}");
    }
    assert!(capacity["interval"].is_null(), "two trials give no interval");
}

#[test]
fn a_sweep_measures_its_steps() {
    let place = Place::new();
    let reported = place.succeed(
        "sweep redb --clients 1,2 --records 50 --operations 200 --warmup 0s --trials 2 --quiet --output r --format json",
    );
    let json: serde_json::Value = serde_json::from_str(&reported.stdout).unwrap();
    let system = &json["cells"][0]["systems"][0];
    let steps = system["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 2);
    for (step, clients) in steps.iter().zip([1, 2]) {
        assert_eq!((&step["clients"], &step["trials"]), (&clients.into(), &2.into()));
        assert!(step["rate"].is_null() && step["p99"]["estimate"]["median"].as_f64().unwrap() > 0.0);
    }
    assert!(system["knee"]["throughput"]["median"].as_f64().unwrap() > 0.0);
    let markdown = place.succeed("report r --format markdown").stdout;
    assert!(markdown.contains("| redb | full speed | 2 |"), "{markdown}");

    let rates = place.succeed(
        "sweep memory --rates 100,200 --clients 2 --records 50 --duration 100ms --warmup 0s --trials 1 --quiet --output q",
    );
    assert!(
        rates.stdout.contains("100/s") && rates.stdout.contains("200/s"),
        "{}",
        rates.stdout
    );
}

#[test]
fn a_study_of_this_kind_is_planned_run_and_followed() {
    let place = Place::new();
    place.write(
        "s.toml",
        "name = \"s\"\nkind = \"sweep\"\ntrials = 2\nsystems = [\"memory\", \"null\"]\nworkloads = [\"c\"]\nrecords = 50\n\
         rates = [100, 200]\nclients = 2\nduration = \"50ms\"\nwarmup = \"0s\"\n",
    );
    let status = place.succeed("study status s.toml").stdout;
    assert!(status.starts_with("0 trials are done, about 8 left"), "{status}");
    assert!(status.contains("next step ("), "{status}");
    let reported = place.succeed("study run s.toml");
    assert!(reported.stdout.contains("knee at"), "{}", reported.stdout);
    let status = place.succeed("study status s.toml").stdout;
    assert!(status.starts_with("8 trials are done, none left"), "{status}");
    assert!(status.contains("finished"), "{status}");
}
