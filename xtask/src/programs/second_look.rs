//! A second look at failed tests: they are repeated under the load in which they failed (docs/decisions/checks.md).

use std::fmt;
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::running::{captured, timer};
use super::{BESIDE, End, Outcome, TestProgram};
use crate::process::Result;

/// Failed tests that are repeated, in all: more are no accident.
const MOST: usize = 3;
/// How often each of them runs again.
const TIMES: usize = 10;
/// No repetition of a program's tests begins later than this after the first, so that the checks end in time.
const LIMIT: Duration = Duration::from_mins(5);

/// What is repeated of one program.
pub struct Look<'o> {
    outcome: &'o Outcome<'o>,
    /// The tests that failed. None: the program was killed, and counts as one test.
    tests: Vec<&'o str>,
}

/// A test that was repeated.
#[derive(Debug, PartialEq, Eq)]
pub struct Repeated {
    name: String,
    failed: usize,
    times: usize,
}

impl Repeated {
    /// Whether it failed again, if only once. One that did not is flaky.
    pub fn has_failed(&self) -> bool {
        self.failed > 0
    }
}

impl fmt::Display for Repeated {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, failed, times } = self;
        if self.has_failed() {
            write!(
                formatter,
                "{name} failed again in {failed} of {times} repetitions"
            )
        } else {
            write!(
                formatter,
                "{name} is flaky: it failed once, and passed in {times} of {times} repetitions"
            )
        }
    }
}

/// A program, or a part of its tests, that runs beside those that are repeated.
struct Load<'o> {
    program: &'o TestProgram,
    arguments: Vec<String>,
}

/// What is to be repeated.
///
/// # Errors
/// The reason why nothing is: what failed has failed without it.
pub fn plan<'o>(failed: &'o [Outcome<'o>]) -> Result<Vec<Look<'o>>> {
    let looks: Vec<Look<'o>> = failed.iter().map(Look::at).collect::<Result<_>>()?;
    let tests: usize = looks.iter().map(|look| look.tests.len().max(1)).sum();
    if tests > MOST {
        return Err(format!("{tests} tests failed, and at most {MOST} are repeated"));
    }
    Ok(looks)
}

/// What failed of a program, as one line.
pub fn described(outcome: &Outcome<'_>) -> String {
    let tests = failed_tests(&outcome.output);
    let name = &outcome.program.name;
    match (outcome.end, tests.as_slice()) {
        (End::Killed, _) => format!("{name} was killed"),
        (_, []) => format!("{name} crashed"),
        (_, tests) => format!("{name}: {} failed", tests.join(", ")),
    }
}

impl<'o> Look<'o> {
    fn at(outcome: &'o Outcome<'o>) -> Result<Self> {
        let name = &outcome.program.name;
        if outcome.program.runs_alone() {
            return Err(format!("{name} had the machine to itself"));
        }
        if outcome.end == End::Killed {
            let tests = Vec::new();
            return Ok(Self { outcome, tests });
        }
        let tests = failed_tests(&outcome.output);
        // It ended before its list of failures.
        if tests.is_empty() {
            return Err(format!("{name} crashed"));
        }
        Ok(Self { outcome, tests })
    }

    /// Repeats what failed, and shows what each repetition printed that fails again.
    pub fn take(&self) -> Vec<Repeated> {
        let name = &self.outcome.program.name;
        if self.tests.is_empty() {
            println!("-- {name} was killed: it runs again, alone");
            let (end, _) = self.again(self.outcome.program.part.arguments());
            return vec![Repeated {
                name: format!("{name} (killed)"),
                failed: usize::from(end != End::Passed),
                times: 1,
            }];
        }
        println!(
            "-- {name}: {} again, up to {TIMES} times under the load in which it failed",
            self.tests.join(", ")
        );
        let mut arguments = vec!["--exact"];
        arguments.extend(&self.tests);
        let (failed, times) = self.under_load(|| {
            let is_late = timer(LIMIT);
            count(&self.tests, || self.again(&arguments), is_late)
        });
        let repeated = self.tests.iter().zip(failed);
        repeated
            .map(|(test, failed)| Repeated {
                name: format!("{name} {test}"),
                failed,
                times,
            })
            .collect()
    }

    /// Runs the program once more and shows what it printed if it failed.
    fn again(&self, arguments: &[&str]) -> (End, String) {
        let name = format!("{} again", self.outcome.program.name);
        let (end, output) = captured(self.outcome.program, &name, arguments);
        if end != End::Passed {
            println!("-- {name} FAILED\n{output}");
        }
        (end, output)
    }

    /// Does it while everything that ran beside the failed tests runs again and again.
    fn under_load<T>(&self, work: impl FnOnce() -> T) -> T {
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for lane in self.lanes() {
                scope.spawn(|| keep_running(lane, &is_over));
            }
            let done = work();
            is_over.store(true, Ordering::Relaxed);
            done
        })
    }

    /// What runs beside the failed tests: the other tests of their program, and as many other programs at a time as then, those that
    /// ran at the same time. No program is in two lanes.
    fn lanes(&self) -> Vec<Vec<Load<'o>>> {
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        // Together with those that are repeated, as many at a time as then.
        let threads = cores.saturating_sub(self.tests.len()).max(1);
        let mut arguments = of_part(self.outcome.program);
        arguments.push(format!("--test-threads={threads}"));
        arguments.extend(self.tests.iter().map(|test| format!("--skip={test}")));
        let own = Load {
            program: self.outcome.program,
            arguments,
        };
        let beside = |lane: usize| -> Vec<Load<'o>> {
            let programs = self.outcome.beside.iter().copied();
            programs
                .skip(lane)
                .step_by(BESIDE - 1)
                .map(|program| Load {
                    program,
                    arguments: of_part(program),
                })
                .collect()
        };
        std::iter::once(vec![own])
            .chain((0..BESIDE - 1).map(beside))
            .collect()
    }
}

