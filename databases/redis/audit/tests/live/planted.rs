//! Mistakes of administrators that the profiles do not have: each is found.

use std::io::{Read as _, Write as _};
use std::time::Duration;

use dbdyno_audit::{Channel, Deadline, Place, Vantage};
use dbdyno_audit_redis::RedisAuditor;
use dbdyno_driver::remote::client_configuration;
use dbdyno_lab::Lab;
use dbdyno_record::audit::{AuditRecord, AuditSeverity, Feature, ProtectionLevel};
use dbdyno_server_redis::RedisRecipe;
use dbdyno_testkit::audit::{
    assert_audit_of, assert_idle_connections, assert_missed_only_if_made, audited, request, server,
};
use dbdyno_testkit::live::{start, target};

use AuditSeverity::{Critical, High, Low, Medium};
use ProtectionLevel::{Enforced, Partial, SupportedOff};

/// Gives the server a command as its administrator, or without a login where none is needed.
pub fn administer(lab: &Lab, command: &str) {
    let address = lab.instance().administrator.clone();
    let address = address.unwrap_or_else(|| lab.address().to_owned());
    let remote = dbdyno_database_redis::remote(&target(&address)).unwrap();
    let deadline = Deadline::within(Duration::from_secs(5));
    let mut channel = Channel::connect(&remote.hosts[0], &Vantage::Here, deadline).unwrap();
    if let Some(tls) = &remote.tls {
        let configuration = client_configuration(tls).unwrap();
        channel = channel.secure(&remote.hosts[0], configuration).unwrap();
    }
    let login = remote.password.as_ref().map(|password| {
        format!(
            "AUTH {} {}",
            remote.user.as_deref().unwrap_or("default"),
            password.reveal()
        )
    });
    for line in login.iter().map(String::as_str).chain([command]) {
        channel.send(format!("{line}\r\n").as_bytes()).unwrap();
        let answer = channel.read_until(Some(b"\r\n"), 4096).unwrap();
        assert_eq!(answer[0], b'+', "{line}: {}", String::from_utf8_lossy(&answer));
    }
}

fn observed(record: &AuditRecord, feature: Feature) -> (ProtectionLevel, Option<AuditSeverity>) {
    let finding = record.finding(feature).unwrap();
    (finding.level, finding.severity)
}

#[test]
fn users_without_a_password_and_rights_beyond_data_are_found() {
    let lab = start(&RedisRecipe, "redis?security=auth");
    let audit = || {
        let mut request = request(&lab);
        request.only = vec![
            Feature::Authentication,
            Feature::Authorization,
            Feature::DefaultCredentials,
            Feature::JmxAuthentication,
        ];
        audited(&RedisAuditor, &request)
    };
    assert_eq!(observed(&audit(), Feature::Authentication), (Enforced, None));

    administer(&lab, "ACL SETUSER guest on nopass ~* &* +@all");
    assert_eq!(
        observed(&audit(), Feature::Authentication),
        (Partial, Some(Critical))
    );
    administer(&lab, "ACL SETUSER guest off");

    // It has no right to PING, and is served all the same.
    administer(&lab, "ACL SETUSER default on nopass resetkeys ~* -@all +get +set");
    let record = audit();
    assert_eq!(observed(&record, Feature::Authentication), (Partial, Some(High)));
    assert_eq!(
        observed(&record, Feature::DefaultCredentials),
        (Partial, Some(High))
    );
    administer(&lab, "ACL SETUSER default off");

    for (right, severity) in [
        ("+acl|setuser", High),
        ("+config|set", High),
        ("+flushall", Medium),
    ] {
        administer(&lab, &format!("ACL SETUSER dbdyno {right}"));
        let record = audit();
        for feature in [Feature::Authorization, Feature::JmxAuthentication] {
            assert_eq!(observed(&record, feature), (Partial, Some(severity)), "{right}");
        }
        administer(
            &lab,
            &format!("ACL SETUSER dbdyno -{}", right.trim_start_matches('+')),
        );
    }
}

