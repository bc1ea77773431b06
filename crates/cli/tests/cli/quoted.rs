//! README and book quote what dbdyno prints, word for word: see `quoted/README.md`.

mod messages;
mod pages;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::Place;
use pages::{Block, Holds, Page};

/// Results that commands of quotations read, in `results/`; the last are those of `old_folders.rs`, too.
const KEPT: [&str; 7] = [
    "quoted/quickstart",
    "quoted/which-database",
    "quoted/main",
    "quoted/branch",
    "quoted/missed-rate",
    "quoted/capacity",
    "old_folders/study",
];

/// The command that writes `docs/answer.md`.
const ANSWER: &str = "advise studies/needs/which-database results/which-database --format markdown";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn succeed(program: &str, arguments: &[&Path]) {
    let status = Command::new(program).args(arguments).status();
    assert!(status.unwrap().success(), "{program} {arguments:?}");
}

/// A folder as the book's reader has it: a checkout, in which the kept results were measured, and one was damaged.
fn checkout() -> Place {
    let place = Place::new();
    let results = place.path("results");
    std::fs::create_dir(&results).unwrap();
    for name in KEPT {
        let archive = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/cli/{name}.tar.gz"));
        succeed("tar", &[Path::new("-xzf"), &archive, Path::new("-C"), &results]);
    }
    let damaged = results.join("damaged");
    succeed("cp", &[Path::new("-r"), &results.join("missed-rate"), &damaged]);
    let record = damaged.join("trials/001/record.json");
    std::fs::write(&record, std::fs::read_to_string(&record).unwrap() + " ").unwrap();
    for folder in ["studies", "workloads"] {
        std::os::unix::fs::symlink(root().join(folder), place.path(folder)).unwrap();
    }
    place
}

/// The lines of a quotation between those that are left out: `...` begins a line that stands for some, and `$` a command.
fn parts(block: &Block) -> Vec<String> {
    let lines: Vec<&str> = block.lines.iter().map(String::as_str).collect();
    lines
        .split(|line| line.starts_with("...") || line.starts_with("$ "))
        .map(|part| part.join("\n").trim_matches('\n').to_owned())
        .filter(|part| !part.is_empty())
        .collect()
}

/// The first part that is not printed as whole lines, below the parts before it.
fn missing(parts: Vec<String>, printed: &str) -> Option<String> {
    let printed: String = printed
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect();
    let mut rest = printed.as_str();
    for part in parts {
        let part = format!("{part}\n");
        let found = rest
            .match_indices(&part)
            .find(|(at, _)| *at == 0 || rest[..*at].ends_with('\n'));
        match found {
            Some((at, _)) => rest = &rest[at + part.len()..],
            None => return Some(part),
        }
    }
    None
}

#[test]
fn what_readme_and_book_quote_is_what_dbdyno_prints() {
    let place = checkout();
    let mut printed: HashMap<String, String> = HashMap::new();
    let mut wrong = String::new();
    for block in pages::all().iter().flat_map(Page::blocks) {
        let Holds::OutputOf(command) = &block.holds else {
            continue;
        };
        let printed = printed.entry(command.clone()).or_insert_with(|| {
            let ended = place.run(command);
            ended.stdout + &ended.stderr
        });
        let parts = parts(&block);
        assert!(!parts.is_empty(), "{} quotes nothing", block.place());
        if let Some(part) = missing(parts, printed) {
            wrong += &format!(
                "{} quotes `dbdyno {command}` as\n{part}\nbut it prints\n{printed}\n\n",
                block.place()
            );
        }
    }
    assert!(!printed.is_empty(), "nothing is quoted");
    assert!(wrong.is_empty(), "{wrong}");
}

/// `docs/answer.md` is one output, whole: no figure in it was typed.
#[test]
fn the_answer_of_the_book_is_what_dbdyno_prints() {
    let printed = checkout().run(ANSWER).stdout;
    let kept = std::fs::read_to_string(root().join("docs/answer.md")).unwrap();
    let differing = printed
        .lines()
        .zip(kept.lines())
        .find(|(printed, kept)| printed != kept);
    assert!(
        printed == kept,
        "docs/answer.md is not what `dbdyno {ANSWER}` prints, first at {differing:?}; write it again with `--output docs/answer.md`, \
         from the results that are kept in quoted/which-database.tar.gz"
    );
}

/// A quotation that no command makes would grow old.
#[test]
fn every_block_of_readme_and_book_says_what_it_holds() {
    let complaints: Vec<String> = pages::all().iter().flat_map(Page::complaints).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn parts_are_whole_lines_in_order() {
    let printed = "one  \ntwo three\nfour\n";
    let missing = |parts: &[&str]| {
        let parts = parts.iter().map(|&part| part.to_owned());
        missing(parts.collect(), printed)
    };
    assert_eq!(missing(&["one\ntwo three", "four"]), None);
    assert_eq!(missing(&["three"]), Some("three\n".into()));
    assert_eq!(missing(&["four", "one"]), Some("one\n".into()));
}
