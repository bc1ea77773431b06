//! `cargo xtask fuzz`: looks for bytes that break what readers promise, target by target, with cargo-fuzz.
//!
//! Stable Rust is enough: the flags that tell libFuzzer which branches were taken are stable, and only sanitizers need nightly. They look
//! for broken memory, which code without `unsafe` does not have.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::process::{self, Result, cache, command, root, target_folder};

/// The version of cargo-fuzz that the flags were written for.
const CARGO_FUZZ: &str = "0.13.2";
const MANIFEST: &str = "fuzz/Cargo.toml";
/// How long a target runs unless something else is asked for.
const SECONDS: u32 = 60;

/// What to look at, and for how long.
#[derive(Args, Default)]
pub struct Options {
    /// How long each target runs, 60 seconds without it.
    #[arg(long, value_name = "N")]
    seconds: Option<u32>,
    /// Only these targets; all without it.
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,
}

/// Builds the targets and runs each from its seeds and from what earlier runs of this tree have collected. All run, whatever is found.
pub fn run(options: &Options) -> Result<()> {
    let known = targets(&read(&root().join(MANIFEST))?)?;
    if let Some(unknown) = options.targets.iter().find(|name| !known.contains(name)) {
        return Err(format!(
            "there is no target `{unknown}`; the targets are {}",
            known.join(", ")
        ));
    }
    let is_wanted = |name: &&String| options.targets.is_empty() || options.targets.contains(name);
    let program = install()?;
    let build = target_folder().join("fuzz").display().to_string();
    let mut found = Vec::new();
    for target in known.iter().filter(is_wanted) {
        println!("== {target}");
        let before = files(target);
        let corpus = cache("fuzz-corpus")?.join(target);
        std::fs::create_dir_all(&corpus)
            .map_err(|error| format!("cannot make {}: {error}", corpus.display()))?;
        let corpus = corpus.display().to_string();
        let seeds = format!("fuzz/seeds/{target}");
        let time = format!("-max_total_time={}", options.seconds.unwrap_or(SECONDS));
        let words = [
            "fuzz",
            "run",
            "--sanitizer",
            "none",
            "--target-dir",
            &build,
            target,
            &corpus,
            &seeds,
            "--",
            &time,
            "-dict=fuzz/values.dict",
            "-timeout=10",
            "-rss_limit_mb=1024",
            "-print_final_stats=1",
            "-print_funcs=0",
            "-verbosity=0",
        ];
        let outcome = process::run(&mut command(&program, &words));
        let new: Vec<PathBuf> = files(target).difference(&before).cloned().collect();
        match outcome {
            Err(error) if new.is_empty() => return Err(error),
            _ => found.extend(new.into_iter().map(|file| (target.clone(), file))),
        }
    }
    if found.is_empty() {
        return Ok(());
    }
    let lines: Vec<String> = found.iter().map(|(target, file)| shown(target, file)).collect();
    Err(format!(
        "inputs were found that break a promise\n{}",
        lines.join("\n")
    ))
}

/// Where an input is, and how it becomes a test.
fn shown(target: &str, file: &Path) -> String {
    let file = file.strip_prefix(root()).unwrap_or(file).display();
    format!(
        "{file}: copy it to fuzz/seeds/{target}/found-NAME, then `cargo test -p dbdyno-fuzzed` shows what it breaks"
    )
}

/// The names of the programs in the manifest.
fn targets(manifest: &str) -> Result<Vec<String>> {
    let manifest: toml::Table = manifest.parse().map_err(|error| format!("{MANIFEST}: {error}"))?;
    let programs = manifest.get("bin").and_then(toml::Value::as_array);
    let names = programs
        .into_iter()
        .flatten()
        .filter_map(|program| program.get("name")?.as_str());
    Ok(names.map(str::to_owned).collect())
}

/// What was found in earlier runs and in this one.
fn files(target: &str) -> BTreeSet<PathBuf> {
    let folder = root().join("fuzz/artifacts").join(target);
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

/// cargo-fuzz at its version, built into a folder of its own.
fn install() -> Result<String> {
    let folder = cache(&format!("cargo-fuzz-{CARGO_FUZZ}"))?;
    let program = folder.join("bin/cargo-fuzz");
    if !program.exists() {
        println!("cargo-fuzz is missing: building it");
        let into = folder.display().to_string();
        let words = [
            "install",
            "cargo-fuzz",
            "--locked",
            "--version",
            CARGO_FUZZ,
            "--root",
            &into,
        ];
        process::run(&mut command("cargo", &words))?;
    }
    Ok(program.display().to_string())
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_those_of_the_manifest() {
        let known = targets(&read(&root().join(MANIFEST)).unwrap()).unwrap();
        assert!(known.iter().any(|name| name == "studies"), "{known:?}");
        for target in known {
            assert!(
                root().join("fuzz/seeds").join(&target).is_dir(),
                "{target} has no seeds"
            );
        }
    }

    #[test]
    fn an_unknown_target_is_refused_before_anything_is_built() {
        let options = Options {
            targets: vec!["studis".to_owned()],
            ..Options::default()
        };
        let error = run(&options).unwrap_err();
        assert!(
            error.contains("there is no target `studis`; the targets are addresses, "),
            "{error}"
        );
    }
}
