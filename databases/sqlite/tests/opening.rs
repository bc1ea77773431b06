//! Opening the place in the address: each mistake has one clear error, and a temporary place leaves nothing behind.

use std::path::Path;

use dbdyno_database_sqlite::SqliteDriver;
use dbdyno_driver::{Driver, ErrorClass, Fields, Key, Row, Session, Target};
use dbdyno_testkit::conformance::opening::{self, connect, refusal, table};
use dbdyno_testkit::conformance::{BlockOn, Ready};

#[test]
fn what_is_not_its_own_is_refused() {
    opening::assert_refuses_what_is_not_its_own::<SqliteDriver>(
        "or a damaged one",
        "is a directory, and the database is a file",
    );
}

#[test]
fn a_lock_of_another_process_is_waited_for_and_no_longer() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("data");
    let driver = connect::<SqliteDriver>(&place, "?busy_timeout=50ms").unwrap();
    Ready.block_on(driver.create_table(&table())).unwrap();
    let mut session = Ready.block_on(driver.session(&table())).unwrap();
    let other = rusqlite::Connection::open(&place).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let key = Key::new(0, "key");
    let error = Ready.block_on(session.insert(&key, &Row::new())).unwrap_err();
    assert_eq!(error.class, ErrorClass::Timeout, "{error}");
    assert!(error.message.contains("busy_timeout"), "{error}");
    other.execute_batch("ROLLBACK").unwrap();
    Ready.block_on(session.insert(&key, &Row::new())).unwrap();
    let error = Ready.block_on(session.insert(&key, &Row::new())).unwrap_err();
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
    let error = refusal::<SqliteDriver>(&place, "?busy_timeout=50ms");
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
    let error = refusal::<SqliteDriver>(Path::new(":memory:"), "");
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
    let driver = connect::<SqliteDriver>(&place, "").unwrap();
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
    let driver = connect::<SqliteDriver>(&place, "").unwrap();
    let mut session = Ready.block_on(driver.session(&table())).unwrap();
    let mut row = Row::new();
    let key = Key::new(0, "user1");
    Ready.block_on(session.read(&key, Fields::All, &mut row)).unwrap();
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
    opening::assert_temporary_place_leaves_nothing_behind::<SqliteDriver>();
}

#[test]
fn the_facts_are_those_of_the_live_system() {
    opening::assert_facts_are_those_of_the_live_system::<SqliteDriver>();
}
