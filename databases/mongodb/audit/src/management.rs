//! Commands that administrate the server, programs that run in it, and the web page of old versions.

use bson::doc;
use dbdyno_audit::{ChannelError, Scene};
use dbdyno_driver::remote::HostPort;
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

use crate::client::{application, ask_without_login, database};
use crate::message::{Reply, ask};
use crate::privileges::{in_words, severity_of, too_much};

const MANUAL: &str = "https://www.mongodb.com/docs/manual/administration/security-checklist/";
const FIX_SCRIPTS: &str = "security.javascriptEnabled: false (--noscripting)";
/// Between the port of clients and that of the web page, which servers before 3.6 have.
const TO_PAGE: u16 = 1000;

/// Who may administrate the server, and run programs in it.
pub fn commands(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::JmxAuthentication;
    let reply = ask_without_login(scene, doc! { "getCmdLineOpts": 1 });
    scene.note_outcome(
        "mongodb.settings-without-login",
        "getCmdLineOpts, without a login",
        &reply.clone().map(|reply| reply.shown()),
    );
    let finding = match reply {
        Ok(reply) if reply.is_ok() => AuditFinding::off(
            feature,
            "Anyone who reaches the server may administer it, and shut it down.",
        )
        .mend(
            AuditSeverity::Critical,
            format!("security.authorization: enabled; {FIX_SCRIPTS}"),
        ),
        Ok(reply) if reply.is_refused() => behind_a_login(scene),
        Ok(reply) => AuditFinding::unknown(
            feature,
            UnknownReason::Unexpected,
            format!("getCmdLineOpts was answered with {}.", reply.shown()),
        ),
        Err(error) => AuditFinding::not_observed(feature, &error),
    };
    finding.see(MANUAL)
}

fn behind_a_login(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::JmxAuthentication;
    if has_page(scene) {
        return AuditFinding::partial(
            feature,
            "A login is needed for commands, and the web page of the server is open.",
        )
        .mend(AuditSeverity::High, "net.http.enabled: false");
    }
    match too_much(scene) {
        Some(excess) if !excess.is_empty() => {
            return AuditFinding::partial(
                feature,
                format!(
                    "A login is needed, and the application's own may {}.",
                    in_words(&excess)
                ),
            )
            .mend(
                severity_of(&excess),
                "db.revokeRolesFromUser: an application needs readWrite on its own database",
            );
        }
        Some(_) => {}
        None => {
            return AuditFinding::unknown(
                feature,
                UnknownReason::NoPrivilege,
                "An unauthenticated client may not administer the server; what the application's user may do is unknown: its login is missing or refused.",
            );
        }
    }
    match runs_scripts(scene) {
        Ok(true) => AuditFinding::partial(
            feature,
            "Neither an unauthenticated client nor the user of the address may administer the server, but queries may contain programs ($where), which run in the server.",
        )
        .mend(AuditSeverity::Low, FIX_SCRIPTS),
        Ok(false) => AuditFinding::enforced(
            feature,
            "Neither an unauthenticated client nor the user of the address may administer the server, and queries cannot run programs in it.",
        ),
        Err(why) => AuditFinding::unknown(
            feature,
            UnknownReason::Unexpected,
            format!("Whether the server runs programs of queries is unknown: {why}."),
        ),
    }
}

/// Said before it is tried.
pub const MAY_RUN: &str =
    "runs the script `true` in the server (a query with $where), unless the server refuses it";

/// Whether a query may run a script: one that does nothing, on a collection that does not exist.
fn runs_scripts(scene: &mut Scene<'_>) -> Result<bool, String> {
    let command = doc! { "find": scene.unused_name(), "filter": { "$where": "true" }, "limit": 1 };
    let place = database(scene);
    let reply = application(scene).and_then(|mut channel| ask(&mut channel, &place, command));
    scene.note_outcome(
        "mongodb.where",
        "find with $where as the user of the address",
        &reply.clone().map(|reply| reply.shown()),
    );
    match reply {
        Ok(reply) if reply.is_ok() => Ok(true),
        Ok(reply) if is_without_scripts(&reply) => Ok(false),
        Ok(reply) => Err(reply.shown()),
        Err(error) => Err(error.to_string()),
    }
}

/// The server's words when it has no engine for scripts. A user that may not read there shows nothing about them.
fn is_without_scripts(reply: &Reply) -> bool {
    let words = reply.message().to_lowercase();
    let has_words = ["scriptengine", "javascript"]
        .iter()
        .any(|word| words.contains(word));
    has_words && !reply.is_refused()
}

/// Whether the web page answers. Another server of this protocol there answers to HTTP that it does not speak it.
fn has_page(scene: &mut Scene<'_>) -> bool {
    let Some(port) = scene.host().port.checked_add(TO_PAGE) else {
        return false;
    };
    let host = HostPort {
        port,
        ..scene.host().clone()
    };
    let answer = scene.open_to(&host).and_then(|mut channel| {
        channel.send(b"GET / HTTP/1.0\r\n\r\n")?;
        channel.read_some(4096)
    });
    let (is_page, got) = match &answer {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(bytes).to_lowercase();
            let is_page = text.starts_with("http/") && text.contains("mongod ");
            (
                is_page,
                if is_page { "the page" } else { "something else" }.to_owned(),
            )
        }
        Err(ChannelError::Unreachable(_)) => (false, "nobody listens".to_owned()),
        Err(error) => (false, error.to_string()),
    };
    scene.note("mongodb.web-page", format!("GET / of {host}"), got);
    is_page
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_without_scripts_says_so_in_several_words() {
        let error = |message: &str| Reply(doc! { "ok": 0, "code": 2, "errmsg": message });
        assert!(is_without_scripts(&error(
            "no globalScriptEngine in $where parsing"
        )));
        assert!(is_without_scripts(&error("Server-side JavaScript is disabled")));
        assert!(!is_without_scripts(&error("unknown operator")));
        let refused = doc! { "ok": 0, "code": 13, "errmsg": "not authorized on ycsb" };
        assert!(!is_without_scripts(&Reply(refused)));
    }
}
