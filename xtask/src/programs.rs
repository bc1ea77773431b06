//! The workspace's test programs: built at once, then run beside each other where they measure nothing.
//!
//! `cargo test` runs one program after the other, and most of them wait for servers most of the time.

mod build;

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::fs::File;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant, SystemTime};

use nix::sys::signal::Signal;

use crate::process::{self, Result, cannot_start, command};

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
/// What Java servers of tests that measure nothing are started with, beside their own options: they live for seconds, and the
/// optimising compiler takes a third of the processor time that they use.
const JAVA_OPTIONS: (&str, &str) = ("DBDYNO_LAB_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1");
/// Failed tests that are run a second time, in all: more are no accident.
const SECOND_LOOKS: usize = 3;
/// Sets what tests with random input begin with: see proptest's `Config::rng_seed`.
const SEED_VARIABLE: &str = "PROPTEST_RNG_SEED";
/// One for all programs of this call. A defect that few inputs show is found in the second look, too, and by whoever sets it again.
static SEED: LazyLock<String> = LazyLock::new(|| {
    std::env::var(SEED_VARIABLE).unwrap_or_else(|_| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        now.map_or(0, |since| since.subsec_nanos()).to_string()
    })
});
/// Programs at a time. Each runs as many tests at a time as the machine has cores.
const BESIDE: usize = 2;

/// A program with tests.
pub struct TestProgram {
    /// The package and the target: `dbdyno-lab planted`.
    name: String,
    package: String,
    /// Where cargo runs it.
    directory: PathBuf,
    executable: PathBuf,
}

/// What became of it.
struct Outcome {
    program: TestProgram,
    end: End,
    output: String,
    took: Duration,
}

/// How a program ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Passed,
    Failed,
    /// By SIGKILL, which no program sends itself: the machine ran out of memory.
    Killed,
}

/// Builds and runs every test of the workspace; a failure keeps none of the others from running. A test that fails beside others
/// is run once more with the machine to itself, see docs/decisions/checks.md; what fails twice has failed.
pub fn run() -> Result<()> {
    let (alone, beside): (Vec<_>, Vec<_>) = build::programs(&["--workspace".to_owned()])?
        .into_iter()
        .partition(|program| ALONE.contains(&program.package.as_str()));
    let (longest, others): (Vec<_>, Vec<_>) = beside.into_iter().partition(|program| {
        LONGEST
            .iter()
            .any(|beginning| program.package.starts_with(beginning))
    });
    let mut failed = run_all(longest.into_iter().chain(others), BESIDE);
    failed.extend(run_all(alone.into_iter(), 1));
    let documentation = process::run(&mut command(
        "cargo",
        &["test", "--workspace", "--locked", "--doc"],
    ));
    if failed.is_empty() {
        return documentation;
    }
    // Once more at the end, where people and cut logs look.
    for outcome in &failed {
        println!("{}", outcome.output);
    }
    let names: Vec<&str> = failed
        .iter()
        .map(|outcome| outcome.program.name.as_str())
        .collect();
    let names = names.join(", ");
    println!("-- tests with random input had {SEED_VARIABLE}={}", *SEED);
    if passes_alone(&failed) {
        println!("-- warning: tests failed beside others and passed alone, in: {names}");
        return documentation;
    }
    Err(format!("tests failed in: {names}"))
}

/// Whether every failed test passes with the machine to itself.
fn passes_alone(failed: &[Outcome]) -> bool {
    let (killed, failed): (Vec<_>, Vec<_>) = failed.iter().partition(|outcome| outcome.end == End::Killed);
    let tests: Vec<Vec<&str>> = failed
        .iter()
        .map(|outcome| failed_tests(&outcome.output))
        .collect();
    // A program that ended before its list of failures crashed.
    if tests.iter().any(Vec::is_empty)
        || killed.len() + tests.iter().map(Vec::len).sum::<usize>() > SECOND_LOOKS
    {
        return false;
    }
    let again = |outcome: &Outcome, arguments: &[&str]| {
        let (end, output) = captured(&outcome.program, arguments).unwrap_or_else(could_not_run);
        println!("-- {} alone:\n{output}", outcome.program.name);
        (end == End::Passed, output)
    };
    let mut all_passed = true;
    for outcome in killed {
        all_passed &= again(outcome, &[]).0;
    }
    for (outcome, tests) in failed.into_iter().zip(&tests) {
        let mut arguments = vec!["--exact", "--test-threads=1"];
        arguments.extend(tests);
        let (passed, output) = again(outcome, &arguments);
        all_passed &= passed && all_ran(&output, tests.len());
    }
    all_passed
}

fn could_not_run(error: String) -> (End, String) {
    (End::Failed, format!("it could not be run: {error}"))
}

/// Whether a program that passed has run so many tests: it passes, too, when it finds none of them.
fn all_ran(output: &str, tests: usize) -> bool {
    output.contains(&format!(
        "\ntest result: ok. {tests} passed; 0 failed; 0 ignored;"
    ))
}

