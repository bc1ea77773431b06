//! The suite that every database passes.

use dbdyno_database_null::NullDriver;
use dbdyno_driver::Target;
use dbdyno_testkit::conformance;

#[test]
fn every_promise_is_kept() {
    conformance::assert_conforms::<NullDriver>(&Target::parse("null").unwrap());
}
