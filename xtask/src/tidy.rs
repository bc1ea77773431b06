//! The invariants of ARCHITECTURE.md that a machine can see, each with what to do instead.

mod modules;
mod sentences;
mod words;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::process::{Result, command, output, root, tracked_files};

/// Longest file, in lines; past it a file is split by meaning.
const LINES_MAX: usize = 600;

/// What a crate must not depend on, directly or through others, and why. A star stands for every name that begins alike.
const NOT_BELOW: [(&str, &[&str], &str); 15] = [
    (
        "dbdyno",
        &["dbdyno-testkit"],
        "the tool is built without what its tests share: name the testkit under [dev-dependencies]",
    ),
    (
        "dbdyno-vocabulary",
        &["dbdyno-*", "tokio"],
        "the words are at the bottom: everything of ours may use them",
    ),
    (
        "dbdyno-random",
        &["dbdyno-*", "tokio"],
        "random numbers are at the bottom: they are the same for everything of ours",
    ),
    (
        "dbdyno-trial",
        &[
            "dbdyno-random",
            "dbdyno-owned",
            "dbdyno-workload",
            "dbdyno-driver",
            "dbdyno-files",
            "dbdyno-record",
            "dbdyno-stats",
            "tokio",
        ],
        "what a trial is asked to do is plain data at the bottom, in the words alone",
    ),
    (
        "dbdyno-workload",
        &["dbdyno-driver", "dbdyno-engine", "tokio"],
        "the workload knows no driver",
    ),
    (
        "dbdyno-driver",
        &["dbdyno-engine", "dbdyno-record", "hdrhistogram"],
        "a driver knows neither clock nor histogram",
    ),
    (
        "dbdyno-lab",
        &["dbdyno-driver", "dbdyno-engine", "tokio"],
        "the lab knows servers, and no client of theirs",
    ),
    (
        "dbdyno-record",
        &[
            "dbdyno-workload",
            "dbdyno-driver",
            "dbdyno-engine",
            "dbdyno-machine",
            "procfs",
            "sysinfo",
        ],
        "the record is the waist: it reads nobody and probes nothing",
    ),
    (
        "dbdyno-stats",
        &["dbdyno-record", "tokio"],
        "statistics are pure functions",
    ),
    (
        "dbdyno-decide",
        &["dbdyno-record", "tokio"],
        "a decision is a pure function",
    ),
    (
        "dbdyno-lint",
        &["dbdyno-record", "dbdyno-paper", "tokio"],
        "the rules are pure functions over printed numbers",
    ),
    (
        "dbdyno-document",
        &["dbdyno-record", "dbdyno-stats", "tokio"],
        "a document knows nothing of what it says",
    ),
    (
        "dbdyno-chart",
        &[
            "dbdyno-record",
            "dbdyno-report",
            "dbdyno-document",
            "dbdyno-stats",
            "tokio",
        ],
        "a figure knows names, colours and numbers, and not what was measured",
    ),
    (
        "dbdyno-analysis",
        &[
            "dbdyno-driver",
            "dbdyno-engine",
            "dbdyno-document",
            "dbdyno-chart",
            "dbdyno-report",
            "tokio",
        ],
        "what records mean does not depend on how it is shown",
    ),
    (
        "dbdyno-report",
        &["dbdyno-driver", "dbdyno-engine", "tokio"],
        "results are reported without any database at hand",
    ),
];

/// The folders of a crate that are stages, in the order in which data flows through them: a stage uses earlier ones only. What the
/// crate's own file declares as a module stands here.
const STAGES: [(&str, &[&str]); 1] = [("crates/study", &["address", "file", "plan", "judge", "run"])];

/// How code names the engine.
const ENGINE: &str = "dbdyno_engine";

/// Words that may not stand in our Rust files outside the places named, and what to do instead.
struct Ban {
    word: &'static str,
    allowed_in: &'static [&'static str],
    instead: &'static str,
}

