//! The first user, and how passwords are stored.

use bson::{Document, doc};
use dbdyno_audit::{Scene, given_password_is_guessed, in_part};
use dbdyno_driver::remote::Remote;
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel, UnknownReason};

use crate::access::{FIX_FIRST, MayBeFirst, Stranger, stranger};
use crate::client::{accepts, administrator, application, ask_without_login};
use crate::message::{Reply, ask, number};

const EXCEPTION: &str = "https://www.mongodb.com/docs/manual/core/localhost-exception/";
const SCRAM: &str = "https://www.mongodb.com/docs/manual/core/security-scram/";
const FIX_STORAGE: &str = "setParameter scramSHA256IterationCount: 15000 and scramIterationCount: 10000 or more, then db.updateUser(NAME, {pwd: passwordPrompt(), mechanisms: ['SCRAM-SHA-256']})";
/// The least repetitions that today's servers take by default.
const SHA_1_ITERATIONS: i64 = 10_000;
const SHA_256_ITERATIONS: i64 = 15_000;
/// Users that one answer holds.
const MOST_USERS: i32 = 1000;
/// The server's errors for a command that it does not have, or not as a router (`CommandNotFound`, `CommandNotSupported`).
const NO_COMMAND: [i32; 2] = [59, 115];

/// MongoDB ships no user: whoever creates the first one, from the server's machine and without a login, controls the server.
pub fn default_credentials(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::DefaultCredentials;
    let finding = match stranger(scene) {
        Stranger::Served => AuditFinding::not_applicable(
            feature,
            "MongoDB ships no user and no password; here nobody needs one.",
        ),
        Stranger::Limited(MayBeFirst) => first_user(),
        Stranger::Refused => {
            let fix = "db.changeUserPassword, to one that is random";
            let guessed =
                given_password_is_guessed(scene, ("mongodb", ""), fix, |remote| accepts(scene, remote));
            guessed.unwrap_or_else(|| localhost_exception(scene))
        }
        Stranger::Unknown(why) => AuditFinding::not_observed(feature, &why),
    };
    finding.see(EXCEPTION)
}

/// While there is no user, a stranger on the server's machine may make one, and may ask for the state of the set. The second
/// is tried, for it changes nothing.
fn localhost_exception(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::DefaultCredentials;
    let reply = ask_without_login(scene, doc! { "replSetGetStatus": 1 });
    scene.note_outcome(
        "mongodb.localhost-exception",
        "replSetGetStatus, without a login",
        &reply.clone().map(|reply| reply.shown()),
    );
    match reply.map(|reply| is_open(&reply)) {
        // It is for the server's own machine: elsewhere a refusal says nothing, but that there is a user does.
        Ok(Some(false)) if has_user(scene) => AuditFinding::enforced(
            feature,
            "MongoDB ships no user, and the exception for the first one is closed: there is a user, and a stranger is refused.",
        ),
        Ok(Some(false)) => AuditFinding::unknown(
            feature,
            UnknownReason::NoPrivilege,
            "A stranger from here may not make the first user; whether there is one is unknown without a login.",
        ),
        Ok(Some(true)) => first_user(),
        Ok(None) => AuditFinding::unknown(
            feature,
            UnknownReason::Version,
            "Whether the exception for the first user is open is unknown: the server does not have the command that shows it.",
        ),
        Err(error) => AuditFinding::unknown(
            feature,
            UnknownReason::Unreachable,
            format!("Whether the exception for the first user is open is unknown: {error}."),
        ),
    }
}

/// Whether the answer to a stranger's replSetGetStatus shows the exception open; `None` where the server does not have the command.
/// Any other error comes after the right was given: the server is of no set, say.
fn is_open(reply: &Reply) -> Option<bool> {
    let has_command = reply.code().is_none_or(|code| !NO_COMMAND.contains(&code));
    has_command.then_some(!reply.is_refused())
}

/// Whether a login of the audit's is accepted.
fn has_user(scene: &mut Scene<'_>) -> bool {
    let has_password = |remote: &Remote| remote.user.is_some() && remote.password.is_some();
    let is_accepted = (has_password(scene.remote) && application(scene).is_ok())
        || (scene.administrator.is_some_and(has_password) && administrator(scene).is_ok());
    scene.note(
        "mongodb.any-user",
        "SCRAM-SHA-256 with a login of the audit's",
        if is_accepted {
            "accepted"
        } else {
            "not accepted, or there is none"
        },
    );
    is_accepted
}

fn first_user() -> AuditFinding {
    AuditFinding::partial(
        Feature::DefaultCredentials,
        "There is no user yet: anyone on the server's machine may create the first administrator without a login.",
    )
    .mend(AuditSeverity::High, FIX_FIRST)
}

/// What is stored of the passwords of all users.
#[derive(Debug, Default, PartialEq, Eq)]
struct Storage {
    users: usize,
    /// Those with SCRAM-SHA-256 and the usual repetitions alone.
    strong: usize,
    /// Those with SCRAM-SHA-1 beside it, with the usual repetitions.
    older_too: usize,
    /// Those with SCRAM-SHA-1 alone.
    older_only: usize,
    /// Those with too few repetitions of either.
    few: usize,
}

