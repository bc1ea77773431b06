//! The checks, by what they look at. A check's name says what is promised.

mod concurrency;
mod connection;
mod manifests;
mod records;
mod scans;
mod sessions;
mod tables;
mod values;

use dbdyno_driver::{Driver, Target};

use super::{BlockOn, Check, ConnectionCheck};

/// The checks that connect by themselves.
pub(super) fn connection<D: Driver, R: BlockOn>(target: &Target) -> Vec<ConnectionCheck<R>> {
    connection::checks::<D, R>(target)
}

/// The checks on a connected driver.
pub(super) fn all<D: Driver, R: BlockOn>() -> Vec<Check<D, R>> {
    let mut checks = sessions::checks::<D, R>();
    checks.extend(tables::checks());
    checks.extend(records::checks());
    checks.extend(values::checks());
    checks.extend(scans::checks());
    checks.extend(manifests::checks());
    checks.extend(concurrency::checks());
    checks
}

/// Lists functions, generic over `D` and `R`, as checks of their own names: `list!(Check, applies; first, second)`.
macro_rules! list {
    ($kind:ident, $applies:expr; $($check:ident),* $(,)?) => {
        vec![$($crate::conformance::$kind {
            name: stringify!($check),
            applies: $applies,
            run: $check::<D, R>,
        },)*]
    };
}
use list;
