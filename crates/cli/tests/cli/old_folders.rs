//! Result folders that an earlier version wrote are read as they were then: see `old_folders/README.md`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::Place;
use serde_json::Value;

fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/cli/old_folders")
        .join(name)
}

/// A place with the old folder `kept-NAME` in it.
fn unpacked(name: &str) -> Place {
    let place = Place::new();
    let status = Command::new("tar")
        .arg("-xzf")
        .arg(kept(&format!("{name}.tar.gz")))
        .arg("-C")
        .arg(place.path("."))
        .status()
        .unwrap();
    assert!(status.success(), "cannot unpack {name}");
    place
}

/// Every difference of what is printed now from what was printed then. New fields are none, and neither is another order of the
/// objects in a list near the top, such as cells, each of which is compared with the one that is most like it, or of names.
fn differences(place: &str, then: &Value, now: &Value, found: &mut Vec<String>) {
    match (then, now) {
        (Value::Object(then), Value::Object(now)) => {
            for (key, value) in then {
                let place = format!("{place}.{key}");
                match now.get(key) {
                    Some(now) => differences(&place, value, now, found),
                    None => found.push(format!("{place}: missing")),
                }
            }
        }
        (Value::Array(then), Value::Array(now))
            if then.len() == now.len() && may_be_reordered(place, then) =>
        {
            let mut left: Vec<&Value> = now.iter().collect();
            for (index, then) in then.iter().enumerate() {
                let from = |now: &Value| {
                    let mut found = Vec::new();
                    differences(&format!("{place}[{index}]"), then, now, &mut found);
                    found
                };
                let likest = (0..left.len()).min_by_key(|&other| from(left[other]).len());
                found.extend(from(left.remove(likest.unwrap())));
            }
        }
        // There may be more evidence today, behind what there was.
        (Value::Array(then), Value::Array(now)) if place.ends_with("_evidence") && then.len() < now.len() => {
            for (index, (then, now)) in then.iter().zip(now).enumerate() {
                differences(&format!("{place}[{index}]"), then, now, found);
            }
        }
        (Value::Array(then), Value::Array(now)) if are_names(then) && are_names(now) => {
            let sorted = |names: &[Value]| {
                let mut names: Vec<String> = names.iter().map(Value::to_string).collect();
                names.sort();
                names
            };
            if sorted(then) != sorted(now) {
                found.push(format!("{place}: {then:?} then, {now:?} now"));
            }
        }
        (Value::Array(then), Value::Array(now)) if then.len() == now.len() => {
            for (index, (then, now)) in then.iter().zip(now).enumerate() {
                differences(&format!("{place}[{index}]"), then, now, found);
            }
        }
        _ if then == now => {}
        _ => found.push(format!("{place}: {then} then, {now} now")),
    }
}

/// Whether a list has single words only; sentences are compared one by one.
fn are_names(list: &[Value]) -> bool {
    list.iter()
        .all(|value| value.as_str().is_some_and(|text| text.split(' ').count() <= 2))
}

fn may_be_reordered(place: &str, list: &[Value]) -> bool {
    let is_near_the_top = !place.contains('[') && place.matches('.').count() <= 2;
    is_near_the_top && list.iter().all(Value::is_object)
}

/// Expects that a command prints what it printed then; sentences may be worded better and colours be others, everything else is
/// equal.
fn expect_same(place: &Place, command: &str, printed_then: &str) {
    let now = place.succeed(command).stdout;
    let now: Value = serde_json::from_str(&now).unwrap();
    let then: Value = serde_json::from_str(&std::fs::read_to_string(kept(printed_then)).unwrap()).unwrap();
    let mut found = Vec::new();
    differences("", &then, &now, &mut found);
    found.retain(|difference| !is_wording(difference) && !is_color(difference));
    assert!(found.is_empty(), "`{command}` against {printed_then}: {found:#?}");
}

/// Whether a difference is one of prose: a text with blanks on either side.
fn is_wording(difference: &str) -> bool {
    difference
        .split_once(": \"")
        .and_then(|(_, texts)| texts.split_once("\" then, \""))
        .is_some_and(|(then, now)| then.contains(' ') && now.contains(' ') && numbers(then) == numbers(now))
}

/// Whether a difference is one of a colour, which says nothing of what was measured.
fn is_color(difference: &str) -> bool {
    difference
        .split_once(": ")
        .is_some_and(|(place, _)| place.ends_with(".color"))
}

