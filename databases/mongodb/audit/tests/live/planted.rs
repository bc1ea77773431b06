//! Mistakes that people make, each made on purpose.

use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use dbdyno_audit::Auditor;
use dbdyno_audit_mongodb::MongodbAuditor;
use dbdyno_lab::Lab;
use dbdyno_record::audit::{AuditSeverity, Feature, ProtectionLevel};
use dbdyno_server_mongodb::MongodbRecipe;
use dbdyno_testkit::audit::{
    Expected, ServerFiles, assert_audit, assert_exception, assert_stored_by_administrator, audited, request,
    request_from,
};
use dbdyno_testkit::live::{block_on, certificate_options, certificates_of, start, target, with_options};
use dbdyno_testkit::namespace::OtherHost;
use mongodb::bson::{Document, doc};
use mongodb::options::{ClientOptions, Credential};
use tempfile::TempDir;

use AuditSeverity::{High, Low, Medium};
use ProtectionLevel::{Enforced, Partial};

use crate::ALWAYS;

/// Commands as the administrator of a server that speaks clear text.
pub fn as_administrator(lab: &Lab, commands: impl IntoIterator<Item = Document>) {
    let address = lab.instance().administrator.as_deref().unwrap();
    let remote = MongodbAuditor.read(&target(address)).unwrap();
    let mut credential = Credential::default();
    credential.username = remote.user;
    credential.password = remote.password.map(|password| password.reveal().to_owned());
    credential.source = Some("admin".to_owned());
    block_on(async {
        let hosts = format!("mongodb://{}:{}", remote.hosts[0].host, remote.hosts[0].port);
        let mut options = ClientOptions::parse(hosts).await.unwrap();
        options.credential = Some(credential);
        let client = mongodb::Client::with_options(options).unwrap();
        for command in commands {
            client.database("admin").run_command(command).await.unwrap();
        }
        client.shutdown().immediate(true).await;
    });
}

#[track_caller]
fn assert_found(lab: &Lab, expected: &[Expected]) {
    let mut request = request(lab);
    request.only = expected.iter().map(|(feature, ..)| *feature).collect();
    let record = audited(&MongodbAuditor, &request);
    for (feature, level, severity) in expected {
        let finding = record.finding(*feature).unwrap();
        assert_eq!(
            (finding.level, finding.severity),
            (*level, *severity),
            "{finding:#?}"
        );
    }
}

/// A directory with a `mongod` that gives the real one these arguments, in the words of bash.
fn changed_program(arguments: &str) -> TempDir {
    let lab = start(&MongodbRecipe, "mongodb");
    let program = format!("/proc/{}/exe", lab.servers()[0].process.id);
    let program = std::fs::read_link(program).unwrap();
    let home = tempfile::tempdir().unwrap();
    let script = home.path().join("mongod");
    let text = format!("#!/bin/bash\nexec {} {arguments}\n", program.display());
    std::fs::write(&script, text).unwrap();
    // Servers run as another user.
    for path in [home.path(), &script] {
        set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }
    home
}

#[test]
fn a_user_that_may_give_roles_is_found() {
    let lab = start(&MongodbRecipe, "mongodb?security=auth");
    let give = |role: &str, place: &str| {
        doc! { "grantRolesToUser": "dbdyno", "roles": [{ "role": role, "db": place }] }
    };
    let take = |role: &str, place: &str| {
        doc! { "revokeRolesFromUser": "dbdyno", "roles": [{ "role": role, "db": place }] }
    };
    // Whoever may give roles in `admin` is an administrator one command later; in its own database it lets others in.
    for (role, place, severity) in [
        ("userAdmin", "admin", High),
        ("dbOwner", "ycsb", Medium),
        // It may shut the server down.
        ("hostManager", "admin", Medium),
        ("backup", "admin", Medium),
    ] {
        as_administrator(&lab, [give(role, place)]);
        let expected = [
            (Feature::Authorization, Partial, Some(severity)),
            (Feature::JmxAuthentication, Partial, Some(severity)),
        ];
        assert_found(&lab, &expected);
        as_administrator(&lab, [take(role, place)]);
    }
}

#[test]
fn a_login_with_all_rights_is_found() {
    assert_audit(
        &MongodbAuditor,
        &MongodbRecipe,
        "mongodb?user=app&password=a-password-of-everybody",
        &[
            (Feature::Authentication, Enforced, None),
            (Feature::Authorization, Partial, Some(High)),
            (Feature::JmxAuthentication, Partial, Some(High)),
            // Made as MongoDB makes users by default: for both mechanisms.
            (Feature::PasswordStorage, Partial, Some(Low)),
        ],
    );
}

