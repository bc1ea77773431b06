//! The suite that every database passes.

use dbdyno_database_sqlite::SqliteDriver;
use dbdyno_driver::Target;
use dbdyno_testkit::conformance;

#[test]
fn every_promise_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let address = format!("sqlite:{}/data?durability=none", folder.path().display());
    conformance::assert_conforms::<SqliteDriver>(&Target::parse(&address).unwrap());
}
