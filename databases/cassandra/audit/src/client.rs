//! Connections without a login, as the user of the address, and as the administrator.

use std::time::Duration;

use dbdyno_audit::{Channel, ChannelError, Deadline, Scene};
use dbdyno_driver::remote::Remote;

use crate::cql::{Answer, authenticate, query, start};

/// Changes of the schema take seconds on a cluster, so conversations of an administrator last longer than one probe.
const CHANGES: u32 = 6;

/// Opens a connection without a login, encrypted as the address says.
pub fn open(scene: &Scene<'_>, remote: &Remote) -> Result<Channel, ChannelError> {
    open_for(scene, remote, scene.patience)
}

fn open_for(scene: &Scene<'_>, remote: &Remote, patience: Duration) -> Result<Channel, ChannelError> {
    let host = &remote.hosts[0];
    let channel = Channel::connect(host, scene.from, Deadline::within(patience))?;
    if remote.tls.is_none() {
        return Ok(channel);
    }
    channel.secure(host, scene.configuration(remote)?)
}

/// Opens a connection and logs in with the address' user; if the server asks for no login, the connection stays unauthenticated.
pub fn log_in(scene: &Scene<'_>, remote: &Remote) -> Result<Channel, ChannelError> {
    let user = remote.user.as_deref().unwrap_or_default();
    let password = remote.password.as_ref().map_or("", |password| password.reveal());
    log_in_as(scene, user, password, remote, scene.patience * CHANGES)
}

/// Opens a connection and logs in with another user, for as long as `patience` says.
pub fn log_in_as(
    scene: &Scene<'_>,
    user: &str,
    password: &str,
    remote: &Remote,
    patience: Duration,
) -> Result<Channel, ChannelError> {
    let mut channel = open_for(scene, remote, patience)?;
    match start(&mut channel)? {
        Answer::Ready => Ok(channel),
        Answer::Authenticate(_) if user.is_empty() => {
            Err(ChannelError::Unexpected("a login is asked for".to_owned()))
        }
        Answer::Authenticate(_) => match authenticate(&mut channel, user, password)? {
            Answer::LoggedIn => Ok(channel),
            refused => Err(ChannelError::Unexpected(refused.shown())),
        },
        other => Err(ChannelError::Unexpected(other.shown())),
    }
}

/// The answer to a login on a connection of its own; `None` when none is asked for.
pub fn try_login(scene: &Scene<'_>, user: &str, password: &str) -> Result<Option<Answer>, ChannelError> {
    let mut channel = open(scene, scene.remote)?;
    match start(&mut channel)? {
        Answer::Ready => Ok(None),
        Answer::Authenticate(_) => authenticate(&mut channel, user, password).map(Some),
        other => Err(ChannelError::Unexpected(other.shown())),
    }
}

/// A connection with the highest rights at hand: the administrator's, else that of the user of the address, else one without a
/// login. Whether these rights suffice shows when they are used.
pub fn administrator(scene: &Scene<'_>) -> Result<Channel, ChannelError> {
    log_in(scene, scene.administrator.unwrap_or(scene.remote))
}

/// A statement that must succeed.
pub fn must(channel: &mut Channel, statement: &str) -> Result<Answer, ChannelError> {
    accepted(query(channel, statement)?)
}

/// The answer to a statement that must succeed.
pub fn accepted(answer: Answer) -> Result<Answer, ChannelError> {
    match answer {
        refused @ Answer::Error { .. } => Err(ChannelError::Unexpected(refused.shown())),
        answer => Ok(answer),
    }
}

/// A setting of the node, under one of the names that its versions give it; `None` when it cannot be read.
pub fn setting(channel: &mut Channel, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| {
        let statement = format!("SELECT value FROM system_views.settings WHERE name = '{name}'");
        query(channel, &statement).ok()?.texts().into_iter().next()
    })
}
