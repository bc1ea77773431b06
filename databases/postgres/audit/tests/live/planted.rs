//! Servers of the lab that are made worse in one way, which must be found.

use std::fs::File;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

use dbdyno_audit_postgres::PostgresAuditor;
use dbdyno_lab::Lab;
use dbdyno_record::audit::{AuditRecord, AuditSeverity, Feature, ProtectionLevel};
use dbdyno_server_postgres::PostgresRecipe;
use dbdyno_testkit::audit::{
    Expected, ServerFiles, assert_audit_of, assert_idle_connections, assert_missed_only_if_made,
    assert_stored_by_administrator, audited, request,
};
use dbdyno_testkit::live::{block_on, certificates_of, start, target};
use tokio_postgres::NoTls;

use AuditSeverity::{Critical, High, Low, Medium};
use ProtectionLevel::{Enforced, Partial, SupportedOff, Unknown};

use crate::ALWAYS;

/// Statements of the administrator of a lab with logins in clear text.
pub fn administrate(lab: &Lab, statements: &[&str]) {
    let host = lab.address().rsplit_once('@').unwrap().1;
    let (place, _) = host.split_once('?').unwrap();
    administrate_at(lab, place, statements);
}

/// Statements of that administrator in another database.
pub fn administrate_in(lab: &Lab, database: &str, statements: &[&str]) {
    let host = lab.address().rsplit_once('@').unwrap().1;
    let (host, _) = host.split_once('/').unwrap();
    administrate_at(lab, &format!("{host}/{database}"), statements);
}

fn administrate_at(lab: &Lab, place: &str, statements: &[&str]) {
    let file = lab.directory().join("clients/administrator-password");
    let password = std::fs::read_to_string(file).unwrap();
    let address = format!("postgres://dbdyno_admin:{password}@{place}");
    block_on(async {
        let (client, connection) = tokio_postgres::connect(&address, NoTls).await.unwrap();
        tokio::spawn(connection);
        for statement in statements {
            client.batch_execute(statement).await.unwrap();
        }
    });
}

/// Changes the rules of a server, which then reads them.
pub fn change_rules(lab: &Lab, number: usize, change: impl Fn(&str) -> String) {
    write_rules(lab, number, change);
    let server = &lab.servers()[number];
    let reads = || {
        let log = std::fs::read(&server.log).unwrap();
        let log = String::from_utf8_lossy(&log);
        log.matches("received SIGHUP, reloading configuration files")
            .count()
    };
    let before = reads();
    let process = server.process.id.to_string();
    let done = Command::new("kill").args(["-HUP", &process]).status();
    assert!(done.unwrap().success());
    // The process that writes this line accepts no connection before it has read the files.
    for _ in 0..6000 {
        if reads() > before {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("waited a minute for the server to read its rules");
}

/// Changes the file without a reload. Its time is set two seconds ahead, because the server compares whole seconds.
pub fn change_unread_rules(lab: &Lab, number: usize, change: impl Fn(&str) -> String) {
    let file = write_rules(lab, number, change);
    let file = File::options().append(true).open(file).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(2))
        .unwrap();
}

/// Returns the path of the file that was changed.
fn write_rules(lab: &Lab, number: usize, change: impl Fn(&str) -> String) -> PathBuf {
    let directory = &lab.servers()[number].directory;
    let places = ["pg_hba.conf", "data/pg_hba.conf"].map(|name| directory.join(name));
    let file = places.into_iter().find(|path| path.is_file()).unwrap();
    let rules = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, change(&rules)).unwrap();
    file
}

#[track_caller]
fn assert_found(lab: &Lab, expected: &[Expected]) -> AuditRecord {
    assert_audit_of(&PostgresAuditor, lab, expected)
}

#[test]
fn weak_passwords_and_rights_of_everybody_are_found() {
    let lab = start(&PostgresRecipe, "postgres?security=auth");
    let password = std::fs::read_to_string(lab.directory().join("clients/password")).unwrap();
    administrate(
        &lab,
        &[
            "SET password_encryption = 'md5'",
            &format!("ALTER ROLE dbdyno PASSWORD '{password}'"),
            "GRANT CREATE ON SCHEMA public TO PUBLIC",
            "GRANT pg_execute_server_program, pg_monitor TO dbdyno",
        ],
    );
    change_rules(&lab, 0, |rules| rules.replace("scram-sha-256", "md5"));
    assert_found(
        &lab,
        &[
            (Feature::Authentication, Partial, Some(Medium)),
            (Feature::PasswordStorage, Partial, Some(Medium)),
            (Feature::Authorization, Partial, Some(Medium)),
            (Feature::JmxAuthentication, Partial, Some(High)),
            (Feature::ProxyRoles, Partial, Some(Medium)),
        ],
    );
}