/// What the server itself calls administrative or dangerous is found, whatever else was taken away; without these two categories
/// nothing is left to find.
#[test]
fn rights_are_those_that_the_server_lists() {
    let lab = start(&RedisRecipe, "redis?security=auth");
    let audit = || {
        let mut request = request(&lab);
        request.only = vec![Feature::Authorization, Feature::JmxAuthentication];
        audited(&RedisAuditor, &request)
    };
    let all = "ACL SETUSER dbdyno +@all";
    for (taken, expected) in [
        (
            "-acl -config -debug -module -replicaof -shutdown -flushall",
            (Partial, Some(Medium)),
        ),
        ("-@admin", (Partial, Some(Medium))),
        ("-@admin -@dangerous +swapdb", (Partial, Some(Medium))),
        ("-@admin -@dangerous", (Enforced, None)),
        ("-@admin -@dangerous +info +keys +config|get", (Enforced, None)),
    ] {
        administer(&lab, &format!("{all} {taken}"));
        let record = audit();
        for feature in [Feature::Authorization, Feature::JmxAuthentication] {
            assert_eq!(observed(&record, feature), expected, "{taken}: {record:#?}");
        }
    }
    // Whoever reads settings reads the password in one of them.
    administer(&lab, "CONFIG SET masterauth hunter2");
    let record = audit();
    for feature in [Feature::Authorization, Feature::JmxAuthentication] {
        assert_eq!(observed(&record, feature), (Partial, Some(Medium)), "{record:#?}");
    }
    assert!(!format!("{record:?}").contains("hunter2"));
}

/// Refuses the first command of each connection, and serves all others.
#[test]
fn a_server_that_refuses_the_first_command_only_is_open() {
    let port = server(|mut stream| {
        let refusal = "-NOAUTH Authentication required.\r\n";
        let mut answers = std::iter::once(refusal).chain(std::iter::repeat("+PONG\r\n"));
        let mut command = [0; 4096];
        while stream.read(&mut command).is_ok_and(|length| length > 0) {
            let answer = answers.next().unwrap_or_default();
            if stream.write_all(answer.as_bytes()).is_err() {
                break;
            }
        }
    });
    let lab = start(&RedisRecipe, "redis?security=auth");
    let mut request = request(&lab);
    request.target = target(&format!("redis://127.0.0.1:{port}"));
    (request.administrator, request.place) = (None, Place::default());
    request.only = vec![Feature::Authentication, Feature::DefaultCredentials];
    let record = audited(&RedisAuditor, &request);
    for feature in [Feature::Authentication, Feature::DefaultCredentials] {
        assert_eq!(
            observed(&record, feature),
            (SupportedOff, Some(Critical)),
            "{record:#?}"
        );
    }
}

/// Without an administrator, nobody knows who else may log in, and how.
#[test]
fn users_that_nobody_sees_are_not_said_to_need_a_password() {
    let lab = start(&RedisRecipe, "redis?security=auth");
    let mut request = request(&lab);
    request.administrator = None;
    request.only = vec![Feature::Authentication, Feature::Authorization];
    let record = audited(&RedisAuditor, &request);
    for feature in [Feature::Authentication, Feature::Authorization] {
        assert_eq!(
            observed(&record, feature).0,
            ProtectionLevel::Unknown,
            "{record:#?}"
        );
    }
}

#[test]
fn a_second_port_in_clear_text_is_found() {
    let lab = start(&RedisRecipe, "redis?security=tls");
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    administer(&lab, &format!("CONFIG SET port {port}"));
    assert_audit_of(
        &RedisAuditor,
        &lab,
        &[(Feature::ClientToNodeEncryption, Partial, Some(Medium))],
    );
    // The server names the port to who cannot look at its process.
    let mut far = request(&lab);
    far.place = Place::default();
    far.only = vec![Feature::ClientToNodeEncryption];
    let encryption = || observed(&audited(&RedisAuditor, &far), Feature::ClientToNodeEncryption);
    assert_eq!(encryption(), (Partial, Some(Medium)));
    administer(&lab, "CONFIG SET port 0");
    assert_eq!(encryption(), (Enforced, None));
}

#[test]
fn an_application_with_a_prefix_of_its_own_hides_no_files() {
    let lab = start(&RedisRecipe, "redis?security=auth&appendfsync=always");
    administer(&lab, "ACL SETUSER dbdyno resetkeys ~app:*");
    let mut request = request(&lab);
    request.only = vec![Feature::EncryptionAtRest];
    let record = audited(&RedisAuditor, &request);
    assert_eq!(
        observed(&record, Feature::EncryptionAtRest),
        (ProtectionLevel::Unsupported, Some(Low)),
        "{record:#?}"
    );
    let finding = record.finding(Feature::EncryptionAtRest).unwrap();
    let mut said = finding.evidence.iter().map(|evidence| evidence.got.as_str());
    assert!(
        said.any(|got| got.contains("the administrator stores it")),
        "{record:#?}"
    );
    assert!(record.left_behind.is_empty(), "{record:#?}");
}

