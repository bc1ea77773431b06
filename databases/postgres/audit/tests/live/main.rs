//! Every probe against a server that must pass and one that must fail.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

mod hostile;
mod localhost;
mod others;
mod planted;

use dbdyno_audit_postgres::PostgresAuditor;
use dbdyno_database_postgres::PostgresDriver;
use dbdyno_record::audit::{AuditRecord, AuditSeverity, Feature, ProtectionLevel};
use dbdyno_server_postgres::PostgresRecipe;
use dbdyno_testkit::at_rest::assert_volume_protects;
use dbdyno_testkit::audit::{Expected, assert_audit, assert_hardened};
use dbdyno_testkit::live::start;

use AuditSeverity::{Critical, High, Low, Medium};
use ProtectionLevel::{Enforced, NotApplicable, Partial, SupportedOff};

/// What every profile has in common: PostgreSQL encrypts no file, and the lab's servers listen on loopback.
const ALWAYS: [Expected; 3] = [
    (Feature::EncryptionAtRest, SupportedOff, Some(Low)),
    (Feature::Exposure, Enforced, None),
    (Feature::Injection, Enforced, None),
];
/// Where everybody is trusted.
const TRUSTED: [Expected; 7] = [
    (Feature::Authentication, SupportedOff, Some(Critical)),
    (Feature::Authorization, SupportedOff, Some(High)),
    (Feature::JmxAuthentication, SupportedOff, Some(Critical)),
    (Feature::ProxyRoles, SupportedOff, Some(High)),
    (Feature::DefaultCredentials, SupportedOff, Some(Critical)),
    (Feature::PasswordStorage, SupportedOff, Some(High)),
    (Feature::AuthenticationCaching, Partial, Some(Medium)),
];
/// Where everybody logs in, with the least rights.
const LOGGED_IN: [Expected; 7] = [
    (Feature::Authentication, Enforced, None),
    (Feature::Authorization, Enforced, None),
    (Feature::JmxAuthentication, Enforced, None),
    (Feature::ProxyRoles, Enforced, None),
    (Feature::DefaultCredentials, Enforced, None),
    (Feature::PasswordStorage, Enforced, None),
    // A session that is open goes on.
    (Feature::AuthenticationCaching, Partial, Some(Low)),
];
const CLEAR_TEXT: [Expected; 2] = [
    (Feature::ClientToNodeEncryption, SupportedOff, Some(High)),
    (Feature::TransportEncryption, SupportedOff, Some(High)),
];
const ENCRYPTED: [Expected; 2] = [
    (Feature::ClientToNodeEncryption, Enforced, None),
    (Feature::TransportEncryption, Enforced, None),
];
const ALONE: [Expected; 1] = [(Feature::NodeToNodeEncryption, NotApplicable, None)];
/// Refused logins only.
const HARDLY_LOGGED: [Expected; 1] = [(Feature::Auditing, Partial, Some(Medium))];

fn assert_observed(request: &str, expected: &[&[Expected]]) -> AuditRecord {
    assert_audit(&PostgresAuditor, &PostgresRecipe, request, &expected.concat())
}

#[test]
fn an_open_server_is_found_open() {
    let record = assert_observed(
        "postgres",
        &[&ALWAYS, &TRUSTED, &CLEAR_TEXT, &ALONE, &HARDLY_LOGGED],
    );
    assert_eq!(record.product, "PostgreSQL");
    assert!(record.version.starts_with("1"), "{}", record.version);
    // In another server's directory, the missing canary would show nothing.
    let at_rest = record.finding(Feature::EncryptionAtRest).unwrap();
    let mut evidence = at_rest.evidence.iter();
    let is_own = evidence.any(|evidence| evidence.got.ends_with("other trace of this server seen: yes"));
    assert!(is_own, "{at_rest:#?}");
}

#[test]
fn a_login_alone_leaves_the_wire_open() {
    assert_observed(
        "postgres?security=auth",
        &[&ALWAYS, &LOGGED_IN, &CLEAR_TEXT, &ALONE, &HARDLY_LOGGED],
    );
}

#[test]
fn encryption_alone_leaves_the_door_open() {
    for (profile, certificates) in [
        ("tls", "need no certificate"),
        ("mtls", "must show a certificate"),
    ] {
        let record = assert_observed(
            &format!("postgres?security={profile}"),
            &[&ALWAYS, &TRUSTED, &ENCRYPTED, &ALONE, &HARDLY_LOGGED],
        );
        let transport = record.finding(Feature::TransportEncryption).unwrap();
        assert!(transport.summary.contains(certificates), "{}", transport.summary);
    }
}

#[test]
fn a_hardened_server_has_nothing_above_low_and_two_audits_do_not_disturb_each_other() {
    let logged: [Expected; 1] = [(Feature::Auditing, Partial, Some(Low))];
    let lab = start(&PostgresRecipe, "postgres?security=hardened");
    let expected = [&ALWAYS[..], &LOGGED_IN, &ENCRYPTED, &ALONE, &logged].concat();
    assert_hardened(&PostgresAuditor, &lab, &expected);
}

#[test]
fn a_login_with_all_rights_and_the_password_of_everybody_is_found() {
    let record = assert_observed(
        "postgres?password=postgres",
        &[&[
            (Feature::Authentication, Enforced, None),
            (Feature::Authorization, Partial, Some(High)),
            (Feature::JmxAuthentication, Partial, Some(High)),
            (Feature::ProxyRoles, Partial, Some(Medium)),
            (Feature::DefaultCredentials, SupportedOff, Some(Critical)),
        ]],
    );
    // The password is the user's name, which is not hidden.
    let found = record.finding(Feature::DefaultCredentials).unwrap();
    assert!(found.summary.contains("`postgres`"), "{}", found.summary);
}

#[test]
fn the_streams_to_replicas_are_seen() {
    for (request, expected) in [
        (
            "postgres?nodes=3",
            (Feature::NodeToNodeEncryption, SupportedOff, Some(Medium)),
        ),
        (
            "postgres?nodes=3&security=hardened",
            (Feature::NodeToNodeEncryption, Enforced, None),
        ),
    ] {
        let record = assert_observed(request, &[&[expected]]);
        assert!(!request.contains("hardened") || record.gravest() <= Some(Low));
    }
}

#[test]
fn an_encrypted_volume_protects_what_the_server_does_not() {
    assert_volume_protects::<PostgresDriver>(
        &PostgresAuditor,
        &PostgresRecipe,
        "postgres?nodes=2",
        ALWAYS[0],
    );
}
