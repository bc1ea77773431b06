//! Addresses that lead to no working binding.

use dbdyno_database_ycsb::YcsbDriver;
use dbdyno_driver::ErrorClass;
use dbdyno_testkit::live::{refusal, target};

use crate::bindings::address;

#[test]
fn what_cannot_be_hosted_is_refused_with_the_reason() {
    let rejected = ErrorClass::Rejected;
    for (address, class, words) in [
        (
            address("no.such.Binding", ""),
            rejected,
            ["no.such.Binding", "class_path"],
        ),
        (
            "ycsb:no.such.Binding".to_owned(),
            rejected,
            ["no.such.Binding", "only YCSB's core"],
        ),
        (
            address("NoBinding", ""),
            rejected,
            ["NoBinding", "does not extend site.ycsb.DB"],
        ),
        (
            "ycsb:a.B?class_path=/no/such/place.jar".to_owned(),
            rejected,
            ["/no/such/place.jar", "class path"],
        ),
        (
            address("site.ycsb.DB", ""),
            rejected,
            ["site.ycsb.DB", "InstantiationException"],
        ),
        (
            address("Parrot", "p.init=full"),
            rejected,
            ["the disk is full", "p.NAME=VALUE"],
        ),
        (
            address("Parrot", "p.init=nobody"),
            ErrorClass::Unavailable,
            ["nobody listens", "Parrot"],
        ),
        (
            address("Parrot", "p.init=never&connect_timeout=100ms"),
            ErrorClass::Timeout,
            ["Parrot", "100 ms"],
        ),
        (
            address("Parrot", "p.init=library"),
            rejected,
            ["org/example/Client", "add the jars"],
        ),
    ] {
        let error = refusal::<YcsbDriver>(&target(&address));
        assert_eq!(error.class, class, "{error}");
        for word in words {
            assert!(error.message.contains(word), "{address}: {error}");
        }
    }
}
