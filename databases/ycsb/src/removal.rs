//! Emptying a table by the only means that a binding has: scan, and delete each record.

use dbdyno_driver::{DbError, ErrorClass};

use crate::calls;
use crate::error::{self, Answered};
use crate::session::{YcsbSession, answered};

/// Records of one scan.
const BATCH: u32 = 1000;

/// Deletes every record that scans find.
pub fn delete_all(session: &mut YcsbSession) -> Result<(), DbError> {
    let mut deleted: Vec<Vec<u8>> = Vec::new();
    loop {
        let keys = scan(session)?;
        if keys.is_empty() {
            return Ok(());
        }
        if let Some(key) = keys.iter().find(|key| deleted.contains(key)) {
            return Err(refuse(
                session,
                &format!(
                    "still finds record {} after it was deleted",
                    String::from_utf8_lossy(key)
                ),
            ));
        }
        for key in &keys {
            let class = &session.shared.options.class;
            session.channel.begin().bytes(key);
            let mut answer = answered(session.channel.call(calls::DELETE), class)?;
            error::status(&mut answer, class)?;
        }
        deleted = keys;
    }
}

fn scan(session: &mut YcsbSession) -> Result<Vec<Vec<u8>>, DbError> {
    session
        .channel
        .begin()
        .bytes(b"")
        .number(BATCH)
        .number(calls::KEY_ONLY);
    let class = &session.shared.options.class;
    let mut answer = answered(session.channel.call(calls::SCAN), class)?;
    if error::status(&mut answer, class)? == Answered::NotFound {
        return Ok(Vec::new());
    }
    let mut keys = Vec::new();
    for _ in 0..answer.number() {
        keys.push(answer.bytes().to_vec());
        // No field was asked for: their count is 0.
        answer.number();
    }
    if keys.iter().any(Vec::is_empty) {
        let field = session.shared.options.key_field.clone().unwrap_or_default();
        return Err(refuse(
            session,
            &format!("gives no key in field `{field}` of what it scans; correct key_field"),
        ));
    }
    Ok(keys)
}

fn refuse(session: &YcsbSession, what: &str) -> DbError {
    DbError::new(
        ErrorClass::Rejected,
        format!(
            "drop=delete does not work: YCSB's binding {} {what}",
            session.shared.options.class
        ),
    )
}
