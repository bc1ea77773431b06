//! Opening the place in the address: each mistake has one clear error, and a temporary place leaves nothing behind.

use dbdyno_database_fjall::FjallDriver;
use dbdyno_driver::ErrorClass;
use dbdyno_testkit::conformance::opening;

#[test]
fn what_is_not_its_own_is_refused() {
    opening::assert_refuses_what_is_not_its_own::<FjallDriver>(
        "is a file, and the database is a directory",
        "contains other files and no fjall database",
    );
}

/// The file that marks a database of fjall is there, and is not fjall's.
#[test]
fn a_marker_of_something_else_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (notes, marker) = (folder.path().join("notes.txt"), folder.path().join("version"));
    std::fs::write(&notes, "mine").unwrap();
    std::fs::write(&marker, "something else").unwrap();
    let error = opening::refusal::<FjallDriver>(folder.path(), "");
    assert_eq!(error.class, ErrorClass::Rejected, "{error}");
    assert!(error.message.contains("not a database of fjall 3"), "{error}");
    assert_eq!(std::fs::read_to_string(notes).unwrap(), "mine");
    assert_eq!(std::fs::read_to_string(marker).unwrap(), "something else");
}

#[test]
fn one_process_at_a_time() {
    opening::assert_one_process_at_a_time::<FjallDriver>();
}

#[test]
fn a_temporary_place_leaves_nothing_behind() {
    opening::assert_temporary_place_leaves_nothing_behind::<FjallDriver>();
}

#[test]
fn the_facts_are_those_of_the_live_system() {
    opening::assert_facts_are_those_of_the_live_system::<FjallDriver>();
}

#[test]
fn the_version_is_the_one_in_the_lock_file() {
    opening::assert_version_is_locked::<FjallDriver>(include_str!("../../../Cargo.lock"));
}
