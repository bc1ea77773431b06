//! The readers of answers for `crates/fuzzed`; nothing else uses them.

use dbdyno_audit::{Channel, ChannelError};

use crate::quorum::{Quorum, Reply, content};
use crate::rpc::{QUESTIONS, ask_as, wrong_ticket};

/// The answer to a question without a login.
///
/// # Errors
/// When it is no answer.
pub fn answer(channel: &mut Channel) -> Result<String, ChannelError> {
    ask_as(channel, "user", QUESTIONS[0]).map(|answer| format!("{answer:?}"))
}

/// The answer to a ticket that is none.
///
/// # Errors
/// When it is no answer.
pub fn ticket(channel: &mut Channel) -> Result<String, ChannelError> {
    wrong_ticket(channel).map(|ticket| format!("{ticket:?}"))
}

/// What ZooKeeper answers to the beginning of a session, and to questions for the children of a node, the rights to it and its data.
///
/// # Errors
/// When one is no answer.
pub fn quorum(channel: Channel) -> Result<String, ChannelError> {
    let mut session = Quorum::over(channel)?;
    let children = session.children("/hbase")?;
    let rights = session.rights_of_anybody("/hbase")?;
    let data = match session.data("/hbase")? {
        Reply::Found(answer) => content(&answer).map(<[u8]>::to_vec),
        Reply::NoNode | Reply::NoRight => None,
    };
    Ok(format!("{children:?} {rights:?} {data:?}"))
}
