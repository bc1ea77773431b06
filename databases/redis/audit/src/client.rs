//! Connections without a login, as the user of the address, and as the administrator.

use dbdyno_audit::{Channel, ChannelError, Scene};
use dbdyno_driver::remote::{HostPort, Remote};

use crate::resp::{Reply, ask};

/// Opens a connection without a login, encrypted as the address says.
pub fn open(scene: &Scene<'_>, remote: &Remote, host: &HostPort) -> Result<Channel, ChannelError> {
    let channel = scene.open_to(host)?;
    if remote.tls.is_none() {
        return Ok(channel);
    }
    channel.secure(host, scene.configuration(remote)?)
}

/// Opens a connection without a login, whatever certificate the server shows: for probes that send no password.
pub fn open_trusting(scene: &Scene<'_>, host: &HostPort) -> Result<Channel, ChannelError> {
    let channel = scene.open_to(host)?;
    if scene.remote.tls.is_none() {
        return Ok(channel);
    }
    channel.secure(host, scene.trusting()?)
}

/// Opens a connection and logs in; without a login in the address it stays unauthenticated.
pub fn log_in(scene: &Scene<'_>, remote: &Remote) -> Result<Channel, ChannelError> {
    log_in_at(scene, remote, &remote.hosts[0])
}

/// Opens a connection to one of several servers and logs in.
pub fn log_in_at(scene: &Scene<'_>, remote: &Remote, host: &HostPort) -> Result<Channel, ChannelError> {
    let mut channel = open(scene, remote, host)?;
    let Some(password) = &remote.password else {
        return Ok(channel);
    };
    let user = remote.user.as_deref().filter(|user| !user.is_empty());
    match authenticate(&mut channel, user, password.reveal())? {
        Reply::Simple(_) => Ok(channel),
        refused => Err(ChannelError::Unexpected(refused.shown())),
    }
}

/// The reply to a login.
pub fn authenticate(
    channel: &mut Channel,
    user: Option<&str>,
    password: &str,
) -> Result<Reply, ChannelError> {
    match user {
        Some(user) => ask(channel, &["AUTH", user, password]),
        None => ask(channel, &["AUTH", password]),
    }
}

/// The value of a setting; `None` where the server has no such setting.
pub fn setting(channel: &mut Channel, name: &str) -> Result<Option<String>, ChannelError> {
    match ask(channel, &["CONFIG", "GET", name])? {
        // A name and a value; neither where there is none.
        Reply::Array(pair) => Ok(pair.get(1).map(Reply::text)),
        other => Err(ChannelError::Unexpected(other.shown())),
    }
}

/// A connection with the highest rights at hand: the administrator's, else that of the user of the address, else one without a
/// login. Whether these rights suffice shows when they are used.
pub fn administrator(scene: &Scene<'_>) -> Result<Channel, ChannelError> {
    log_in(scene, scene.administrator.unwrap_or(scene.remote))
}
