//! What continuous integration reads: JUnit files that agree with exit codes, and summaries.

use crate::common::{Place, as_released};

/// Short enough for a test.
const SHORT: &str = "--records 1000 --operations 20k --warmup 0s";

/// The numbers in the first line about all test cases.
fn counts(place: &Place, file: &str) -> String {
    let text = std::fs::read_to_string(place.path(file)).unwrap();
    let line = text.lines().find(|line| line.contains("<testsuites "));
    let line = line.unwrap().split_once("tests=").unwrap().1;
    line.split('>').next().unwrap().to_owned()
}

#[test]
fn expectations_are_test_cases() {
    let place = Place::new();
    place.succeed(&format!(
        "run memory {SHORT} --expect 'p99(read)<100s' --expect 'errors<=0' --junit met.xml"
    ));
    assert_eq!(
        counts(&place, "met.xml"),
        r#""3" skipped="0" failures="0" errors="0""#
    );
    let missed = place.run(&format!(
        "run memory {SHORT} --expect 'p50<1ns' --expect 'errors<1%' --junit missed.xml"
    ));
    assert_eq!(missed.code, 3, "{}", missed.stderr);
    assert_eq!(
        counts(&place, "missed.xml"),
        r#""3" skipped="0" failures="1" errors="0""#
    );
    let text = std::fs::read_to_string(place.path("missed.xml")).unwrap();
    assert!(
        text.contains("name=\"p50&lt;1ns\" classname=\"memory, workload a") && text.contains("time=\""),
        "{text}"
    );
    assert!(text.contains("<failure message=\"measured: "), "{text}");
}

#[test]
fn what_is_no_valid_result_is_an_error() {
    let place = Place::new();
    // No system keeps this rate.
    let invalid = place.run(
        "run memory --records 1k --rate 500M --warmup 100ms --duration 300ms --expect 'errors<1' --junit x.xml",
    );
    assert_eq!(invalid.code, 5, "{}", invalid.stderr);
    assert!(
        counts(&place, "x.xml").ends_with("errors=\"2\""),
        "{}",
        counts(&place, "x.xml")
    );
    let unreachable = place.run("run redis://127.0.0.1:1 --junit x.xml");
    assert_eq!(unreachable.code, 4, "{}", unreachable.stderr);
    assert_eq!(
        counts(&place, "x.xml"),
        r#""1" skipped="0" failures="0" errors="1""#
    );
    let text = std::fs::read_to_string(place.path("x.xml")).unwrap();
    assert!(!text.contains("was stopped before"), "{text}");

    let refused = place.run("run memory --junit no/x.xml --output out");
    assert_eq!(refused.code, 6, "{}", refused.stderr);
    assert!(!place.path("out").exists(), "it is refused before it measures");
    std::fs::remove_file(place.path("x.xml")).unwrap();
    let misread = place.run("capacity memory --slo 'p99(read)<1s' --expect 'throughput>1' --junit x.xml");
    assert_eq!(misread.code, 2, "{}", misread.stderr);
    assert_eq!(
        counts(&place, "x.xml"),
        r#""1" skipped="0" failures="0" errors="1""#
    );
    let several = place.run("run memory null --runs 2 --junit x.xml");
    assert_eq!(several.code, 2, "{}", several.stderr);
}

#[test]
fn a_pipe_gets_one_document() {
    let place = Place::new();
    let said = place.succeed(&format!(
        "run memory {SHORT} --expect 'errors<=0' --junit /dev/stdout"
    ));
    assert_eq!(said.stdout.matches("<?xml").count(), 1, "{}", said.stdout);
    assert!(!said.stdout.contains("was stopped before"), "{}", said.stdout);
}

#[test]
fn a_summary_has_the_verdicts_one_table_and_one_chart() {
    let place = Place::new();
    place.succeed(&format!("run memory {SHORT} --output results/one --quiet"));
    as_released(&place, "results/one");
    let summary = place.succeed("report results/one --format summary").stdout;
    assert!(
        summary.starts_with("## ") && summary.contains("| workload | system |"),
        "{summary}"
    );
    assert_eq!(summary.matches("```text").count(), 1, "{summary}");
    assert!(summary.contains("no interval: 1 trial"), "{summary}");
    place.succeed(&format!("run null {SHORT} --output results/two --quiet"));
    let several = place.run("report results --format summary");
    assert_eq!(several.code, 2, "{}", several.stderr);
}
