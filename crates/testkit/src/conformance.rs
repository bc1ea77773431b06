//! One suite for every database: each promise of [`contract`](dbdyno_driver::Driver) has a named check, and a driver passes
//! when all checks that its [`Capabilities`](dbdyno_driver::Capabilities) call for do.
//!
//! A database's whole test file is
//!
//! ```text
//! #[test]
//! fn every_promise_is_kept() {
//!     let folder = tempfile::tempdir().unwrap();
//!     let address = format!("redb:{}/data.redb", folder.path().display());
//!     conformance::assert_conforms::<RedbDriver>(&Target::parse(&address).unwrap());
//! }
//! ```
//!
//! Each run works in tables of random names and removes them, so it can be pointed at a server that others use. That
//! each check can fail is shown by `tests/conformance_catches.rs` with a driver that has one defect at a time.

mod checks;
mod client;
mod harness;
pub mod kill;
pub mod opening;
mod runtime;
pub mod sync;

pub use client::Client;
pub use harness::{Failure, Harness, Outcome};
pub use runtime::{BlockOn, Ready};

use std::panic::{AssertUnwindSafe, catch_unwind};

use dbdyno_driver::{DbError, Driver, Target};

/// The results of the checks of one run, by name.
#[derive(Debug, Default)]
pub struct Report {
    /// Kept promises.
    pub passed: Vec<&'static str>,
    /// Broken promises, and how.
    pub failed: Vec<(&'static str, String)>,
    /// Promises that this driver does not make, by its capabilities.
    pub skipped: Vec<&'static str>,
}

impl Report {
    fn enter(&mut self, name: &'static str, outcome: std::thread::Result<Outcome>) {
        match outcome {
            Ok(Ok(())) => self.passed.push(name),
            Ok(Err(Failure(reason))) => self.failed.push((name, reason)),
            Err(panic) => {
                let words = panic
                    .downcast_ref::<String>()
                    .map(String::as_str)
                    .or_else(|| panic.downcast_ref::<&str>().copied())
                    .unwrap_or("no words");
                self.failed.push((name, format!("it panicked: {words}")));
            }
        }
    }
}

/// A named check on a connected driver.
pub(crate) struct Check<D: Driver, R: BlockOn> {
    pub name: &'static str,
    pub applies: bool,
    pub run: fn(&Harness<'_, D, R>) -> Outcome,
}

/// A named check that connects by itself, as often as it needs.
pub(crate) struct ConnectionCheck<R: BlockOn> {
    pub name: &'static str,
    pub applies: bool,
    pub run: fn(&Target, &R) -> Outcome,
}

/// Runs every check against the database at `target`, which nobody else may have open (an embedded store admits one
/// process at a time). The checks on what outlives the driver need a target with a place.
///
/// # Errors
/// The error of connecting, when not even that works.
pub fn run<D: Driver, R: BlockOn>(target: &Target, runtime: &R) -> Result<Report, DbError> {
    let mut report = Report::default();
    for check in checks::connection::<D, R>(target) {
        if !check.applies {
            report.skipped.push(check.name);
            continue;
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| (check.run)(target, runtime)));
        report.enter(check.name, outcome);
    }
    let harness = Harness::<D, R>::connect(target, runtime)?;
    for check in checks::all::<D, R>() {
        if !check.applies {
            report.skipped.push(check.name);
            continue;
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| (check.run)(&harness)));
        harness.clean_up();
        report.enter(check.name, outcome);
    }
    Ok(report)
}

/// Runs the suite for a driver whose calls block.
///
/// # Panics
/// With the list of broken promises, if there is one; or when the database cannot be connected to.
pub fn assert_conforms<D: Driver>(target: &Target) {
    assert_conforms_on::<D, _>(target, &Ready);
}

/// Runs the suite on a runtime of the caller's, for a driver whose calls wait on sockets.
///
/// # Panics
/// With the list of broken promises, if there is one; or when the database cannot be connected to.
pub fn assert_conforms_on<D: Driver, R: BlockOn>(target: &Target, runtime: &R) {
    let report = match run::<D, R>(target, runtime) {
        Ok(report) => report,
        Err(error) => panic!("the suite cannot connect to `{target}`: {error}"),
    };
    let broken: Vec<String> = report
        .failed
        .iter()
        .map(|(name, reason)| format!("  {name}: {reason}"))
        .collect();
    assert!(
        broken.is_empty(),
        "`{target}` breaks {} of {} promises:\n{}",
        broken.len(),
        broken.len() + report.passed.len(),
        broken.join("\n")
    );
    assert!(!report.passed.is_empty(), "no check applied to `{target}`");
}
