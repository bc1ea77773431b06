//! What servers send back: some quote a password that they refuse. Every secret that this process has read is known here, and no error of
//! a driver shows it.

use std::collections::BTreeSet;
use std::sync::{PoisonError, RwLock};

use super::HIDDEN;

/// Shorter ones would be found in many a word, and are no secret.
const SHORTEST: usize = 4;

static KNOWN: RwLock<BTreeSet<String>> = RwLock::new(BTreeSet::new());

/// Keeps a secret out of later errors.
pub(crate) fn remember(secret: &str) {
    if secret.len() < SHORTEST {
        return;
    }
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    if !known.contains(secret) {
        known.insert(secret.to_owned());
    }
}

/// The text without any secret that is known.
pub(crate) fn without_known(text: String) -> String {
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    let mut found: Vec<&str> = known
        .iter()
        .map(String::as_str)
        .filter(|secret| text.contains(secret))
        .collect();
    // One that contains another goes first.
    found.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    found
        .into_iter()
        .fold(text, |text, secret| text.replace(secret, HIDDEN))
}

#[cfg(test)]
mod tests {
    use crate::remote::Secret;
    use crate::{DbError, ErrorClass};

    #[test]
    fn an_error_shows_no_secret_that_a_server_sends_back() {
        let text = |password: &str| {
            let message = format!("login as me with {password} refused, {password}!");
            DbError::new(ErrorClass::Auth, message).message
        };
        assert!(text("echo-of-a-server").contains("echo-of-a-server"));
        let _longer = Secret::new("echo-of-a-server-2");
        let _secret = Secret::new("echo-of-a-server");
        assert_eq!(text("echo-of-a-server"), "login as me with *** refused, ***!");
        assert_eq!(text("echo-of-a-server-2"), "login as me with *** refused, ***!");
        let _short = Secret::new("me");
        assert!(text("x").starts_with("login as me "));
    }
}
