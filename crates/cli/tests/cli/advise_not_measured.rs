//! `dbdyno advise` where something was not measured: it answers on the rest, and writes the study that would show it.

use crate::common::{Place, as_released};

const STUDY: &str = "name = \"tiny\"\ntrials = 5\nsystems = [\"fjall\", \"redb\"]\nworkloads = [\"c\"]\n\
                     records = 100\noperations = 300\nwarmup = \"0s\"\ndurability = \"buffered\"\n";
const GOAL: &str = "draws = 1000\n[[goal]]\nname = \"reads\"\nmetric = \"throughput\"\nworkload = \"c\"\n";

fn measured() -> Place {
    let place = Place::new();
    place.write("study.toml", STUDY);
    place.succeed("study run study.toml --quiet");
    as_released(&place, "results/tiny");
    place
}

fn advice(place: &Place, results: &str) -> serde_json::Value {
    let json = place.succeed(&format!(
        "advise need.toml {results} --format json --next next.toml"
    ));
    serde_json::from_str(&json.stdout).unwrap()
}

/// Runs the study that advice proposes, and asks again with its results.
fn measured_next(place: &Place) -> serde_json::Value {
    let plan = place.succeed("study plan next.toml").stdout;
    assert!(
        plan.contains("12 trials: 2 systems x 1 workload x 6 blocks"),
        "{plan}"
    );
    place.succeed("study run next.toml --output results/next --quiet");
    as_released(place, "results/next");
    advice(place, "results/tiny results/next")
}

#[test]
fn a_level_is_measured_next_unless_the_driver_does_not_offer_it() {
    let place = measured();
    place.write(
        "need.toml",
        &format!("{GOAL}[require]\ndurability = \"synced\"\n"),
    );
    let before = advice(&place, "results/tiny");
    assert_eq!(before["word"], "undecided", "{before}");
    for system in before["requirements"][0]["systems"].as_array().unwrap() {
        assert_eq!(system["standing"], "not shown", "{before}");
        let why = system["why"]["text"].as_str().unwrap();
        assert!(why.starts_with("not measured at `synced`"), "{why}");
    }
    let after = measured_next(&place);
    let standing = |system: &str| {
        let systems = after["requirements"][0]["systems"].as_array().unwrap();
        let cell = systems.iter().find(|cell| cell["system"] == system);
        cell.unwrap()["standing"].clone()
    };
    assert_eq!(standing("fjall (synced)"), "shown");
    assert_eq!(standing("fjall (buffered)"), "violated");

    // Nothing in memory survives anything.
    place.succeed(
        "run memory --records 100 --operations 200 --workload c --durability none --output results/memory --quiet",
    );
    as_released(&place, "results/memory");
    let memory = advice(&place, "results/memory");
    assert_eq!(memory["word"], "nobody", "{memory}");
}

#[test]
fn work_that_was_not_measured_is_measured_next() {
    let place = measured();
    place.write(
        "need.toml",
        &format!("{GOAL}[[goal]]\nname = \"lists\"\nmetric = \"throughput\"\nworkload = \"e\"\n"),
    );
    let before = advice(&place, "results/tiny");
    assert_eq!(before["goals"][1]["systems"][0]["shown"], "not measured");
    assert_eq!(
        before["ranking"].as_array().unwrap().len(),
        2,
        "the other goal ranks"
    );
    let after = measured_next(&place);
    assert_eq!(after["goals"][1]["systems"][0]["trials"], 6, "{after}");
}

#[test]
fn a_misspelt_workload_is_noted() {
    let place = measured();
    let goal = "[[goal]]\nmetric = \"throughput\"\nworkload = \"abramova-gg\"\n";
    place.write("need.toml", &format!("{GOAL}{goal}"));
    let asked = place.succeed("advise need.toml results/tiny");
    assert!(
        asked.stderr.contains("`abramova-gg`") && asked.stderr.contains("did you mean `abramova-g`?"),
        "{}",
        asked.stderr
    );
    assert!(
        asked
            .stdout
            .contains("no completed trial has a workload abramova-gg"),
        "{}",
        asked.stdout
    );
    place.write("need.toml", &format!("{GOAL}{}", goal.replace("-gg", "-g")));
    let known = place.succeed("advise need.toml results/tiny");
    assert_eq!(known.stderr, "");
}

#[test]
fn a_limit_on_latency_is_measured_at_a_common_rate_next() {
    let place = measured();
    place.write(
        "need.toml",
        &format!("{GOAL}[[objective]]\nkeep = \"p99(read) < 10s\"\nworkload = \"c\"\n"),
    );
    let before = advice(&place, "results/tiny");
    let cell = &before["requirements"][0]["systems"][0];
    assert_eq!(cell["standing"], "not shown", "{before}");
    assert!(
        cell["why"]["text"]
            .as_str()
            .unwrap()
            .starts_with("not comparable"),
        "{cell}"
    );
    let next = std::fs::read_to_string(place.path("next.toml")).unwrap();
    assert!(next.contains("rates = [\"common\"]"), "{next}");
    place.succeed("study plan next.toml");
}

/// `--next` overwrites only studies that advise wrote; a misspelt product gets a suggestion.
#[test]
fn mistakes_do_no_harm() {
    let place = measured();
    place.write(
        "need.toml",
        &format!("{GOAL}[require]\nversion = {{ rebd = \"9.0\" }}\n"),
    );
    let ended = place.run("advise need.toml results/tiny --next need.toml");
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("need.toml exists"), "{}", ended.stderr);
    let ended = place.succeed("advise need.toml results/tiny --next next.toml");
    assert!(ended.stderr.contains("did you mean `redb`?"), "{}", ended.stderr);
    place.succeed("advise need.toml results/tiny --next next.toml");
    place.write("heavy.toml", &format!("{GOAL}weight = 1e308\n"));
    let ended = place.run("advise heavy.toml results/tiny");
    assert_eq!(ended.code, 2, "{}", ended.stderr);
    assert!(ended.stderr.contains("from 0 to 1000000"), "{}", ended.stderr);
}
