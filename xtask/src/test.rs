//! `cargo xtask test`: every check, in an order that fails early.

use std::time::Instant;

use clap::Args;

use crate::process::{self, Result, command};
use crate::{image, new_database, package, platforms, programs, tidy, tools, ycsb};

/// What to leave out while working, or before a change is looked at.
#[derive(Args)]
pub struct Options {
    /// Run only these steps, by name (repeatable). `fast` stands for format, tidy, clippy and fast-tests; `night` for tools,
    /// night-tests, deny and platforms.
    #[arg(long, value_name = "STEP")]
    only: Vec<String>,
}

type Step = (&'static str, fn() -> Result<()>);

/// Installs what the other steps need; those of [`MEANWHILE`] do not.
const TOOLS: Step = ("tools", tools::install);

/// What needs Rust and nothing else, and measures nothing.
const MEANWHILE: [Step; 3] = [
    ("format", || {
        process::run(&mut command("cargo", &["fmt", "--all", "--check"]))
    }),
    ("tidy", tidy::run),
    ("clippy", || {
        process::run(&mut command(
            "cargo",
            &[
                "clippy",
                "--workspace",
                "--all-targets",
                "--locked",
                "--",
                "--deny",
                "warnings",
            ],
        ))
    }),
];

/// The part of [`TESTS`] that starts no server, for those who ask for it by name.
const FAST_TESTS: Step = ("fast-tests", programs::run_fast);

/// Every test of the workspace but those of the night.
const TESTS: Step = ("tests", programs::run);

/// Names that ask for several steps: for an answer within minutes, without a server; and for what a night has time for.
const GROUPS: [(&str, [&str; 4]); 2] = [
    ("fast", ["format", "tidy", "clippy", FAST_TESTS.0]),
    ("night", [TOOLS.0, NIGHT_TESTS.0, "deny", "platforms"]),
];

/// The tests of the workspace that run by night.
const NIGHT_TESTS: Step = ("night-tests", programs::run_night);

/// What follows, one after the other.
const THEN: [Step; 8] = [
    FAST_TESTS,
    TESTS,
    ("package", package::check),
    ("image", image::check),
    ("embedded", embedded_stores_alone),
    ("template", new_database::check_template),
    ("log-reader", ycsb::check_interval_log),
    ("docs", || {
        process::run(
            // The cli is left out: its comments are its help, with brackets that mean something else to rustdoc.
            command(
                "cargo",
                &[
                    "doc",
                    "--workspace",
                    "--exclude",
                    "dbdyno",
                    "--no-deps",
                    "--locked",
                    "--quiet",
                ],
            )
            .env("RUSTDOCFLAGS", "--deny warnings"),
        )
    }),
];

/// What takes long, and finds what a change seldom breaks: it runs only where it is named.
const BY_NIGHT: [Step; 3] = [
    NIGHT_TESTS,
    ("deny", || {
        tools::install_cargo_deny()?;
        process::run(&mut command(
            "cargo",
            &["deny", "check", "licenses", "bans", "sources"],
        ))
    }),
    ("platforms", platforms::check),
];

/// The build without the optional databases compiles, and names the feature of one that is asked for.
fn embedded_stores_alone() -> Result<()> {
    const LEFT_OUT: &str = "a_database_that_was_left_out_names_its_feature";
    let words = [
        "check",
        "--package",
        "dbdyno",
        "--no-default-features",
        "--locked",
        "--quiet",
    ];
    process::run(&mut command("cargo", &words))?;
    // The whole workspace, so that the dependencies have the features with which the tests have built them; without the
    // study and the agents, whose tests need a registry with databases of their choice.
    let words = [
        "test",
        "--workspace",
        "--exclude=dbdyno-study",
        "--exclude=dbdyno-agents",
        "--test=registry",
        "--no-default-features",
        "--locked",
        LEFT_OUT,
    ];
    let output = process::output(&mut command("cargo", &words))?;
    if output.contains(&format!("{LEFT_OUT} ... ok")) {
        Ok(())
    } else {
        Err(format!(
            "`{LEFT_OUT}` did not run: a package of the workspace asks for a feature of the registry"
        ))
    }
}

impl Options {
    /// Refuses names of steps that do not exist.
    pub fn check(&self) -> Result<()> {
        let known = || {
            std::iter::once(TOOLS)
                .chain(MEANWHILE)
                .chain(THEN)
                .chain(BY_NIGHT)
                .map(|(name, _)| name)
                .chain(GROUPS.map(|(name, _)| name))
        };
        match self.only.iter().find(|name| known().all(|known| known != *name)) {
            None => Ok(()),
            Some(unknown) => Err(format!(
                "there is no step `{unknown}`; the steps are {}",
                known().collect::<Vec<_>>().join(", ")
            )),
        }
    }

    /// Whether the step is to run: if it is named, or no step is and it is none of the night. What is part of another step does
    /// not run beside it.
    fn wants(&self, (name, _): &Step) -> bool {
        let is_named = |name: &str| {
            let mut names = self.only.iter();
            names.any(|only| {
                let group = GROUPS.iter().find(|(group, _)| group == only);
                only == name || group.is_some_and(|(_, steps)| steps.contains(&name))
            })
        };
        if *name == FAST_TESTS.0 {
            is_named(FAST_TESTS.0) && !is_named(TESTS.0)
        } else if self.only.is_empty() {
            BY_NIGHT.iter().all(|(by_night, _)| by_night != name)
        } else {
            is_named(name)
        }
    }
}

/// Runs the steps.
pub fn run(options: &Options) -> Result<()> {
    options.check()?;
    let wanted = |step: &Step| options.wants(step);
    let each = |steps: &[Step]| steps.iter().filter(|step| wanted(step)).try_for_each(take);
    if wanted(&TOOLS) {
        tools::install_components()?;
    }
    std::thread::scope(|scope| {
        let tools = scope.spawn(|| each(&[TOOLS]));
        let meanwhile = each(&MEANWHILE);
        let tools = tools
            .join()
            .unwrap_or_else(|_| Err("step `tools` panicked".to_owned()));
        meanwhile.and(tools)
    })?;
    each(&THEN)?;
    each(&BY_NIGHT)
}

fn take((name, step): &Step) -> Result<()> {
    println!("== {name}");
    #[expect(
        clippy::disallowed_methods,
        reason = "shows a developer how long a step took; measures no operation"
    )]
    let start = Instant::now();
    step().map_err(|error| format!("step `{name}`: {error}"))?;
    println!("== {name} passed in {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(only: &[&str]) -> Options {
        Options {
            only: only.iter().map(|name| (*name).to_owned()).collect(),
        }
    }

    #[test]
    fn no_test_runs_twice() {
        let runs = |only: &[&str]| {
            let options = options(only);
            let mut steps = MEANWHILE.to_vec();
            steps.extend(THEN);
            steps.extend(BY_NIGHT);
            steps.retain(|step| options.wants(step));
            steps.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        let all = runs(&[]);
        assert!(all.contains(&"tests") && !all.contains(&"fast-tests"), "{all:?}");
        assert_eq!(all.len(), MEANWHILE.len() + THEN.len() - 1);
        assert!(
            all.iter()
                .all(|name| BY_NIGHT.iter().all(|(by_night, _)| by_night != name))
        );
        assert_eq!(runs(&["fast"]), GROUPS[0].1);
        assert_eq!(runs(&["night"]), GROUPS[1].1[1..], "the tools come first of all");
        assert_eq!(runs(&["fast-tests", "docs"]), ["fast-tests", "docs"]);
        assert_eq!(runs(&["fast", "tests"]), ["format", "tidy", "clippy", "tests"]);
    }

    #[test]
    fn a_step_that_does_not_exist_is_refused() {
        assert_eq!(options(&["tools", "clippy", "fast"]).check(), Ok(()));
        let refusal = options(&["clippy", "fats"]).check().unwrap_err();
        assert!(
            refusal.contains("`fats`") && refusal.contains("fast-tests, tests"),
            "{refusal}"
        );
    }
}
