//! `dbdyno compare`, on folders that the binary wrote.

use crate::common::Place;

#[test]
fn two_runs_of_one_thing_are_not_called_different() {
    let place = Place::new();
    for name in ["one", "two"] {
        place.succeed(&format!(
            "run memory --records 1000 --operations 20k --workload a --output {name} --quiet"
        ));
    }
    let ended = place.succeed("compare one two --fail-on change");
    assert!(ended.stdout.contains("0 faster, 0 slower"), "{}", ended.stdout);
    let json = place.succeed("compare one two --format json");
    let all: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(all["cells"][0]["metrics"][0]["verdict"], "undecided");
    let markdown = place.succeed("compare one two --format markdown");
    assert!(
        markdown.stdout.contains("| what | metric |"),
        "{}",
        markdown.stdout
    );
}

#[test]
fn what_promises_something_else_is_refused() {
    let place = Place::new();
    for durability in ["none", "synced"] {
        place.succeed(&format!(
            "run redb --records 100 --operations 200 --workload a --durability {durability} --output {durability} --quiet"
        ));
    }
    let ended = place.run("compare none synced --fail-on slower");
    assert_eq!(ended.code, 3, "{}{}", ended.stdout, ended.stderr);
    assert!(
        ended
            .stdout
            .contains("not comparable: durability: none before, synced"),
        "{}",
        ended.stdout
    );
    place.succeed("compare none synced --anyway --fail-on slower --margin 99%");
}

#[test]
fn mistakes_are_reported() {
    let place = Place::new();
    for workload in ["a", "b"] {
        place.succeed(&format!(
            "run memory --records 100 --operations 200 --workload {workload} --output {workload} --quiet"
        ));
    }
    for (line, code, expected) in [
        ("compare a b", 2, "in common"),
        ("compare a missing", 6, "missing"),
        ("compare a a --margin 5", 2, "e.g. 5%"),
        ("compare a", 2, "AFTER"),
    ] {
        let ended = place.run(line);
        assert_eq!(ended.code, code, "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains(expected), "{line}: {}", ended.stderr);
    }
}
