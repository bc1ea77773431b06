//! Whether logins, changes of tables and accesses are found in the servers' logs after they happened.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use dbdyno_audit::{Scene, without_logs};
use dbdyno_driver::Driver;
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel, UnknownReason};

use crate::driven::{connected, managing, own_table};
use crate::ports::{ask, open, servers};
use crate::rpc::wrong_ticket;

const LOGS: &str = "https://hbase.apache.org/book.html#hbase.secure.configuration";
const FIX: &str = "log4j: SecurityLogger at INFO, and SecurityLogger.org.apache.hadoop.hbase.security.access.AccessController at TRACE, into a file of its own";
/// What happened last is at the end of a log.
const TAIL_BYTES: u64 = 32 << 20;
/// Files of a directory of logs that are looked at.
const MOST_FILES: usize = 200;
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
    let before = count(&scene.place.logs, &[REFUSED]);
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
            format!("a ticket that is none at {host}"),
            &got,
        );
    }
    let table = own_table(scene);
    let changed = connected(scene, managing(scene), async |driver| {
        driver.create_table(&table).await?;
        driver.session(&table).await.map(drop)?;
        driver.drop_table(&table).await
    });
    let got = changed
        .as_ref()
        .map_or_else(|error| error.message.clone(), |()| "done".to_owned());
    scene.note("hbase.audited-change", "a table made and dropped", got);
    let name = scene.own_name.clone();
    let logs = &scene.place.logs;
    let mut found = Found::default();
    for _ in 0..TRIES {
        found = Found {
            login: count(logs, &[REFUSED]) > before || count(logs, &[CONNECTED, &name]) > 0,
            change: count(logs, &[CHANGED, &name]) > 0,
            access: count(logs, &[ACCESS, "Access ", &name]) > 0,
        };
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
    match changed {
        Err(error) if !found.change => AuditFinding::unknown(
            feature,
            UnknownReason::NoPrivilege,
            format!(
                "No table could be made, so that nothing was there to be written down: {}.",
                error.message
            ),
        ),
        _ => judge(found),
    }
    .see(LOGS)
}

fn judge(found: Found) -> AuditFinding {
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

/// Lines in which all these words are.
fn count(logs: &[PathBuf], words: &[&str]) -> usize {
    let mut lines = 0;
    for log in logs.iter().flat_map(|path| files(path)).take(MOST_FILES) {
        let Ok(tail) = tail(&log) else {
            continue;
        };
        let text = String::from_utf8_lossy(&tail);
        lines += text
            .lines()
            .filter(|line| words.iter().all(|word| line.contains(word)))
            .count();
    }
    lines
}

/// A log, or the logs of a directory.
fn files(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let entries = path.read_dir().into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.symlink_metadata().is_ok_and(|metadata| metadata.is_file()))
        .collect()
}

fn tail(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES)))?;
    let mut bytes = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_written_down_is_found_missing() {
        use ProtectionLevel::{Enforced, Partial, SupportedOff};
        let level = |login, change, access| {
            let finding = judge(Found {
                login,
                change,
                access,
            });
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

    #[test]
    fn lines_are_counted_in_files_and_directories() {
        let place = std::env::temp_dir().join(format!("dbdyno-logs-{}", std::process::id()));
        std::fs::create_dir_all(&place).unwrap();
        std::fs::write(place.join("one"), "Client=a create x\nClient=a\ncreate x\n").unwrap();
        let directory = [place.clone()];
        let file = [place.join("one"), place.join("none")];
        let counted = [&directory[..], &file].map(|logs| count(logs, &["Client=", "x"]));
        std::fs::remove_dir_all(&place).unwrap();
        assert_eq!(counted, [1, 1]);
    }
}
