//! Running the test programs, some at a time.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::fs::File;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use nix::sys::signal::Signal;

use super::{End, Outcome, TestProgram};
use crate::process::{self, Result, cannot_start};

/// What Java servers of tests that measure nothing are started with, beside their own options: they live for seconds, and the
/// optimising compiler takes a third of the processor time that they use.
const JAVA_OPTIONS: (&str, &str) = ("DBDYNO_LAB_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1");
/// Sets what tests with random input begin with: see proptest's `Config::rng_seed`.
pub const SEED_VARIABLE: &str = "PROPTEST_RNG_SEED";
/// One for all programs of this call. A defect that few inputs show is found in the second look, too, and by whoever sets it again.
pub static SEED: LazyLock<String> = LazyLock::new(|| {
    std::env::var(SEED_VARIABLE).unwrap_or_else(|_| {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        now.map_or(0, |since| since.subsec_nanos()).to_string()
    })
});

/// No program of ours takes half as long on two busy cores. One that does hangs, and would use up the time of all others.
const LIMIT: Duration = Duration::from_mins(25);
/// Between two looks whether a program has ended.
const LOOK: Duration = Duration::from_millis(50);

/// Programs that run now, each with those that have run at the same time.
#[derive(Default)]
struct Neighbours<'p>(Vec<(&'p TestProgram, Vec<&'p TestProgram>)>);

impl<'p> Neighbours<'p> {
    fn begin(&mut self, program: &'p TestProgram) {
        let now: Vec<&TestProgram> = self.0.iter().map(|(other, _)| *other).collect();
        for (_, beside) in &mut self.0 {
            beside.push(program);
        }
        self.0.push((program, now));
    }

    /// Returns what ran beside the program that has ended.
    fn end(&mut self, program: &TestProgram) -> Vec<&'p TestProgram> {
        let place = self.0.iter().position(|(other, _)| std::ptr::eq(*other, program));
        place.map_or_else(Vec::new, |place| self.0.swap_remove(place).1)
    }
}

