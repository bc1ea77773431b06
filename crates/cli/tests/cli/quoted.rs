//! README and book quote what dbdyno prints, word for word: see `quoted/README.md`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::Place;

/// What stands before the command that a quotation is the output of.
const MARK: &str = "<!-- output of: ";

/// Results that commands of quotations read, in `results/`; the last are those of `old_folders.rs`, too.
const KEPT: [&str; 6] = [
    "quoted/quickstart",
    "quoted/main",
    "quoted/branch",
    "quoted/missed-rate",
    "quoted/capacity",
    "old_folders/study",
];

/// A quotation: where it is, the command, and its parts between lines that are left out.
struct Quotation {
    page: PathBuf,
    command: String,
    parts: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages() -> Vec<PathBuf> {
    let book = std::fs::read_dir(root().join("docs")).unwrap();
    let book = book.map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> = book
        .filter(|path| path.extension().is_some_and(|kind| kind == "md"))
        .collect();
    pages.push(root().join("README.md"));
    pages
}

fn quotations(page: &Path) -> Vec<Quotation> {
    let text = std::fs::read_to_string(page).unwrap();
    let mut lines = text.lines();
    let mut found = Vec::new();
    while let Some(line) = lines.next() {
        let Some(command) = line.strip_prefix(MARK).and_then(|rest| rest.strip_suffix(" -->")) else {
            continue;
        };
        let block = lines.by_ref().skip_while(|line| !line.starts_with("```")).skip(1);
        let block: Vec<&str> = block
            .take_while(|line| !line.starts_with("```"))
            .filter(|line| !line.starts_with("$ "))
            .collect();
        let parts = block.split(|line| line.starts_with("..."));
        found.push(Quotation {
            page: page.to_owned(),
            command: command.to_owned(),
            parts: parts
                .map(|lines| lines.join("\n").trim_matches('\n').to_owned())
                .filter(|part| !part.is_empty())
                .collect(),
        });
    }
    found
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

#[test]
fn what_readme_and_book_quote_is_what_dbdyno_prints() {
    let place = checkout();
    let found: Vec<Quotation> = pages().iter().flat_map(|page| quotations(page)).collect();
    assert!(
        found
            .iter()
            .any(|quotation| quotation.page.ends_with("README.md")),
        "README quotes nothing"
    );
    for quotation in found {
        let ended = place.run(&quotation.command);
        let printed = ended.stdout + &ended.stderr;
        assert!(!quotation.parts.is_empty(), "{}", quotation.page.display());
        for part in quotation.parts {
            assert!(
                printed.contains(&part),
                "{} quotes `dbdyno {}` as\n{part}\n\nbut it prints\n{printed}",
                quotation.page.display(),
                quotation.command
            );
        }
    }
}
