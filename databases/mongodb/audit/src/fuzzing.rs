//! The readers of messages for `crates/fuzzed`; nothing else uses them.

use bson::doc;
use dbdyno_audit::{Channel, ChannelError};

use crate::login::log_in;
use crate::message::ask;

/// The answer to a command, and the document in it as bytes.
///
/// # Errors
/// When it is no answer.
pub fn answer(channel: &mut Channel) -> Result<(String, Vec<u8>), ChannelError> {
    let reply = ask(channel, "admin", doc! { "hello": 1 })?;
    let document = reply.0.to_vec();
    let document = document.map_err(|error| ChannelError::Unexpected(error.to_string()))?;
    Ok((format!("{reply:?}"), document))
}

/// What comes of a login with a password.
///
/// # Errors
/// When the server says what belongs to no login.
pub fn login(channel: &mut Channel) -> Result<String, ChannelError> {
    log_in(channel, "admin", "user", "password").map(|reply| format!("{reply:?}"))
}