/// Runs programs, some at a time, shows what each printed when it ends, and returns those that failed.
pub fn run_all<'p>(programs: impl Iterator<Item = &'p TestProgram>, at_a_time: usize) -> Vec<Outcome<'p>> {
    let waiting: Mutex<VecDeque<&TestProgram>> = Mutex::new(programs.collect());
    let neighbours = Mutex::new(Neighbours::default());
    let failed = Mutex::new(Vec::new());
    let next = || waiting.lock().ok()?.pop_front();
    std::thread::scope(|scope| {
        for _ in 0..at_a_time {
            scope.spawn(|| {
                while let Some(program) = next() {
                    let outcome = run_one(program, &neighbours);
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
fn run_one<'p>(program: &'p TestProgram, neighbours: &Mutex<Neighbours<'p>>) -> Outcome<'p> {
    let neighbours = || neighbours.lock().unwrap_or_else(PoisonError::into_inner);
    neighbours().begin(program);
    let start = Instant::now();
    let (end, output) = captured(program, &program.name, program.part.arguments());
    Outcome {
        program,
        end,
        output,
        took: start.elapsed(),
        beside: neighbours().end(program),
    }
}

/// Runs a program to its end: how it ended, and what it printed in the order in which it did. `log` is the name of the file
/// that takes this meanwhile, one for each program that runs now.
pub fn captured(program: &TestProgram, log: &str, arguments: &[&str]) -> (End, String) {
    try_captured(program, log, arguments, LIMIT)
        .unwrap_or_else(|error| (End::Failed, format!("it could not be run: {error}")))
}

/// A file takes the output, since a pipe would be waited for as long as a process that a test left behind holds it.
fn try_captured(
    program: &TestProgram,
    log: &str,
    arguments: &[&str],
    limit: Duration,
) -> Result<(End, String)> {
    let path = process::cache("tests")?.join(format!("{}.log", log.replace(' ', "-")));
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
    if !program.runs_alone() {
        let (name, options) = JAVA_OPTIONS;
        command.env(name, options);
    }
    let mut child = command.spawn().map_err(|error| cannot_start(&command, &error))?;
    let (status, hangs) = wait(&mut child, limit).map_err(failed)?;
    let output = std::fs::read(&path).map_err(failed)?;
    let mut output = String::from_utf8_lossy(&output).into_owned();
    let end = if hangs {
        let _ = writeln!(
            output,
            "-- {} was killed after {} s: a test without a result hangs",
            program.name,
            limit.as_secs()
        );
        End::Failed
    } else if status.success() {
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

/// Waits for a program's end, and kills it when that does not come in time: how it ended, and whether it was killed.
fn wait(child: &mut Child, limit: Duration) -> std::io::Result<(ExitStatus, bool)> {
    let is_late = timer(limit);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok((status, false));
        }
        if is_late() {
            child.kill()?;
            return Ok((child.wait()?, true));
        }
        std::thread::sleep(LOOK);
    }
}

/// Tells whether so much time has passed since it was made.
#[expect(
    clippy::disallowed_methods,
    reason = "limits how long tests run; measures no operation"
)]
pub fn timer(limit: Duration) -> impl Fn() -> bool {
    let start = Instant::now();
    move || start.elapsed() >= limit
}

#[cfg(test)]
mod tests {
    use super::super::Part;
    use super::*;

    fn program(executable: &str) -> TestProgram {
        TestProgram {
            name: format!("xtask {executable}"),
            package: "xtask".into(),
            directory: "/".into(),
            executable: executable.into(),
            part: Part::Day,
        }
    }

    #[test]
    fn a_killed_program_is_distinguished_from_one_that_failed() {
        let shell = program("/bin/sh");
        let ended = |script: &str| captured(&shell, "xtask shell", &["-c", script]);
        assert!(ended("echo fine") == (End::Passed, "fine\n".into()));
        assert!(ended("exit 101").0 == End::Failed);
        assert!(ended("kill -ABRT $$").0 == End::Failed);
        let (end, output) = ended("echo begun; kill -KILL $$");
        assert!(end == End::Killed);
        assert!(
            output.starts_with("begun\n") && output.contains("signal: 9"),
            "{output}"
        );
        let (end, output) = captured(&program("/no/such/program"), "xtask missing", &[]);
        assert!(
            end == End::Failed && output.contains("could not be run"),
            "{output}"
        );
    }

    #[test]
    fn a_program_that_hangs_is_killed_and_says_so() {
        let hangs = ["-c", "echo begun; exec sleep 600"];
        let (end, output) = try_captured(
            &program("/bin/sh"),
            "xtask hang",
            &hangs,
            Duration::from_millis(300),
        )
        .unwrap();
        assert!(end == End::Failed);
        assert!(
            output.starts_with("begun\n") && output.contains("hangs"),
            "{output}"
        );
        assert!(timer(Duration::ZERO)() && !timer(Duration::from_hours(1))());
    }

    #[test]
    fn whoever_runs_at_the_same_time_is_a_neighbour() {
        let programs = ["one", "two", "three", "four"].map(program);
        let [one, two, three, four] = &programs;
        let mut neighbours = Neighbours::default();
        let names = |programs: Vec<&TestProgram>| {
            programs
                .iter()
                .map(|program| program.executable.display().to_string())
                .collect::<Vec<_>>()
        };
        neighbours.begin(one);
        neighbours.begin(two);
        assert_eq!(names(neighbours.end(one)), ["two"]);
        neighbours.begin(three);
        assert_eq!(names(neighbours.end(three)), ["two"]);
        assert_eq!(names(neighbours.end(two)), ["one", "three"]);
        neighbours.begin(four);
        assert_eq!(names(neighbours.end(four)), [] as [&str; 0]);
    }
}
