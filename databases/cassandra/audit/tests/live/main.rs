//! Every probe against a server that must pass and one that must fail. A start takes ten seconds and more, so each server
//! is tried on everything that it can show.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

mod hostile;
mod night;
mod planted;

use std::time::Duration;

use dbdyno_audit::{Channel, Deadline, Vantage};
use dbdyno_audit_cassandra::CassandraAuditor;
use dbdyno_database_cassandra::CassandraDriver;
use dbdyno_driver::{Driver, ErrorClass};
use dbdyno_lab::Lab;
use dbdyno_record::audit::{AuditRecord, AuditSeverity, Feature, ProtectionLevel};
use dbdyno_server_cassandra::CassandraRecipe;
use dbdyno_testkit::audit::{
    Expected, assert_audit, assert_audit_of, assert_certificate_read_back, assert_hardened,
    assert_idle_connections, assert_stored_by_administrator,
};
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

/// What every profile has in common: Cassandra encrypts no file of a table, knows no proxies, and is newer than the fixes that are known.
const ALWAYS: [Expected; 5] = [
    (Feature::EncryptionAtRest, SupportedOff, Some(Low)),
    (Feature::ProxyRoles, NotApplicable, None),
    (Feature::Exposure, Enforced, None),
    (Feature::Injection, Enforced, None),
    (Feature::KnownVulnerabilities, Enforced, None),
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

/// The keyspaces of a server without logins, by what `cqlsh` would send: STARTUP and QUERY of version 4 of the protocol. The answer's
/// rows as they came, since names are all that is compared.
fn keyspaces(lab: &Lab) -> Vec<String> {
    let remote = dbdyno_database_cassandra::remote(&target(lab.address())).unwrap();
    let deadline = Deadline::within(Duration::from_secs(10));
    let mut channel = Channel::connect(&remote.hosts[0], &Vantage::Here, deadline).unwrap();
    let mut ask = |kind: u8, body: &[u8]| {
        let head = [4, 0, 0, 0, kind];
        let length = (body.len() as u32).to_be_bytes();
        channel.send(&[&head, &length[..], body].concat()).unwrap();
        let head = channel.read_exact(9).unwrap();
        let length = u32::from_be_bytes(head[5..9].try_into().unwrap());
        channel.read_exact(length as usize).unwrap()
    };
    ask(0x01, b"\x00\x01\x00\x0bCQL_VERSION\x00\x053.0.0");
    let statement = "SELECT keyspace_name FROM system_schema.keyspaces";
    let body = [
        &(statement.len() as u32).to_be_bytes()[..],
        statement.as_bytes(),
        &[0, 1, 0],
    ]
    .concat();
    let answer = String::from_utf8_lossy(&ask(0x07, &body)).into_owned();
    let mut names: Vec<String> = answer
        .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect();
    assert!(names.iter().any(|name| name == "system_schema"), "{names:?}");
    names.sort();
    names
}

#[test]
fn an_open_server_is_found_open() {
    let lab = begun("");
    let before = keyspaces(&lab);
    let expected = [&ALWAYS[..], &NOBODY_LOGS_IN, &CLEAR_TEXT, &AS_IT_COMES].concat();
    let record = assert_audit_of(&CassandraAuditor, &lab, &expected);
    assert_eq!(keyspaces(&lab), before);
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
    let lab = begun("&security=auth");
    let record = assert_audit_of(
        &CassandraAuditor,
        &lab,
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
    assert_stored_by_administrator(&CassandraAuditor, &lab, ALWAYS[0]);
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
        let lab = begun(profile);
        let expected = [&NOBODY_LOGS_IN[..], &ENCRYPTED, nodes].concat();
        let record = assert_audit_of(&CassandraAuditor, &lab, &expected);
        let quality = &record.finding(Feature::TransportEncryption).unwrap().summary;
        let asks = profile.contains("mtls");
        assert_eq!(quality.contains("must show a certificate"), asks, "{quality}");
        assert_certificate_read_back(&CassandraAuditor, &lab, asks);
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
    let record = assert_hardened(&CassandraAuditor, &lab, &expected);
    assert!(sends_no_password(&record), "{record:?}");
    block_on(async {
        let driver = CassandraDriver::connect(&target(lab.address())).await.unwrap();
        let Err(error) = driver.session(&left).await else {
            panic!("the table is still there");
        };
        assert_eq!(error.class, ErrorClass::NotFound, "{error}");
    });
    assert_idle_connections(&CassandraAuditor, &lab, (Enforced, None));
}

/// A role's password in a statement would stay in whatever log the server keeps of them.
fn sends_no_password(record: &AuditRecord) -> bool {
    let evidence = record.findings.iter().flat_map(|finding| &finding.evidence);
    let mut made = evidence.filter(|one| one.probe == "cassandra.fresh-role");
    made.any(|one| one.sent.ends_with("by the hash of its password") && !one.got.starts_with("error"))
}
