//! What survives what: the three levels, tried.

use std::path::Path;

use dbdyno_database_sqlite::SqliteDriver;
use dbdyno_driver::conformance::kill::{When, kill};
use dbdyno_driver::conformance::sync::write_without_sync;
use dbdyno_driver::{ErrorClass, Target};

fn address(durability: &'static str) -> impl Fn(&Path) -> String {
    move |folder| format!("sqlite:{}/data?durability={durability}", folder.display())
}

#[test]
fn buffered_survives_a_kill() {
    let found = kill::<SqliteDriver>("buffered_survives_a_kill", When::Writing, address("buffered"));
    assert_eq!(found.lost, [], "of {} acknowledged", found.acknowledged);
}

#[test]
fn synced_survives_a_kill() {
    let found = kill::<SqliteDriver>("synced_survives_a_kill", When::Writing, address("synced"));
    assert_eq!(found.lost, [], "of {} acknowledged", found.acknowledged);
}

#[test]
fn only_synced_waits_for_the_device() {
    for (level, syncs) in [("none", false), ("buffered", false), ("synced", true)] {
        let target = Target::parse(&format!("sqlite?durability={level}")).unwrap();
        let written = write_without_sync::<SqliteDriver>(&target);
        assert_eq!(
            written.as_ref().err().map(|error| error.class),
            syncs.then_some(ErrorClass::Unavailable),
            "{level}: {written:?}"
        );
    }
}
