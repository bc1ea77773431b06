//! `cargo xtask test`: every check, in an order that fails early.

use std::time::Instant;

use clap::Args;

use crate::process::{self, Result, command};
use crate::{image, new_database, package, platforms, programs, tidy, tools, ycsb};

/// What to leave out while working; CI leaves out nothing.
#[derive(Args)]
pub struct Options {
    /// Run only these steps, by name (repeatable).
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

/// What follows, one after the other.
const THEN: [Step; 9] = [
    ("deny", || {
        process::run(&mut command(
            "cargo",
            &["deny", "check", "licenses", "bans", "sources"],
        ))
    }),
    ("tests", programs::run),
    ("package", package::check),
    ("image", image::check),
    ("embedded", embedded_stores_alone),
    ("template", new_database::check_template),
    ("log-reader", ycsb::check_interval_log),
    ("platforms", platforms::check),
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
    // study, whose tests need a registry of all databases.
    let words = [
        "test",
        "--workspace",
        "--exclude=dbdyno-study",
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

/// Runs the steps.
pub fn run(options: &Options) -> Result<()> {
    let all = || std::iter::once(TOOLS).chain(MEANWHILE).chain(THEN);
    if let Some(unknown) = options
        .only
        .iter()
        .find(|name| all().all(|step| step.0 != **name))
    {
        let known = all().map(|step| step.0).collect::<Vec<_>>().join(", ");
        return Err(format!("there is no step `{unknown}`; the steps are {known}"));
    }
    let wanted = |step: &Step| options.only.is_empty() || options.only.iter().any(|name| name == step.0);
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
    each(&THEN)
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
