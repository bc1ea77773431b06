//! What tests check of the files in `.github/workflows`: what CI calls, that its steps exist, that actions are pinned.

use std::collections::BTreeMap;

use clap::Parser as _;

use crate::process::root;
use crate::{Arguments, Chore};

/// From the project's root.
const FOLDER: &str = ".github/workflows";
const CI: &str = "ci.yml";

/// What each job of CI calls, after `cargo xtask`. The jobs do nothing else but prepare the machine and keep what was measured.
const JOBS: [(&str, &str); 5] = [
    ("pull-request", "test --only fast --only platforms"),
    ("night", "test"),
    ("night", "test --only night"),
    ("fuzz", "fuzz"),
    ("bench", "bench --only engine --trend target/bench/engine.jsonl"),
];

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The values of a key in a workflow, in the order of its lines.
pub fn values(workflow: &str, key: &str) -> Vec<String> {
    let text = read(&format!("{FOLDER}/{workflow}"));
    let found = text
        .lines()
        .filter_map(|line| line.trim_start_matches([' ', '-']).strip_prefix(key));
    found.map(|value| value.trim().to_owned()).collect()
}

/// The jobs of CI, each with what it calls of cargo.
fn calls_of_cargo(workflow: &str) -> Vec<(&str, &str)> {
    let (_, jobs) = workflow.split_once("\njobs:\n").unwrap();
    let mut job = "";
    let mut calls = Vec::new();
    for line in jobs.lines().filter(|line| !line.trim_start().starts_with('#')) {
        let named = line.strip_prefix("  ").and_then(|line| line.strip_suffix(':'));
        if let Some(name) = named.filter(|name| !name.starts_with(' ')) {
            job = name;
        }
        if let Some((_, words)) = line.split_once("cargo ") {
            calls.push((job, words.split(" | ").next().unwrap_or(words)));
        }
    }
    calls
}

#[test]
fn ci_calls_what_is_listed_and_nothing_else() {
    let workflow = read(&format!("{FOLDER}/{CI}"));
    let listed = JOBS.map(|(job, words)| (job, format!("xtask {words}")));
    let listed: Vec<(&str, &str)> = listed.iter().map(|(job, words)| (*job, words.as_str())).collect();
    assert_eq!(calls_of_cargo(&workflow), listed);
    // A step that is written a second time is found.
    let twice = format!("{workflow}      - run: cargo clippy --workspace\n");
    let found = calls_of_cargo(&twice);
    assert_eq!(found.last(), Some(&("bench", "clippy --workspace")));
}

#[test]
fn what_is_listed_exists() {
    for (job, words) in JOBS {
        let words = std::iter::once("cargo xtask").chain(words.split(' '));
        match Arguments::try_parse_from(words).map(|arguments| arguments.chore) {
            Ok(Chore::Test(options)) => assert_eq!(options.check(), Ok(()), "{job}"),
            Ok(_) => {}
            Err(error) => panic!("{job}: {error}"),
        }
    }
}

#[test]
fn ci_runs_with_our_rust_and_on_our_system() {
    let manifest = read("Cargo.toml");
    let toolchains: Vec<String> = values(CI, "run:")
        .into_iter()
        .filter_map(|command| Some(command.strip_prefix("rustup default ")?.to_owned()))
        .collect();
    assert!(!toolchains.is_empty());
    for toolchain in toolchains {
        assert!(
            manifest.contains(&format!("rust-version = \"{toolchain}\"")),
            "{toolchain}"
        );
    }
    let images = values(CI, "image:");
    assert_eq!(images.len(), 1);
    assert!(
        read("Dockerfile").contains(&format!("FROM {} AS build", images[0])),
        "{images:?}"
    );
}

#[test]
fn actions_are_pinned_and_the_same_everywhere() {
    let mut pins: BTreeMap<String, String> = BTreeMap::new();
    for workflow in [CI, "release.yml"] {
        let actions = values(workflow, "uses:");
        assert!(actions.len() > 2, "{workflow}: {actions:?}");
        for action in actions {
            let (name, pin) = action.split_once('@').unwrap();
            let hash = pin.split(' ').next().unwrap_or(pin);
            assert!(
                hash.len() == 40 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()),
                "{action}"
            );
            let first = pins.entry(name.to_owned()).or_insert_with(|| pin.to_owned());
            assert_eq!(first, pin, "{workflow}: {name}");
        }
    }
}
