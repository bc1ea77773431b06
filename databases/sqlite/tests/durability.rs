//! The three levels of durability are tried: which writes survive a kill, and which do not.

use dbdyno_database_sqlite::SqliteDriver;
use dbdyno_driver::Durability;
use dbdyno_testkit::conformance::{kill, sync};

#[test]
fn buffered_survives_a_kill() {
    kill::assert_survives::<SqliteDriver>("buffered_survives_a_kill", Durability::Buffered);
}

#[test]
fn synced_survives_a_kill() {
    kill::assert_survives::<SqliteDriver>("synced_survives_a_kill", Durability::Synced);
}

#[test]
fn only_synced_waits_for_the_device() {
    sync::assert_only_synced_waits_for_the_device::<SqliteDriver>();
}
