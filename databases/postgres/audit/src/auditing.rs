//! What the server writes down: acts are done, and then looked for in its log.

use std::time::Duration;

use dbdyno_audit::{Canary, ChannelError, Deadline, Scene, search, without_logs};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel, UnknownReason};

use crate::client::{administrator, as_user, session, try_entry, user};
use crate::entry::Who;
use crate::protocol::quoted;

const LOGGING: &str = "https://www.postgresql.org/docs/current/runtime-config-logging.html";
/// The server writes its log beside its answers.
const PATIENCE: Duration = Duration::from_secs(2);
const STEP: Duration = Duration::from_millis(100);

/// The acts, each with what ends its name in the log.
const ACTS: [(&str, &str); 4] = [
    ("refused logins", "_login"),
    ("logins", "_session"),
    ("changes of tables", "_table"),
    ("reads", "_read"),
];

/// Does each act under a name of its own, and looks for the names in the log.
pub fn auditing(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::Auditing;
    if let Some(finding) = without_logs(scene) {
        return finding;
    }
    let secret = Canary::new();
    let own = match act(scene, &secret) {
        Ok(own) => own,
        Err(error) => {
            return AuditFinding::unknown(
                feature,
                UnknownReason::NoPrivilege,
                format!("The acts that should be logged could not be performed: {error}."),
            );
        }
    };
    note_settings(scene);
    let found = match written(scene, &own) {
        Ok(found) => found,
        Err(why) => return AuditFinding::unknown(feature, UnknownReason::NoFileAccess, why),
    };
    let names = |wanted: bool| -> Vec<&str> {
        let pairs = ACTS.iter().zip(found);
        pairs
            .filter(|(_, found)| *found == wanted)
            .map(|((name, _), _)| *name)
            .collect()
    };
    scene.note(
        "postgres.log",
        "the names of the acts, looked for in the server's log",
        format!(
            "found: {}; not found: {}",
            names(true).join(", "),
            names(false).join(", ")
        ),
    );
    let has_password = !search(&scene.place.logs, secret.text()).files.is_empty();
    scene.note(
        "postgres.log",
        "the password of CREATE ROLE, looked for in the server's log",
        if has_password { "found" } else { "not found" },
    );
    let finding = judge(found, &names(true).join(", "), &names(false).join(", "));
    if has_password {
        with_passwords(finding)
    } else {
        finding
    }
    .see(LOGGING)
}

/// The finding for a log that also keeps passwords.
fn with_passwords(mut finding: AuditFinding) -> AuditFinding {
    const FIX: &str =
        "set passwords with \\password of psql, which sends the hash, and keep the log to administrators";
    finding
        .summary
        .push_str(" A password that is set by CREATE ROLE is in the log in clear text.");
    finding.fix = match finding.level {
        ProtectionLevel::Enforced => FIX.to_owned(),
        _ => format!("{}; {FIX}", finding.fix),
    };
    finding.severity = finding.severity.max(Some(AuditSeverity::Low));
    finding.level = ProtectionLevel::Partial;
    finding
}

fn judge(found: [bool; 4], written: &str, missing: &str) -> AuditFinding {
    let feature = Feature::Auditing;
    match found {
        [true, true, true, true] => AuditFinding::enforced(
            feature,
            "Logins, refused logins, changes of tables and reads are all in the server's log.",
        ),
        [false, false, false, false] => AuditFinding::off(
            feature,
            "The server's log contains none of the audited acts.",
        )
        .mend(
            AuditSeverity::Medium,
            "log_min_messages = warning, log_connections = on, log_disconnections = on, log_statement = ddl",
        ),
        [true, true, true, false] => AuditFinding::partial(
            feature,
            format!("The server's log contains {written}, but not {missing}."),
        )
        .mend(
            AuditSeverity::Low,
            "the extension pgaudit (shared_preload_libraries = 'pgaudit', pgaudit.log = 'read, write, role, ddl') where reads and writes must be known",
        ),
        _ => AuditFinding::partial(
            feature,
            format!("The server's log contains {written}, but not {missing}."),
        )
        .mend(
            AuditSeverity::Medium,
            "log_connections = on, log_disconnections = on, log_statement = ddl; the extension pgaudit for more",
        ),
    }
}

