//! The readers of answers for `crates/fuzzed`; nothing else uses them.

use dbdyno_audit::{Channel, ChannelError};

use crate::cql::{Answer, query};
use crate::rmi::{connect_to_jmx, find_jmx, greet};

/// The answer to a statement, and the bytes by which a server gives it where that is one way alone: rows.
///
/// # Errors
/// When it is no answer.
pub fn answer(channel: &mut Channel) -> Result<(String, Option<Vec<u8>>), ChannelError> {
    let answer = query(channel, "SELECT release_version FROM system.local")?;
    let bytes = match &answer {
        Answer::Rows(rows) => Some(written(rows)),
        _ => None,
    };
    Ok((format!("{answer:?}"), bytes))
}

/// Where a server says that JMX is, and what it says there to a client without a login.
///
/// # Errors
/// When it does not speak RMI, has no JMX or answers with something else.
pub fn jmx(registry: &mut Channel, jmx: &mut Channel) -> Result<String, ChannelError> {
    greet(registry)?;
    let found = find_jmx(registry)?;
    greet(jmx)?;
    let login = connect_to_jmx(jmx, &found)?;
    Ok(format!("{found:?} {login:?}"))
}

/// A frame of rows whose columns are not described.
fn written(rows: &[Vec<Option<Vec<u8>>>]) -> Vec<u8> {
    let columns = rows.first().map_or(0, Vec::len);
    let mut body = Vec::new();
    for number in [2, 4, columns as u32] {
        body.extend(number.to_be_bytes());
    }
    body.extend((rows.len() as u32).to_be_bytes());
    for value in rows.iter().flatten() {
        let length = value.as_ref().map_or(u32::MAX, |value| value.len() as u32);
        body.extend(length.to_be_bytes());
        body.extend(value.iter().flatten());
    }
    let mut frame = vec![0x84, 0, 0, 0, 8];
    frame.extend((body.len() as u32).to_be_bytes());
    frame.extend(body);
    frame
}
