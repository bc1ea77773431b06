//! What users may do.

use std::collections::BTreeSet;

use dbdyno_audit::{Canary, Channel, ChannelError, Scene, rights_without_login, severity_of_rights};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

use crate::access::{Stranger, stranger};
use crate::client::{administrator, authenticate, log_in, open, setting};
use crate::passwords::by_hash;
use crate::resp::{Reply, ask};

const ACL: &str = "https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/";

/// Categories of commands that an application does not need: among them are those that take over the server, end it, or lose all data.
const ADMINISTRATIVE: [&str; 2] = ["admin", "dangerous"];

/// Commands of these categories that only read, or work with the keys that the user may write anyway (redis.io, ACL CAT). Version 7.0
/// lists them so.
const HARMLESS: [&str; 20] = [
    "cluster|count-failure-reports",
    "cluster|info",
    "cluster|links",
    "cluster|nodes",
    "cluster|replicas",
    "cluster|shards",
    "cluster|slaves",
    "cluster|slots",
    "config|get",
    "info",
    "keys",
    "lastsave",
    "latency|doctor",
    "latency|graph",
    "latency|histogram",
    "latency|history",
    "latency|latest",
    "role",
    "sort",
    "sort_ro",
];

/// Settings that hold a password in clear text, which whoever may read settings reads, too.
const SECRET_SETTINGS: [&str; 4] = [
    "masterauth",
    "requirepass",
    "tls-client-key-file-pass",
    "tls-key-file-pass",
];

/// Commands by which a user gives itself every right: those of users, and those that run code or write files in the server's name.
const TAKES_OVER: [&str; 5] = [
    "ACL LOAD",
    "ACL SETUSER",
    "CONFIG SET",
    "MODULE LOAD",
    "MODULE LOADEX",
];

/// Whether whoever may give these commands may do everything.
pub fn take_over(rights: &[String]) -> bool {
    rights.iter().any(|right| TAKES_OVER.contains(&right.as_str()))
}

/// Rights that a sentence names; the others are counted.
const NAMED: usize = 6;