const BANS: [Ban; 12] = [
    Ban {
        word: concat!("todo", "!("),
        allowed_in: &[],
        instead: "finish it, or say in the issue that it is missing",
    },
    Ban {
        word: concat!("unimplemented", "!("),
        allowed_in: &[],
        instead: "finish it, or return an error",
    },
    Ban {
        word: concat!("#[ig", "nore"),
        allowed_in: &[],
        instead: "mend the test or delete it",
    },
    Ban {
        word: concat!("FIX", "ME"),
        allowed_in: &[],
        instead: "mend it now or file an issue",
    },
    Ban {
        word: concat!("println", "!("),
        allowed_in: &["crates/cli/", "xtask/", "/examples/", "/tests/", "build.rs"],
        instead: "return it: only the cli prints",
    },
    Ban {
        word: concat!("fjall", "::"),
        allowed_in: &["databases/fjall/"],
        instead: "keep a database in its folder",
    },
    Ban {
        word: concat!("redb", "::"),
        allowed_in: &["databases/redb/"],
        instead: "keep a database in its folder",
    },
    Ban {
        word: concat!("rusqlite", "::"),
        allowed_in: &["databases/sqlite/"],
        instead: "keep a database in its folder",
    },
    Ban {
        word: concat!("_rd", "tsc"),
        allowed_in: &["crates/engine/src/clock"],
        instead: "use the engine's clock",
    },
    Ban {
        word: concat!("tokio::time::", "interval"),
        allowed_in: &[],
        instead: "pace with the engine's clock: tokio's wheel has milliseconds",
    },
    Ban {
        word: concat!("std::process::", "exit"),
        allowed_in: &["crates/cli/"],
        instead: "return an error: only the cli ends the process",
    },
    Ban {
        word: concat!("unwrap_or_else(|_| ", "panic!"),
        allowed_in: &[],
        instead: "return an error, or expect with the reason",
    },
];

/// Checks the tree.
pub fn run() -> Result<()> {
    let mut findings = Vec::new();
    dependencies(&mut findings)?;
    let files = tracked_files()?;
    for path in files
        .iter()
        .filter(|path| path.extension().is_some_and(|end| end == "rs"))
    {
        let text = std::fs::read_to_string(root().join(path))
            .map_err(|error| format!("{}: {error}", path.display()))?;
        findings.extend(rust_file(path, &text));
        findings.extend(sentences::in_rust(path, &text));
    }
    book(&files, &mut findings)?;
    uses_within_crates(&files, &mut findings)?;
    terms(&files, &mut findings)?;
    for database in folders("databases")? {
        database_folder(&database, &mut findings);
    }
    if findings.is_empty() {
        Ok(())
    } else {
        Err(format!("{} findings\n{}", findings.len(), findings.join("\n")))
    }
}

fn dependencies(findings: &mut Vec<String>) -> Result<()> {
    for (package, forbidden, reason) in NOT_BELOW {
        let tree = output(&mut command(
            "cargo",
            &[
                "tree",
                "--locked",
                "--package",
                package,
                "--edges",
                "normal",
                "--prefix",
                "none",
                "--format",
                "{p}",
            ],
        ))?;
        let below: BTreeSet<&str> = tree
            .lines()
            .skip(1)
            .filter_map(|line| line.split(' ').next())
            .collect();
        let is_forbidden = |name: &&&str| {
            forbidden
                .iter()
                .any(|forbidden| match forbidden.strip_suffix('*') {
                    Some(prefix) => name.starts_with(prefix),
                    None => *name == forbidden,
                })
        };
        for name in below.iter().filter(is_forbidden) {
            findings.push(format!("{package} depends on {name}: {reason}"));
        }
    }
    Ok(())
}