/// Rights that no attribute and no membership of a role shows.
#[test]
fn rights_that_were_granted_one_by_one_are_found() {
    let lab = start(&PostgresRecipe, "postgres?security=auth");
    let found = || {
        let mut request = request(&lab);
        request.only = vec![Feature::Authorization, Feature::JmxAuthentication];
        let record = audited(&PostgresAuditor, &request);
        [Feature::Authorization, Feature::JmxAuthentication].map(|feature| {
            let finding = record.finding(feature).unwrap();
            (finding.level, finding.severity)
        })
    };
    let (enforced, excess, grave) = ((Enforced, None), (Partial, Some(Medium)), (Partial, Some(High)));
    assert_eq!(found(), [enforced; 2]);
    administrate(&lab, &["CREATE DATABASE elsewhere"]);
    let hashes =
        "CREATE VIEW hashes AS SELECT rolname, rolpassword FROM pg_authid; GRANT SELECT ON hashes TO dbdyno";
    let definer = |path: &str| {
        format!(
            "CREATE FUNCTION run() RETURNS bigint LANGUAGE sql SECURITY DEFINER {path} AS 'SELECT count(*) FROM names'"
        )
    };
    let (open_path, path) = (
        definer("SET search_path = public"),
        definer("SET search_path = admin, pg_temp"),
    );
    let tables = "CREATE SCHEMA admin; CREATE TABLE admin.names (v int); CREATE TABLE public.names (v int)";
    administrate_in(&lab, "elsewhere", &[tables]);
    // In the application's database or in another one that it may enter; what undoes it; and what is found.
    for (database, grant, revoke, expected) in [
        (
            "dbdyno",
            "GRANT EXECUTE ON FUNCTION pg_read_binary_file(text) TO dbdyno",
            "REVOKE EXECUTE ON FUNCTION pg_read_binary_file(text) FROM dbdyno",
            [excess, excess],
        ),
        (
            "dbdyno",
            "GRANT EXECUTE ON FUNCTION lo_export(oid, text) TO dbdyno",
            "REVOKE EXECUTE ON FUNCTION lo_export(oid, text) FROM dbdyno",
            [excess, grave],
        ),
        (
            "elsewhere",
            "GRANT EXECUTE ON FUNCTION pg_read_file(text) TO dbdyno",
            "REVOKE EXECUTE ON FUNCTION pg_read_file(text) FROM dbdyno",
            [excess, excess],
        ),
        ("dbdyno", hashes, "DROP VIEW hashes", [excess, enforced]),
        ("elsewhere", hashes, "DROP VIEW hashes", [excess, enforced]),
        (
            "dbdyno",
            "GRANT SELECT ON pg_shadow TO dbdyno",
            "REVOKE SELECT ON pg_shadow FROM dbdyno",
            [excess, enforced],
        ),
        (
            "dbdyno",
            "CREATE VIEW names AS SELECT rolname FROM pg_authid; GRANT SELECT ON names TO dbdyno",
            "DROP VIEW names",
            [enforced; 2],
        ),
        // Functions of a superuser: the caller's temporary table stands for one of its own, or does not.
        ("elsewhere", &open_path, "DROP FUNCTION run()", [excess, excess]),
        ("elsewhere", &path, "DROP FUNCTION run()", [enforced; 2]),
        (
            "elsewhere",
            "CREATE FUNCTION run() RETURNS bigint LANGUAGE sql SECURITY DEFINER BEGIN ATOMIC SELECT count(*) FROM names; END",
            "DROP FUNCTION run()",
            [enforced; 2],
        ),
        (
            "elsewhere",
            "CREATE FUNCTION run(what text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS 'BEGIN EXECUTE what; END'",
            "DROP FUNCTION run(text)",
            [excess, excess],
        ),
    ] {
        administrate_in(&lab, database, &[grant]);
        assert_eq!(found(), expected, "{database}: {grant}");
        administrate_in(&lab, database, &[revoke]);
    }
}

