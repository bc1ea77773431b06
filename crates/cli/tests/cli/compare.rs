//! `dbdyno compare`, on folders that the binary wrote.

use std::time::Duration;

use crate::common::{Place, read_json, write_record};

#[test]
fn two_runs_of_one_thing_are_not_called_different() {
    let place = Place::new();
    for name in ["one", "two"] {
        place.succeed(&format!(
            "run memory --records 1000 --operations 20k --workload a --output {name} --quiet"
        ));
    }
    let ended = place.succeed("compare one two --fail-on change");
    assert!(
        ended.stdout.starts_with("All 2 comparisons are undecided: "),
        "{}",
        ended.stdout
    );
    let json = place.succeed("compare one two --format json");
    let all: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(all["cells"][0]["metrics"][0]["verdict"], "undecided");
    let markdown = place.succeed("compare one two --format markdown");
    assert!(
        markdown.stdout.contains("| test | metric |") && markdown.stdout.contains("●"),
        "{}",
        markdown.stdout
    );
    place.succeed("compare one two --fail-on change --junit checks.xml --quiet");
    let junit = std::fs::read_to_string(place.path("checks.xml")).unwrap();
    let metrics = all["cells"][0]["metrics"].as_array().unwrap().len();
    assert_eq!(junit.matches("<testcase").count(), metrics, "{junit}");
    assert!(
        junit.contains("failures=\"0\" errors=\"0\"") && junit.contains("<skipped message=\"undecided: "),
        "{junit}"
    );
    assert!(
        junit.contains("classname=\"A: update heavy, ")
            && junit.contains("full speed, memory\"")
            && !junit.contains("cell"),
        "{junit}"
    );
    // The suite and each case, all of the one test, have the time that both runs measured.
    let phase = |run: &str| place.record(run)["measure"]["duration_ns"].as_u64().unwrap();
    let seconds = Duration::from_nanos(phase("one") + phase("two")).as_secs_f64();
    let time = format!("time=\"{seconds:.3}\"");
    assert_eq!(junit.matches(&time).count(), 1 + metrics, "{time}: {junit}");
}

#[test]
fn numbers_that_cannot_be_true_decide_nothing() {
    let place = Place::new();
    for name in ["one", "two"] {
        place.succeed(&format!(
            "run memory --records 1000 --operations 20k --workload b --runs 6 --output {name} --quiet"
        ));
    }
    for trial in std::fs::read_dir(place.path("two/trials")).unwrap() {
        let path = trial.unwrap().path().join("record.json");
        let mut record = read_json(&path);
        let measure = &mut record["measure"];
        // Three times as fast, and the updates of the workload's reads.
        measure["duration_ns"] = (measure["duration_ns"].as_u64().unwrap() / 3).into();
        let reads = measure["operations"]["read"].take();
        measure["operations"]["read"] = measure["operations"]["update"].take();
        measure["operations"]["update"] = reads;
        write_record(&path, &record);
    }
    let ended = place.succeed("compare one two");
    assert!(!ended.stdout.contains("Faster"), "{}", ended.stdout);
    assert!(ended.stdout.contains("invalid trials"), "{}", ended.stdout);
}

#[test]
fn a_history_has_no_time_for_test_results() {
    let place = Place::new();
    place.succeed("run memory --records 1000 --operations 20k --workload a --output one --quiet");
    place.succeed("history add one --label v1 --study mine");
    place.succeed("compare history.jsonl@v1 one --fail-on change --anyway --junit checks.xml --quiet");
    let junit = std::fs::read_to_string(place.path("checks.xml")).unwrap();
    assert!(
        junit.contains("<testcase") && !junit.contains(" time=\""),
        "{junit}"
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
    let ended = place.run("compare none synced --fail-on slower --junit checks.xml");
    assert_eq!(ended.code, 3, "{}{}", ended.stdout, ended.stderr);
    let junit = std::fs::read_to_string(place.path("checks.xml")).unwrap();
    assert!(
        junit.contains("tests=\"1\" skipped=\"0\" failures=\"0\" errors=\"1\"")
            && junit.contains("<error message=\"durability: none and synced"),
        "{junit}"
    );
    assert!(
        ended
            .stdout
            .contains("Not compared, A: update heavy, full speed, redb: durability: none and synced."),
        "{}",
        ended.stdout
    );
    place.succeed("compare none synced --anyway --fail-on slower --margin 99%");
}

#[test]
fn a_cell_of_one_side_fails_unless_it_is_allowed() {
    let place = Place::new();
    for (systems, name) in [("redb fjall", "before"), ("redb sqlite", "after")] {
        place.succeed(&format!(
            "run {systems} --records 200 --clients 2 --duration 60ms --warmup 0s --runs 2 --output {name} --quiet"
        ));
    }
    let ended = place.run("compare before after --fail-on slower");
    assert_eq!(ended.code, 3, "{}{}", ended.stdout, ended.stderr);
    assert!(
        ended
            .stderr
            .contains("Failed by --fail-on: 2 tests on one side only"),
        "{}",
        ended.stderr
    );
    let told = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        told.contains("Only before: A: update heavy, full speed, fjall."),
        "{told}"
    );
    assert!(
        told.contains("Only after: A: update heavy, full speed, sqlite."),
        "{told}"
    );
    place.succeed("compare before after --fail-on slower --allow-unmatched");
    place.succeed("compare before after");
}