#[test]
fn a_role_over_all_databases_and_weak_passwords_are_found() {
    let lab = start(&MongodbRecipe, "mongodb?security=auth");
    as_administrator(
        &lab,
        [
            doc! { "grantRolesToUser": "dbdyno", "roles": ["readWriteAnyDatabase"] },
            doc! { "createUser": "old", "pwd": "x", "roles": [], "mechanisms": ["SCRAM-SHA-1"] },
        ],
    );
    let found = [
        (Feature::Authorization, Partial, Some(Medium)),
        (Feature::PasswordStorage, Partial, Some(Medium)),
    ];
    assert_found(&lab, &found);
    as_administrator(
        &lab,
        [
            doc! { "dropUser": "old" },
            doc! { "setParameter": 1, "scramSHA256IterationCount": 5000 },
            doc! { "createUser": "quick", "pwd": "x", "roles": [], "mechanisms": ["SCRAM-SHA-256"] },
        ],
    );
    assert_found(&lab, &[(Feature::PasswordStorage, Partial, Some(Medium))]);
}

#[test]
fn a_server_with_the_older_mechanism_alone_is_found() {
    let home = changed_program(r#""$@" --setParameter authenticationMechanisms=SCRAM-SHA-1"#);
    assert_audit(
        &MongodbAuditor,
        &MongodbRecipe,
        &format!(
            "mongodb?user=app&password=a-password-of-everybody&home={}",
            home.path().display()
        ),
        &[(Feature::Authentication, Partial, Some(Medium))],
    );
}

#[test]
fn an_application_that_only_reads_hides_no_files() {
    let lab = start(&MongodbRecipe, "mongodb?security=auth");
    as_administrator(
        &lab,
        [
            doc! { "revokeRolesFromUser": "dbdyno", "roles": [{ "role": "readWrite", "db": "ycsb" }] },
            doc! { "grantRolesToUser": "dbdyno", "roles": [{ "role": "read", "db": "ycsb" }] },
        ],
    );
    assert_stored_by_administrator(&MongodbAuditor, &lab, ALWAYS[0]);
}

/// Files beside the data, as distributions have them below /etc.
#[test]
fn a_key_that_every_account_may_read_and_an_authority_that_it_may_change_are_found() {
    let lab = start(&MongodbRecipe, "mongodb?security=hardened");
    let files = ServerFiles::of(&MongodbAuditor, &lab);
    files.set_mode("data", 0o700);
    files.set_mode("server.pem", 0o604);
    // Nobody else enters the directory.
    files.assert_severity(Low, "");
    files.set_mode("", 0o711);
    files.assert_severity(High, "server.pem (mode 0604)");
    files.set_mode("server.pem", 0o600);
    // The certificate of an authority is no secret.
    files.set_mode("ca.pem", 0o604);
    files.assert_severity(Low, "");
    files.set_mode("ca.pem", 0o602);
    files.assert_severity(High, "ca.pem (mode 0602)");
}

#[test]
fn the_exception_for_the_first_user_is_found_open() {
    let other = OtherHost::new();
    let listen = other.as_ref().map(|other| format!("&listen={}", other.here()));
    let mut lab = start(
        &MongodbRecipe,
        &format!("mongodb?security=auth{}", listen.unwrap_or_default()),
    );
    as_administrator(
        &lab,
        [doc! { "dropUser": "dbdyno" }, doc! { "dropUser": "dbdyno_admin" }],
    );
    // A server remembers that there was a user.
    lab.restart("node1").unwrap();
    let address = lab.address().split('@').next_back().unwrap();
    let host = address.split('/').next().unwrap();
    for _ in 0..200 {
        if std::net::TcpStream::connect(host).is_ok() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let found = [
        (Feature::Authentication, Partial, Some(High)),
        (Feature::DefaultCredentials, Partial, Some(High)),
    ];
    assert_found(&lab, &found);
    // Another host may not be the first.
    let Some(other) = &other else {
        return;
    };
    let mut request = request_from(other, &lab);
    request.administrator = None;
    let record = audited(&MongodbAuditor, &request);
    for feature in [Feature::Authentication, Feature::DefaultCredentials] {
        assert_exception(&record, feature, High);
    }
}

#[test]
fn clear_text_beside_tls_is_found() {
    let home = changed_program(r#""${@/requireTLS/preferTLS}""#);
    assert_audit(
        &MongodbAuditor,
        &MongodbRecipe,
        &format!("mongodb?nodes=3&security=hardened&home={}", home.path().display()),
        &[
            (Feature::Authentication, Enforced, None),
            (Feature::ClientToNodeEncryption, Partial, Some(Medium)),
            (Feature::NodeToNodeEncryption, Partial, Some(Medium)),
        ],
    );
}

#[test]
fn a_certificate_of_another_name_is_found() {
    let folder = tempfile::tempdir().unwrap();
    certificates_of(folder.path(), &["db.example"]);
    let lab = start(
        &MongodbRecipe,
        &format!("mongodb?tls={}", folder.path().display()),
    );
    let mut request = request(&lab);
    let options = certificate_options(folder.path(), folder.path());
    request.target = with_options(lab.address(), &options);
    let record = audited(&MongodbAuditor, &request);
    let finding = record.finding(Feature::TransportEncryption).unwrap();
    assert_eq!(
        (finding.level, finding.severity),
        (Partial, Some(Medium)),
        "{finding:#?}"
    );
    // Nobody who checks the name gets further: nothing else is known, and nothing passes.
    let finding = record.finding(Feature::Authentication).unwrap();
    assert_eq!(finding.level, ProtectionLevel::Unknown, "{finding:#?}");
}
