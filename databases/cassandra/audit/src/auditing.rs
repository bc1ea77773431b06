//! Security events that are written down: acts of the audit's own, looked for in the logs.

use std::path::PathBuf;
use std::time::Duration;

use dbdyno_audit::{Deadline, Scene, search};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

use crate::client::{administrator, must, open, setting, try_login};
use crate::cql::{BAD_CREDENTIALS, INVALID, UNAUTHORIZED, query};

const AUDIT_LOG: &str =
    "https://cassandra.apache.org/doc/latest/cassandra/managing/operating/auditlogging.html";
const FIX: &str =
    "audit_logging_options: enabled: true, logger: - class_name: FileAuditLogger (or BinAuditLogger)";
/// How long an event may take to its file.
const WRITTEN: Duration = Duration::from_secs(3);

/// A refused login, and a new role, must be found in the logs.
pub fn auditing(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::Auditing;
    let refused = format!("{}_nobody", scene.unused_name());
    let is_refused = refuse(scene, &refused);
    let made = make(scene);
    let says = administrator(scene).ok().and_then(|mut channel| {
        setting(
            &mut channel,
            &["audit_logging_options.enabled", "audit_logging_options_enabled"],
        )
    });
    let shown = says.clone().unwrap_or_else(|| "not seen".to_owned());
    scene.note(
        "cassandra.audit-setting",
        "the setting audit_logging_options.enabled",
        shown,
    );
    let is_on = says.map(|value| value == "true");
    if scene.place.logs.is_empty() {
        return by_setting(is_on).see(AUDIT_LOG);
    }
    let logs = logs(scene);
    let mut unread = Vec::new();
    let has_refusal = is_written(&logs, &refused, &mut unread);
    let has_role = made.as_ref().map(|made| is_written(&logs, made, &mut unread));
    // A password in a log is one that everybody has who reads logs.
    let has_password = made
        .as_ref()
        .is_some_and(|made| is_there(&logs, &password_of(made)));
    let words = |found: bool| if found { "found" } else { "not found" };
    scene.note(
        "cassandra.audit-log",
        "both acts, looked for in the logs",
        format!(
            "the refusal {}, the new role {}, its password {}",
            words(has_refusal),
            has_role.map_or("not tried", words),
            words(has_password)
        ),
    );
    let finding = if has_password {
        AuditFinding::partial(feature, "The log holds passwords of new users in clear text.").mend(
            AuditSeverity::Medium,
            "a release that masks them (4.0.4 and later), and logs that only administrators read",
        )
    } else if let Err((reason, why)) = is_refused {
        AuditFinding::unknown(feature, reason, why)
    } else {
        of_acts(has_refusal, has_role, is_on, unread.first())
    };
    finding.see(AUDIT_LOG)
}

/// What the role of that name has as a password, for a moment and without the right to log in.
fn password_of(role: &str) -> String {
    format!("{role}_secret")
}

/// `unread`: a log that could not be read, in which an act that was not found may be.
fn of_acts(
    has_refusal: bool,
    has_role: Option<bool>,
    is_on: Option<bool>,
    unread: Option<&String>,
) -> AuditFinding {
    let feature = Feature::Auditing;
    if let Some(unread) = unread
        && !(has_refusal && has_role == Some(true))
    {
        return AuditFinding::unknown(
            feature,
            UnknownReason::NoFileAccess,
            format!("Not every log could be read: {unread}."),
        );
    }
    match (has_refusal, has_role) {
        (true, Some(true)) => AuditFinding::enforced(
            feature,
            "A refused request and a change of users are in the audit log.",
        ),
        (true, None) => AuditFinding::unknown(
            feature,
            UnknownReason::NoPrivilege,
            "A refused request is in the audit log; whether changes of users are there too is unknown without an administrator.",
        ),
        (true, Some(false)) => AuditFinding::partial(
            feature,
            "A refused request is in the audit log, a change of users is not.",
        )
        .mend(
            AuditSeverity::Low,
            "audit_logging_options: included_categories: AUTH,DCL,DDL,ERROR",
        ),
        (false, Some(true)) => AuditFinding::partial(
            feature,
            "A change of users is in the audit log, a refused request is not.",
        )
        .mend(
            AuditSeverity::Low,
            "audit_logging_options: included_categories: AUTH,DCL,DDL,ERROR",
        ),
        (false, _) if is_on == Some(true) => AuditFinding::unknown(
            feature,
            UnknownReason::NoFileAccess,
            "The server says that it writes an audit log; the acts are not in the logs that were given.",
        ),
        (false, _) => AuditFinding::off(
            feature,
            "Refused logins and changes of users are not logged anywhere.",
        )
        .mend(AuditSeverity::Medium, FIX),
    }
}

/// Without the logs only the server's word is left, which shows that nothing is written and never that something is.
fn by_setting(is_on: Option<bool>) -> AuditFinding {
    let feature = Feature::Auditing;
    match is_on {
        Some(true) => AuditFinding::unknown(
            feature,
            UnknownReason::NoFileAccess,
            "The server says that it writes an audit log; its logs were not given.",
        ),
        Some(false) => AuditFinding::off(feature, "The server says that it writes no audit log.")
            .mend(AuditSeverity::Medium, FIX),
        None => AuditFinding::unknown(
            feature,
            UnknownReason::NoFileAccess,
            "The server's logs were not given, and its settings may not be read by this login.",
        ),
    }
}

