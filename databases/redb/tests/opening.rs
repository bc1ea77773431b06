//! Opening the place in the address: each mistake has one clear error, and a temporary place leaves nothing behind.

use dbdyno_database_redb::RedbDriver;
use dbdyno_testkit::conformance::opening;

#[test]
fn what_is_not_its_own_is_refused() {
    opening::assert_refuses_what_is_not_its_own::<RedbDriver>(
        "or is damaged",
        "is a directory, and the database is a file",
    );
}

#[test]
fn one_process_at_a_time() {
    opening::assert_one_process_at_a_time::<RedbDriver>();
}

#[test]
fn a_temporary_place_leaves_nothing_behind() {
    opening::assert_temporary_place_leaves_nothing_behind::<RedbDriver>();
}

#[test]
fn the_facts_are_those_of_the_live_system() {
    opening::assert_facts_are_those_of_the_live_system::<RedbDriver>();
}

#[test]
fn the_version_is_the_one_in_the_lock_file() {
    opening::assert_version_is_locked::<RedbDriver>(include_str!("../../../Cargo.lock"));
}
