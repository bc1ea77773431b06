//! What is written down of acts that an audit would ask for.

use bson::doc;
use dbdyno_audit::{ChannelError, Scene, login_not_refused, search};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel, UnknownReason};

use crate::audit_log::{AuditLog, in_audit};
use crate::client::{administrator, open_primary};
use crate::login::log_in;
use crate::message::{AUTHENTICATION_FAILED, Reply, ask};

const MANUAL: &str = "https://www.mongodb.com/docs/manual/core/auditing/";
const FIX: &str = "MongoDB Enterprise or Percona Server for MongoDB: auditLog.destination: file, auditLog.path; with the Community edition, collect the server's log and systemLog.component.accessControl.verbosity: 1";
const FIX_FILTER: &str =
    "auditLog.filter: events of users and administrators, authenticate and createUser among them";

/// Where acts are looked for.
struct Found {
    /// A refused login is in the server's log, or in its last lines in memory.
    refusal_in_log: Option<bool>,
    audit: AuditLog,
}

/// A refused login and the making of a user, looked for in the server's log and in its audit log.
pub fn auditing(scene: &mut Scene<'_>) -> AuditFinding {
    let stranger = format!("{}_nobody", scene.unused_name());
    let act = open_primary(scene, scene.remote)
        .and_then(|mut channel| log_in(&mut channel, "admin", &stranger, "no-password-of-anybody"));
    scene.note_outcome(
        "mongodb.audited-act",
        "SCRAM-SHA-256 as a user that does not exist",
        &act.clone().map(|reply| reply.shown()),
    );
    if let Some(finding) = not_refused(&act) {
        return finding.see(MANUAL);
    }
    let found = Found {
        refusal_in_log: in_log(scene, &stranger),
        audit: in_audit(scene, &stranger),
    };
    judge(&found).see(MANUAL)
}

/// The finding where the login was not refused, so that no log can hold its refusal.
fn not_refused(act: &Result<Reply, ChannelError>) -> Option<AuditFinding> {
    match act {
        Ok(reply) if reply.code() == Some(AUTHENTICATION_FAILED) => None,
        act => Some(login_not_refused(&act.clone().map(|reply| reply.shown()))),
    }
}

fn judge(found: &Found) -> AuditFinding {
    let finding = |level, summary: &str| AuditFinding::new(Feature::Auditing, level, summary);
    match (&found.audit, found.refusal_in_log) {
        (
            AuditLog::Read {
                refusal: true,
                user: true,
            },
            _,
        ) => finding(
            ProtectionLevel::Enforced,
            "A refused login and the creation of a user are in the audit log.",
        ),
        (AuditLog::Read { refusal: true, .. }, _) => finding(
            ProtectionLevel::Partial,
            "A refused login is in the audit log, the creation of a user is not.",
        )
        .mend(AuditSeverity::Low, FIX_FILTER),
        (AuditLog::Read { user: true, .. }, _) => finding(
            ProtectionLevel::Partial,
            "The creation of a user is in the audit log, a refused login is not.",
        )
        .mend(AuditSeverity::Low, FIX_FILTER),
        (AuditLog::Unseen(reason, why), in_log) => {
            let known = match in_log {
                Some(true) => "Refused logins are in the server's log. ",
                Some(false) | None => "",
            };
            let why = format!(
                "{known}Whether there is an audit log of what users and administrators do is unknown: {why}."
            );
            AuditFinding::unknown(Feature::Auditing, *reason, why)
        }
        (_, Some(true)) => finding(
            ProtectionLevel::Partial,
            "Refused logins are in the server's log; an audit log of what users and administrators do was not found.",
        )
        .mend(AuditSeverity::Low, FIX),
        (_, Some(false)) => finding(
            ProtectionLevel::Unsupported,
            "A refused login was not logged anywhere.",
        )
        .mend(
            AuditSeverity::Medium,
            format!("systemLog.quiet: false, systemLog.component.accessControl.verbosity: 0 or more; {FIX}"),
        ),
        (_, None) => AuditFinding::unknown(
            Feature::Auditing,
            UnknownReason::NoFileAccess,
            "The server's log was not given, and this login may not read its last lines.",
        ),
    }
}

/// Whether a text is in the server's log; `None` when nothing of it can be read.
fn in_log(scene: &mut Scene<'_>, text: &str) -> Option<bool> {
    if !scene.place.logs.is_empty() {
        let seen = search(&scene.place.logs, text);
        if !seen.files.is_empty() || (seen.bytes > 0 && seen.unread.is_empty()) {
            let is_found = !seen.files.is_empty();
            scene.note(
                "mongodb.log",
                "the act, looked for in the servers' logs",
                shown(is_found),
            );
            return Some(is_found);
        }
    }
    let reply =
        administrator(scene).and_then(|mut channel| ask(&mut channel, "admin", doc! { "getLog": "global" }));
    let is_found = match &reply {
        Ok(reply) if reply.is_ok() => Some(has_line(reply, text)),
        _ => None,
    };
    let got = reply.map(|reply| is_found.map_or_else(|| reply.shown(), |found| shown(found).to_owned()));
    scene.note_outcome("mongodb.get-log", "getLog global, the act looked for in it", &got);
    is_found
}

fn has_line(reply: &Reply, text: &str) -> bool {
    let lines = reply.0.get_array("log");
    lines.is_ok_and(|lines| {
        lines
            .iter()
            .any(|line| line.as_str().is_some_and(|line| line.contains(text)))
    })
}

const fn shown(is_found: bool) -> &'static str {
    if is_found { "found" } else { "not found" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_refusal_can_be_looked_for() {
        let reason = |act| not_refused(&act).map(|finding| finding.why_not_known);
        let refused = Reply(doc! { "ok": 0, "code": AUTHENTICATION_FAILED });
        assert!(reason(Ok(refused)).is_none());
        for other in [doc! { "ok": 1 }, doc! { "ok": 0, "code": 211 }] {
            assert_eq!(reason(Ok(Reply(other))), Some(Some(UnknownReason::Unexpected)));
        }
        assert_eq!(
            reason(Err(ChannelError::Silent)),
            Some(Some(UnknownReason::Unreachable))
        );
    }

    #[test]
    fn only_an_audit_log_with_both_acts_is_enough() {
        use AuditLog::Absent;
        use ProtectionLevel::{Enforced, Partial, Unknown, Unsupported};
        let read = |refusal, user| AuditLog::Read { refusal, user };
        let unseen = || AuditLog::Unseen(UnknownReason::NoFileAccess, "it is encrypted".to_owned());
        for (audit, refusal_in_log, level) in [
            (read(true, true), None, Enforced),
            (read(true, false), Some(false), Partial),
            (read(false, true), Some(false), Partial),
            (read(false, false), Some(true), Partial),
            (read(false, false), None, Unknown),
            (Absent, Some(true), Partial),
            (Absent, Some(false), Unsupported),
            (Absent, None, Unknown),
            // What was not looked into may hold everything.
            (unseen(), Some(true), Unknown),
            (unseen(), Some(false), Unknown),
            (unseen(), None, Unknown),
        ] {
            let shown = format!("{audit:?} {refusal_in_log:?}");
            let found = Found {
                refusal_in_log,
                audit,
            };
            let finding = judge(&found);
            assert_eq!(finding.level, level, "{shown}");
            assert_eq!(finding.why_not_known.is_some(), level == Unknown, "{shown}");
        }
    }
}
