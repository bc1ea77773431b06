//! The three levels of durability are tried: which writes survive a kill, and which do not.

use dbdyno_database_fjall::FjallDriver;
use dbdyno_driver::Durability;
use dbdyno_testkit::conformance::{kill, sync};

#[test]
fn buffered_survives_a_kill() {
    kill::assert_survives::<FjallDriver>("buffered_survives_a_kill", Durability::Buffered);
}

#[test]
fn synced_survives_a_kill() {
    kill::assert_survives::<FjallDriver>("synced_survives_a_kill", Durability::Synced);
}

#[test]
fn only_synced_waits_for_the_device() {
    sync::assert_only_synced_waits_for_the_device::<FjallDriver>();
}

/// Also shows that the tests of a kill above can fail.
#[test]
fn none_loses_what_the_process_held() {
    kill::assert_loses::<FjallDriver>("none_loses_what_the_process_held", Durability::None);
}
