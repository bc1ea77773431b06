//! Every probe against servers that must pass and servers that must fail.
#![allow(clippy::unwrap_used, missing_docs, reason = "a test may fail by panicking")]

mod hardened;
mod hostile;
mod night;
mod planted;

use std::process::Command;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use dbdyno_audit_hbase::HbaseAuditor;
use dbdyno_lab::Lab;
use dbdyno_record::audit::{AuditSeverity, Feature, ProtectionLevel, Scope};
use dbdyno_server_hbase::HbaseRecipe;
use dbdyno_testkit::audit::{Expected, assert_audit, assert_audit_of, audited, request};
use dbdyno_testkit::live::start;

use AuditSeverity::{Critical, High, Low, Medium};
use ProtectionLevel::{Enforced, NotApplicable, Partial, SupportedOff, Unknown};

/// Without the optimising compiler a server of a test starts in half the processor time.
const SERVER: &str = "hbase?java_options=-XX:TieredStopAtLevel=1";

/// What every profile has in common: no file is encrypted, accesses are not written down, all sockets are on loopback.
const ALWAYS: [Expected; 5] = [
    (Feature::EncryptionAtRest, SupportedOff, Some(Low)),
    (Feature::Auditing, Partial, Some(Low)),
    (Feature::Exposure, Enforced, None),
    (Feature::Injection, Enforced, None),
    // 2.6.4 lacks the fix of 2.6.6.
    (Feature::KnownVulnerabilities, Partial, Some(Low)),
];

/// What one server of the lab has: its own ZooKeeper takes all commands, and there is nobody to send to.
const ALONE: [Expected; 2] = [
    (Feature::JmxAuthentication, Partial, Some(Low)),
    (Feature::NodeToNodeEncryption, NotApplicable, None),
];

/// What there is without a login.
const WITHOUT_LOGIN: [Expected; 6] = [
    (Feature::Authentication, SupportedOff, Some(Critical)),
    (Feature::Authorization, SupportedOff, Some(High)),
    (Feature::AuthenticationCaching, NotApplicable, None),
    (Feature::ProxyRoles, SupportedOff, Some(High)),
    (Feature::DefaultCredentials, SupportedOff, Some(High)),
    (Feature::PasswordStorage, NotApplicable, None),
];

const IN_CLEAR_TEXT: [Expected; 2] = [
    (Feature::ClientToNodeEncryption, SupportedOff, Some(High)),
    (Feature::TransportEncryption, SupportedOff, Some(High)),
];

const OVER_TLS: [Expected; 2] = [
    (Feature::ClientToNodeEncryption, Enforced, None),
    (Feature::TransportEncryption, Enforced, None),
];

/// Set in a child process that runs one test.
const CHILD: &str = "DBDYNO_TEST_OF_HBASE_IN_A_CHILD";

/// Java knows one Kerberos server at a time, so each test with one, which may run beside others, gets a process of its own.
/// Whether this is it.
#[track_caller]
fn is_own_process(test: &str) -> bool {
    if std::env::var_os(CHILD).is_some() {
        return true;
    }
    let child = Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture"])
        .env(CHILD, "1")
        .output()
        .unwrap();
    let stated = String::from_utf8_lossy(&child.stdout);
    let errors = String::from_utf8_lossy(&child.stderr);
    assert!(stated.contains("1 passed"), "{stated}{errors}");
    false
}

/// One open server for every test that only needs one. An audit removes what others left, so there is one at a time.
fn open_server() -> (&'static Lab, MutexGuard<'static, ()>) {
    static SHARED: OnceLock<Lab> = OnceLock::new();
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    // A test that fails says why; the next one has its own answer.
    let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    (SHARED.get_or_init(|| start(&HbaseRecipe, SERVER)), turn)
}

#[test]
fn an_open_server_is_found_open() {
    let (lab, _turn) = open_server();
    assert_audit_of(
        &HbaseAuditor,
        lab,
        &[&ALWAYS[..], &ALONE, &WITHOUT_LOGIN, &IN_CLEAR_TEXT].concat(),
    );
    a_new_client_is_answered_beside_idle_ones(lab);
}