/// The names in the list at the end of a test program's output.
fn failed_tests(output: &str) -> Vec<&str> {
    let Some((_, list)) = output.rsplit_once("\nfailures:\n") else {
        return Vec::new();
    };
    list.lines().map_while(|line| line.strip_prefix("    ")).collect()
}

/// Runs programs, some at a time, shows what each printed when it ends, and returns those that failed.
fn run_all(programs: impl Iterator<Item = TestProgram>, at_a_time: usize) -> Vec<Outcome> {
    let waiting: Mutex<VecDeque<TestProgram>> = Mutex::new(programs.collect());
    let failed = Mutex::new(Vec::new());
    let next = || waiting.lock().ok()?.pop_front();
    std::thread::scope(|scope| {
        for _ in 0..at_a_time {
            scope.spawn(|| {
                while let Some(program) = next() {
                    let outcome = run_one(program);
                    let verdict = if outcome.end == End::Passed {
                        "passed"
                    } else {
                        "FAILED"
                    };
                    println!(
                        "-- {} {verdict} in {:.0} s\n{}",
                        outcome.program.name,
                        outcome.took.as_secs_f64(),
                        outcome.output
                    );
                    if outcome.end != End::Passed
                        && let Ok(mut failed) = failed.lock()
                    {
                        failed.push(outcome);
                    }
                }
            });
        }
    });
    failed.into_inner().unwrap_or_default()
}

#[expect(
    clippy::disallowed_methods,
    reason = "shows a developer how long a program took; measures no operation"
)]
fn run_one(program: TestProgram) -> Outcome {
    let start = Instant::now();
    let (end, output) = captured(&program, &[]).unwrap_or_else(could_not_run);
    Outcome {
        program,
        end,
        output,
        took: start.elapsed(),
    }
}

/// Runs a program to its end: how it ended, and what it printed in the order in which it did. A file takes the output,
/// since a pipe would be waited for as long as a process that a test left behind holds it.
fn captured(program: &TestProgram, arguments: &[&str]) -> Result<(End, String)> {
    let path = process::cache("tests")?.join(format!("{}.log", program.name.replace(' ', "-")));
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let log = File::create(&path).map_err(failed)?;
    let mut command = Command::new(&program.executable);
    command
        .args(arguments)
        .current_dir(&program.directory)
        .env("CARGO_MANIFEST_DIR", &program.directory)
        .env("CI", "true")
        .env("DBDYNO_INSTALL", "1")
        .env(SEED_VARIABLE, &*SEED)
        .stdin(Stdio::null())
        .stdout(log.try_clone().map_err(failed)?)
        .stderr(log);
    if !ALONE.contains(&program.package.as_str()) {
        let (name, options) = JAVA_OPTIONS;
        command.env(name, options);
    }
    let status = command.status().map_err(|error| cannot_start(&command, &error))?;
    let output = std::fs::read(&path).map_err(failed)?;
    let mut output = String::from_utf8_lossy(&output).into_owned();
    let end = if status.success() {
        End::Passed
    } else {
        // A program that crashed says nothing itself.
        let _ = writeln!(output, "-- {} ended with {status}", program.name);
        if status.signal() == Some(Signal::SIGKILL as i32) {
            End::Killed
        } else {
            End::Failed
        }
    };
    Ok((end, output))
}

#[cfg(test)]
mod tests {
    use super::{End, TestProgram, all_ran, captured, failed_tests};

    #[test]
    fn a_killed_program_is_distinguished_from_one_that_failed() {
        let shell = TestProgram {
            name: "xtask shell".into(),
            package: "xtask".into(),
            directory: "/".into(),
            executable: "/bin/sh".into(),
        };
        let ended = |script: &str| captured(&shell, &["-c", script]).unwrap();
        assert!(ended("echo fine") == (End::Passed, "fine\n".into()));
        assert!(ended("exit 101").0 == End::Failed);
        assert!(ended("kill -ABRT $$").0 == End::Failed);
        let (end, output) = ended("echo begun; kill -KILL $$");
        assert!(end == End::Killed);
        assert!(
            output.starts_with("begun\n") && output.contains("signal: 9"),
            "{output}"
        );
    }

    #[test]
    fn a_second_look_at_nothing_is_none() {
        let output = |passed: u32| {
            format!(
                "\nrunning {passed} tests\n\ntest result: ok. {passed} passed; 0 failed; 0 ignored; 0 measured; 9 filtered out\n"
            )
        };
        assert!(all_ran(&output(2), 2));
        assert!(!all_ran(&output(0), 1) && !all_ran(&output(1), 2) && !all_ran("", 1));
    }

    #[test]
    fn the_failed_tests_are_those_of_the_last_list() {
        let output = "test a::b ... FAILED\n\nfailures:\n\n---- a::b stdout ----\n    not this\n\n\nfailures:\n    a::b\n    \
                      c\n\ntest result: FAILED. 3 passed; 2 failed\n";
        assert_eq!(failed_tests(output), ["a::b", "c"]);
        assert!(failed_tests("thread panicked, and the process aborted").is_empty());
    }
}
