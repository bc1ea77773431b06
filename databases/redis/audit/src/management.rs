//! Commands that administrate the server, and what it writes down of refusals.

use dbdyno_audit::{ChannelError, Scene, login_not_refused, severity_of_rights};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel, UnknownReason};

use crate::client::{administrator, authenticate, open, open_trusting};
use crate::resp::{Reply, ask};
use crate::rights::{administrative_rights, in_words, take_over};

const COMMANDS: &str = "https://redis.io/docs/latest/operate/oss_and_stack/management/security/";
const LOG: &str = "https://redis.io/docs/latest/commands/acl-log/";

/// Who may read and set the server's settings.
pub fn commands(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::JmxAuthentication;
    let fix = "users of applications without @admin and @dangerous: ACL SETUSER app -@admin -@dangerous";
    let reply = open_trusting(scene, scene.host())
        .and_then(|mut channel| ask(&mut channel, &["CONFIG", "GET", "maxmemory"]));
    scene.note_outcome(
        "redis.config-without-login",
        "CONFIG GET maxmemory, without a login",
        &reply.clone().map(|reply| reply.shown()),
    );
    let finding = match reply {
        Ok(Reply::Array(_)) => AuditFinding::off(
            feature,
            "Anyone who reaches the server may administer it. CONFIG SET makes it write files wherever its account may, so its machine is at risk, too.",
        )
        .mend(AuditSeverity::Critical, format!("require a login (requirepass or an ACL); {fix}")),
        Ok(reply) if reply.is_error("NOAUTH") || reply.is_error("NOPERM") => match administrative_rights(scene) {
            Some(rights) if !rights.is_empty() => AuditFinding::partial(
                feature,
                format!("A login is needed, but the application's own login may administer the server: {}.", in_words(&rights)),
            )
            .mend(severity_of_rights(take_over(&rights)), fix),
            Some(_) => AuditFinding::enforced(
                feature,
                "Neither an unauthenticated client nor the user of the address may administer the server.",
            ),
            None => AuditFinding::unknown(
                feature,
                UnknownReason::NoPrivilege,
                "An unauthenticated client may not administer the server; what the application's user may do is unknown without its login.",
            ),
        },
        Ok(reply) => AuditFinding::unknown(feature, UnknownReason::Unexpected, format!("CONFIG GET was answered with {}.", reply.shown())),
        Err(error) => AuditFinding::not_observed(feature, &error),
    };
    finding.see(COMMANDS)
}

/// The finding where the login was not refused, so that no log can hold its refusal.
fn not_refused(act: &Result<Reply, ChannelError>) -> Option<AuditFinding> {
    match act {
        Ok(reply) if reply.is_error("WRONGPASS") => None,
        act => Some(login_not_refused(&act.clone().map(|reply| reply.shown()))),
    }
}

/// A refused login must be found in the log of refusals.
pub fn auditing(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::Auditing;
    let user = scene.unused_name().to_owned();
    let act = open(scene, scene.remote, scene.host())
        .and_then(|mut channel| authenticate(&mut channel, Some(&user), "no-password-of-anybody"));
    scene.note_outcome(
        "redis.audited-act",
        "AUTH as a user that does not exist",
        &act.clone().map(|reply| reply.shown()),
    );
    if let Some(finding) = not_refused(&act) {
        return finding.see(LOG);
    }
    let log = administrator(scene).and_then(|mut channel| ask(&mut channel, &["ACL", "LOG", "100"]));
    let finding = match log {
        Ok(Reply::Array(entries)) => {
            let found = entries.iter().any(|entry| entry.text().contains(&user));
            let entries = entries.len();
            scene.note(
                "redis.acl-log",
                "ACL LOG",
                format!(
                    "{entries} entries, the act {}",
                    if found { "among them" } else { "not among them" }
                ),
            );
            if found {
                AuditFinding::partial(
                    feature,
                    "Refused logins and commands are kept, in memory and up to 128 by default; allowed ones are not logged anywhere.",
                )
                .mend(AuditSeverity::Low, "read ACL LOG regularly into a log of your own, and raise acllog-max-len; Redis has no audit log")
            } else {
                AuditFinding::new(
                    feature,
                    ProtectionLevel::Unsupported,
                    "A refused login was not logged anywhere.",
                )
                .mend(
                    AuditSeverity::Medium,
                    "raise acllog-max-len, and read ACL LOG regularly",
                )
            }
        }
        Ok(reply) if reply.is_error("NOPERM") || reply.is_error("NOAUTH") => AuditFinding::unknown(
            feature,
            UnknownReason::NoPrivilege,
            "The log of refusals may be read by administrators only.",
        ),
        Ok(reply) => AuditFinding::unknown(
            feature,
            UnknownReason::Version,
            format!("ACL LOG was answered with {}.", reply.shown()),
        ),
        Err(error) => AuditFinding::unknown(
            feature,
            UnknownReason::Unreachable,
            format!("The log of refusals could not be read: {error}."),
        ),
    };
    finding.see(LOG)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_refusal_can_be_looked_for() {
        let reason = |act| not_refused(&act).map(|finding| finding.why_not_known);
        let refused = Reply::Error("WRONGPASS invalid username-password pair".to_owned());
        assert_eq!(reason(Ok(refused)), None);
        let accepted = Reply::Simple("OK".to_owned());
        assert_eq!(reason(Ok(accepted)), Some(Some(UnknownReason::Unexpected)));
        let silent = Err(ChannelError::Silent);
        assert_eq!(reason(silent), Some(Some(UnknownReason::Unreachable)));
    }
}