fn of_part(program: &TestProgram) -> Vec<String> {
    let arguments = program.part.arguments().iter();
    arguments.map(|argument| (*argument).to_owned()).collect()
}

/// How many of the repetitions each test failed, and how many there were: the last is the tenth, or the one that ended late.
fn count(
    tests: &[&str],
    mut repeat: impl FnMut() -> (End, String),
    is_late: impl Fn() -> bool,
) -> (Vec<usize>, usize) {
    let mut failed = vec![0; tests.len()];
    let mut times = 0;
    while times < TIMES && (times == 0 || !is_late()) {
        times += 1;
        let (end, output) = repeat();
        let listed = failed_tests(&output);
        // One that crashed lists none, and one that passed may have found none of the tests.
        let all_failed = if end == End::Passed {
            !all_ran(&output, tests.len())
        } else {
            listed.is_empty()
        };
        for (failed, test) in failed.iter_mut().zip(tests) {
            *failed += usize::from(all_failed || listed.contains(test));
        }
    }
    (failed, times)
}

/// Runs one after the other, again and again. How they end does not count: each has been judged.
fn keep_running(mut lane: Vec<Load<'_>>, is_over: &AtomicBool) {
    let is_over = || is_over.load(Ordering::Relaxed);
    while !lane.is_empty() && !is_over() {
        lane.retain(|load| is_over() || load.has_run_tests());
    }
}

