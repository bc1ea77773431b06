//! Statements that are tried, to see whether they are refused.

use dbdyno_audit::{ChannelError, Scene};

use crate::client::Session;
use crate::protocol::{Answer, NO_RIGHT};

/// There is no such schema, so nobody can make a table in it.
const NO_SCHEMA: &str = "3F000";

/// Whether a statement is refused for want of a right.
pub fn is_refused(
    scene: &mut Scene<'_>,
    session: &mut Session,
    probe: &str,
    sql: &str,
) -> Result<bool, ChannelError> {
    let answer = session.ask(sql)?;
    let got = match &answer {
        Answer::Rows(_) => "not refused".to_owned(),
        Answer::Refused(_) => answer.shown(),
    };
    scene.note(probe, sql, got);
    match answer {
        Answer::Rows(_) => Ok(false),
        Answer::Refused(refusal) if [NO_RIGHT, NO_SCHEMA].contains(&refusal.code.as_str()) => Ok(true),
        Answer::Refused(refusal) => Err(ChannelError::Unexpected(refusal.shown())),
    }
}
