//! Security events that are written down: acts of the audit's own, looked for in the logs.

use std::path::PathBuf;
use std::time::Duration;

use dbdyno_audit::{Deadline, Scene, search};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel, UnknownReason};

use crate::client::{administrator, must, open, setting, try_login};
use crate::cql::query;

const AUDIT_LOG: &str =
    "https://cassandra.apache.org/doc/latest/cassandra/managing/operating/auditlogging.html";
const FIX: &str =
    "audit_logging_options: enabled: true, logger: - class_name: FileAuditLogger (or BinAuditLogger)";
/// How long an event may take to its file.
const WRITTEN: Duration = Duration::from_secs(3);

/// A refused login, and a new role, must be found in the logs.
pub fn auditing(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::Auditing;
    let refused = format!("{}_nobody", scene.own_name);
    let made = format!("{}_audited", scene.own_name);
    refuse(scene, &refused);
    let was_made = make(scene, &made);
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
    let has_refusal = is_written(&logs, &refused);
    let has_role = was_made.then(|| is_written(&logs, &made));
    // A password in a log is one that everybody has who reads logs.
    let has_password = was_made && is_there(&logs, &password_of(&made));
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
        AuditFinding::new(
            feature,
            ProtectionLevel::Partial,
            "The log holds passwords of new users in clear text.",
        )
        .mend(
            AuditSeverity::Medium,
            "a release that masks them (4.0.4 and later), and logs that only administrators read",
        )
    } else {
        of_acts(has_refusal, has_role, is_on)
    };
    finding.see(AUDIT_LOG)
}

/// What the role of that name has as a password, for a moment and without the right to log in.
fn password_of(role: &str) -> String {
    format!("{role}_secret")
}

fn of_acts(has_refusal: bool, has_role: Option<bool>, is_on: Option<bool>) -> AuditFinding {
    let feature = Feature::Auditing;
    match (has_refusal, has_role) {
        (true, Some(true)) => AuditFinding::new(
            feature,
            ProtectionLevel::Enforced,
            "A refused request and a change of users are in the audit log.",
        ),
        (true, None) => AuditFinding::unknown(
            feature,
            UnknownReason::NoPrivilege,
            "A refused request is in the audit log; whether changes of users are was not seen without an administrator.",
        ),
        (true, Some(false)) => AuditFinding::new(
            feature,
            ProtectionLevel::Partial,
            "A refused request is in the audit log, a change of users is not.",
        )
        .mend(
            AuditSeverity::Low,
            "audit_logging_options: included_categories: AUTH,DCL,DDL,ERROR",
        ),
        (false, Some(true)) => AuditFinding::new(
            feature,
            ProtectionLevel::Partial,
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
        (false, _) => AuditFinding::new(
            feature,
            ProtectionLevel::SupportedOff,
            "Nobody learns of refused logins and changed users: they are written down nowhere.",
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
        Some(false) => AuditFinding::new(
            feature,
            ProtectionLevel::SupportedOff,
            "The server says that it writes no audit log.",
        )
        .mend(AuditSeverity::Medium, FIX),
        None => AuditFinding::unknown(
            feature,
            UnknownReason::NoFileAccess,
            "The server's logs were not given, and its settings may not be read by this login.",
        ),
    }
}

/// A login that is refused; where none is asked for, a statement that fails.
fn refuse(scene: &mut Scene<'_>, name: &str) {
    let got = match try_login(scene, name, "no-password-of-anybody") {
        Ok(Some(answer)) => Ok(answer),
        Ok(None) => open(scene, scene.remote).and_then(|mut channel| {
            crate::cql::start(&mut channel)?;
            query(&mut channel, &format!("SELECT * FROM {name}.nothing"))
        }),
        Err(error) => Err(error),
    };
    scene.note_outcome(
        "cassandra.audited-act",
        "a login of a user that does not exist, or without logins a read of a table that does not",
        &got.map(|answer| answer.shown()),
    );
}

/// A role that is made and removed; whether it could be.
fn make(scene: &mut Scene<'_>, name: &str) -> bool {
    let made = administrator(scene).and_then(|mut channel| {
        let create = format!("CREATE ROLE {name} WITH PASSWORD = '{}'", password_of(name));
        let made = must(&mut channel, &create)?;
        query(&mut channel, &format!("DROP ROLE IF EXISTS {name}")).ok();
        Ok(made)
    });
    let is_made = made.is_ok();
    scene.note_outcome(
        "cassandra.audited-act",
        "CREATE ROLE with a password, then DROP ROLE",
        &made.map(|answer| answer.shown()),
    );
    is_made
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

/// Waits for it.
fn is_written(logs: &[PathBuf], name: &str) -> bool {
    let deadline = Deadline::within(WRITTEN);
    loop {
        if is_there(logs, name) {
            return true;
        }
        if deadline.left().is_none() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
                of_acts(refusal, role, is_on).level,
                expected,
                "{refusal} {role:?} {is_on:?}"
            );
        }
    }
}