/// The figures in a sentence, in order: a better sentence may name them in another order, and write `51.0%` as `51%`.
fn numbers(text: &str) -> Vec<String> {
    let mut numbers: Vec<String> = text
        .split(|letter: char| !(letter.is_ascii_digit() || letter == '.'))
        .map(|number| number.trim_matches('.'))
        .map(|number| number.strip_suffix(".0").unwrap_or(number).to_owned())
        .filter(|number| !number.is_empty())
        .collect();
    numbers.sort();
    numbers
}

#[test]
fn reports_show_the_same_figures() {
    for name in ["study", "capacity", "sweep", "paper", "run", "import", "servers"] {
        let place = unpacked(name);
        let command = format!("report kept-{name} --format json");
        expect_same(&place, &command, &format!("{name}.report.json"));
    }
}

#[test]
fn every_format_of_a_report_is_made() {
    for name in ["study", "capacity", "sweep", "paper", "run", "import", "servers"] {
        let place = unpacked(name);
        for format in ["table", "markdown", "latex", "html"] {
            place.succeed(&format!("report kept-{name} --format {format}"));
        }
    }
}

#[test]
fn results_as_csv_are_the_same_to_the_byte() {
    for name in ["study", "capacity", "sweep", "paper", "servers"] {
        let place = unpacked(name);
        let then = std::fs::read_to_string(place.path(&format!("kept-{name}/results.csv"))).unwrap();
        place.succeed(&format!("report kept-{name} --format csv -o now.csv"));
        let now = std::fs::read_to_string(place.path("now.csv")).unwrap();
        assert!(then == now, "{name}");
    }
}

#[test]
fn the_linter_finds_the_same() {
    for name in ["study", "capacity", "sweep", "paper", "run", "import", "servers"] {
        let place = unpacked(name);
        let command = format!("lint kept-{name} --format json");
        expect_same(&place, &command, &format!("{name}.lint.json"));
    }
}

#[test]
fn advice_is_the_same() {
    for name in ["study", "servers"] {
        let place = unpacked(name);
        let need = kept(&format!("{name}.need.toml"));
        let command = format!("advise {} kept-{name} --format json", need.display());
        expect_same(&place, &command, &format!("{name}.advise.json"));
    }
}

#[test]
fn comparisons_are_the_same() {
    for name in ["study", "run"] {
        let place = unpacked(name);
        let command = format!("compare kept-{name} kept-{name} --format json");
        expect_same(&place, &command, &format!("{name}.compare.json"));
    }
}

/// A study has one noise, whoever states it.
#[test]
fn a_plan_and_a_report_state_the_same_noise() {
    let place = unpacked("study");
    let report: Value =
        serde_json::from_str(&place.succeed("report kept-study --format json").stdout).unwrap();
    let metrics = report["noise"]["metrics"].as_array().unwrap();
    let of_verdicts = metrics
        .iter()
        .filter(|noise| noise["metric"] == "throughput" || noise["metric"] == "latency-p99");
    let noisiest = of_verdicts
        .map(|noise| noise["of_trial"].as_f64().unwrap())
        .fold(0.0, f64::max);
    let study = place.path("kept-study/study.toml");
    let plan = place.succeed(&format!("study plan {} --noise-from kept-study", study.display()));
    let stated = format!("at {:.0}% noise", noisiest * 100.0);
    assert!(plan.stdout.contains(&stated), "{stated}: {}", plan.stdout);
}

#[test]
fn an_old_study_goes_on() {
    let place = unpacked("sweep");
    let study = place.path("kept-sweep/study.toml");
    let again = place.succeed(&format!("study run {} -o kept-sweep -q", study.display()));
    assert!(again.stdout.contains("fjall: knee at"), "{}", again.stdout);
}

#[test]
fn a_changed_figure_is_noticed_and_a_new_field_is_none() {
    let then = serde_json::json!({"a": [1.5, "redb is 2 times as fast"], "b": null});
    let compare = |now: Value| {
        let mut found = Vec::new();
        differences("", &then, &now, &mut found);
        found.retain(|difference| !is_wording(difference));
        found
    };
    let added = serde_json::json!({"a": [1.5, "fast: redb, by 2"], "b": null, "c": 1});
    assert!(compare(added).is_empty());
    let changed = serde_json::json!({"a": [1.6, "redb is 3 times as fast"]});
    assert_eq!(compare(changed).len(), 3);
}
