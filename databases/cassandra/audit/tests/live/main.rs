//! Every probe against a server that must pass and one that must fail. A start takes ten seconds and more, so each server
//! is tried on everything that it can show.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

mod hostile;
mod planted;

use dbdyno_audit_cassandra::CassandraAuditor;
use dbdyno_database_cassandra::CassandraDriver;
use dbdyno_driver::{Driver, ErrorClass};
use dbdyno_lab::Lab;
use dbdyno_record::audit::{AuditRecord, AuditSeverity, Feature, ProtectionLevel};
use dbdyno_server_cassandra::CassandraRecipe;
use dbdyno_testkit::audit::{Expected, assert_audit, assert_hardened, assert_idle_connections};
use dbdyno_testkit::live::{block_on, start, table, target};

use AuditSeverity::{Critical, High, Low, Medium};
use ProtectionLevel::{Enforced, NotApplicable, SupportedOff};

/// Small nodes whose Java compiles quickly rather than well. Further options of Java may follow.
const SMALL: &str = "heap=256M&java_options=-XX:TieredStopAtLevel=1";

/// Nodes that are asked for by these options, which may begin with further ones of Java.
fn wanted(options: &str) -> String {
    format!("cassandra?{SMALL}{options}")
}

fn begun(options: &str) -> Lab {
    start(&CassandraRecipe, &wanted(options))
}

#[track_caller]
fn audit(options: &str, expected: &[Expected]) -> AuditRecord {
    assert_audit(&CassandraAuditor, &CassandraRecipe, &wanted(options), expected)
}

/// What every profile has in common: Cassandra encrypts no file of a table, and knows no proxies.
const ALWAYS: [Expected; 4] = [
    (Feature::EncryptionAtRest, SupportedOff, Some(Low)),
    (Feature::ProxyRoles, NotApplicable, None),
    (Feature::Exposure, Enforced, None),
    (Feature::Injection, Enforced, None),
];

/// What no server without logins has.
const NOBODY_LOGS_IN: [Expected; 4] = [
    (Feature::Authentication, SupportedOff, Some(Critical)),
    (Feature::Authorization, SupportedOff, Some(High)),
    (Feature::AuthenticationCaching, NotApplicable, None),
    (Feature::DefaultCredentials, NotApplicable, None),
];

const CLEAR_TEXT: [Expected; 2] = [
    (Feature::ClientToNodeEncryption, SupportedOff, Some(High)),
    (Feature::TransportEncryption, SupportedOff, Some(High)),
];

const ENCRYPTED: [Expected; 2] = [
    (Feature::ClientToNodeEncryption, Enforced, None),
    (Feature::TransportEncryption, Enforced, None),
];

/// What nobody has switched on below `hardened`.
const AS_IT_COMES: [Expected; 3] = [
    (Feature::Auditing, SupportedOff, Some(Medium)),
    (Feature::JmxAuthentication, SupportedOff, Some(Medium)),
    (Feature::NodeToNodeEncryption, NotApplicable, None),
];

const LOGINS: [Expected; 4] = [
    (Feature::Authentication, Enforced, None),
    (Feature::Authorization, Enforced, None),
    (Feature::DefaultCredentials, Enforced, None),
    (Feature::PasswordStorage, Enforced, None),
];

#[test]
fn an_open_server_is_found_open() {
    let record = audit(
        "",
        &[&ALWAYS[..], &NOBODY_LOGS_IN, &CLEAR_TEXT, &AS_IT_COMES].concat(),
    );
    assert_eq!(
        (record.product.as_str(), record.version.as_str()),
        ("Apache Cassandra", "5.0.9")
    );
}

#[test]
fn an_encrypted_commit_log_beside_tables_in_clear_text_is_partial() {
    let expected = [(Feature::EncryptionAtRest, ProtectionLevel::Partial, Some(Low))];
    let record = audit("&at_rest=engine", &expected);
    let finding = record.finding(Feature::EncryptionAtRest).unwrap();
    assert!(
        finding.summary.starts_with("The commit log is encrypted"),
        "{finding:#?}"
    );
}