/// One rule trusts the application, and no other name.
#[test]
fn trust_for_one_user_is_not_said_of_all() {
    let lab = start(&PostgresRecipe, "postgres?security=auth");
    change_rules(&lab, 0, |rules| {
        format!("host all dbdyno 127.0.0.1/32 trust\n{rules}")
    });
    let mut request = request(&lab);
    request.only = vec![Feature::Authentication, Feature::Authorization];
    let record = audited(&PostgresAuditor, &request);
    let authentication = record.finding(Feature::Authentication).unwrap();
    assert_eq!(
        (authentication.level, authentication.severity),
        (SupportedOff, Some(Critical))
    );
    assert!(
        authentication
            .summary
            .contains("other users are not let in this way"),
        "{}",
        authentication.summary
    );
    let authorization = record.finding(Feature::Authorization).unwrap();
    assert!(
        !authorization.summary.contains("Anyone may act as any user"),
        "{}",
        authorization.summary
    );
}

/// That a rule keeps the superuser out of a database shows nothing of its password.
#[test]
fn only_a_refused_password_shows_that_it_is_not_the_default() {
    let lab = start(&PostgresRecipe, "postgres?security=auth");
    let found = |request: &dbdyno_audit::Request| {
        let record = audited(&PostgresAuditor, request);
        record.finding(Feature::DefaultCredentials).unwrap().level
    };
    let mut request = request(&lab);
    request.only = vec![Feature::DefaultCredentials];
    assert_eq!(found(&request), Enforced);
    // Into the database of the application it may.
    change_rules(&lab, 0, |rules| {
        format!("host postgres postgres all reject\n{rules}")
    });
    assert_eq!(found(&request), Enforced);
    change_rules(&lab, 0, |rules| format!("host all postgres all reject\n{rules}"));
    assert_eq!(found(&request), Unknown);
    // What the audit was given itself may be the first guess.
    administrate(&lab, &["ALTER ROLE dbdyno PASSWORD 'dbdyno'"]);
    request.target = dbdyno_testkit::audit::with_login(&request.target, "dbdyno", "dbdyno");
    assert_eq!(found(&request), SupportedOff);
}

#[test]
fn a_password_in_clear_text_is_not_sent_and_found() {
    let lab = start(&PostgresRecipe, "postgres?security=auth");
    change_rules(&lab, 0, |rules| rules.replace("scram-sha-256", "password"));
    let record = assert_found(&lab, &[(Feature::Authentication, Partial, Some(High))]);
    // Nobody could log in without sending it.
    let rights = record.finding(Feature::Authorization).unwrap();
    assert_eq!(rights.level, Unknown);
    let mut request = request(&lab);
    request.only = vec![Feature::Injection];
    let record = audited(&PostgresAuditor, &request);
    let injection = record.finding(Feature::Injection).unwrap();
    assert!(
        injection.level == Unknown
            && injection
                .summary
                .starts_with("Not tried: the server asks for the password"),
        "{injection:?}"
    );
}

#[test]
fn a_rule_that_trusts_others_is_found_beside_one_that_asks() {
    let lab = start(&PostgresRecipe, "postgres?security=auth");
    change_rules(&lab, 0, |rules| {
        format!("host all dbdyno_admin 127.0.0.1/32 trust\n{rules}")
    });
    assert_found(&lab, &[(Feature::Authentication, Partial, Some(Critical))]);
}

#[test]
fn clear_text_beside_tls_is_found() {
    let lab = start(&PostgresRecipe, "postgres?nodes=2&security=hardened");
    change_rules(&lab, 0, |rules| {
        let open = rules
            .replace("hostssl", "host")
            .replace(" clientcert=verify-ca", "");
        format!("{rules}{open}")
    });
    assert_found(
        &lab,
        &[
            (Feature::ClientToNodeEncryption, Partial, Some(Medium)),
            (Feature::TransportEncryption, Enforced, None),
            (Feature::NodeToNodeEncryption, Partial, Some(Low)),
        ],
    );
}

