//! How passwords are kept, and who has none.

use dbdyno_audit::{Scene, guessed_first};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};
use sha2::{Digest as _, Sha256};

use crate::client::administrator;
use crate::resp::{Reply, ask};

const ACL: &str = "https://redis.io/docs/latest/operate/oss_and_stack/management/security/acl/";

/// Who may log in, as ACL LIST has it.
pub struct Users {
    /// How many there are.
    pub count: usize,
    /// The names of those whom any password lets in.
    pub open: Vec<String>,
    /// The names of those whom a password lets in that is tried first.
    pub guessed: Vec<String>,
    /// Hashes of passwords.
    hashes: usize,
}

/// The users; otherwise why they could not be seen.
pub fn users(scene: &Scene<'_>) -> Result<Users, String> {
    match administrator(scene).and_then(|mut channel| ask(&mut channel, &["ACL", "LIST"])) {
        Ok(Reply::Array(lines)) => Ok(read(&lines.iter().map(Reply::text).collect::<Vec<_>>())),
        Ok(other) => Err(other.shown()),
        Err(error) => Err(error.to_string()),
    }
}

/// A password as a rule of a user: by its hash, so that neither MONITOR nor SLOWLOG shows it.
pub fn by_hash(password: &str) -> String {
    let hash = Sha256::digest(password.as_bytes());
    let letters: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("#{letters}")
}

/// Reads lines such as `user guest on nopass ~* +@all` (redis.io, ACL LIST).
fn read(lines: &[String]) -> Users {
    let mut users = Users {
        count: lines.len(),
        open: Vec::new(),
        guessed: Vec::new(),
        hashes: 0,
    };
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        if let [_, name, "on", rules @ ..] = words.as_slice()
            && guessed_first(name, "redis").any(|password| rules.contains(&by_hash(password).as_str()))
        {
            users.guessed.push((*name).to_owned());
        }
        users.hashes += words
            .iter()
            .filter(|word| word.len() == 65 && word.starts_with('#'))
            .count();
        if words
            .get(2..)
            .is_some_and(|rules| rules.contains(&"on") && rules.contains(&"nopass"))
        {
            users.open.push(words[1].to_owned());
        }
    }
    users
}

/// Passwords are SHA-256 without salt; users without a password may be in the list.
pub fn password_storage(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::PasswordStorage;
    let Users {
        count, open, hashes, ..
    } = match users(scene) {
        Ok(users) => users,
        Err(why) => {
            scene.note("redis.acl-list", "ACL LIST", &why);
            let what = format!("This login may not read the list of users: {why}.");
            return AuditFinding::unknown(feature, UnknownReason::NoPrivilege, what);
        }
    };
    // The hashes themselves are no evidence that anybody else should have.
    scene.note(
        "redis.acl-list",
        "ACL LIST",
        format!(
            "{count} users, {hashes} hashes of 256 bits, {} without a password",
            open.len()
        ),
    );
    let finding = if !open.is_empty() {
        AuditFinding::off(
            feature,
            format!(
                "{} of {count} users log in without a password: {}.",
                open.len(),
                open.join(", ")
            ),
        )
        .mend(
            AuditSeverity::High,
            "ACL SETUSER NAME resetpass >PASSWORD, or off",
        )
    } else {
        AuditFinding::partial(
            feature,
            "Passwords are kept as SHA-256 without salt and without repetition: anyone who reads the list can quickly guess short ones.",
        )
        .mend(AuditSeverity::Low, "use random passwords of 128 bits or more (ACL GENPASS), and keep ACL LIST and the ACL file to administrators")
    };
    finding.see(ACL)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `printf hunter2 | sha256sum`
    #[test]
    fn a_password_is_sent_as_its_hash() {
        let hash = "#f52fbd32b2b3b86ff88ef6c490628285f482af15ddcb29541f94bcf526a3f6c7";
        assert_eq!(by_hash("hunter2"), hash);
    }

    #[test]
    fn stored_passwords_that_are_tried_first_are_found() {
        let line =
            |state: &str, password: &str| format!("user app {state} {} ~app:* +@read", by_hash(password));
        let guessed = |line: String| read(&[line]).guessed;
        for password in ["app", "redis", "changeme"] {
            assert_eq!(guessed(line("on", password)), ["app"], "{password}");
        }
        assert!(guessed(line("off", "app")).is_empty());
        assert!(guessed(line("on", "A7d0-random-4fQ")).is_empty());
    }

    #[test]
    fn a_user_that_is_off_lets_nobody_in() {
        let hash = format!("#{}", "0".repeat(64));
        let lines = [
            "user default off nopass ~* +@all".to_owned(),
            format!("user app on {hash} ~app:* +@read"),
            "user guest on sanitize-payload nopass ~* +@all".to_owned(),
            "user on".to_owned(),
            String::new(),
        ];
        let users = read(&lines);
        assert_eq!(
            (users.count, users.hashes, users.open),
            (5, 1, vec!["guest".to_owned()])
        );
    }
}
