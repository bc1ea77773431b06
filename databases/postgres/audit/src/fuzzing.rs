//! The readers of messages for `crates/fuzzed`; nothing else uses them.

use dbdyno_audit::{Channel, ChannelError};

use crate::entry::{Who, enter};
use crate::protocol::{Answer, ask};

/// The answer to a question, and the bytes by which a server gives it where that is one way alone: rows.
///
/// # Errors
/// When it is no answer.
pub fn answer(channel: &mut Channel) -> Result<(String, Option<Vec<u8>>), ChannelError> {
    let answer = ask(channel, "SELECT 1")?;
    let bytes = match &answer {
        Answer::Rows(rows) => Some(written(rows)),
        Answer::Refused(_) => None,
    };
    Ok((format!("{answer:?}"), bytes))
}

/// What comes of a login with a password.
///
/// # Errors
/// When the server says what belongs to no login.
pub fn login(channel: &mut Channel) -> Result<String, ChannelError> {
    let who = Who {
        user: "user",
        database: "database",
        application: "application",
        replicates: false,
    };
    enter(channel, who, Some("password")).map(|entrance| format!("{entrance:?}"))
}

fn written(rows: &[Vec<Option<String>>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for row in rows {
        let mut body = (row.len() as u16).to_be_bytes().to_vec();
        for text in row {
            let length = text.as_ref().map_or(u32::MAX, |text| text.len() as u32);
            body.extend(length.to_be_bytes());
            body.extend(text.iter().flat_map(|text| text.bytes()));
        }
        bytes.push(b'D');
        bytes.extend((body.len() as u32 + 4).to_be_bytes());
        bytes.extend(body);
    }
    bytes.extend(b"Z\0\0\0\x05I");
    bytes
}