#[test]
fn a_replica_with_weaker_rules_and_another_certificate_is_found() {
    let lab = start(&PostgresRecipe, "postgres?nodes=2&security=hardened");
    let certificates_seen = || {
        let record = assert_found(&lab, &[(Feature::TransportEncryption, Enforced, None)]);
        let summary = &record.finding(Feature::TransportEncryption).unwrap().summary;
        summary.contains("clients must show a certificate")
    };
    assert!(certificates_seen());
    let before = std::cell::RefCell::new(String::new());
    change_rules(&lab, 1, |rules| {
        rules.clone_into(&mut before.borrow_mut());
        rules.replace("clientcert=verify-ca", "")
    });
    assert!(!certificates_seen(), "the replica asks for none");
    change_rules(&lab, 1, |_| before.borrow().clone());

    change_rules(&lab, 1, |_| "host all all 127.0.0.1/32 trust\n".to_owned());
    assert_found(
        &lab,
        &[
            (Feature::Authentication, SupportedOff, Some(Critical)),
            (Feature::ClientToNodeEncryption, Partial, Some(Medium)),
        ],
    );
    // The certificate is that of an authority that clients do not know.
    let others = tempfile::tempdir().unwrap();
    certificates_of(others.path(), &["127.0.0.1"]);
    for file in ["server.pem", "server.key"] {
        let text = std::fs::read(others.path().join(file)).unwrap();
        // Written into the file that is there, which is the server's own.
        std::fs::write(lab.servers()[1].directory.join(file), text).unwrap();
    }
    change_rules(&lab, 1, str::to_owned);
    let record = assert_found(&lab, &[(Feature::TransportEncryption, Partial, Some(Medium))]);
    let summary = &record.finding(Feature::TransportEncryption).unwrap().summary;
    assert!(summary.contains("unlike other servers"), "{summary}");
}

#[test]
fn a_log_of_everything_is_found_with_the_passwords_in_it() {
    let lab = start(&PostgresRecipe, "postgres?security=auth");
    administrate(
        &lab,
        &[
            "ALTER SYSTEM SET log_connections = on",
            "ALTER SYSTEM SET log_statement = 'all'",
            "SELECT pg_reload_conf()",
        ],
    );
    let record = assert_found(&lab, &[(Feature::Auditing, Partial, Some(Low))]);
    let finding = record.finding(Feature::Auditing).unwrap();
    assert!(
        finding.summary.contains("reads are all") && finding.summary.contains("password"),
        "{}",
        finding.summary
    );
    // Of all other passwords that the audit sets, the log keeps verifiers only.
    let log = &lab.servers()[0].log;
    let before = std::fs::read(log).unwrap().len();
    assert_found(
        &lab,
        &[
            (Feature::Authorization, Enforced, None),
            (Feature::AuthenticationCaching, Partial, Some(Low)),
        ],
    );
    let written = std::fs::read(log).unwrap();
    let written = String::from_utf8_lossy(&written[before..]);
    let lines: Vec<&str> = written
        .lines()
        .filter(|line| line.contains("PASSWORD '"))
        .collect();
    for line in &lines {
        let mut passwords = line.split("PASSWORD '").skip(1);
        assert!(
            passwords.all(|password| password.starts_with("SCRAM-SHA-256$")),
            "{line}"
        );
    }
    for act in ["CREATE ROLE", "ALTER ROLE"] {
        assert!(lines.iter().any(|line| line.contains(act)), "{act}: {written}");
    }
}

#[test]
fn an_application_that_makes_no_tables_hides_no_files() {
    let lab = start(&PostgresRecipe, "postgres?security=auth");
    administrate(
        &lab,
        &[
            // Its owner makes tables in it, whatever is granted.
            "ALTER DATABASE dbdyno OWNER TO dbdyno_admin",
            "GRANT CONNECT ON DATABASE dbdyno TO dbdyno",
            "REVOKE CREATE ON SCHEMA public FROM dbdyno",
        ],
    );
    assert_stored_by_administrator(&PostgresAuditor, &lab, ALWAYS[0]);
}

/// Files beside the data, as distributions have them below /etc.
#[test]
fn a_key_that_every_account_may_read_and_rules_that_it_may_change_are_found() {
    let lab = start(&PostgresRecipe, "postgres?security=hardened");
    let files = ServerFiles::of(&PostgresAuditor, &lab);
    // Nobody else enters the directory.
    files.set_mode("server.key", 0o606);
    files.assert_severity(Low, "");
    files.set_mode("", 0o711);
    files.assert_severity(High, "server.key (mode 0606)");
    files.set_mode("server.key", 0o600);
    files.set_mode("pg_hba.conf", 0o604);
    files.assert_severity(Low, "");
    files.set_mode("server.key", 0o604);
    files.assert_severity(High, "server.key (mode 0604)");
    files.set_mode("server.key", 0o600);
    files.set_mode("pg_hba.conf", 0o602);
    files.assert_severity(High, "pg_hba.conf (mode 0602)");
}

