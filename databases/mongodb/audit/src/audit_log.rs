//! The server's audit log: a file that its options name, in which acts are looked for.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bson::doc;
use dbdyno_audit::{Canary, Deadline, Scene, search, shortened};
use dbdyno_record::audit::UnknownReason;

use crate::client::{administrator, granted, make_user, remove_user};
use crate::message::{Reply, ask};

/// Options with which no act can be found in the file of the audit log.
const ENCRYPTED: [&str; 3] = [
    "compressionMode",
    "auditEncryptionKeyIdentifier",
    "localAuditKeyFile",
];
/// How long an event may take to the file of the audit log, and the time between two looks.
const WRITTEN: Duration = Duration::from_secs(3);
const STEP: Duration = Duration::from_millis(200);

/// The server's audit log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AuditLog {
    /// The server writes none.
    Absent,
    /// Which of the acts are in it: the refusal, and the making of a user.
    Read { refusal: bool, user: bool },
    /// Whether the acts are in one is unknown, with why.
    Unseen(UnknownReason, String),
}

/// What the audit log holds of the refusal of this stranger, and of the making of a user.
pub fn in_audit(scene: &mut Scene<'_>, stranger: &str) -> AuditLog {
    let asked = administrator(scene).and_then(|mut managing| {
        let options = granted(ask(&mut managing, "admin", doc! { "getCmdLineOpts": 1 })?)?;
        Ok((managing, options))
    });
    let got = match asked.as_ref().map(|(_, options)| place(options)) {
        Ok(Ok(Some(_))) => "auditLog.path is set".to_owned(),
        Ok(Ok(None)) => "auditLog is not set".to_owned(),
        Ok(Err(why)) => why,
        Err(error) => error.to_string(),
    };
    scene.note("mongodb.audit-log", "getCmdLineOpts", got);
    let (mut managing, options) = match asked {
        Ok(asked) => asked,
        Err(error) => {
            let why =
                format!("only an administrator may read the server's settings (--administrator): {error}");
            return AuditLog::Unseen(UnknownReason::NoPrivilege, why);
        }
    };
    let place = match place(&options) {
        Ok(Some(place)) => place,
        Ok(None) => return AuditLog::Absent,
        Err(why) => return AuditLog::Unseen(UnknownReason::NoFileAccess, why),
    };
    let user = format!("{}_made", scene.own_name());
    let made = make_user(&mut managing, &user, Canary::new().text());
    remove_user(&mut managing, &user);
    if let Err(error) = made.and_then(granted) {
        let why = format!("no user could be made to look for in it: {error}");
        return AuditLog::Unseen(UnknownReason::NoPrivilege, why);
    }
    let seen = look_for(&place, [stranger, user.as_str()], WRITTEN);
    let got = match &seen {
        Ok([refusal, user]) => format!("the refusal {}, the new user {}", words(*refusal), words(*user)),
        Err(why) => why.clone(),
    };
    scene.note("mongodb.audit-log", "both acts, looked for in that file", got);
    match seen {
        // Without the server's files, nothing shows that it is a file of its machine.
        Ok([false, false]) if scene.place.logs.is_empty() => AuditLog::Unseen(
            UnknownReason::NoFileAccess,
            "the file of that name on this machine has neither act, and may be another server's".to_owned(),
        ),
        Ok([refusal, user]) => AuditLog::Read { refusal, user },
        Err(why) => AuditLog::Unseen(UnknownReason::NoFileAccess, why),
    }
}

/// The file of the audit log, by the server's options; `None` if it writes none. Otherwise why acts cannot be looked for in it.
fn place(options: &Reply) -> Result<Option<PathBuf>, String> {
    let parsed = options.0.get_document("parsed").ok();
    let Some(audit) = parsed.and_then(|parsed| parsed.get_document("auditLog").ok()) else {
        return Ok(None);
    };
    if ENCRYPTED.iter().any(|option| audit.contains_key(option)) {
        return Err("the audit log is encrypted".to_owned());
    }
    match (audit.get_str("path"), audit.get_str("destination")) {
        (Ok(path), _) => Ok(Some(PathBuf::from(path))),
        (Err(_), Ok(destination)) => Err(format!(
            "the audit log goes to {}, which was not read",
            shortened(destination)
        )),
        (Err(_), Err(_)) => Ok(None),
    }
}

/// Which of the acts are in a file, once they had that long to get there: servers write behind their answers. A server could name
/// any path, so it must be a file's.
fn look_for(place: &Path, acts: [&str; 2], patience: Duration) -> Result<[bool; 2], String> {
    let unread = |why: &dyn std::fmt::Display| format!("the audit log could not be read: {why}");
    let metadata = place
        .metadata()
        .map_err(|error| unread(&format!("{}: {error}", place.display())))?;
    if !metadata.is_file() {
        return Err(unread(&format!("{} is not a file", place.display())));
    }
    let (places, deadline) = ([place.to_owned()], Deadline::within(patience));
    loop {
        let seen = acts.map(|act| search(&places, act));
        let found = [&seen[0], &seen[1]].map(|one| !one.files.is_empty());
        if found == [true; 2] {
            return Ok(found);
        }
        if let Some(why) = seen.iter().find_map(|one| one.unread.first()) {
            return Err(unread(why));
        }
        if deadline.left().is_none() {
            return Ok(found);
        }
        std::thread::sleep(STEP);
    }
}

const fn words(is_found: bool) -> &'static str {
    if is_found { "found" } else { "not found" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_audit_log_that_cannot_be_read_is_not_an_empty_one() {
        let place = tempfile::tempdir().unwrap();
        let log = place.path().join("audit.json");
        let seen = |place: &Path| look_for(place, ["nobody", "made"], Duration::ZERO);
        let why = seen(&log).unwrap_err();
        assert!(
            why.starts_with("the audit log could not be read: ") && why.contains("audit.json"),
            "{why}"
        );
        // A server that names a directory would have all of it searched.
        assert!(seen(place.path()).is_err());
        std::fs::write(&log, "a login of nobody").unwrap();
        assert_eq!(seen(&log), Ok([true, false]));
        std::fs::write(&log, "a login of nobody, a user made").unwrap();
        assert_eq!(seen(&log), Ok([true, true]));
    }

    #[test]
    fn the_servers_options_name_the_audit_log() {
        let of = |audit: bson::Document| place(&Reply(doc! { "ok": 1, "parsed": { "auditLog": audit } }));
        let path = "/var/log/audit.json";
        let file = of(doc! { "destination": "file", "format": "JSON", "path": path });
        assert_eq!(file, Ok(Some(PathBuf::from(path))));
        assert!(
            of(doc! { "destination": "syslog" })
                .unwrap_err()
                .contains("syslog")
        );
        assert!(of(doc! { "path": path, "localAuditKeyFile": "/key" }).is_err());
        assert_eq!(place(&Reply(doc! { "ok": 1, "parsed": {} })), Ok(None));
    }
}
