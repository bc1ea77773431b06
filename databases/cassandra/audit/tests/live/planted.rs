//! Servers with one mistake each, or with several that do not hide each other.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use dbdyno_audit::{Auditor as _, Channel, Deadline, Vantage};
use dbdyno_audit_cassandra::CassandraAuditor;
use dbdyno_lab::Lab;
use dbdyno_record::audit::AuditSeverity::{Critical, High, Medium};
use dbdyno_record::audit::Feature;
use dbdyno_record::audit::ProtectionLevel::{Enforced, Partial, SupportedOff, Unknown};
use dbdyno_testkit::audit::{assert_audit_of, audited, request};
use dbdyno_testkit::live::target;

use crate::{audit, begun};

/// Settings of `cassandra.yaml` may then follow as properties of Java.
const SETTINGS: &str = " -Dcassandra.config.allow_system_properties=true";

#[test]
fn a_superuser_for_everything_with_its_first_password_is_found() {
    let options = [
        SETTINGS,
        " -Dcassandra.settings.audit_logging_options.enabled=true",
        " -Dcassandra.auth_bcrypt_gensalt_log2_rounds=4",
        "&auth=password",
    ];
    let lab = begun(&options.concat());
    let record = assert_audit_of(
        &CassandraAuditor,
        &lab,
        &[
            (Feature::Authentication, Enforced, None),
            (Feature::Authorization, Partial, Some(High)),
            (Feature::DefaultCredentials, SupportedOff, Some(Critical)),
            (Feature::PasswordStorage, Partial, Some(Medium)),
            // In the binary files that are the default.
            (Feature::Auditing, Enforced, None),
        ],
    );
    let storage = format!("{:?}", record.finding(Feature::PasswordStorage));
    assert!(
        storage.contains("cost of bcrypt 4") && !storage.contains("$2"),
        "{storage}"
    );
    // With less access, what is not seen is not passed.
    let mut less = request(&lab);
    less.place = dbdyno_audit::Place::default();
    less.tries_defaults = false;
    less.target = dbdyno_testkit::audit::with_login(&less.target, "nobody", "wrong");
    let record = audited(&CassandraAuditor, &less);
    // A login that never worked has made nothing.
    assert!(record.left_behind.is_empty(), "{:?}", record.left_behind);
    for finding in &record.findings {
        let is_seen_from_outside = [
            Feature::ClientToNodeEncryption,
            Feature::TransportEncryption,
            Feature::ProxyRoles,
        ]
        .contains(&finding.feature);
        assert!(is_seen_from_outside || finding.level == Unknown, "{finding:#?}");
    }
}

/// A statement as the administrator of a server that speaks clear text.
fn as_administrator(lab: &Lab, statement: &str) {
    let address = lab.instance().administrator.as_deref().unwrap();
    let remote = CassandraAuditor.read(&target(address)).unwrap();
    let deadline = Deadline::within(Duration::from_secs(30));
    let mut channel = Channel::connect(&remote.hosts[0], &Vantage::Here, deadline).unwrap();
    // The opcode of the answer (native_protocol_v4.spec, section 2.4).
    let mut ask = |opcode: u8, body: &[u8]| {
        let mut frame = vec![4, 0, 0, 0, opcode];
        frame.extend((body.len() as u32).to_be_bytes());
        frame.extend(body);
        channel.send(&frame).unwrap();
        let head = channel.read_exact(9).unwrap();
        let length = u32::from_be_bytes(head[5..9].try_into().unwrap());
        channel.read_exact(length as usize).unwrap();
        head[4]
    };
    let with_length = |text: &str| [&(text.len() as u32).to_be_bytes()[..], text.as_bytes()].concat();
    let (authenticate, success, result) = (0x03, 0x10, 0x08);
    assert_eq!(
        ask(0x01, b"\x00\x01\x00\x0bCQL_VERSION\x00\x053.0.0"),
        authenticate
    );
    let login = format!(
        "\0{}\0{}",
        remote.user.unwrap(),
        remote.password.unwrap().reveal()
    );
    assert_eq!(ask(0x0f, &with_length(&login)), success);
    let query = [with_length(statement), vec![0, 1, 0]].concat();
    assert_eq!(ask(0x07, &query), result, "{statement}");
}

/// Rights over all roles and keyspaces make an administrator, who need not be a superuser.
#[test]
fn an_application_with_rights_over_everything_is_found() {
    let lab = begun("&security=auth");
    let mut request = request(&lab);
    request.only = vec![Feature::Authorization];
    let found = || {
        let record = audited(&CassandraAuditor, &request);
        let finding = record.finding(Feature::Authorization).unwrap().clone();
        (finding.level, finding.severity)
    };
    assert_eq!(found(), (Enforced, None));
    for (grant, severity) in [
        ("CREATE ON ALL ROLES", Medium),
        ("DROP ON ALL ROLES", Medium),
        ("AUTHORIZE ON ALL ROLES", High),
        ("ALTER ON ALL KEYSPACES", High),
        ("DROP ON ALL KEYSPACES", Medium),
        ("MODIFY ON ALL KEYSPACES", High),
    ] {
        as_administrator(&lab, &format!("GRANT {grant} TO dbdyno"));
        assert_eq!(found(), (Partial, Some(severity)), "{grant}");
        as_administrator(&lab, &format!("REVOKE {grant} FROM dbdyno"));
    }
}

#[test]
fn logins_without_rights_and_a_jmx_with_a_login_are_told_apart() {
    let mut rules = tempfile::NamedTempFile::new().unwrap();
    writeln!(
        rules,
        "CassandraLogin {{ org.apache.cassandra.auth.CassandraLoginModule REQUIRED; }};"
    )
    .unwrap();
    // The servers run as another user.
    let mode = std::fs::Permissions::from_mode(0o644);
    rules.as_file().set_permissions(mode).unwrap();
    let options = [
        SETTINGS,
        " -Dcassandra.settings.authorizer=AllowAllAuthorizer",
        " -Dcom.sun.management.jmxremote.authenticate=true",
        " -Dcassandra.jmx.remote.login.config=CassandraLogin",
        &format!(" -Djava.security.auth.login.config={}", rules.path().display()),
        "&auth=password",
    ]
    .concat();
    audit(
        &options,
        &[
            (Feature::Authentication, Enforced, None),
            (Feature::Authorization, SupportedOff, Some(High)),
            (Feature::JmxAuthentication, Enforced, None),
        ],
    );
}

#[test]
fn clear_text_beside_tls_and_half_an_audit_log_are_found() {
    let options = [
        SETTINGS,
        " -Dcassandra.settings.client_encryption_options.optional=true",
        " -Dcassandra.settings.audit_logging_options.included_categories=ERROR,AUTH",
        "&security=hardened",
    ]
    .concat();
    audit(
        &options,
        &[
            (Feature::ClientToNodeEncryption, Partial, Some(Medium)),
            (Feature::TransportEncryption, Enforced, None),
            (
                Feature::Auditing,
                Partial,
                Some(dbdyno_record::audit::AuditSeverity::Low),
            ),
        ],
    );
}