#[test]
fn a_certificate_that_names_the_user_is_a_login() {
    let lab = start(&PostgresRecipe, "postgres?security=mtls");
    let (host, options) = lab.address().split_once('?').unwrap();
    let options = options.replace("tls_ca", "sslrootcert").replace("tls_", "ssl");
    let made = Command::new("psql")
        .arg(format!("{host}?sslmode=verify-ca&{options}"))
        .args([
            "--no-psqlrc",
            "--command",
            "CREATE ROLE client LOGIN; GRANT pg_read_all_settings, pg_read_server_files TO client; \
             GRANT SELECT ON pg_hba_file_rules TO client; \
             GRANT EXECUTE ON FUNCTION pg_hba_file_rules(), pg_stat_file(text) TO client",
        ])
        .status();
    assert!(made.unwrap().success());
    // The name in the certificate that the lab makes for clients.
    change_rules(&lab, 0, |_| "hostssl all all 127.0.0.1/32 cert\n".to_owned());
    let mut request = request(&lab);
    request.only = vec![
        Feature::Authentication,
        Feature::DefaultCredentials,
        Feature::PasswordStorage,
    ];
    request.target = target(&lab.address().replace("//postgres@", "//client@"));
    let record = audited(&PostgresAuditor, &request);
    for (feature, level) in [
        (Feature::Authentication, Enforced),
        // Without a certificate no password is looked at.
        (Feature::DefaultCredentials, Unknown),
        // Nobody with more rights could log in.
        (Feature::PasswordStorage, Unknown),
    ] {
        let finding = record.finding(feature).unwrap();
        assert_eq!(finding.level, level, "{finding:#?}");
    }

    // A rule of its own trusts this user with anybody's certificate, and without one.
    for (rule, level) in [("trust clientcert=verify-ca", Unknown), ("trust", SupportedOff)] {
        change_rules(&lab, 0, |_| {
            format!("hostssl all client 127.0.0.1/32 {rule}\nhostssl all all 127.0.0.1/32 scram-sha-256\n")
        });
        let record = audited(&PostgresAuditor, &request);
        let finding = record.finding(Feature::Authentication).unwrap();
        assert_eq!(finding.level, level, "{rule}: {finding:#?}");
    }
}

#[test]
fn leftovers_are_removed_and_a_trap_of_the_application_does_not_spring() {
    let lab = start(&PostgresRecipe, "postgres?security=auth");
    administrate(
        &lab,
        &[
            "CREATE ROLE dbdyno_audit_0123456789ab LOGIN",
            "CREATE SCHEMA dbdyno_audit_0123456789ab AUTHORIZATION dbdyno_audit_0123456789ab",
            "CREATE TABLE dbdyno_audit_0123456789ab.granted (v int)",
            "CREATE TABLE public.dbdyno_audit_0123456789ab_table (v int)",
            "GRANT SELECT ON public.dbdyno_audit_0123456789ab_table TO dbdyno_audit_0123456789ab",
            // A name with the prefix alone belongs to another user.
            "CREATE TABLE public.dbdyno_audit_mine (v int)",
            // It fits the audit's questions better than the server's own function, and does as its caller may.
            "CREATE FUNCTION public.\"left\"(name, int) RETURNS text LANGUAGE plpgsql AS \
             'BEGIN ALTER ROLE dbdyno SUPERUSER; RETURN substr($1::text, 1, $2); END'",
        ],
    );
    assert_found(&lab, &[(Feature::Authorization, Enforced, None)]);
    administrate(
        &lab,
        &[
            "SELECT 1 / (CASE WHEN EXISTS (SELECT FROM pg_roles WHERE rolname::text LIKE 'dbdyno_audit_0%') \
           OR EXISTS (SELECT FROM pg_namespace WHERE nspname::text LIKE 'dbdyno_audit_0%') \
           OR EXISTS (SELECT FROM pg_class WHERE relname::text LIKE 'dbdyno_audit_0%') THEN 0 ELSE 1 END)",
            "SELECT * FROM public.dbdyno_audit_mine",
        ],
    );
}

/// PostgreSQL counts clients before they log in: twice `max_connections` of them keep everybody out.
#[test]
fn a_server_whose_places_idle_clients_take_is_found() {
    let lab = start(&PostgresRecipe, "postgres?security=auth");
    assert_idle_connections(&PostgresAuditor, &lab, (Partial, Some(Medium)));
    let lab = start(&PostgresRecipe, "postgres?security=auth&connections=1200");
    assert_idle_connections(&PostgresAuditor, &lab, (Enforced, None));
}

#[test]
fn what_cannot_be_looked_for_is_said() {
    let lab = start(&PostgresRecipe, "postgres?security=auth");
    let mut request = request(&lab);
    request.administrator = None;
    assert_missed_only_if_made(&PostgresAuditor, request, Feature::EncryptionAtRest, &mut || {
        administrate(&lab, &["ALTER ROLE dbdyno NOLOGIN"]);
    });
}
