//! The suite that every database passes: the healthy `sick` does, and the suite finds what is planted in the others.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use dbdyno_database_sick::SickDriver;
use dbdyno_driver::Target;
use dbdyno_testkit::conformance;

#[test]
fn every_promise_is_kept() {
    conformance::assert_conforms::<SickDriver>(&Target::parse("sick").unwrap());
}

/// Delays and stalls break no promise: they are the engine's to find.
#[test]
fn slowness_is_no_broken_promise() {
    conformance::assert_conforms::<SickDriver>(
        &Target::parse("sick?delay=1ms&stall=2ms&stall_every=50").unwrap(),
    );
    conformance::assert_conforms::<SickDriver>(
        &Target::parse("sick?deferred=20us&deferred_limit=1ms").unwrap(),
    );
}

/// A driver that lost, held back or spoilt what was written would not get through.
#[test]
fn each_lie_breaks_a_promise() {
    for lie in ["lose_every=1", "stale_every=1", "corrupt_every=1", "drop_every=1"] {
        let target = Target::parse(&format!("sick?{lie}")).unwrap();
        let report = conformance::run::<SickDriver, _>(&target, &conformance::Ready).unwrap();
        assert!(!report.failed.is_empty(), "{lie} went unnoticed");
    }
}
