//! What the tests on live servers share. Its functions panic, as assertions do.
#![allow(
    clippy::unwrap_used,
    clippy::missing_panics_doc,
    reason = "a test may fail by panicking"
)]

mod certificates;
mod failures;
mod unprivileged;

pub use certificates::{certificate_options, certificates, certificates_of};
pub use failures::{
    BACK_WITHIN, assert_comes_back, assert_conflicts, assert_refuses, assert_survives_kill, assert_times_out,
    read,
};
pub use unprivileged::assert_unprivileged;

use std::future::Future;
use std::io::Write;

use dbdyno_driver::{DbError, Driver, Fields, Found, Key, Row, Session, SystemFacts, Table, Target};
use dbdyno_lab::{InstanceRequest, Keep, Lab, LabHome, Progress, Recipe, ServerRequest, SystemPackages};
use tempfile::NamedTempFile;

use crate::conformance::BlockOn;

/// A runtime as the engine has one.
pub struct Runtime(tokio::runtime::Runtime);

impl Default for Runtime {
    fn default() -> Self {
        let built = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build();
        Self(built.unwrap())
    }
}

impl BlockOn for Runtime {
    fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.0.block_on(future)
    }
}

/// Waits for a future on a runtime of its own.
pub fn block_on<F: Future>(future: F) -> F::Output {
    Runtime::default().block_on(future)
}

/// Installs what is missing: a machine that runs these tests is made for it.
struct Permitting;

impl Progress for Permitting {
    fn say(&mut self, _: &str) {}

    fn may_install(&mut self, _: &SystemPackages<'_>) -> bool {
        true
    }
}

/// Starts what is asked for. It ends with this process at the latest.
#[track_caller]
pub fn start(recipe: &dyn Recipe, request: &str) -> Lab {
    let request = ServerRequest::parse(request).unwrap();
    let home = LabHome::for_tests().unwrap();
    let instance = InstanceRequest {
        recipe,
        request: &request,
        home: &home,
        keep: Keep::UntilDropped,
    };
    dbdyno_lab::up(&instance, &mut Permitting, &|| false)
        .unwrap_or_else(|error| panic!("{error}\n{}", error.help))
}

/// A sound address, parsed.
pub fn target(address: &str) -> Target {
    Target::parse(address).unwrap()
}

/// An address with further options.
pub fn with_options(address: &str, options: &str) -> Target {
    target(&format!(
        "{address}{}{options}",
        if address.contains('?') { '&' } else { '?' }
    ))
}

/// A file that holds a secret, as an editor leaves it.
pub fn secret_file(secret: &str) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    writeln!(file, "{secret}").unwrap();
    file
}

/// A table of fields `field0`, `field1`...
pub fn table(name: &str, fields: usize) -> Table {
    Table {
        name: name.to_owned(),
        field_names: (0..fields).map(|index| format!("field{index}")).collect(),
    }
}

/// The record of this key holds these fields and no others.
pub async fn assert_reads<S: Session>(session: &mut S, key: &str, expected: &[(u32, &str)]) {
    let mut row = Row::new();
    let found = session.read(&Key::new(1, key), Fields::All, &mut row).await;
    assert_eq!(found.unwrap(), Found::Yes, "{key}");
    let fields: Vec<(u32, &str)> = row
        .iter()
        .map(|(index, value)| (index, str::from_utf8(value).unwrap()))
        .collect();
    assert_eq!(fields, expected, "{key}");
}

/// The driver makes a table, writes a record and reads it back, and removes the table.
pub async fn assert_round_trip<D: Driver>(driver: &D) {
    let table = table("round_trip", 1);
    driver.create_table(&table).await.unwrap();
    driver.store_manifest(&table, "{}").await.unwrap();
    let mut session = driver.session(&table).await.unwrap();
    let mut row = Row::new();
    row.push(0, b"kept");
    session.insert(&Key::new(1, "user1"), &row).await.unwrap();
    assert_reads(&mut session, "user1", &[(0, "kept")]).await;
    driver.drop_table(&table).await.unwrap();
}

/// What a live system says of itself.
pub fn facts<D: Driver>(target: &Target) -> SystemFacts {
    block_on(async { D::connect(target).await.unwrap().facts().await.unwrap() })
}

/// The error of connecting to what cannot be connected to.
#[track_caller]
pub fn refusal<D: Driver>(target: &Target) -> DbError {
    match block_on(D::connect(target)) {
        Ok(_) => panic!("{target} was connected to"),
        Err(error) => error,
    }
}