/// A folder compared with itself is named as such, and a page is written whole.
#[test]
fn a_comparison_is_a_page_and_workload_a_is_one_in_any_case() {
    let place = Place::new();
    for (name, workload, records) in [("one", "a", 1000), ("two", "A", 1000), ("three", "A", 2000)] {
        place.succeed(&format!(
            "run memory --records {records} --operations 20k --workload {workload} --output {name} --quiet"
        ));
    }
    let ended = place.succeed("compare one two --fail-on change --output page.html");
    assert!(ended.stdout.is_empty() && ended.stderr.contains("Written to page.html"));
    let page = std::fs::read_to_string(place.path("page.html")).unwrap();
    for expected in [
        "two compared with one",
        "All 2 comparisons are undecided",
        "no change",
        "<svg",
        "A: update heavy, full speed",
    ] {
        assert!(page.contains(expected), "{expected}: {page}");
    }
    let same = place.succeed("compare one ./one --fail-on change --format markdown");
    assert_eq!(
        same.stdout,
        "**one is compared with itself: nothing can differ.**\n"
    );
    let refused = place.run("compare one three --fail-on slower");
    assert_eq!(refused.code, 3, "{}", refused.stdout);
    assert!(
        refused
            .stdout
            .contains("Not compared, A: update heavy, full speed, memory: records: 1000 and 2000."),
        "{}",
        refused.stdout
    );
    assert!(refused.stderr.contains("--anyway"), "{}", refused.stderr);
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
        ("compare a a --junit x.xml", 2, "--fail-on"),
        ("compare a a --fail-on slower --junit no/x.xml", 6, "--junit"),
        ("compare a missing", 6, "missing"),
        ("compare a a --margin 5", 2, "e.g. 5%"),
        ("compare a", 2, "AFTER"),
    ] {
        let ended = place.run(line);
        assert_eq!(ended.code, code, "{line}: {}", ended.stderr);
        assert!(ended.stderr.contains(expected), "{line}: {}", ended.stderr);
    }
    // What the folders lack is named, and no flag that has nothing to do with it.
    std::fs::remove_file(place.path("b/folder.json")).unwrap();
    let foreign = place.run("compare a b");
    assert_eq!(foreign.code, 6, "{}", foreign.stderr);
    assert!(
        foreign.stderr.contains("folder.json") && !foreign.stderr.contains("--output"),
        "{}",
        foreign.stderr
    );
    std::fs::remove_dir_all(place.path("a/trials")).unwrap();
    std::fs::create_dir(place.path("a/trials")).unwrap();
    let empty = place.run("compare a a");
    assert_eq!(empty.code, 2, "{}", empty.stderr);
    assert!(
        empty.stderr.contains("a has no completed trial"),
        "{}",
        empty.stderr
    );
}

#[test]
fn a_mistake_is_in_the_test_results() {
    let place = Place::new();
    for workload in ["a", "b"] {
        place.succeed(&format!(
            "run memory --records 100 --operations 200 --workload {workload} --output {workload} --quiet"
        ));
    }
    // The file has what stopped the command.
    assert_eq!(place.run("compare a b --fail-on slower --junit x.xml").code, 2);
    let junit = std::fs::read_to_string(place.path("x.xml")).unwrap();
    assert!(
        junit.contains("errors=\"1\"") && junit.contains("in common"),
        "{junit}"
    );
}