/// What is wrong with one Rust file.
fn rust_file(path: &Path, text: &str) -> Vec<String> {
    let shown = path.display().to_string();
    let mut findings = Vec::new();
    let lines = text.lines().count();
    if lines > LINES_MAX {
        findings.push(format!(
            "{shown}: {lines} lines; split it by meaning (at most {LINES_MAX})"
        ));
    }
    if !text.starts_with("//!") && !shown.contains("/tests/") && !shown.ends_with("_tests.rs") {
        findings.push(format!("{shown}:1: no `//!` line says what the file is for"));
    }
    if shown.starts_with("databases/")
        && let Some(number) = text.lines().position(|line| {
            is_code(line) && has_word(line, ENGINE) && line != "use dbdyno_engine::TrialRunner;"
        })
    {
        findings.push(format!(
            "{shown}:{}: a driver cannot time itself: of the engine it names `use dbdyno_engine::TrialRunner;` only",
            number + 1
        ));
    }
    for ban in &BANS {
        if ban.allowed_in.iter().any(|place| shown.contains(place)) {
            continue;
        }
        if let Some(number) = text
            .lines()
            .position(|line| is_code(line) && has_word(line, ban.word))
        {
            findings.push(format!("{shown}:{}: `{}`: {}", number + 1, ban.word, ban.instead));
        }
    }
    findings
}

/// Whether the line is more than a comment.
fn is_code(line: &str) -> bool {
    !line.trim_start().starts_with("//")
}

/// Whether the word stands in the line, not as the tail of a longer name.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_')
    })
}

/// Names and texts use the terms of the glossary. The decisions and the list of changes say what was; the check's own file plants the words.
fn terms(files: &BTreeSet<PathBuf>, findings: &mut Vec<String>) -> Result<()> {
    let read = |path: &Path| {
        std::fs::read_to_string(root().join(path)).map_err(|error| format!("{}: {error}", path.display()))
    };
    let retired = words::retired(&read(Path::new("ARCHITECTURE.md"))?);
    for path in files {
        if path.ends_with("tidy/words.rs") || path.starts_with("docs/decisions") {
            continue;
        }
        let ends_with = |end: &str| path.extension().is_some_and(|own| own == end);
        if ends_with("rs") {
            findings.extend(words::in_rust(path, &read(path)?, &retired));
        } else if ends_with("md") && !path.ends_with("ARCHITECTURE.md") && !path.ends_with("CHANGELOG.md") {
            findings.extend(words::in_page(path, &read(path)?, &retired));
        }
    }
    Ok(())
}

/// No files of a crate use each other in a circle, except a module and its children, and no stage uses a later one.
fn uses_within_crates(files: &BTreeSet<PathBuf>, findings: &mut Vec<String>) -> Result<()> {
    let is_root = |path: &&PathBuf| path.ends_with("src/lib.rs") || path.ends_with("src/main.rs");
    for first in files.iter().filter(is_root) {
        let modules = modules::Crate::read(&root().join(first))?;
        let shown = first.display().to_string();
        findings.extend(modules.circles().iter().map(|circle| {
            format!(
                "{shown}: {} use each other in a circle ({}); move what they share into a file of its own",
                circle.join(", "),
                modules.uses_within(circle).join(", ")
            )
        }));
        let stages = STAGES.iter().filter(|(folder, _)| first.starts_with(folder));
        for (_, stages) in stages {
            let order = stages.join(", ");
            findings.extend(modules.looks_back(stages).iter().map(|back| {
                format!("{shown}: {back}: the stages are {order}; move what an earlier one needs into it")
            }));
        }
    }
    Ok(())
}

/// Every page of the book can be reached from its first page.
fn book(files: &BTreeSet<PathBuf>, findings: &mut Vec<String>) -> Result<()> {
    let index = root().join("docs/README.md");
    let text = std::fs::read_to_string(&index).map_err(|error| format!("{}: {error}", index.display()))?;
    for page in files
        .iter()
        .filter(|path| path.starts_with("docs") && path.extension().is_some_and(|end| end == "md"))
    {
        let link = page
            .strip_prefix("docs")
            .expect("it starts with docs")
            .display()
            .to_string();
        if link != "README.md" && !text.contains(&format!("({link})")) {
            findings.push(format!("docs/{link}: docs/README.md does not link to it"));
        }
    }
    Ok(())
}

