//! The reader of answers for `crates/fuzzed`; nothing else uses it.

use dbdyno_audit::{Channel, ChannelError};

use crate::resp::{Reply, ask};

/// The answer to a question, and the bytes by which a server gives it.
///
/// # Errors
/// When it is no answer.
pub fn answer(channel: &mut Channel) -> Result<(String, Vec<u8>), ChannelError> {
    let reply = ask(channel, &["PING"])?;
    let mut bytes = Vec::new();
    write(&reply, &mut bytes);
    Ok((format!("{reply:?}"), bytes))
}

fn write(reply: &Reply, bytes: &mut Vec<u8>) {
    let mut line = |kind: char, text: &str| bytes.extend(format!("{kind}{text}\r\n").into_bytes());
    match reply {
        Reply::Simple(text) => line('+', text),
        Reply::Error(text) => line('-', text),
        Reply::Integer(number) => line(':', &number.to_string()),
        Reply::Nil => line('$', "-1"),
        Reply::Bulk(content) => {
            line('$', &content.len().to_string());
            bytes.extend(content);
            bytes.extend(b"\r\n");
        }
        Reply::Array(entries) => {
            line('*', &entries.len().to_string());
            entries.iter().for_each(|entry| write(entry, bytes));
        }
    }
}