/// Does each act; returns how the names of all of them begin.
fn act(scene: &mut Scene<'_>, secret: &Canary) -> Result<String, ChannelError> {
    let mut managing = administrator(scene)?;
    let own = scene.own_name().to_owned();
    let nobody = format!("{own}_login");
    let refused = try_entry(scene, &managing.host, as_user(scene, &nobody), Some(&own))?;
    scene.note(
        "postgres.audited-act",
        "a login as a user that does not exist",
        refused.shown(),
    );
    let application = format!("{own}_session");
    let remote = scene.administrator.unwrap_or(scene.remote);
    let who = Who {
        application: &application,
        ..as_user(scene, user(remote))
    };
    let password = remote.password.as_ref().map(|password| password.reveal());
    session(scene, &managing.host, who, password)?;
    let table = format!("public.{}", quoted(&format!("{own}_table")));
    managing.must(&format!("CREATE TABLE {table} (v int)"))?;
    // Without the table's name, which would then be in the log for the read alone.
    managing.must(&format!("SELECT 1 AS {}", quoted(&format!("{own}_read"))))?;
    managing.must(&format!("DROP TABLE {table}"))?;
    // Who may not make roles sets no passwords either.
    let role = quoted(&format!("{own}_role"));
    managing.ask(&format!("CREATE ROLE {role} PASSWORD '{}'", secret.text()))?;
    managing.must(&format!("DROP ROLE IF EXISTS {role}")).map(|_| own)
}

/// What the server says of itself; the level does not rest on it.
fn note_settings(scene: &mut Scene<'_>) {
    let sql = "SELECT string_agg(name || ' ' || setting, ', ' ORDER BY name) FROM pg_catalog.pg_settings \
               WHERE name IN ('log_connections', 'log_disconnections', 'log_statement', 'shared_preload_libraries', 'pgaudit.log')";
    let answer = administrator(scene).and_then(|mut session| session.ask(sql));
    let got = answer.map(|answer| answer.shown());
    scene.note_outcome("postgres.settings", "settings of the log", &got);
}

/// Which of the acts are in the log.
fn written(scene: &Scene<'_>, own: &str) -> Result<[bool; 4], String> {
    let deadline = Deadline::within(PATIENCE);
    loop {
        let mut found = [false; 4];
        for (found, (_, end)) in found.iter_mut().zip(ACTS) {
            let seen = search(&scene.place.logs, &format!("{own}{end}"));
            if seen.files.is_empty()
                && let Some(unread) = seen.unread.first()
            {
                return Err(format!("The server's log could not be read: {unread}."));
            }
            *found = !seen.files.is_empty();
        }
        if found == [true; 4] || deadline.left().is_none() {
            return Ok(found);
        }
        std::thread::sleep(STEP);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_is_written_down_the_less_it_matters() {
        let of = |found| {
            let finding = judge(found, "", "");
            (finding.level, finding.severity)
        };
        use ProtectionLevel::{Enforced, Partial, SupportedOff};
        assert_eq!(of([true; 4]), (Enforced, None));
        assert_eq!(of([true, true, true, false]), (Partial, Some(AuditSeverity::Low)));
        assert_eq!(
            of([true, false, false, false]),
            (Partial, Some(AuditSeverity::Medium))
        );
        assert_eq!(of([false; 4]), (SupportedOff, Some(AuditSeverity::Medium)));
        let finding = with_passwords(judge([true; 4], "", ""));
        assert_eq!(
            (finding.level, finding.severity),
            (Partial, Some(AuditSeverity::Low))
        );
        assert!(!finding.fix.is_empty());
    }
}
