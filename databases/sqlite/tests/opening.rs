//! Opening the place in the address: each mistake has one clear error, and a temporary place leaves nothing behind.

use std::collections::BTreeSet;
use std::path::Path;

use dbdyno_database_sqlite::SqliteDriver;
use dbdyno_driver::conformance::{BlockOn, Ready};
use dbdyno_driver::{DbError, Driver, ErrorClass, Session, Table, Target};

fn connect(place: &Path, options: &str) -> Result<SqliteDriver, DbError> {
    let address = format!("sqlite:{}{options}", place.display());
    Ready.block_on(SqliteDriver::connect(
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
    std::fs::write(&file, "mine, and long enough to be looked at: ".repeat(200)).unwrap();
    let before = std::fs::read(&file).unwrap();
    for (place, expected) in [
        (file.as_path(), "or a damaged one"),
        (folder.path(), "is a directory, and the database is a file"),
        (&folder.path().join("no/such"), "does not exist; create it"),
    ] {
        let error = refusal(place, "");
        assert_eq!(error.class, ErrorClass::Rejected);
        assert!(error.message.contains(expected), "{error}");
    }
    assert_eq!(std::fs::read(file).unwrap(), before);
}

#[test]
fn a_lock_of_another_process_is_waited_for_and_no_longer() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("data");
    let driver = connect(&place, "?busy_timeout=50ms").unwrap();
    Ready.block_on(driver.create_table(&table())).unwrap();
    let mut session = Ready.block_on(driver.session(&table())).unwrap();
    let other = rusqlite::Connection::open(&place).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let key = dbdyno_driver::Key::new(0, "key");
    let error = Ready
        .block_on(session.insert(&key, &dbdyno_driver::Row::new()))
        .unwrap_err();
    assert_eq!(error.class, ErrorClass::Timeout, "{error}");
    assert!(error.message.contains("busy_timeout"), "{error}");
    other.execute_batch("ROLLBACK").unwrap();
    Ready
        .block_on(session.insert(&key, &dbdyno_driver::Row::new()))
        .unwrap();
    let error = Ready
        .block_on(session.insert(&key, &dbdyno_driver::Row::new()))
        .unwrap_err();
    assert_eq!(error.class, ErrorClass::Conflict, "{error}");
}

#[test]
fn a_database_locked_as_a_whole_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("data");
    let other = rusqlite::Connection::open(&place).unwrap();
    other
        .execute_batch("PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE held (x)")
        .unwrap();
    let error = refusal(&place, "?busy_timeout=50ms");
    assert_eq!(error.class, ErrorClass::Unavailable);
    assert!(
        error
            .message
            .contains("another process has it locked; stop that one"),
        "{error}"
    );
}

#[test]
fn a_database_in_memory_is_refused() {
    let error = refusal(Path::new(":memory:"), "");
    assert!(
        error.message.contains("write `sqlite` for a temporary file"),
        "{error}"
    );
}

#[test]
fn a_table_of_another_shape_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("data");
    rusqlite::Connection::open(&place)
        .unwrap()
        .execute_batch("CREATE TABLE usertable (YCSB_KEY TEXT PRIMARY KEY, other TEXT)")
        .unwrap();
    let driver = connect(&place, "").unwrap();
    Ready.block_on(driver.create_table(&table())).unwrap();
    let error = Ready.block_on(driver.session(&table())).err().unwrap();
    assert_eq!(error.class, ErrorClass::Rejected);
    assert!(error.message.contains("no such column: \"FIELD0\""), "{error}");
    assert!(error.message.contains("property `table`"), "{error}");
}

/// YCSB's JDBC binding writes text into a table that its own tool made.
#[test]
fn what_ycsb_loaded_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("data");
    rusqlite::Connection::open(&place)
        .unwrap()
        .execute_batch(
            "CREATE TABLE usertable (YCSB_KEY VARCHAR PRIMARY KEY, FIELD0 TEXT); \
             INSERT INTO usertable VALUES ('user1', 'text of YCSB')",
        )
        .unwrap();
    let driver = connect(&place, "").unwrap();
    let mut session = Ready.block_on(driver.session(&table())).unwrap();
    let mut row = dbdyno_driver::Row::new();
    let key = dbdyno_driver::Key::new(0, "user1");
    Ready
        .block_on(session.read(&key, dbdyno_driver::Fields::All, &mut row))
        .unwrap();
    assert_eq!(row.get(0), Some(&b"text of YCSB"[..]));
}

#[test]
fn the_cache_is_shared_out_among_the_sessions() {
    let driver = Ready
        .block_on(SqliteDriver::connect(&Target::parse("sqlite?cache=8M").unwrap()))
        .unwrap();
    Ready.block_on(driver.create_table(&table())).unwrap();
    let sessions: Vec<_> = (0..4)
        .map(|_| Ready.block_on(driver.session(&table())).unwrap())
        .collect();
    let cache = || Ready.block_on(driver.facts()).unwrap().settings["cache"].clone();
    assert_eq!(
        cache(),
        "8388608 bytes of pages, shared out among the sessions (2097152 bytes each for 4 now)"
    );
    drop(sessions);
    assert!(cache().contains("for 0 now"));
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
                    .starts_with("dbdyno-sqlite-")
            })
            .collect()
    };
    let before = places();
    let target = Target::parse("sqlite").unwrap();
    let driver = Ready.block_on(SqliteDriver::connect(&target)).unwrap();
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
