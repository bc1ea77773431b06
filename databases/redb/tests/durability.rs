//! What survives what: the three levels, tried.

use std::path::Path;

use dbdyno_database_redb::RedbDriver;
use dbdyno_driver::conformance::kill::{When, kill};
use dbdyno_driver::conformance::sync::write_without_sync;
use dbdyno_driver::{ErrorClass, Target};

fn address(durability: &'static str) -> impl Fn(&Path) -> String {
    move |folder| format!("redb:{}/data?durability={durability}", folder.display())
}

#[test]
fn buffered_survives_a_kill() {
    let found = kill::<RedbDriver>("buffered_survives_a_kill", When::Writing, address("buffered"));
    assert_eq!(found.lost, [], "of {} acknowledged", found.acknowledged);
}

#[test]
fn synced_survives_a_kill() {
    let found = kill::<RedbDriver>("synced_survives_a_kill", When::Writing, address("synced"));
    assert_eq!(found.lost, [], "of {} acknowledged", found.acknowledged);
}

#[test]
fn only_synced_waits_for_the_device() {
    for (level, syncs) in [("none", false), ("buffered", false), ("synced", true)] {
        let target = Target::parse(&format!("redb?durability={level}")).unwrap();
        let written = write_without_sync::<RedbDriver>(&target);
        assert_eq!(
            written.as_ref().err().map(|error| error.class),
            syncs.then_some(ErrorClass::Unavailable),
            "{level}: {written:?}"
        );
    }
}

/// Also shows that the two tests above can fail.
#[test]
fn none_loses_what_the_process_held() {
    let found = kill::<RedbDriver>("none_loses_what_the_process_held", When::Idle, address("none"));
    assert!(
        !found.lost.is_empty(),
        "of {} acknowledged nothing was lost",
        found.acknowledged
    );
}
