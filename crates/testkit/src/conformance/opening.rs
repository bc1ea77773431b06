//! Opening the place in an embedded store's address: each mistake has one clear error, a temporary place leaves nothing
//! behind, and the facts tell what was opened.
//!
//! A store's `tests/opening.rs` calls each check in a test of its own, and tries there what only it can get wrong.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use dbdyno_driver::embedded::TEMPORARY_PREFIX;
use dbdyno_driver::{DbError, Driver, ErrorClass, Key, Row, Session, SystemFacts, Table, Target};

use super::{BlockOn, Ready};

/// The address of a place, with options that start with `?` or are empty.
pub(super) fn address<D: Driver>(place: &Path, options: &str) -> String {
    format!("{}:{}{options}", D::INFO.schemes[0], place.display())
}

/// The target that names no place, so that the store makes a temporary one; with options as for [`connect`].
pub(super) fn temporary<D: Driver>(options: &str) -> Target {
    Target::parse(&format!("{}{options}", D::INFO.schemes[0])).expect("the address is sound")
}

/// Opens a place, with options that start with `?` or are empty.
///
/// # Errors
/// That of the driver.
pub fn connect<D: Driver>(place: &Path, options: &str) -> Result<D, DbError> {
    let target = Target::parse(&address::<D>(place, options)).expect("the address is sound");
    Ready.block_on(D::connect(&target))
}

/// The error of opening a place that must not open.
///
/// # Panics
/// When it opens.
#[track_caller]
pub fn refusal<D: Driver>(place: &Path, options: &str) -> DbError {
    match connect::<D>(place, options) {
        Ok(_) => panic!("{} was opened", place.display()),
        Err(error) => error,
    }
}

/// A table of one field.
#[must_use]
pub fn table() -> Table {
    Table {
        name: "usertable".to_owned(),
        field_names: vec!["field0".to_owned()],
    }
}

/// Somebody else's file, the directory it lies in and a place without a parent are refused, and the file stays as it is.
/// `file` and `directory` are words of the first two errors.
///
/// # Panics
/// When one of them is opened, or refused in other words, or the file has changed.
#[track_caller]
pub fn assert_refuses_what_is_not_its_own<D: Driver>(file: &str, directory: &str) {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let notes = folder.path().join("notes.txt");
    let content = "mine, and long enough to be looked at: ".repeat(200);
    std::fs::write(&notes, &content).expect("the directory is writable");
    for (place, expected) in [
        (notes.as_path(), file),
        (folder.path(), directory),
        (&folder.path().join("no/such"), "does not exist; create it"),
    ] {
        let error = refusal::<D>(place, "");
        assert_eq!(error.class, ErrorClass::Rejected, "{error}");
        assert!(error.message.contains(expected), "{error}");
    }
    let after = std::fs::read(notes).expect("the file is still there");
    assert!(after == content.as_bytes(), "the file was changed");
}

/// A second opening is refused for as long as the first lasts, and no longer.
///
/// # Panics
/// When it is not.
#[track_caller]
pub fn assert_one_process_at_a_time<D: Driver>() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let place = folder.path().join("data");
    let first = connect::<D>(&place, "").expect("a new place opens");
    // The lock belongs to the open file, so a second driver meets it as another process would.
    let error = refusal::<D>(&place, "");
    assert_eq!(error.class, ErrorClass::Unavailable, "{error}");
    assert!(
        error
            .message
            .contains("another process has it open; stop that one"),
        "{error}"
    );
    drop(first);
    if let Err(error) = connect::<D>(&place, "") {
        panic!("the place does not open again: {error}");
    }
}

/// A temporary place lasts as long as the last session, and then it is removed.
///
/// # Panics
/// When it is removed earlier, or left behind.
#[track_caller]
pub fn assert_temporary_place_leaves_nothing_behind<D: Driver>() {
    let before = temporary_places::<D>();
    let driver: D = Ready
        .block_on(D::connect(&temporary::<D>("")))
        .expect("a temporary place opens");
    Ready
        .block_on(driver.create_table(&table()))
        .expect("the table can be made");
    let mut session = Ready
        .block_on(driver.session(&table()))
        .expect("there is a session");
    let mut row = Row::new();
    row.push(0, b"value");
    let key = Key::new(0, "key");
    Ready
        .block_on(session.insert(&key, &row))
        .expect("an insert works");
    let new: Vec<_> = temporary_places::<D>().difference(&before).cloned().collect();
    assert!(!new.is_empty(), "the place is not where temporary places are");
    drop(driver);
    Ready
        .block_on(session.update(&key, &row))
        .expect("a session keeps the database, whatever became of its driver");
    drop(session);
    assert!(new.iter().any(|place| !place.exists()), "{new:?}");
}

/// The temporary places of this kind of store. Others may use the same temporary directory: what is new is told by its
/// name.
fn temporary_places<D: Driver>() -> BTreeSet<PathBuf> {
    let prefix = format!("{TEMPORARY_PREFIX}{}-", D::INFO.name);
    std::fs::read_dir(std::env::temp_dir())
        .expect("there is a temporary directory")
        .map(|entry| entry.expect("the temporary directory can be read"))
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix))
        .map(|entry| entry.path())
        .collect()
}

/// The facts tell the cache that was asked for, the size of a page, that the place was given, and that nothing is
/// compressed.
///
/// # Panics
/// When they tell something else.
#[track_caller]
pub fn assert_facts_are_those_of_the_live_system<D: Driver>() {
    let folder = tempfile::tempdir().expect("a temporary directory can be made");
    let driver =
        connect::<D>(&folder.path().join("data"), "?cache=8M&durability=synced").expect("a new place opens");
    let facts = facts(&driver);
    assert!(facts.settings["cache"].starts_with("8388608 bytes"), "{facts:?}");
    assert!(facts.settings["page_size"].starts_with("4096 bytes"), "{facts:?}");
    assert!(facts.settings["place"].starts_with("given"), "{facts:?}");
    assert_eq!(facts.settings["compression"], "none");
}

/// The version in the facts is the one that `lock`, the workspace's `Cargo.lock`, gives the library of the driver's
/// name.
///
/// # Panics
/// When it is another one.
#[track_caller]
pub fn assert_version_is_locked<D: Driver>(lock: &str) {
    let driver: D = Ready
        .block_on(D::connect(&temporary::<D>("")))
        .expect("a temporary place opens");
    let version = facts(&driver).version;
    let name = D::INFO.name;
    assert!(
        lock.contains(&format!("name = \"{name}\"\nversion = \"{version}\"")),
        "{version}"
    );
}

fn facts<D: Driver>(driver: &D) -> SystemFacts {
    Ready
        .block_on(driver.facts())
        .expect("the live system reports its facts")
}
