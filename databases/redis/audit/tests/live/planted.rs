//! Mistakes of administrators that the profiles do not have: each is found.

use std::io::{Read as _, Write as _};
use std::time::Duration;

use dbdyno_audit::{Channel, Deadline, Place, Request, Vantage};
use dbdyno_audit_redis::RedisAuditor;
use dbdyno_driver::remote::client_configuration;
use dbdyno_lab::Lab;
use dbdyno_record::audit::{AuditRecord, AuditSeverity, Feature, ProtectionLevel};
use dbdyno_server_redis::RedisRecipe;
use dbdyno_testkit::audit::{
    assert_audit_of, assert_idle_connections, assert_missed_only_if_made, audited, request, server,
    with_login,
};
use dbdyno_testkit::live::{certificates, start, target};

use AuditSeverity::{Critical, High, Low, Medium};
use ProtectionLevel::{Enforced, Partial, SupportedOff, Unknown, Unsupported};

/// Gives the server a command as its administrator, or without a login where none is needed.
pub fn administer(lab: &Lab, command: &str) {
    let answer = answer(lab, command);
    assert!(answer.starts_with('+'), "{command}: {answer}");
}

/// The first line of the answer to such a command.
pub fn answer(lab: &Lab, command: &str) -> String {
    let address = lab.instance().administrator.clone();
    let address = address.unwrap_or_else(|| lab.address().to_owned());
    let remote = dbdyno_database_redis::remote(&target(&address)).unwrap();
    let deadline = Deadline::within(Duration::from_secs(60));
    let mut channel = Channel::connect(&remote.hosts[0], &Vantage::Here, deadline).unwrap();
    if let Some(tls) = &remote.tls {
        let configuration = client_configuration(tls).unwrap();
        channel = channel.secure(&remote.hosts[0], configuration).unwrap();
    }
    let mut ask = |line: &str| {
        channel.send(format!("{line}\r\n").as_bytes()).unwrap();
        let answer = channel.read_until(Some(b"\r\n"), 4096).unwrap();
        String::from_utf8_lossy(&answer).trim_end().to_owned()
    };
    if let Some(password) = &remote.password {
        let user = remote.user.as_deref().unwrap_or("default");
        assert_eq!(ask(&format!("AUTH {user} {}", password.reveal())), "+OK");
    }
    ask(command)
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

#[test]
fn a_password_that_is_guessed_first_is_found() {
    let lab = start(&RedisRecipe, "redis?security=auth");
    let mut request = request(&lab);
    request.only = vec![Feature::DefaultCredentials];
    let found = |request: &Request| observed(&audited(&RedisAuditor, request), Feature::DefaultCredentials);
    assert_eq!(found(&request), (Enforced, None));
    // The administrator sees the hash of what the audit was not given.
    administer(&lab, "ACL SETUSER dbdyno resetpass >dbdyno");
    assert_eq!(found(&request), (SupportedOff, Some(Critical)));
    // Without one, the audit compares what it was given itself.
    request.administrator = None;
    request.target = with_login(&request.target, "dbdyno", "dbdyno");
    assert_eq!(found(&request), (SupportedOff, Some(Critical)));
    administer(&lab, "ACL SETUSER dbdyno resetpass >a-password-of-nobody");
    request.target = with_login(&request.target, "dbdyno", "a-password-of-nobody");
    assert_eq!(found(&request), (Enforced, None));
}

/// Probes that send no password look behind a certificate that a client would refuse; logins stay away from it.
#[test]
fn a_certificate_of_a_strange_authority_hides_no_open_server() {
    let strange = tempfile::tempdir().unwrap();
    certificates(strange.path());
    let authority = strange.path().join("ca.pem").display().to_string();
    let features = [
        Feature::Authentication,
        Feature::JmxAuthentication,
        Feature::TransportEncryption,
    ];
    for (profile, logins) in [
        ("tls", (SupportedOff, Some(Critical))),
        ("hardened", (Unknown, None)),
    ] {
        let lab = start(&RedisRecipe, &format!("redis?security={profile}"));
        let mut request = request(&lab);
        request.administrator = None;
        request.only = features.to_vec();
        let record = audited(&RedisAuditor, &request);
        assert_eq!(observed(&record, Feature::TransportEncryption), (Enforced, None));
        request
            .target
            .options
            .insert("tls_ca".to_owned(), authority.clone());
        let record = audited(&RedisAuditor, &request);
        let expected = [logins, logins, (Partial, Some(Medium))];
        for (feature, expected) in features.into_iter().zip(expected) {
            assert_eq!(observed(&record, feature), expected, "{profile}: {record:#?}");
        }
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
        assert_eq!(observed(&record, feature).0, Unknown, "{record:#?}");
    }
}

/// Has the server listen on a second port, too. It cannot have the system choose one, and another process may take a free one first.
fn open_second_port(lab: &Lab) {
    let is_open = (0..5).any(|_| {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        answer(lab, &format!("CONFIG SET port {port}")) == "+OK"
    });
    assert!(is_open, "five ports were taken");
}

#[test]
fn a_second_port_in_clear_text_is_found() {
    let lab = start(&RedisRecipe, "redis?security=tls");
    open_second_port(&lab);
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
        (Unsupported, Some(Low)),
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

/// Without a log of writes, values lie in snapshots. One is asked for where the server takes some by itself.
#[test]
fn values_in_snapshots_are_found() {
    let lab = start(&RedisRecipe, "redis?security=auth&appendfsync=off");
    let mut request = request(&lab);
    request.only = vec![Feature::EncryptionAtRest];
    let found = || {
        let record = audited(&RedisAuditor, &request);
        assert!(record.left_behind.is_empty(), "{record:#?}");
        let evidence = &record.finding(Feature::EncryptionAtRest).unwrap().evidence;
        let is_flushed = evidence.iter().any(|one| one.got.contains("flush seen: yes"));
        (observed(&record, Feature::EncryptionAtRest), is_flushed)
    };
    // It keeps nothing, and the audit leaves no file behind.
    let snapshot = request.place.data[0].join("dump.rdb");
    assert_eq!(found(), ((Unknown, None), false));
    assert!(!snapshot.exists());
    administer(&lab, "CONFIG SET save \"3600 1\"");
    assert_eq!(found(), ((Unsupported, Some(Low)), true));
    assert!(snapshot.exists());
    administer(&lab, "ACL SETUSER dbdyno_admin -bgsave");
    assert_eq!(found(), ((Unknown, None), false));
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
    assert_eq!(with_modes("o="), (Unsupported, Some(Low)));
    assert_eq!(with_modes("o=rX"), (Unsupported, Some(Medium)));
    assert_eq!(with_modes("o=rwX"), (Unsupported, Some(High)));
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
            assert_eq!(observed(&record, feature).0, Unknown, "{record:#?}");
        }
        assert!(!is_own(&record));
    }
    // Behind a link it is the own one all the same.
    std::os::unix::fs::symlink(&right[0], elsewhere.path().join("data")).unwrap();
    wrong.place.data = vec![elsewhere.path().to_owned()];
    let record = audited(&RedisAuditor, &wrong);
    let level = observed(&record, Feature::EncryptionAtRest).0;
    assert_eq!(level, Unsupported, "{record:#?}");
    assert!(is_own(&record), "{record:#?}");
}

/// Whether it was seen that the named directories are the server's, by more than the canary in them.
fn is_own(record: &AuditRecord) -> bool {
    let finding = record.finding(Feature::EncryptionAtRest).unwrap();
    let mut evidence = finding.evidence.iter();
    evidence.any(|evidence| evidence.got.ends_with("other trace of this server seen: yes"))
}

/// The second that follows this one by an hour: no audit of a test takes so long.
fn in_an_hour() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    now.unwrap().as_secs() + 60 * 60
}

#[test]
fn what_only_begins_like_the_audits_own_is_left_alone_and_so_is_what_a_live_audit_made() {
    let lab = start(&RedisRecipe, "redis");
    administer(&lab, "SET dbdyno_audit_report mine");
    administer(&lab, "SET dbdyno_audit_0123456789ab left");
    let lives = format!("dbdyno_audit_{:08x}0123", in_an_hour());
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