#[test]
fn a_login_alone_leaves_the_wire_open_and_withdrawn_rights_work_on() {
    let record = audit(
        "&security=auth",
        &[
            &ALWAYS[..],
            &LOGINS,
            &CLEAR_TEXT,
            &AS_IT_COMES,
            &[(
                Feature::AuthenticationCaching,
                ProtectionLevel::Partial,
                Some(Low),
            )],
        ]
        .concat(),
    );
    let finding = record.finding(Feature::AuthenticationCaching).unwrap();
    assert_eq!(finding.revocations.len(), 3);
    for revocation in &finding.revocations {
        // Nodes believe for two seconds what they know of users.
        let median = revocation.median_seconds.unwrap();
        assert!((1.0..4.0).contains(&median), "{revocation:?}");
    }
}

#[test]
fn encryption_alone_leaves_the_door_open() {
    // What clients encrypt, nodes may still send each other in clear text.
    let between = [(Feature::NodeToNodeEncryption, SupportedOff, Some(Medium))];
    for (profile, nodes) in [
        ("&security=tls", &AS_IT_COMES[..]),
        ("&security=mtls&nodes=2", &between[..]),
    ] {
        let record = audit(profile, &[&NOBODY_LOGS_IN[..], &ENCRYPTED, nodes].concat());
        let quality = &record.finding(Feature::TransportEncryption).unwrap().summary;
        assert_eq!(
            quality.contains("must show a certificate"),
            profile.contains("mtls"),
            "{quality}"
        );
    }
}

const HARDENED: [Expected; 3] = [
    (Feature::Auditing, Enforced, None),
    (Feature::JmxAuthentication, Enforced, None),
    (Feature::AuthenticationCaching, Enforced, None),
];

#[test]
fn a_hardened_server_has_nothing_above_low_and_what_a_killed_audit_left_is_removed() {
    let lab = begun("&security=hardened");
    let left = table("dbdyno_audit_0123456789ab", 1);
    block_on(async {
        let driver = CassandraDriver::connect(&target(lab.address())).await.unwrap();
        driver.create_table(&left).await.unwrap();
        driver.session(&left).await.unwrap();
    });
    let expected = [
        &ALWAYS[..],
        &LOGINS,
        &ENCRYPTED,
        &HARDENED,
        &[(Feature::NodeToNodeEncryption, NotApplicable, None)],
    ]
    .concat();
    assert_hardened(&CassandraAuditor, &lab, &expected);
    block_on(async {
        let driver = CassandraDriver::connect(&target(lab.address())).await.unwrap();
        let Err(error) = driver.session(&left).await else {
            panic!("the table is still there");
        };
        assert_eq!(error.class, ErrorClass::NotFound, "{error}");
    });
    assert_idle_connections(&CassandraAuditor, &lab, (Enforced, None));
}

#[test]
fn the_version_before_is_read_alike() {
    let record = assert_audit(
        &CassandraAuditor,
        &CassandraRecipe,
        &wanted("&security=hardened").replace("cassandra?", "cassandra@4.1?"),
        &[&ALWAYS[..], &LOGINS, &ENCRYPTED, &HARDENED].concat(),
    );
    assert_eq!(record.version, "4.1.10");
    assert!(record.gravest() <= Some(Low));
}

#[test]
fn what_nodes_send_each_other_is_seen() {
    audit(
        "&nodes=3",
        &[(Feature::NodeToNodeEncryption, SupportedOff, Some(Medium))],
    );
    let lab = begun("&nodes=3&security=hardened");
    let between = [(Feature::NodeToNodeEncryption, Enforced, None)];
    let expected = [&ALWAYS[..], &LOGINS, &ENCRYPTED, &HARDENED, &between].concat();
    assert_hardened(&CassandraAuditor, &lab, &expected);
}
