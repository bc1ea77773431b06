//! The users of a server, and what each may do.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use sha2::{Digest as _, Sha256};

use crate::lie::Lie;

/// The password of the user `default`, who may do everything. No secret: the server lives in this process.
pub const PASSWORD: &str = "sick-by-choice";
const EVERYTHING: &str = "default";
/// Users beyond this are refused: an audit makes a few.
const MOST_USERS: usize = 1_000;
/// Refused logins that are kept (the default of Redis's `acllog-max-len`).
const MOST_REFUSALS: usize = 128;

/// A user that an administrator has made.
#[derive(Clone, Debug, Default)]
struct User {
    /// Hashes of passwords, as rules write them: `#` and SHA-256.
    passwords: BTreeSet<String>,
    /// How its keys begin; empty: it has none.
    keys: String,
    /// Commands, in lower case.
    may: BTreeSet<String>,
}

/// Everything that a server remembers.
#[derive(Debug, Default)]
pub struct Users {
    made: BTreeMap<String, User>,
    refusals: VecDeque<String>,
}

impl Users {
    /// Whether this login is right; a wrong one is written down.
    pub fn log_in(&mut self, name: &str, password: &str) -> bool {
        let is_right = match self.made.get(name) {
            Some(user) => user.passwords.contains(&hash_of(password)),
            None => name == EVERYTHING && password == PASSWORD,
        };
        if !is_right {
            if self.refusals.len() == MOST_REFUSALS {
                self.refusals.pop_back();
            }
            self.refusals.push_front(name.to_owned());
        }
        is_right
    }

    /// Whether a user may do everything.
    pub fn may_everything(name: &str) -> bool {
        name == EVERYTHING
    }

    /// Whether a user may give a command, on a key where it needs one.
    pub fn may(&self, name: &str, command: &str, key: Option<&str>) -> bool {
        Self::may_everything(name)
            || self.made.get(name).is_some_and(|user| {
                let is_own =
                    |key: &str| !user.keys.is_empty() && key.starts_with(user.keys.trim_end_matches('*'));
                user.may.contains(&command.to_ascii_lowercase()) && key.is_none_or(is_own)
            })
    }

    /// Whether there still is such a user.
    pub fn knows(&self, name: &str) -> bool {
        Self::may_everything(name) || self.made.contains_key(name)
    }

    /// Changes a user by the rules of ACL SETUSER (redis.io), or makes it. False: there are too many, or it may not be changed.
    /// One that forgets to revoke carries out what gives, and not what takes.
    pub fn set(&mut self, name: &str, rules: &[String], lie: Option<Lie>) -> bool {
        let is_full = self.made.len() >= MOST_USERS && !self.made.contains_key(name);
        if is_full || Self::may_everything(name) {
            return false;
        }
        let forgets = lie == Some(Lie::Revoke);
        let user = self.made.entry(name.to_owned()).or_default();
        for rule in rules {
            let mut letters = rule.chars();
            match (letters.next(), letters.as_str()) {
                (Some('>'), password) => {
                    user.passwords.insert(hash_of(password));
                }
                (Some('#'), _) => {
                    user.passwords.insert(rule.clone());
                }
                (Some('~'), keys) => keys.clone_into(&mut user.keys),
                (Some('+'), command) => {
                    user.may.insert(command.to_ascii_lowercase());
                }
                _ if forgets => {}
                (Some('-'), command) => {
                    user.may.remove(&command.to_ascii_lowercase());
                }
                _ if rule == "resetpass" => user.passwords.clear(),
                _ if rule == "reset" => *user = User::default(),
                _ => {}
            }
        }
        true
    }

    /// Removes a user; how many there were.
    pub fn remove(&mut self, name: &str, lie: Option<Lie>) -> usize {
        if lie == Some(Lie::Revoke) {
            return usize::from(self.made.contains_key(name));
        }
        usize::from(self.made.remove(name).is_some())
    }

    /// The names of all users.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(EVERYTHING).chain(self.made.keys().map(String::as_str))
    }

    /// All users by the rules that make them, as ACL LIST has them.
    pub fn rules(&self) -> Vec<String> {
        let everything = format!("user {EVERYTHING} on {} ~* &* +@all", hash_of(PASSWORD));
        let made = self.made.iter().map(|(name, user)| {
            let passwords = user.passwords.iter().cloned();
            let commands = user.may.iter().map(|command| format!("+{command}"));
            let rules: Vec<String> = passwords
                .chain([format!("~{}", user.keys), "-@all".to_owned()])
                .chain(commands)
                .collect();
            format!("user {name} on {}", rules.join(" "))
        });
        std::iter::once(everything).chain(made).collect()
    }

    /// Who was refused, the last one first.
    pub fn refusals(&self) -> impl Iterator<Item = &str> {
        self.refusals.iter().map(String::as_str)
    }
}

/// A password as a rule of ACL SETUSER names it without showing it.
fn hash_of(password: &str) -> String {
    let hash = Sha256::digest(password.as_bytes());
    let letters: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("#{letters}")
}
