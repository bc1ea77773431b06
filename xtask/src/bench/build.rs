//! What a release build costs: processor time, crates, and the size of the binary, from an empty target directory.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

use crate::process::{Result, cache, command};

/// What is built: its name in the table, and cargo's further arguments.
const BUILDS: [(&str, &[&str]); 2] = [
    ("all databases", &[]),
    ("embedded stores", &["--no-default-features"]),
];

/// Builds from nothing, twice, and prints what that took. Dependencies are downloaded before the clock starts.
pub fn run() -> Result<()> {
    crate::process::run(&mut command("cargo", &["fetch", "--locked"]))?;
    println!(
        "\nA clean release build. Processor time includes the compilers of C that build scripts start.\n"
    );
    println!("| build | processor minutes | elapsed | crates | binary | stripped |");
    println!("|---|---|---|---|---|---|");
    for (name, arguments) in BUILDS {
        let cost = build(arguments)?;
        println!(
            "| {name} | {:.1} | {:.0} s | {} | {:.1} MB | {:.1} MB |",
            cost.processor_time.as_secs_f64() / 60.0,
            cost.elapsed.as_secs_f64(),
            cost.crates,
            megabytes(cost.binary_bytes),
            megabytes(cost.stripped_bytes),
        );
    }
    Ok(())
}

/// The cost of one build.
struct Cost {
    processor_time: Duration,
    elapsed: Duration,
    crates: usize,
    binary_bytes: u64,
    stripped_bytes: u64,
}

fn build(arguments: &[&str]) -> Result<Cost> {
    let target = cache("bench-build")?;
    std::fs::remove_dir_all(&target)
        .map_err(|error| format!("cannot empty {}: {error}", target.display()))?;
    let words = ["build", "--release", "--locked", "--offline", "-p", "dbdyno"];
    let mut cargo = command("cargo", &words);
    cargo
        .args(arguments)
        .env("CARGO_TARGET_DIR", &target)
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let before = processor_time_of_children()?;
    #[expect(clippy::disallowed_methods, reason = "times a build, not operations")]
    let start = Instant::now();
    let output = cargo
        .output()
        .map_err(|error| format!("cannot start cargo: {error}"))?;
    let elapsed = start.elapsed();
    let processor_time = processor_time_of_children()?.saturating_sub(before);
    let messages = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("the build ended with {}\n{messages}", output.status));
    }
    let binary = target.join("release/dbdyno");
    Ok(Cost {
        processor_time,
        elapsed,
        crates: compiled(&messages),
        binary_bytes: size(&binary)?,
        stripped_bytes: stripped(&binary)?,
    })
}

/// How many crates cargo compiled, from what it prints.
fn compiled(messages: &str) -> usize {
    messages
        .lines()
        .filter(|line| line.trim_start().starts_with("Compiling "))
        .count()
}

/// Of all children that have ended, and of theirs.
fn processor_time_of_children() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|error| format!("getrusage: {error}"))?;
    let microseconds = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Ok(Duration::from_micros(u64::try_from(microseconds).unwrap_or(0)))
}

fn size(path: &Path) -> Result<u64> {
    let metadata = path
        .metadata()
        .map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(metadata.len())
}

fn stripped(binary: &Path) -> Result<u64> {
    let stripped = binary.with_extension("stripped");
    crate::process::run(command("strip", &["-o"]).arg(&stripped).arg(binary))?;
    size(&stripped)
}

#[expect(clippy::cast_precision_loss, reason = "a size for people")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn crates_are_counted_from_what_cargo_prints() {
        let messages =
            "   Compiling libc v0.2.191\n   Compiling dbdyno v0.1.0 (/tmp)\n    Finished `release`\n";
        assert_eq!(compiled(messages), 2);
    }
}