impl Storage {
    fn of<'d>(users: impl IntoIterator<Item = &'d Document>) -> Self {
        let mut all = Self::default();
        for user in users {
            all.users += 1;
            let iterations = |mechanism: &str| {
                let credentials = user.get_document("credentials").ok()?;
                number(credentials.get_document(mechanism).ok()?.get("iterationCount"))
            };
            let (older, newer) = (iterations("SCRAM-SHA-1"), iterations("SCRAM-SHA-256"));
            let is_few = |found: Option<i64>, least: i64| found.is_some_and(|found| found < least);
            match (older, newer) {
                // Somebody with a certificate has no password.
                (None, None) => {}
                _ if is_few(older, SHA_1_ITERATIONS) || is_few(newer, SHA_256_ITERATIONS) => all.few += 1,
                (Some(_), None) => all.older_only += 1,
                (Some(_), Some(_)) => all.older_too += 1,
                (None, Some(_)) => all.strong += 1,
            }
        }
        all
    }

    fn passwords(&self) -> usize {
        self.strong + self.older_too + self.older_only + self.few
    }

    fn finding(&self) -> AuditFinding {
        let finding = |level, summary: String| AuditFinding::new(Feature::PasswordStorage, level, summary);
        let of = |count: usize| format!("{count} of {} passwords", self.passwords());
        if self.passwords() == 0 {
            return finding(
                ProtectionLevel::NotApplicable,
                format!("No password is stored ({} users).", self.users),
            );
        }
        if self.few > 0 || self.older_only > 0 {
            return finding(
                ProtectionLevel::Partial,
                format!(
                    "{} are kept for SCRAM-SHA-1 alone, {} with fewer repetitions than MongoDB does by default: anyone who reads them can quickly guess short ones.",
                    of(self.older_only),
                    of(self.few)
                ),
            )
            .mend(AuditSeverity::Medium, FIX_STORAGE);
        }
        if self.older_too > 0 {
            return finding(
                ProtectionLevel::Partial,
                format!(
                    "{} are kept for SCRAM-SHA-1 too, which rests on MD5 and SHA-1 and is guessed more quickly than SCRAM-SHA-256.",
                    of(self.older_too)
                ),
            )
            .mend(AuditSeverity::Low, FIX_STORAGE);
        }
        finding(
            ProtectionLevel::Enforced,
            format!(
                "All {} passwords are kept for SCRAM-SHA-256 alone, salted, with {SHA_256_ITERATIONS} repetitions or more.",
                self.passwords()
            ),
        )
    }
}

/// Which mechanisms, and how many repetitions.
pub fn password_storage(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::PasswordStorage;
    // The hashes stay where they are.
    let command = doc! {
        "find": "system.users", "limit": MOST_USERS, "batchSize": MOST_USERS,
        "projection": {
            "_id": 0,
            "credentials.SCRAM-SHA-1.iterationCount": 1,
            "credentials.SCRAM-SHA-256.iterationCount": 1,
        },
    };
    let reply = administrator(scene).and_then(|mut channel| ask(&mut channel, "admin", command));
    let sent = "find admin.system.users, mechanisms and iterationCount only";
    let finding = match reply {
        Ok(reply) if reply.is_ok() => {
            let storage = Storage::of(reply.batch());
            let is_part = storage.users >= MOST_USERS as usize;
            scene.note(
                "mongodb.system-users",
                sent,
                format!(
                    "{} users; SCRAM-SHA-256 alone: {}, SCRAM-SHA-1 too: {}, SCRAM-SHA-1 alone: {}, few repetitions: {}",
                    storage.users, storage.strong, storage.older_too, storage.older_only, storage.few
                ),
            );
            if is_part {
                in_part(
                    storage.finding(),
                    &format!("the first {MOST_USERS} users were looked at"),
                )
            } else {
                storage.finding()
            }
        }
        other => {
            let got = other.map(|reply| reply.shown());
            scene.note_outcome("mongodb.system-users", sent, &got);
            let why = got.unwrap_or_else(|error| error.to_string());
            AuditFinding::unknown(
                feature,
                UnknownReason::NoPrivilege,
                format!("This login may not see how passwords are stored: {why}."),
            )
        }
    };
    finding.see(SCRAM)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_without_the_command_shows_no_exception() {
        let of = |code: i32| is_open(&Reply(doc! { "ok": 0, "code": code, "errmsg": "no" }));
        // Not allowed; of no set; no such command; not on a router.
        assert_eq!([13, 76, 59, 115].map(of), [Some(false), Some(true), None, None]);
        assert_eq!(is_open(&Reply(doc! { "ok": 1 })), Some(true));
    }

    #[test]
    fn the_weakest_password_counts() {
        use ProtectionLevel::{Enforced, NotApplicable, Partial};
        let user = |older: i32, newer: i32| {
            let mut credentials = Document::new();
            for (name, count) in [("SCRAM-SHA-1", older), ("SCRAM-SHA-256", newer)] {
                if count > 0 {
                    credentials.insert(name, doc! { "iterationCount": count });
                }
            }
            doc! { "credentials": credentials }
        };
        let strong = || user(0, 15_000);
        for (users, level, severity) in [
            (vec![], NotApplicable, None),
            (
                vec![doc! { "credentials": { "external": true } }],
                NotApplicable,
                None,
            ),
            (vec![strong(), doc! {}], Enforced, None),
            (
                vec![strong(), user(10_000, 15_000)],
                Partial,
                Some(AuditSeverity::Low),
            ),
            (
                vec![strong(), user(10_000, 0)],
                Partial,
                Some(AuditSeverity::Medium),
            ),
            (vec![user(0, 14_999)], Partial, Some(AuditSeverity::Medium)),
            (vec![user(9_999, 15_000)], Partial, Some(AuditSeverity::Medium)),
        ] {
            let finding = Storage::of(&users).finding();
            assert_eq!((finding.level, finding.severity), (level, severity), "{users:?}");
        }
    }
}
