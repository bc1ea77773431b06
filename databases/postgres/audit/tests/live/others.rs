//! Servers of the lab where the user of the address is served well, and others are not; and rights that come from other roles.

use std::time::Duration;

use dbdyno_audit_postgres::PostgresAuditor;
use dbdyno_lab::Lab;
use dbdyno_record::audit::{AuditRecord, AuditSeverity, Feature, ProtectionLevel};
use dbdyno_server_postgres::PostgresRecipe;
use dbdyno_testkit::audit::{Expected, audited, request};
use dbdyno_testkit::live::start;

use AuditSeverity::{Critical, High, Low, Medium};
use ProtectionLevel::{Enforced, Partial, Unknown};

use crate::planted::{administrate, change_rules, change_unread_rules};

/// An audit that waits less, so that one server can be audited in several states.
#[track_caller]
fn assert_state(lab: &Lab, sees_rules: bool, expected: &[Expected]) -> AuditRecord {
    let mut request = request(lab);
    request.patience = Duration::from_secs(2);
    request.only = expected.iter().map(|(feature, ..)| *feature).collect();
    if !sees_rules {
        request.administrator = None;
    }
    let record = audited(&PostgresAuditor, &request);
    for (feature, level, severity) in expected {
        let finding = record.finding(*feature).unwrap();
        let seen = (finding.level, finding.severity);
        assert_eq!(seen, (*level, *severity), "{finding:#?}");
    }
    record
}

#[test]
fn rights_by_membership_are_found() {
    let lab = start(&PostgresRecipe, "postgres?security=auth");
    let (authorization, machine) = (Feature::Authorization, Feature::JmxAuthentication);
    let (proxy, medium) = (Feature::ProxyRoles, Some(Medium));
    let states: [(&str, &[Expected]); 6] = [
        (
            "CREATE ROLE zz_dba SUPERUSER; GRANT zz_dba TO dbdyno",
            &[
                (authorization, Partial, Some(High)),
                (machine, Partial, Some(High)),
                (proxy, Partial, medium),
            ],
        ),
        (
            "DROP ROLE zz_dba; GRANT pg_read_all_data TO dbdyno",
            &[
                (authorization, Partial, medium),
                (machine, Enforced, None),
                (proxy, Partial, medium),
            ],
        ),
        (
            "REVOKE pg_read_all_data FROM dbdyno; ALTER ROLE dbdyno CREATEROLE",
            &[
                (authorization, Partial, Some(High)),
                (machine, Partial, Some(High)),
            ],
        ),
        (
            "ALTER ROLE dbdyno NOCREATEROLE; \
             CREATE FUNCTION public.become(text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog \
             AS 'BEGIN EXECUTE $1; END'",
            &[
                (authorization, Partial, medium),
                (machine, Partial, medium),
                (proxy, Partial, medium),
            ],
        ),
        (
            "DROP FUNCTION public.become(text); \
             CREATE FUNCTION public.hidden() RETURNS void LANGUAGE internal SECURITY DEFINER AS 'pg_notify'",
            &[
                (authorization, Unknown, None),
                (machine, Unknown, None),
                (proxy, Unknown, None),
            ],
        ),
        (
            "DROP FUNCTION public.hidden(); \
             CREATE FUNCTION public.now() RETURNS int LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS 'SELECT 1'",
            &[
                (authorization, Enforced, None),
                (machine, Enforced, None),
                (proxy, Enforced, None),
            ],
        ),
    ];
    for (statements, expected) in states {
        administrate(&lab, &[statements]);
        let record = assert_state(&lab, true, expected);
        for finding in expected.iter().filter(|finding| finding.1 == Enforced) {
            let summary = &record.finding(finding.0).unwrap().summary;
            assert!(
                summary.contains("tried") && summary.contains("SECURITY DEFINER"),
                "{summary}"
            );
        }
    }
}