/// A login that is refused; where none is asked for, a statement that fails. Why there is none, where the server answers otherwise.
fn refuse(scene: &mut Scene<'_>, name: &str) -> Result<(), (UnknownReason, String)> {
    let got = match try_login(scene, name, "no-password-of-anybody") {
        Ok(Some(answer)) => Ok((answer.is_error(BAD_CREDENTIALS), answer)),
        Ok(None) => open(scene, scene.remote).and_then(|mut channel| {
            crate::cql::start(&mut channel)?;
            let answer = query(&mut channel, &format!("SELECT * FROM {name}.nothing"))?;
            let is_refused = answer.is_error(INVALID) || answer.is_error(UNAUTHORIZED);
            Ok((is_refused, answer))
        }),
        Err(error) => Err(error),
    };
    scene.note_outcome(
        "cassandra.audited-act",
        "a login of a user that does not exist, or without logins a read of a table that does not",
        &got.clone().map(|(_, answer)| answer.shown()),
    );
    match got {
        Ok((true, _)) => Ok(()),
        Ok((false, answer)) => Err((
            UnknownReason::Unexpected,
            format!(
                "A request that must be refused was answered with {}; whether refused requests are logged is unknown.",
                answer.shown()
            ),
        )),
        Err(error) => Err((
            UnknownReason::Unreachable,
            format!("No request could be refused, so whether they are logged is unknown: {error}."),
        )),
    }
}

/// A role that is made and removed; its name, if it could be.
fn make(scene: &mut Scene<'_>) -> Option<String> {
    let made = administrator(scene).and_then(|mut channel| {
        let name = format!("{}_audited", scene.own_name());
        let create = format!("CREATE ROLE {name} WITH PASSWORD = '{}'", password_of(&name));
        let answer = must(&mut channel, &create)?;
        query(&mut channel, &format!("DROP ROLE IF EXISTS {name}")).ok();
        Ok((name, answer.shown()))
    });
    scene.note_outcome(
        "cassandra.audited-act",
        "CREATE ROLE with a password, then DROP ROLE",
        &made.clone().map(|(_, shown)| shown),
    );
    made.ok().map(|(name, _)| name)
}

/// The logs, and the directories that BinAuditLogger writes to by default. No other file of data: roles are data, too.
fn logs(scene: &Scene<'_>) -> Vec<PathBuf> {
    let audit = scene.place.data.iter().map(|place| place.join("audit"));
    let audit = audit.filter(|place| place.is_dir());
    scene.place.logs.iter().cloned().chain(audit).collect()
}

fn is_there(logs: &[PathBuf], text: &str) -> bool {
    !search(logs, text).files.is_empty()
}

/// Waits for it. Where it is not found, what could not be read of the logs comes into the list.
fn is_written(logs: &[PathBuf], name: &str, unread: &mut Vec<String>) -> bool {
    let deadline = Deadline::within(WRITTEN);
    loop {
        let seen = search(logs, name);
        if !seen.files.is_empty() {
            return true;
        }
        if deadline.left().is_none() {
            if seen.bytes == 0 {
                unread.push("there is nothing in the logs that were given".to_owned());
            }
            unread.extend(seen.unread);
            return false;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_record::audit::ProtectionLevel;

    use super::*;

    #[test]
    fn a_log_that_cannot_be_read_is_named() {
        let place = tempfile::tempdir().unwrap();
        let (log, missing) = (place.path().join("log"), place.path().join("missing"));
        std::fs::write(&log, "a line about app").unwrap();
        let mut unread = Vec::new();
        assert!(is_written(&[log.clone(), missing.clone()], "app", &mut unread));
        assert!(unread.is_empty(), "{unread:?}");
        assert!(!is_written(&[log.clone(), missing], "nobody", &mut unread));
        assert!(unread[0].contains("missing"), "{unread:?}");
        unread.clear();
        assert!(!is_written(&[log], "nobody", &mut unread) && unread.is_empty());
    }

    #[test]
    fn the_servers_word_alone_shows_no_audit_log() {
        assert_eq!(by_setting(Some(true)).level, ProtectionLevel::Unknown);
        assert_eq!(by_setting(Some(false)).level, ProtectionLevel::SupportedOff);
        assert_eq!(by_setting(None).level, ProtectionLevel::Unknown);
        let cases = [
            (true, Some(true), None, ProtectionLevel::Enforced),
            (true, Some(false), Some(true), ProtectionLevel::Partial),
            (false, Some(true), Some(true), ProtectionLevel::Partial),
            (true, None, Some(true), ProtectionLevel::Unknown),
            (false, Some(false), Some(true), ProtectionLevel::Unknown),
            (false, Some(false), Some(false), ProtectionLevel::SupportedOff),
            (false, None, None, ProtectionLevel::SupportedOff),
        ];
        for (refusal, role, is_on, expected) in cases {
            assert_eq!(
                of_acts(refusal, role, is_on, None).level,
                expected,
                "{refusal} {role:?} {is_on:?}"
            );
            // What is not in the logs that could be read may be in the others.
            let unread = of_acts(refusal, role, is_on, Some(&"audit.log".to_owned())).level;
            let is_seen = expected == ProtectionLevel::Enforced;
            assert_eq!(
                unread,
                if is_seen {
                    expected
                } else {
                    ProtectionLevel::Unknown
                }
            );
        }
    }
}