/// Every database folder has the same shape and stands in the registry. One with a server has the lab's recipe for it, its
/// security probes, and its tests in one program, so that they share servers; one that hosts Java classes of others has no server of its own,
/// and its tests in one program, so that they share the Java machine.
fn database_folder(folder: &str, findings: &mut Vec<String>) {
    let has = |file: &str| root().join("databases").join(folder).join(file).is_file();
    let of_servers = [
        "server/Cargo.toml",
        "server/src/lib.rs",
        "tests/live/main.rs",
        "audit/Cargo.toml",
        "audit/src/lib.rs",
        "audit/catalogue.toml",
        "audit/known_vulnerabilities.toml",
        "audit/tests/live/main.rs",
    ];
    let common = [
        "README.md",
        "Cargo.toml",
        "src/lib.rs",
        "src/driver.rs",
        "src/info.rs",
        "src/session.rs",
    ];
    let of_hosts = ["tests/live/main.rs"];
    let kind: &[&str] = if has("server/Cargo.toml") {
        &of_servers
    } else if root().join("databases").join(folder).join("java").is_dir() {
        &of_hosts
    } else {
        &["tests/conformance.rs"]
    };
    for file in common.iter().chain(kind) {
        if !has(file) {
            findings.push(format!(
                "databases/{folder}: no {file}; every database folder has the same shape"
            ));
        }
    }
    let registry = root().join("crates/registry/src/lib.rs");
    if !std::fs::read_to_string(registry)
        .unwrap_or_default()
        .contains(&format!("dbdyno_database_{folder}"))
    {
        findings.push(format!(
            "databases/{folder}: crates/registry/src/lib.rs does not name it"
        ));
    }
}

fn folders(below: &str) -> Result<Vec<String>> {
    let path = root().join(below);
    let entries = std::fs::read_dir(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let folders = entries.flatten().filter(|entry| entry.path().is_dir());
    Ok(folders
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_defects_are_found() {
        let long = format!("//! x\n{}", "\n".repeat(LINES_MAX));
        let cases = [
            ("crates/stats/src/a.rs", long.as_str(), "split it"),
            ("crates/stats/src/a.rs", "fn a() {}", "what the file is for"),
            (
                "crates/stats/src/a.rs",
                concat!("//! x\nfn a() { println", "!(\"b\") }"),
                "only the cli prints",
            ),
            (
                "crates/engine/src/a.rs",
                concat!("//! x\nuse red", "b::Database;"),
                "in its folder",
            ),
            (
                "crates/engine/src/worker.rs",
                concat!("//! x\nlet a = _rd", "tsc();"),
                "engine's clock",
            ),
            (
                "databases/redb/src/session.rs",
                "//! x\nuse dbdyno_engine::clock::MonotonicTime;",
                "cannot time itself",
            ),
        ];
        for (path, text, expected) in cases {
            let findings = rust_file(Path::new(path), text);
            assert!(
                findings.iter().any(|finding| finding.contains(expected)),
                "{path}: {findings:?}"
            );
        }
    }

    #[test]
    fn the_allowed_places_are_quiet() {
        let text = concat!(
            "//! x\n// red",
            "b:: in a comment\nfn a() { println",
            "!(\"b\") }\nuse dbdyno_database_red",
            "b::X;"
        );
        assert_eq!(
            rust_file(Path::new("crates/cli/src/a.rs"), text),
            Vec::<String>::new()
        );
        let text = "//! x\nuse dbdyno_engine::TrialRunner;\n";
        assert_eq!(
            rust_file(Path::new("databases/redb/src/lib.rs"), text),
            Vec::<String>::new()
        );
    }
}
