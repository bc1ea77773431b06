//! What PostgreSQL allows over loopback and not from another host.

use dbdyno_audit_postgres::PostgresAuditor;
use dbdyno_record::audit::{AuditSeverity, Feature, ProtectionLevel};
use dbdyno_server_postgres::PostgresRecipe;
use dbdyno_testkit::audit::{assert_exception, assert_no_exception, audited, request_from};
use dbdyno_testkit::live::start;
use dbdyno_testkit::namespace::OtherHost;

use crate::planted::change_rules;

#[test]
fn trust_for_loopback_is_an_exception_for_localhost() {
    let Some(other) = OtherHost::new() else {
        return;
    };
    let lab = start(
        &PostgresRecipe,
        &format!("postgres?security=auth&listen={}", other.here()),
    );
    let mut request = request_from(&other, &lab);
    assert_no_exception(
        &audited(&PostgresAuditor, &request),
        &[(Feature::Authentication, ProtectionLevel::Enforced, None)],
    );
    change_rules(&lab, 0, |rules| {
        format!("host all all 127.0.0.1/32 trust\n{rules}")
    });
    // With the administrator's login the line is read; it is more than that when the server was seen to follow it.
    request.administrator = None;
    let record = audited(&PostgresAuditor, &request);
    for feature in [Feature::Authentication, Feature::JmxAuthentication] {
        assert_exception(&record, feature, AuditSeverity::High);
    }
}
