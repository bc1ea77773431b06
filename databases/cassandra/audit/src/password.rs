//! How the audit sets the passwords of its roles: by their hash, so that no log of statements keeps a password.

use dbdyno_audit::{Channel, ChannelError};

use crate::client::accepted;
use crate::cql::{Answer, SYNTAX_ERROR, query};

/// The fewest rounds that bcrypt knows: these passwords are random, so that rounds would slow down nobody but the node.
const COST: u32 = 4;

/// The form in which a node took the password.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    Hash,
    /// Before version 4.1 nodes know no hashed passwords.
    Password,
}

/// Sends the statement that `of` makes of the option of a role that sets this password; a refusal is an answer.
pub fn set_password(
    channel: &mut Channel,
    password: &str,
    of: impl Fn(&str) -> String,
) -> Result<(Answer, Sent), ChannelError> {
    if let Some(hash) = hash_of(password) {
        let answer = query(channel, &of(&format!("HASHED PASSWORD = '{hash}'")))?;
        if !answer.is_error(SYNTAX_ERROR) {
            return Ok((answer, Sent::Hash));
        }
    }
    Ok((
        query(channel, &of(&format!("PASSWORD = '{password}'")))?,
        Sent::Password,
    ))
}

/// Makes a role that may log in. A refusal is an error.
pub fn make_role(channel: &mut Channel, role: &str, password: &str) -> Result<(Answer, Sent), ChannelError> {
    let (answer, sent) = set_password(channel, password, |option| {
        format!("CREATE ROLE {role} WITH {option} AND LOGIN = true")
    })?;
    Ok((accepted(answer)?, sent))
}

/// As jBCrypt, which is Cassandra's, writes it: it reads version 2a alone.
fn hash_of(password: &str) -> Option<String> {
    let parts = bcrypt::hash_with_result(password, COST).ok()?;
    Some(parts.format_for_version(bcrypt::Version::TwoA))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_hashed_as_cassandra_reads_it() {
        let hash = hash_of("correct horse").expect("random numbers");
        assert!(hash.starts_with("$2a$04$"), "{hash}");
        assert!(bcrypt::verify("correct horse", &hash).expect("a hash"));
        assert!(!bcrypt::verify("wrong horse", &hash).expect("a hash"));
    }
}
