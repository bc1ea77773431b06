//! Whether logins, changes of tables and accesses are found in the servers' logs after they happened.

use std::path::PathBuf;
use std::time::Duration;

use dbdyno_audit::{ChannelError, Scene, without_logs};
use dbdyno_driver::Driver;
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel, UnknownReason};

use crate::driven::{connected, managing, own_table};
use crate::logs::count;
use crate::ports::{ask, open, servers};
use crate::rpc::wrong_ticket;

const LOGS: &str = "https://hbase.apache.org/book.html#hbase.secure.configuration";
const FIX: &str = "log4j: SecurityLogger at INFO, and SecurityLogger.org.apache.hadoop.hbase.security.access.AccessController at TRACE, into a file of its own";
/// How often it is looked for, and the time between: logs are written behind the answer.
const TRIES: u32 = 12;
const STEP: Duration = Duration::from_millis(250);

/// The words of a line that says that a login was refused, and that a name was taken on trust.
const REFUSED: &str = "Auth failed for";
const CONNECTED: &str = "Connection from";
/// The words of a line about a change of a table, and about an access.
const CHANGED: &str = "Client=";
const ACCESS: &str = "AccessController";

/// The acts, and whether each was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Found {
    login: bool,
    change: bool,
    access: bool,
}

/// Does what must be written down, then looks for it.
pub fn auditing(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::Auditing;
    if let Some(finding) = without_logs(scene) {
        return finding.see(LOGS);
    }
    let ([before], _) = count(&scene.place.logs, [&[REFUSED]]);
    let mut has_tried_login = false;
    for host in servers(scene).all() {
        let named = ask(scene, &|| open(scene, scene.remote, &host)).map(|(_, answer)| answer.shown());
        scene.note_outcome(
            "hbase.audited-login",
            format!("a login under a made-up name at {host}"),
            &named,
        );
        let ticket = open(scene, scene.remote, &host).and_then(|mut channel| wrong_ticket(&mut channel));
        let got = ticket.map(|ticket| format!("{ticket:?}"));
        scene.note_outcome(
            "hbase.audited-login",
            format!("an invalid ticket at {host}"),
            &got,
        );
        let is_heard = |error: &ChannelError| error.is_from_server();
        has_tried_login |=
            named.as_ref().err().is_none_or(is_heard) || got.as_ref().err().is_none_or(is_heard);
    }
    let changed = connected(scene, managing(scene), async |driver| {
        let table = own_table(scene);
        driver.create_table(&table).await?;
        driver.session(&table).await.map(drop)?;
        driver.drop_table(&table).await
    });
    let got = changed
        .as_ref()
        .map_or_else(|error| error.message.clone(), |()| "done".to_owned());
    scene.note("hbase.audited-change", "a table made and dropped", got);
    let name = scene.unused_name().to_owned();
    let (mut found, mut unread) = (Found::default(), Vec::new());
    for _ in 0..TRIES {
        (found, unread) = written(&scene.place.logs, &name, before);
        if found.login && found.change {
            break;
        }
        std::thread::sleep(STEP);
    }
    let word = |found: bool| if found { "found" } else { "not found" };
    scene.note(
        "files.log",
        "the acts, looked for in the servers' logs",
        format!(
            "login {}; change of a table {}; decision about an access {}",
            word(found.login),
            word(found.change),
            word(found.access)
        ),
    );
    if !unread.is_empty() {
        scene.note("files.log", "logs that could not be read", unread.join("; "));
    }
    match changed {
        Err(error) if !found.change => AuditFinding::unknown(
            feature,
            UnknownReason::NoPrivilege,
            format!(
                "No table could be created, so there was nothing to log: {}.",
                error.message
            ),
        ),
        _ if !found.login && !has_tried_login => AuditFinding::unknown(
            feature,
            UnknownReason::Unreachable,
            "No server was reached to log in to, so there was no login to log.",
        ),
        _ => judge(found, &unread),
    }
    .see(LOGS)
}

/// Which acts are in the logs, and what of the logs could not be read.
fn written(logs: &[PathBuf], name: &str, refused_before: usize) -> (Found, Vec<String>) {
    let ([refused, connected, changes, accesses], unread) = count(
        logs,
        [
            &[REFUSED],
            &[CONNECTED, name],
            &[CHANGED, name],
            &[ACCESS, "Access ", name],
        ],
    );
    let found = Found {
        login: refused > refused_before || connected > 0,
        change: changes > 0,
        access: accesses > 0,
    };
    (found, unread)
}

/// What is missing may stand where it could not be read.
fn judge(found: Found, unread: &[String]) -> AuditFinding {
    let acts = [
        (found.login, "logins"),
        (found.change, "changes of tables"),
        (found.access, "decisions about accesses"),
    ];
    let missing: Vec<&str> = acts
        .iter()
        .filter(|(found, _)| !found)
        .map(|(_, act)| *act)
        .collect();
    if let Some(first) = unread.first()
        && !missing.is_empty()
    {
        return AuditFinding::unknown(
            Feature::Auditing,
            UnknownReason::NoFileAccess,
            format!(
                "Not found in the logs that could be read: {}. Whether they are logged elsewhere is unknown: not everything could be read ({first}).",
                missing.join(", ")
            ),
        );
    }
    let finding = |level, text: &str| AuditFinding::new(Feature::Auditing, level, text);
    match (found.login, found.change, found.access) {
        (true, true, true) => finding(
            ProtectionLevel::Enforced,
            "Logins, changes of tables and decisions about accesses are in the servers' logs.",
        ),
        (true, true, false) => finding(
            ProtectionLevel::Partial,
            "Logins and changes of tables are in the servers' logs; who reads and writes which table is not.",
        )
        .mend(AuditSeverity::Low, FIX),
        (true, false, _) => finding(
            ProtectionLevel::Partial,
            "Logins are in the servers' logs; changes of tables are not.",
        )
        .mend(AuditSeverity::Low, FIX),
        (false, true, _) => finding(
            ProtectionLevel::Partial,
            "Changes of tables are in the servers' logs; logins are not.",
        )
        .mend(AuditSeverity::Medium, FIX),
        (false, false, _) => finding(
            ProtectionLevel::SupportedOff,
            "Neither logins nor changes of tables are in the servers' logs.",
        )
        .mend(AuditSeverity::Medium, FIX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_written_down_is_found_missing() {
        use ProtectionLevel::{Enforced, Partial, SupportedOff};
        let level = |login, change, access| {
            let found = Found {
                login,
                change,
                access,
            };
            // What could not be read may hold what was not found, and changes nothing about what was.
            let finding = judge(found, &["a.log: permission denied".to_owned()]);
            let expected = if (login, change, access) == (true, true, true) {
                Enforced
            } else {
                ProtectionLevel::Unknown
            };
            assert_eq!(finding.level, expected, "{finding:#?}");
            let finding = judge(found, &[]);
            (finding.level, finding.severity)
        };
        assert_eq!(level(true, true, true), (Enforced, None));
        assert_eq!(level(true, true, false), (Partial, Some(AuditSeverity::Low)));
        assert_eq!(level(true, false, false), (Partial, Some(AuditSeverity::Low)));
        assert_eq!(level(false, true, false), (Partial, Some(AuditSeverity::Medium)));
        assert_eq!(
            level(false, false, false),
            (SupportedOff, Some(AuditSeverity::Medium))
        );
    }
}
