//! What Redis allows over loopback and not from another host.

use dbdyno_audit_redis::RedisAuditor;
use dbdyno_record::audit::{AuditSeverity, Feature, ProtectionLevel};
use dbdyno_server_redis::RedisRecipe;
use dbdyno_testkit::audit::{assert_exception, assert_no_exception, audited, request_from};
use dbdyno_testkit::live::start;
use dbdyno_testkit::namespace::OtherHost;

use crate::planted::administer;

#[test]
fn protected_mode_is_an_exception_for_localhost() {
    let Some(other) = OtherHost::new() else {
        return;
    };
    let lab = start(
        &RedisRecipe,
        &format!("redis?security=auth&listen={}", other.here()),
    );
    let audit = || audited(&RedisAuditor, &request_from(&other, &lab));
    assert_no_exception(
        &audit(),
        &[
            (Feature::Authentication, ProtectionLevel::Enforced, None),
            (
                Feature::ClientToNodeEncryption,
                ProtectionLevel::SupportedOff,
                Some(AuditSeverity::High),
            ),
        ],
    );
    // Redis protects a server without a password by serving its own machine only.
    administer(&lab, "ACL SETUSER default on nopass ~* &* +@all");
    let record = audit();
    for feature in [
        Feature::Authentication,
        Feature::JmxAuthentication,
        Feature::DefaultCredentials,
    ] {
        assert_exception(&record, feature, AuditSeverity::High);
    }
    let summary = &record.finding(Feature::Authentication).unwrap().summary;
    assert!(
        summary.contains("protected mode refuses this address"),
        "{summary}"
    );
}
