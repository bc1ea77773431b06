//! The workspace's test programs: built at once, then run beside each other where they measure nothing.
//!
//! `cargo test` runs one program after the other, and most of them wait for servers most of the time.

mod build;
mod github;
mod running;
mod second_look;
mod servers;

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::process::{self, Result, command};
use github::{Level, annotate};

/// Packages whose tests measure time or drive the tool that does, and those that look at what else runs: they have the
/// machine to themselves.
const ALONE: [&str; 5] = [
    "dbdyno",
    "dbdyno-engine",
    "dbdyno-lab",
    "dbdyno-machine",
    "dbdyno-study",
];
/// Beginnings of the names of packages whose programs take longest: they begin first, so that none is left at the end.
const LONGEST: [&str; 2] = ["dbdyno-audit-", "dbdyno-database-"];
/// Programs at a time. Each runs as many tests at a time as the machine has cores.
const BESIDE: usize = 2;

/// Which tests of a program run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All but those of the night.
    Day,
    /// Those of modules called `night`: they take long, and find what a change seldom breaks.
    Night,
}

impl Part {
    /// Arguments for the test program. A filter matches every test whose name contains it.
    const fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Day => &["--skip=night::"],
            Self::Night => &["night::"],
        }
    }
}

/// A program with tests.
pub struct TestProgram {
    /// The package and the target: `dbdyno-lab planted`.
    name: String,
    package: String,
    /// Where cargo runs it.
    directory: PathBuf,
    executable: PathBuf,
    part: Part,
}

impl TestProgram {
    /// Whether it has the machine to itself.
    fn runs_alone(&self) -> bool {
        ALONE.contains(&self.package.as_str())
    }

    /// Whether tests of its part are in it.
    fn has_tests(&self) -> Result<bool> {
        let mut list = Command::new(&self.executable);
        list.args(self.part.arguments())
            .args(["--list", "--format=terse"])
            .current_dir(&self.directory);
        Ok(!process::output(&mut list)?.is_empty())
    }

    /// Whether it begins before others.
    fn takes_long(&self) -> bool {
        LONGEST
            .iter()
            .any(|beginning| self.package.starts_with(beginning))
    }
}

/// The result of a program.
pub struct Outcome<'p> {
    program: &'p TestProgram,
    end: End,
    output: String,
    took: Duration,
    /// The programs that ran at the same time, in the order in which they began.
    beside: Vec<&'p TestProgram>,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Passed,
    Failed,
    /// By SIGKILL, which no program sends itself: the machine ran out of memory.
    Killed,
}

/// Builds and runs every test of the workspace but those of the night.
pub fn run() -> Result<()> {
    run_by_day(&["--workspace".to_owned()])
}

/// Builds and runs the tests of the night.
pub fn run_night() -> Result<()> {
    let mut programs = Vec::new();
    for program in build::programs(&["--workspace".to_owned()], Part::Night)? {
        if program.has_tests()? {
            programs.push(program);
        }
    }
    if programs.is_empty() {
        return Err("no program has tests of the night".to_owned());
    }
    run_programs(&programs)
}

/// Builds and runs the tests of the packages whose tests start no server, a part of what [`run`] runs.
pub fn run_fast() -> Result<()> {
    let packages = servers::packages_without()?;
    let chosen: Vec<String> = packages
        .iter()
        .map(|package| format!("--package={package}"))
        .collect();
    run_by_day(&chosen)
}

/// Builds and runs the tests of the packages that these arguments of cargo choose, and the examples in their documentation.
fn run_by_day(packages: &[String]) -> Result<()> {
    let tests = run_programs(&build::programs(packages, Part::Day)?);
    let mut documentation = command("cargo", &["test", "--locked", "--doc"]);
    let documentation = process::run(documentation.args(packages));
    tests.and(documentation)
}

/// Runs these programs; a failure keeps none of the others from running. A test that fails beside others is repeated under
/// the same load, see docs/decisions/checks.md.
fn run_programs(programs: &[TestProgram]) -> Result<()> {
    let (alone, beside): (Vec<&TestProgram>, Vec<&TestProgram>) =
        programs.iter().partition(|program| program.runs_alone());
    let (longest, others): (Vec<&TestProgram>, Vec<&TestProgram>) =
        beside.into_iter().partition(|program| program.takes_long());
    let mut failed = running::run_all(longest.into_iter().chain(others), BESIDE);
    failed.extend(running::run_all(alone.into_iter(), 1));
    if failed.is_empty() { Ok(()) } else { judge(&failed) }
}

/// Fails unless a second look at every failed test sees it pass each time.
fn judge(failed: &[Outcome<'_>]) -> Result<()> {
    // Once more at the end, where people and cut logs look.
    for outcome in failed {
        println!("{}", outcome.output);
    }
    println!(
        "-- tests with random input had {}={}",
        running::SEED_VARIABLE,
        *running::SEED
    );
    let looks = second_look::plan(failed).map_err(|reason| {
        for outcome in failed {
            annotate(Level::Error, &second_look::described(outcome));
        }
        let names: Vec<&str> = failed
            .iter()
            .map(|outcome| outcome.program.name.as_str())
            .collect();
        format!("tests failed in: {}; no second look: {reason}", names.join(", "))
    })?;
    let repeated: Vec<_> = looks.iter().flat_map(second_look::Look::take).collect();
    for test in &repeated {
        let level = if test.has_failed() {
            Level::Error
        } else {
            Level::Warning
        };
        println!("-- {}: {test}", level.name());
        annotate(level, &test.to_string());
    }
    let failed_again: Vec<String> = repeated
        .iter()
        .filter(|test| test.has_failed())
        .map(ToString::to_string)
        .collect();
    println!(
        "-- failed tests that were repeated: {}, of which {} failed again and {} are flaky",
        repeated.len(),
        failed_again.len(),
        repeated.len() - failed_again.len()
    );
    if failed_again.is_empty() {
        Ok(())
    } else {
        Err(format!("tests failed: {}", failed_again.join(", ")))
    }
}