/// The names of some rights, and how many others there are.
pub fn in_words(rights: &[String]) -> String {
    let named = rights[..rights.len().min(NAMED)].join(", ");
    match rights.len().saturating_sub(NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// A low user of the audit's own may do only what was granted; and the user of the address may not do everything.
pub fn authorization(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::Authorization;
    if matches!(stranger(scene), Stranger::Served) {
        return rights_without_login(
            "ACL SETUSER app on >PASSWORD ~app:* +@read +@write -@admin -@dangerous",
        )
        .see(ACL);
    }
    let low = low_user(scene);
    let finding = match low {
        Err((why, what)) => AuditFinding::unknown(feature, why, what),
        Ok(Some(granted_too_much)) => AuditFinding::partial(
            feature,
            format!("A user without the right could: {granted_too_much}."),
        )
        .mend(AuditSeverity::High, "check the ACL of the server; what is not granted must be refused"),
        Ok(None) => match administrative_rights(scene) {
            Some(rights) if !rights.is_empty() => AuditFinding::partial(
                feature,
                format!("Rights are enforced, but the user of the address may do more than work with data: {}.", in_words(&rights)),
            )
            .mend(
                severity_of_rights(take_over(&rights)),
                "give the application a user of its own: ACL SETUSER app on >PASSWORD ~app:* +@read +@write -@admin -@dangerous",
            ),
            Some(_) => AuditFinding::enforced(
                feature,
                "What is not granted is refused, to a user of the audit's own and to the user of the address.",
            ),
            None => AuditFinding::unknown(
                feature,
                UnknownReason::NoPrivilege,
                "What is not granted is refused; what the application's user may do is unknown without its login.",
            ),
        },
    };
    finding.see(ACL)
}

/// Makes a user that may read and write its own keys only, and tries what it may not. What was not refused; `None`: all was.
/// Otherwise why it could not be seen.
fn low_user(scene: &mut Scene<'_>) -> Result<Option<&'static str>, (UnknownReason, String)> {
    let mut managing = administrator(scene).map_err(|error| {
        (
            UnknownReason::NoPrivilege,
            format!("No administrator could log in: {error}."),
        )
    })?;
    let user = scene.own_name().to_owned();
    // Nobody can guess it, should the user stay behind after a kill.
    let password = Canary::new();
    let made = make_user(&mut managing, &user, password.text());
    scene.note_outcome(
        "redis.low-user",
        "ACL SETUSER of a user with its own keys only",
        &made.clone().map(|reply| reply.shown()),
    );
    match made {
        Ok(Reply::Simple(_)) => {}
        Ok(reply) => {
            return Err((
                UnknownReason::NoPrivilege,
                format!("No user could be made to try rights with: {}.", reply.shown()),
            ));
        }
        Err(error) => return Err((UnknownReason::Unreachable, error.to_string())),
    }
    let outcome = try_rights(scene, &user, password.text());
    ask(&mut managing, &["ACL", "DELUSER", &user]).ok();
    outcome.map_err(|error| {
        (
            UnknownReason::Unexpected,
            format!("The rights of a user with few rights could not be tried: {error}."),
        )
    })
}

/// A user that may read and write keys that begin with its name, and nothing else.
pub fn make_user(channel: &mut Channel, user: &str, password: &str) -> Result<Reply, ChannelError> {
    let (keys, secret) = (format!("~{user}*"), by_hash(password));
    ask(
        channel,
        &[
            "ACL", "SETUSER", user, "reset", "on", &secret, &keys, "+get", "+set", "+del", "+ping",
        ],
    )
}

fn try_rights(
    scene: &mut Scene<'_>,
    user: &str,
    password: &str,
) -> Result<Option<&'static str>, ChannelError> {
    let mut channel = open(scene, scene.remote, scene.host())?;
    let reply = authenticate(&mut channel, Some(user), password)?;
    if !matches!(reply, Reply::Simple(_)) {
        return Err(ChannelError::Unexpected(reply.shown()));
    }
    let own = format!("{user}:own");
    let written = ask(&mut channel, &["SET", &own, "1"])?;
    if !matches!(written, Reply::Simple(_)) {
        return Err(ChannelError::Unexpected(format!(
            "its own key was refused: {}",
            written.shown()
        )));
    }
    ask(&mut channel, &["DEL", &own])?;
    // Harmless where they are not refused: a key that nobody has, and settings that are only read.
    let foreign = format!("of-nobody:{user}");
    let tries: [(&'static str, &[&str]); 3] = [
        ("read a key of others", &["GET", &foreign]),
        ("read the server's settings", &["CONFIG", "GET", "maxmemory"]),
        ("list users", &["ACL", "LIST"]),
    ];
    for (what, words) in tries {
        let reply = ask(&mut channel, words)?;
        let is_allowed = is_allowed(&reply);
        let got = if is_allowed == Ok(true) {
            "not refused".to_owned()
        } else {
            reply.shown()
        };
        scene.note("redis.low-user", words.join(" "), got);
        if is_allowed? {
            return Ok(Some(what));
        }
    }
    Ok(None)
}

/// Whether a command was carried out, or refused for want of a right. Other errors show neither: a server may have no such command.
fn is_allowed(reply: &Reply) -> Result<bool, ChannelError> {
    match reply {
        reply if reply.is_error("NOPERM") => Ok(false),
        Reply::Error(_) => Err(ChannelError::Unexpected(reply.shown())),
        _ => Ok(true),
    }
}

/// Which administrative commands the user of the address may give; `None` when it has no login, or it could not be seen. The server
/// itself says so to an administrator, without doing anything (ACL DRYRUN); without one, ACL LIST alone is tried.
pub fn administrative_rights(scene: &mut Scene<'_>) -> Option<Vec<String>> {
    scene.remote.password.as_ref()?;
    match dry_run(scene) {
        Ok(rights) => {
            let got = if rights.is_empty() {
                "none".to_owned()
            } else {
                rights.join(", ")
            };
            scene.note(
                "redis.dry-run",
                "ACL DRYRUN of administrative commands as the user of the address",
                got,
            );
            Some(rights)
        }
        Err(error) => {
            scene.note(
                "redis.dry-run",
                "ACL DRYRUN as the user of the address",
                error.to_string(),
            );
            list_is_answered(scene)
        }
    }
}

fn dry_run(scene: &Scene<'_>) -> Result<Vec<String>, ChannelError> {
    let user = scene.remote.user.clone().filter(|user| !user.is_empty());
    let user = user.unwrap_or_else(|| "default".to_owned());
    let mut managing = administrator(scene)?;
    let mut rights = Vec::new();
    for (command, words) in administrative_commands(&mut managing)? {
        let words: Vec<&str> = ["ACL", "DRYRUN", &user]
            .into_iter()
            .chain(words.iter().map(String::as_str))
            .collect();
        let is_allowed = match ask(&mut managing, &words)? {
            Reply::Simple(_) => true,
            // The command itself is allowed where only its key or channel is refused.
            Reply::Bulk(reason) => String::from_utf8_lossy(&reason).contains(" to access "),
            other => return Err(ChannelError::Unexpected(other.shown())),
        };
        if is_allowed {
            rights.push(command.to_uppercase().replace('|', " "));
        }
    }
    for name in shown_secrets(&mut managing, &user)? {
        rights.push(format!("CONFIG GET {name} (a password in clear text)"));
    }
    Ok(rights)
}

/// Settings with a password that this user may read, by name.
fn shown_secrets(managing: &mut Channel, user: &str) -> Result<Vec<&'static str>, ChannelError> {
    let mut shown = Vec::new();
    for name in SECRET_SETTINGS {
        let tried = ask(managing, &["ACL", "DRYRUN", user, "CONFIG", "GET", name])?;
        if !matches!(tried, Reply::Simple(_)) {
            continue;
        }
        let is_set = setting(managing, name)?.is_some_and(|value| !value.is_empty());
        shown.extend(is_set.then_some(name));
    }
    Ok(shown)
}

/// The administrative commands that the server itself lists, each as the words of a call: they are as many as it needs.
fn administrative_commands(managing: &mut Channel) -> Result<Vec<(String, Vec<String>)>, ChannelError> {
    let mut names = BTreeSet::new();
    for category in ADMINISTRATIVE {
        match ask(managing, &["ACL", "CAT", category])? {
            Reply::Array(listed) => names.extend(listed.iter().map(Reply::text)),
            other => return Err(ChannelError::Unexpected(other.shown())),
        }
    }
    let has_parts = |name: &String| {
        let part = format!("{name}|");
        names.iter().any(|other| other.starts_with(&part))
    };
    let names: Vec<&String> = names
        .iter()
        .filter(|name| !HARMLESS.contains(&name.as_str()) && !has_parts(name))
        .collect();
    let asked: Vec<&str> = ["COMMAND", "INFO"]
        .into_iter()
        .chain(names.iter().map(|name| name.as_str()))
        .collect();
    let Reply::Array(known) = ask(managing, &asked)? else {
        return Err(ChannelError::Unexpected("no list of commands".to_owned()));
    };
    let commands = names.into_iter().zip(known).filter_map(|(name, known)| {
        // A server may have disabled a command that it lists.
        let Reply::Array(facts) = known else { return None };
        let Some(Reply::Integer(words)) = facts.get(1) else {
            return None;
        };
        let count = usize::try_from(words.unsigned_abs()).ok()?;
        let mut words: Vec<String> = name.split('|').map(str::to_owned).collect();
        words.resize(words.len().max(count), "1".to_owned());
        Some((name.clone(), words))
    });
    Ok(commands.collect())
}

fn list_is_answered(scene: &mut Scene<'_>) -> Option<Vec<String>> {
    let reply = log_in(scene, scene.remote).and_then(|mut channel| ask(&mut channel, &["ACL", "LIST"]));
    // The list holds hashes of passwords: how long it is is evidence enough.
    let got = reply.clone().map(|reply| match reply {
        Reply::Array(lines) => format!("{} users", lines.len()),
        other => other.shown(),
    });
    scene.note_outcome(
        "redis.application-acl",
        "ACL LIST as the user of the address",
        &got,
    );
    match reply.ok()? {
        Reply::Array(_) => Some(vec!["ACL LIST".to_owned()]),
        // Others may be allowed: that one is refused says nothing of them.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_is_not_there_was_not_allowed() {
        let error = |text: &str| Reply::Error(text.to_owned());
        assert_eq!(is_allowed(&Reply::Nil), Ok(true));
        assert_eq!(is_allowed(&error("NOPERM no permissions")), Ok(false));
        // CONFIG may be renamed.
        assert!(is_allowed(&error("ERR unknown command 'CONFIG'")).is_err());
    }

    #[test]
    fn many_rights_are_counted() {
        let rights =
            |count: usize| -> Vec<String> { (0..count).map(|number| format!("R{number}")).collect() };
        assert_eq!(in_words(&rights(2)), "R0, R1");
        assert_eq!(in_words(&rights(9)), "R0, R1, R2, R3, R4, R5 and 3 more");
    }
}
