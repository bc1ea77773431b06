//! What developers, CI and releases call: `cargo xtask test|bench|calibration|fuzz|kills|new-database|package|picture|schema|ycsb-fixtures`.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a developer's tool talks to its developer"
)]

mod bench;
mod calibration;
mod distribution;
mod fuzz;
mod image;
mod kills;
mod new_database;
mod package;
mod picture;
mod platforms;
mod process;
mod programs;
mod schema;
mod test;
mod tidy;
mod tools;
#[cfg(test)]
mod workflows;
mod ycsb;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Chores of dbdyno's developers. CI calls `cargo xtask test`, and measures with `cargo xtask bench`.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Install what the tests need, then run every check: format, clippy, tidy, dependencies, tests.
    Test(test::Options),
    /// Measure dbdyno against YCSB's own client in paired runs and print the ratios.
    Bench(bench::Options),
    /// Simulate studies whose truth is known and write how often we are right into docs/analysis.md.
    Calibration,
    /// Look for bytes that break what readers of foreign bytes promise, with cargo-fuzz.
    Fuzz(fuzz::Options),
    /// Kill dbdyno at any moment of a server's life, again and again, and look at what is left.
    Kills(kills::Options),
    /// Make the folder of a new database from the template and register it.
    NewDatabase {
        /// Its name: lower-case letters, digits and underscores, e.g. `leveldb`.
        name: String,
    },
    /// Make the archive of a release for one target, with completions, manual page and checksum.
    Package(package::Options),
    /// Take pictures of the quickstart's report for README.md, in light and dark.
    Picture(picture::Options),
    /// Write the JSON Schemas of the files that people write into docs/schema/.
    Schema,
    /// Write the generators' fixtures anew with YCSB's own core (needs Java and Maven).
    YcsbFixtures,
}

fn main() -> ExitCode {
    let result = match Arguments::parse().chore {
        Chore::Test(options) => test::run(&options),
        Chore::Bench(options) => bench::run(&options),
        Chore::Calibration => calibration::run(),
        Chore::Fuzz(options) => fuzz::run(&options),
        Chore::Kills(options) => kills::run(&options),
        Chore::NewDatabase { name } => new_database::run(&name),
        Chore::Package(options) => package::run(&options),
        Chore::Picture(options) => picture::run(&options),
        Chore::Schema => schema::run(),
        Chore::YcsbFixtures => ycsb::write_fixtures(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}