#[test]
fn files_that_every_account_may_read_or_change_are_found() {
    let lab = start(&RedisRecipe, "redis?appendfsync=always");
    let mut request = request(&lab);
    request.only = vec![Feature::EncryptionAtRest];
    let with_modes = |modes: &str| {
        let mut chmod = std::process::Command::new("chmod");
        let status = chmod.args(["-R", modes]).args(&request.place.data).status();
        assert!(status.unwrap().success());
        observed(&audited(&RedisAuditor, &request), Feature::EncryptionAtRest)
    };
    let level = ProtectionLevel::Unsupported;
    assert_eq!(with_modes("o="), (level, Some(Low)));
    assert_eq!(with_modes("o=rX"), (level, Some(Medium)));
    assert_eq!(with_modes("o=rwX"), (level, Some(High)));
}

#[test]
fn directories_and_processes_of_others_show_nothing() {
    let lab = start(&RedisRecipe, "redis");
    let elsewhere = tempfile::tempdir().unwrap();
    let mut wrong = request(&lab);
    let right = wrong.place.data.clone();
    let other = start(&RedisRecipe, "redis");
    wrong.place.processes = request(&other).place.processes;
    wrong.only = vec![Feature::EncryptionAtRest, Feature::Exposure];
    // The other server's directory is as busy as the own one.
    for data in [vec![elsewhere.path().to_owned()], request(&other).place.data] {
        std::fs::write(elsewhere.path().join("busy"), "changed right now").unwrap();
        wrong.place.data = data;
        let record = audited(&RedisAuditor, &wrong);
        for feature in [Feature::EncryptionAtRest, Feature::Exposure] {
            assert_eq!(
                observed(&record, feature).0,
                ProtectionLevel::Unknown,
                "{record:#?}"
            );
        }
        assert!(!is_own(&record));
    }
    // Behind a link it is the own one all the same.
    std::os::unix::fs::symlink(&right[0], elsewhere.path().join("data")).unwrap();
    wrong.place.data = vec![elsewhere.path().to_owned()];
    let record = audited(&RedisAuditor, &wrong);
    let level = observed(&record, Feature::EncryptionAtRest).0;
    assert_eq!(level, ProtectionLevel::Unsupported, "{record:#?}");
    assert!(is_own(&record), "{record:#?}");
}

/// Whether it was seen that the named directories are the server's, by more than the canary in them.
fn is_own(record: &AuditRecord) -> bool {
    let finding = record.finding(Feature::EncryptionAtRest).unwrap();
    let mut evidence = finding.evidence.iter();
    evidence.any(|evidence| evidence.got.ends_with("other trace of this server seen: yes"))
}

/// The second that follows this one by sixty.
fn in_a_minute() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.unwrap().as_secs() + 60
}

#[test]
fn what_only_begins_like_the_audits_own_is_left_alone_and_so_is_what_a_live_audit_made() {
    let lab = start(&RedisRecipe, "redis");
    administer(&lab, "SET dbdyno_audit_report mine");
    administer(&lab, "SET dbdyno_audit_0123456789ab left");
    let lives = format!("dbdyno_audit_{:08x}0123", in_a_minute());
    administer(&lab, &format!("SET {lives} of-a-live-audit"));
    assert_audit_of(
        &RedisAuditor,
        &lab,
        &[(Feature::Authentication, SupportedOff, Some(Critical))],
    );
    // RENAME fails for a key that is not there.
    administer(&lab, "RENAME dbdyno_audit_report kept");
    administer(&lab, &format!("RENAME {lives} kept"));
    let left = std::panic::catch_unwind(|| administer(&lab, "RENAME dbdyno_audit_0123456789ab kept"));
    assert!(left.is_err(), "what a killed audit left is removed");
}

#[test]
fn a_server_whose_places_idle_clients_take_is_found() {
    let lab = start(&RedisRecipe, "redis");
    // Protected mode admits no connections from the other address, so they come from the same.
    assert_idle_connections(&RedisAuditor, &lab, (Enforced, None));
    administer(&lab, "CONFIG SET maxclients 50");
    // Which may be a limit for each address.
    assert_idle_connections(&RedisAuditor, &lab, (Partial, Some(Low)));
    let lab = start(&RedisRecipe, "redis?security=auth");
    administer(&lab, "CONFIG SET maxclients 50");
    assert_idle_connections(&RedisAuditor, &lab, (Partial, Some(Medium)));
}

#[test]
fn what_cannot_be_looked_for_is_said() {
    let lab = start(&RedisRecipe, "redis?security=auth");
    let mut request = request(&lab);
    request.administrator = None;
    assert_missed_only_if_made(&RedisAuditor, request, Feature::EncryptionAtRest, &mut || {
        administer(&lab, "ACL SETUSER dbdyno off");
    });
}