impl Load<'_> {
    /// Runs it to its end. Without tests it would load the machine with being started.
    fn has_run_tests(&self) -> bool {
        let name = format!("{} beside", self.program.name);
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        let (_, output) = captured(self.program, &name, &arguments);
        output.contains("\nrunning ") && !output.contains("\nrunning 0 tests\n")
    }
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::Part;
    use super::*;

    const CRASH: &str = "\nrunning 2 tests\nmemory allocation of 8 bytes failed\n";

    fn program(package: &str, executable: &str) -> TestProgram {
        TestProgram {
            name: format!("{package} live"),
            package: package.into(),
            directory: "/".into(),
            executable: executable.into(),
            part: Part::Day,
        }
    }

    fn outcome<'p>(program: &'p TestProgram, end: End, output: &str) -> Outcome<'p> {
        Outcome {
            program,
            end,
            output: output.into(),
            took: Duration::ZERO,
            beside: Vec::new(),
        }
    }

    fn passed(tests: usize) -> String {
        format!(
            "\nrunning {tests} tests\n\ntest result: ok. {tests} passed; 0 failed; 0 ignored; 0 measured; 9 filtered out\n"
        )
    }

    fn failed(tests: &[&str]) -> String {
        let list: String = tests.iter().flat_map(|test| ["    ", *test, "\n"]).collect();
        format!(
            "test a::b ... FAILED\n\nfailures:\n\n---- a::b stdout ----\n    not this\n\n\nfailures:\n{list}\n\
             test result: FAILED. 3 passed; 2 failed\n"
        )
    }

    #[test]
    fn what_fails_alone_crashes_or_fails_often_gets_no_second_look() {
        let (beside, alone) = (program("dbdyno-audit-redis", "x"), program("dbdyno-lab", "x"));
        let refused = |outcomes: &[Outcome]| plan(outcomes).map(|looks| looks.len()).unwrap_err();
        let one = || outcome(&beside, End::Failed, &failed(&["a"]));
        assert!(
            refused(&[one(), outcome(&alone, End::Failed, &failed(&["a"]))]).contains("dbdyno-lab live had")
        );
        assert!(refused(&[one(), outcome(&beside, End::Failed, CRASH)]).contains("crashed"));
        assert!(refused(&[outcome(&alone, End::Killed, CRASH)]).contains("dbdyno-lab live had"));
        let killed = || outcome(&beside, End::Killed, CRASH);
        let two = || outcome(&beside, End::Failed, &failed(&["a", "b"]));
        assert!(refused(&[one(), two(), killed()]).starts_with("4 tests failed"));
        let outcomes = [two(), killed()];
        let looks = plan(&outcomes).unwrap();
        assert_eq!(looks[0].tests, ["a", "b"]);
        assert_eq!(looks[1].tests, [] as [&str; 0]);
    }

    #[test]
    fn each_repetition_counts_for_the_tests_that_it_failed() {
        let counted = |outputs: [(End, String); TIMES]| {
            let mut outputs = outputs.into_iter();
            let (failed, times) = count(&["a", "b"], || outputs.next().unwrap(), || false);
            assert!(outputs.next().is_none());
            assert_eq!(times, TIMES);
            failed
        };
        let good = || (End::Passed, passed(2));
        assert_eq!(counted(std::array::from_fn(|_| good())), [0, 0]);
        let mut outputs: [(End, String); TIMES] = std::array::from_fn(|_| good());
        outputs[3] = (End::Failed, failed(&["b"]));
        outputs[9] = (End::Failed, failed(&["a", "b"]));
        assert_eq!(counted(outputs.clone()), [1, 2]);
        outputs[0] = (End::Failed, CRASH.into());
        // A test was renamed, or is not there without the others.
        outputs[1] = (End::Passed, passed(1));
        assert_eq!(counted(outputs), [3, 4]);
    }

    #[test]
    fn repetitions_end_when_the_time_is_over() {
        let begun = std::cell::Cell::new(0);
        let repeat = || {
            begun.set(begun.get() + 1);
            (End::Failed, failed(&["a"]))
        };
        assert_eq!(count(&["a", "b"], repeat, || begun.get() == 4), (vec![4, 0], 4));
        // One repetition there is always.
        assert_eq!(count(&["a"], repeat, || true), (vec![1], 1));
    }

    #[test]
    fn one_failure_in_ten_is_a_failure() {
        let repeated = |failed, times| Repeated {
            name: "dbdyno-audit-redis live a::b".into(),
            failed,
            times,
        };
        assert!(repeated(1, TIMES).has_failed() && !repeated(0, TIMES).has_failed());
        assert_eq!(
            repeated(3, TIMES).to_string(),
            "dbdyno-audit-redis live a::b failed again in 3 of 10 repetitions"
        );
        assert_eq!(
            repeated(0, 6).to_string(),
            "dbdyno-audit-redis live a::b is flaky: it failed once, and passed in 6 of 6 repetitions"
        );
    }

    #[test]
    fn the_load_is_what_ran_beside_the_failed_tests() {
        let [own, one, other] = ["own", "one", "other"].map(|package| program(package, "x"));
        let mut failure = outcome(&own, End::Failed, &failed(&["a", "b"]));
        failure.beside = vec![&one, &other];
        let looks = plan(std::slice::from_ref(&failure)).unwrap();
        let lanes: Vec<Vec<(&str, Vec<String>)>> = looks[0]
            .lanes()
            .into_iter()
            .map(|lane| {
                let lane = lane.into_iter();
                lane.map(|load| (load.program.package.as_str(), load.arguments))
                    .collect()
            })
            .collect();
        assert_eq!(lanes.len(), BESIDE);
        assert_eq!(lanes[0].len(), 1);
        let (package, arguments) = &lanes[0][0];
        assert_eq!(*package, "own");
        assert_eq!(arguments[0], "--skip=night::");
        assert!(arguments[1].starts_with("--test-threads="), "{arguments:?}");
        assert_eq!(arguments[2..], ["--skip=a", "--skip=b"]);
        let others = lanes[1..].concat();
        assert!(
            others
                .iter()
                .all(|(_, arguments)| arguments == &["--skip=night::"])
        );
        let mut others: Vec<&str> = others.into_iter().map(|(package, _)| package).collect();
        others.sort_unstable();
        assert_eq!(others, ["one", "other"]);
    }

    #[test]
    fn a_program_without_tests_is_no_load() {
        let echo = program("xtask", "/bin/echo");
        let has_run = |output: &str| {
            let load = Load {
                program: &echo,
                arguments: vec![output.to_owned()],
            };
            load.has_run_tests()
        };
        assert!(has_run("\nrunning 1 test\n"));
        assert!(!has_run("\nrunning 0 tests\n") && !has_run("it could not be run"));
    }

    #[test]
    fn what_failed_is_described() {
        let own = program("own", "x");
        let text = |end, output: &str| described(&outcome(&own, end, output));
        assert_eq!(
            text(End::Failed, &failed(&["a::b", "c"])),
            "own live: a::b, c failed"
        );
        assert_eq!(text(End::Failed, CRASH), "own live crashed");
        assert_eq!(text(End::Killed, CRASH), "own live was killed");
    }

    #[test]
    fn a_second_look_at_nothing_is_none() {
        assert!(all_ran(&passed(2), 2));
        assert!(!all_ran(&passed(0), 1) && !all_ran(&passed(1), 2) && !all_ran("", 1));
    }

    #[test]
    fn the_failed_tests_are_those_of_the_last_list() {
        assert_eq!(failed_tests(&failed(&["a::b", "c"])), ["a::b", "c"]);
        assert!(failed_tests("thread panicked, and the process aborted").is_empty());
    }
}
