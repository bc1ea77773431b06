//! Every lie is found, and the healthy server is accused of none.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

use std::time::Duration;

use dbdyno_audit::{Place, Request, Vantage};
use dbdyno_audit_sick::{Lie, SickAuditor};
use dbdyno_record::audit::{AuditRecord, AuditSeverity, Feature, ProtectionLevel};
use dbdyno_testkit::audit::audited;
use dbdyno_testkit::live::target;

use AuditSeverity::{Critical, High, Low, Medium};
use Feature::{
    Auditing, Authentication, AuthenticationCaching, Authorization, ClientToNodeEncryption,
    JmxAuthentication, KnownVulnerabilities, TransportEncryption,
};
use ProtectionLevel::{Enforced, Partial, SupportedOff, Unknown};

fn audit_of(address: &str) -> AuditRecord {
    let request = Request {
        target: target(address),
        administrator: None,
        name: address.to_owned(),
        place: Place::default(),
        from: Vantage::Here,
        only: Vec::new(),
        tries_defaults: true,
        tries_idle_connections: false,
        patience: Duration::from_millis(500),
    };
    audited(&SickAuditor, &request)
}

fn observed(record: &AuditRecord, feature: Feature) -> (ProtectionLevel, Option<AuditSeverity>) {
    let finding = record.finding(feature).unwrap();
    (finding.level, finding.severity)
}

/// What a healthy server shows: its one login may do everything, and that is found.
const HEALTHY: [(Feature, ProtectionLevel, Option<AuditSeverity>); 8] = [
    (Authentication, Enforced, None),
    (Authorization, Partial, Some(Medium)),
    (JmxAuthentication, Partial, Some(Medium)),
    (AuthenticationCaching, Enforced, None),
    (ClientToNodeEncryption, Enforced, None),
    (TransportEncryption, Enforced, None),
    // Refusals are kept in memory.
    (Auditing, Partial, Some(Low)),
    (KnownVulnerabilities, Enforced, None),
];

#[test]
fn the_healthy_server_is_accused_of_no_lie() {
    let record = audit_of("sick");
    for (feature, level, severity) in HEALTHY {
        assert_eq!(observed(&record, feature), (level, severity), "{record:#?}");
    }
    assert!(record.left_behind.is_empty(), "{:?}", record.left_behind);
}

/// Each lie, and what gives it away. What a lie does not touch is as in the healthy server.
#[test]
fn every_lie_is_found_by_what_it_breaks() {
    for (lie, name) in Lie::ALL {
        let record = audit_of(&format!("sick?lie={name}"));
        let broken: &[_] = match lie {
            // Logins over TLS fail, so nothing about them is seen, and nothing is taken for granted.
            Lie::Tls => &[
                (ClientToNodeEncryption, SupportedOff, Some(High)),
                (TransportEncryption, SupportedOff, Some(High)),
                (Authentication, Unknown, None),
                (Authorization, Unknown, None),
                (JmxAuthentication, Unknown, None),
                (AuthenticationCaching, Unknown, None),
                (Auditing, Unknown, None),
                (KnownVulnerabilities, Unknown, None),
            ],
            Lie::TlsOptional => &[(ClientToNodeEncryption, Partial, Some(Medium))],
            Lie::AnyPassword => &[
                (Authentication, Partial, Some(Critical)),
                // An old password works, as any does.
                (AuthenticationCaching, Partial, Some(Medium)),
                // A login that is never refused cannot be looked for in the log.
                (Auditing, Unknown, None),
            ],
            Lie::Strangers => &[(JmxAuthentication, SupportedOff, Some(Critical))],
            Lie::Revoke => &[(AuthenticationCaching, Partial, Some(Medium))],
            Lie::OldVersion => &[(KnownVulnerabilities, Partial, Some(Low))],
        };
        for (feature, level, severity) in HEALTHY {
            let expected = broken
                .iter()
                .find(|(of, ..)| *of == feature)
                .map_or((level, severity), |(_, level, severity)| (*level, *severity));
            assert_eq!(observed(&record, feature), expected, "{name}: {record:#?}");
        }
    }
}

/// A server that forgets to revoke is never seen to refuse.
#[test]
fn a_right_that_is_never_withdrawn_has_no_time() {
    let record = audit_of("sick?lie=revoke");
    let finding = record.finding(AuthenticationCaching).unwrap();
    assert!(!finding.revocations.is_empty());
    assert!(finding.revocations.iter().all(|one| one.median_seconds.is_none()));
}