/// ZooKeeper admits sixty from one address, and the others beside them. After each that it refuses it pauses, so that on a busy
/// machine not all of them can be opened in time, and those show nothing.
fn a_new_client_is_answered_beside_idle_ones(lab: &Lab) {
    let mut request = request(lab);
    request.only = vec![Feature::IdleConnections];
    request.tries_idle_connections = true;
    let record = audited(&HbaseAuditor, &request);
    let finding = record.finding(Feature::IdleConnections).unwrap();
    assert!(matches!(finding.level, Enforced | Unknown), "{finding:#?}");
    assert!(
        finding.summary.starts_with("A new client is answered"),
        "{finding:#?}"
    );
}

#[test]
fn a_login_alone_leaves_the_wire_and_the_rights_open() {
    if is_own_process("a_login_alone_leaves_the_wire_and_the_rights_open") {
        let wanted = format!("{SERVER}&security=auth");
        let expected: &[Expected] = &[
            (Feature::Authentication, Enforced, None),
            (Feature::Authorization, SupportedOff, Some(High)),
            (Feature::PasswordStorage, Enforced, None),
            (Feature::DefaultCredentials, SupportedOff, Some(High)),
            (Feature::ProxyRoles, Partial, Some(High)),
        ];
        let expected = [&ALWAYS[..], &ALONE, &IN_CLEAR_TEXT, expected].concat();
        let lab = start(&HbaseRecipe, &wanted);
        assert_audit_of(&HbaseAuditor, &lab, &expected);
        a_key_that_no_longer_works_is_no_refused_right(&lab);
    }
}

/// The application's principal with the administrator's key, where nobody looks at rights.
fn a_key_that_no_longer_works_is_no_refused_right(lab: &Lab) {
    let mut request = request(lab);
    let keytab = request.administrator.as_ref().unwrap().options["keytab"].clone();
    request.target.options.insert("keytab".to_owned(), keytab);
    request.only = vec![Feature::Authorization];
    let record = audited(&HbaseAuditor, &request);
    let finding = record.finding(Feature::Authorization).unwrap();
    assert_eq!(finding.level, Unknown, "{finding:#?}");
    assert!(record.left_behind.is_empty(), "{:?}", record.left_behind);
}

#[test]
fn encryption_alone_leaves_the_door_open() {
    for profile in ["tls", "mtls"] {
        let record = assert_audit(
            &HbaseAuditor,
            &HbaseRecipe,
            &format!("{SERVER}&security={profile}"),
            &[&ALWAYS[..], &ALONE, &WITHOUT_LOGIN, &OVER_TLS].concat(),
        );
        let transport = record.finding(Feature::TransportEncryption).unwrap();
        let expected = if profile == "tls" {
            "clients need no certificate"
        } else {
            "clients must show a certificate"
        };
        assert!(transport.summary.contains(expected), "{}", transport.summary);
    }
}

#[test]
fn a_server_that_encrypts_its_files_is_seen_to_do_so_itself() {
    let request = format!("{SERVER}&at_rest=engine");
    let expected = [(Feature::EncryptionAtRest, Enforced, None)];
    let record = assert_audit(&HbaseAuditor, &HbaseRecipe, &request, &expected);
    let finding = record.finding(Feature::EncryptionAtRest).unwrap();
    assert_eq!(finding.scope, Scope::Engine, "{finding:#?}");
}

#[test]
fn an_open_cluster_sends_in_clear_text() {
    let expected: &[Expected] = &[
        (Feature::NodeToNodeEncryption, SupportedOff, Some(Medium)),
        // Its ZooKeeper is a process of its own, which takes no commands.
        (Feature::JmxAuthentication, Enforced, None),
    ];
    assert_audit(
        &HbaseAuditor,
        &HbaseRecipe,
        &format!("{SERVER}&nodes=2"),
        &[&ALWAYS[..], &WITHOUT_LOGIN, &IN_CLEAR_TEXT, expected].concat(),
    );
}