#[test]
fn what_holds_for_others_is_found_or_unknown() {
    let lab = start(&PostgresRecipe, "postgres?security=auth");
    let assert_login = |sees_rules, level, severity, machine, machine_severity| {
        let expected = [
            (Feature::Authentication, level, severity),
            (Feature::JmxAuthentication, machine, machine_severity),
        ];
        assert_state(&lab, sees_rules, &expected);
    };
    assert_login(false, Unknown, None, Unknown, None);
    administrate(&lab, &["CREATE DATABASE trustdb"]);
    let trusting = "host trustdb all 127.0.0.1/32 trust\n";
    let elsewhere = "host elsewhere all 192.0.2.0/24 trust\n";
    change_rules(&lab, 0, |rules| format!("{trusting}{rules}"));
    assert_login(false, Partial, Some(Critical), Partial, Some(High));
    // The file is repaired, and the server has not read it: what it does counts.
    change_unread_rules(&lab, 0, |rules| rules.replace(trusting, ""));
    assert_login(true, Partial, Some(Critical), Partial, Some(High));
    change_rules(&lab, 0, |rules| format!("{elsewhere}{rules}"));
    assert_login(true, Partial, Some(High), Partial, Some(High));
    change_unread_rules(&lab, 0, |rules| rules.replace(elsewhere, ""));
    assert_login(true, Unknown, None, Unknown, None);
}

/// It is asked of another user, for a password that its rule has it send in clear text.
#[test]
fn a_password_in_clear_text_of_others_is_found() {
    let lab = start(&PostgresRecipe, "postgres?security=auth");
    change_rules(&lab, 0, |rules| {
        format!("{rules}host trustdb report 192.0.2.0/24 password\n")
    });
    assert_state(&lab, true, &[(Feature::Authentication, Partial, Some(High))]);
}

#[test]
fn clear_text_for_others_is_found() {
    let lab = start(&PostgresRecipe, "postgres?security=hardened");
    let feature = Feature::ClientToNodeEncryption;
    assert_state(&lab, true, &[(feature, Enforced, None)]);
    let record = assert_state(&lab, false, &[(feature, Unknown, None)]);
    let summary = &record.finding(feature).unwrap().summary;
    assert!(summary.contains("The rules of other users"), "{summary}");
    let found = [(feature, Partial, Some(Medium))];
    for line in [
        "host trustdb report 192.0.2.0/24 password",
        "host replication dbdyno_replication 127.0.0.1/32 scram-sha-256",
    ] {
        change_rules(&lab, 0, |rules| format!("{rules}{line}\n"));
        assert_state(&lab, true, &found);
        change_rules(&lab, 0, |rules| rules.replace(line, "# none"));
    }
}

/// A server that knows no rule for a user refuses it in clear text and over TLS alike.
#[test]
fn who_is_refused_over_tls_as_well_shows_nothing_about_clear_text() {
    let lab = start(&PostgresRecipe, "postgres?security=tls");
    let feature = Feature::ClientToNodeEncryption;
    change_rules(&lab, 0, |_| "host app app all scram-sha-256\n".to_owned());
    let record = assert_state(&lab, false, &[(feature, Unknown, None)]);
    let summary = &record.finding(feature).unwrap().summary;
    assert!(summary.contains("let on over TLS"), "{summary}");
}

/// The replica comes from an address from which the audit does not.
#[test]
fn clear_text_for_replicas_elsewhere_is_found() {
    let lab = start(&PostgresRecipe, "postgres?nodes=2&security=hardened");
    let feature = Feature::NodeToNodeEncryption;
    assert_state(&lab, true, &[(feature, Enforced, None)]);
    let line = "host replication dbdyno_replication 192.0.2.7/32 scram-sha-256";
    change_rules(&lab, 0, |rules| format!("{rules}{line}\n"));
    assert_state(&lab, true, &[(feature, Partial, Some(Low))]);
}
