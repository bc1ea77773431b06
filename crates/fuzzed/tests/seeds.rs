//! Every target keeps its promises on its seeds, and cargo-fuzz knows every target.
#![allow(clippy::unwrap_used, reason = "a test may fail by panicking")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use dbdyno_fuzzed::TARGETS;

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

/// The names in a folder.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

/// A seed is named `accepted-...` or `refused-...`; one that once broke a promise may be named `found-...`.
#[test]
fn every_seed_is_accepted_or_refused_as_its_name_says() {
    for (target, read) in TARGETS {
        let folder = fuzz().join("seeds").join(target);
        let mut outcomes = BTreeSet::new();
        for name in names(&folder) {
            let accepted = read(&std::fs::read(folder.join(&name)).unwrap());
            let (expected, _) = name.split_once('-').unwrap();
            match expected {
                "accepted" => assert!(accepted, "{target}/{name} was refused"),
                "refused" => assert!(!accepted, "{target}/{name} was accepted"),
                other => assert_eq!(other, "found", "{target}/{name}"),
            }
            outcomes.insert(accepted);
        }
        assert_eq!(
            outcomes.len(),
            2,
            "{target} needs a seed that is accepted and one that is not"
        );
    }
}

#[test]
fn what_is_cut_off_anywhere_breaks_no_promise() {
    for (target, read) in TARGETS {
        let folder = fuzz().join("seeds").join(target);
        for name in names(&folder).iter().filter(|name| name.starts_with("accepted-")) {
            let seed = std::fs::read(folder.join(name)).unwrap();
            // Long files in so many places that the test stays fast.
            let step = seed.len() / 50 + 1;
            for end in (0..seed.len()).step_by(step) {
                read(&seed[..end]);
            }
        }
    }
}

#[test]
fn cargo_fuzz_knows_every_target_and_no_other() {
    let manifest = std::fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    let manifest: toml::Table = manifest.parse().unwrap();
    let programs = manifest["bin"].as_array().unwrap();
    let programs: BTreeSet<&str> = programs
        .iter()
        .map(|program| program["name"].as_str().unwrap())
        .collect();
    let targets: BTreeSet<&str> = TARGETS.iter().map(|(target, _)| *target).collect();
    assert_eq!(programs, targets);
    let folders = names(&fuzz().join("seeds"));
    assert_eq!(folders, targets.iter().map(|&target| target.to_owned()).collect());
    for target in targets {
        let text = std::fs::read_to_string(fuzz().join("fuzz_targets").join(format!("{target}.rs")));
        assert!(text.unwrap().contains("dbdyno_fuzzed::"), "{target}");
    }
}
