//! Opening the place in the address: each mistake has one clear error, and a temporary place leaves nothing behind.

use std::collections::BTreeSet;
use std::path::Path;

use dbdyno_database_fjall::FjallDriver;
use dbdyno_driver::conformance::{BlockOn, Ready};
use dbdyno_driver::{DbError, Driver, ErrorClass, Session, Table, Target};

fn connect(place: &Path, options: &str) -> Result<FjallDriver, DbError> {
    let address = format!("fjall:{}{options}", place.display());
    Ready.block_on(FjallDriver::connect(
        &Target::parse(&address).expect("the address is sound"),
    ))
}

fn refusal(place: &Path, options: &str) -> DbError {
    match connect(place, options) {
        Ok(_) => panic!("{} was opened", place.display()),
        Err(error) => error,
    }
}

fn table() -> Table {
    Table {
        name: "usertable".to_owned(),
        field_names: vec!["field0".to_owned()],
    }
}

#[test]
fn what_is_not_its_own_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes.txt");
    std::fs::write(&file, "mine").unwrap();
    for (place, expected) in [
        (file.as_path(), "is a file, and the database is a directory"),
        (folder.path(), "holds other files and no fjall database"),
        (&folder.path().join("no/such"), "does not exist; create it"),
    ] {
        let error = refusal(place, "");
        assert_eq!(error.class, ErrorClass::Rejected);
        assert!(error.message.contains(expected), "{error}");
    }
    std::fs::write(folder.path().join("version"), "something else").unwrap();
    let error = refusal(folder.path(), "");
    assert!(error.message.contains("no database of fjall 3"), "{error}");
    assert_eq!(std::fs::read_to_string(file).unwrap(), "mine");
}

#[test]
fn one_process_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("data");
    let first = connect(&place, "").unwrap();
    // The lock belongs to the open file, so a second driver meets it as another process would.
    let error = refusal(&place, "");
    assert_eq!(error.class, ErrorClass::Unavailable);
    assert!(
        error
            .message
            .contains("another process has it open; stop that one"),
        "{error}"
    );
    drop(first);
    assert!(connect(&place, "").is_ok());
}

#[test]
fn a_temporary_place_leaves_nothing_behind() {
    // Others may use the same temporary directory: what is new is told by its name.
    let places = || -> BTreeSet<_> {
        let entries = std::fs::read_dir(std::env::temp_dir()).unwrap();
        entries
            .map(|entry| entry.unwrap().path())
            .filter(|path| {
                path.file_name()
                    .unwrap()
                    .to_string_lossy()
                    .starts_with("dbdyno-fjall-")
            })
            .collect()
    };
    let before = places();
    let target = Target::parse("fjall").unwrap();
    let driver = Ready.block_on(FjallDriver::connect(&target)).unwrap();
    Ready.block_on(driver.create_table(&table())).unwrap();
    let mut session = Ready.block_on(driver.session(&table())).unwrap();
    let mut row = dbdyno_driver::Row::new();
    row.push(0, b"value");
    let key = dbdyno_driver::Key::new(0, "key");
    Ready.block_on(session.insert(&key, &row)).unwrap();
    let new: Vec<_> = places().difference(&before).cloned().collect();
    assert!(!new.is_empty());
    // A session keeps the database, whatever became of its driver.
    drop(driver);
    Ready.block_on(session.update(&key, &row)).unwrap();
    drop(session);
    assert!(new.iter().any(|place| !place.exists()), "{new:?}");
}

#[test]
fn the_facts_are_those_of_the_live_system() {
    let folder = tempfile::tempdir().unwrap();
    let driver = connect(&folder.path().join("data"), "?cache=8M&durability=synced").unwrap();
    let facts = Ready.block_on(driver.facts()).unwrap();
    assert!(facts.settings["cache"].starts_with("8388608 bytes"), "{facts:?}");
    assert!(facts.settings["page_size"].starts_with("4096 bytes"), "{facts:?}");
    assert!(facts.settings["place"].starts_with("given"), "{facts:?}");
    assert_eq!(facts.settings["compression"], "none");
}

#[test]
fn the_version_is_the_one_in_the_lock_file() {
    let target = Target::parse("fjall").unwrap();
    let driver = Ready.block_on(FjallDriver::connect(&target)).unwrap();
    let version = Ready.block_on(driver.facts()).unwrap().version;
    let lock = include_str!("../../../Cargo.lock");
    assert!(
        lock.contains(&format!("name = \"fjall\"\nversion = \"{version}\"")),
        "{version}"
    );
}
