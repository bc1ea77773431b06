//! Connections without a login, as the user of the address, as the administrator, and as a user of the audit's own.

use std::sync::Arc;
use std::time::Duration;

use dbdyno_audit::{Channel, ChannelError, Scene};
use dbdyno_driver::remote::{HostPort, Remote};
use rustls::ClientConfig;

use crate::entry::{Entrance, Outcome, Who, enter, request_tls};
use crate::protocol::{Answer, ask};

/// How often a statement that was overtaken is tried again, and how long after.
const OVERTAKEN: usize = 20;
const SHORTLY: Duration = Duration::from_millis(50);
/// The user when the address names none: the one that every installation has.
pub const SUPERUSER: &str = "postgres";

/// An open session, and with which server.
pub struct Session {
    pub host: HostPort,
    channel: Channel,
}

impl Session {
    pub fn ask(&mut self, sql: &str) -> Result<Answer, ChannelError> {
        ask(&mut self.channel, sql)
    }

    /// Asks a statement whose refusal ends the probe.
    ///
    /// Statements that change the same row of the server's catalogue at the same time overtake each other, one of them fails without an
    /// effect, and the manual says to try again: another audit makes and removes roles, too.
    pub fn must(&mut self, sql: &str) -> Result<Answer, ChannelError> {
        for _ in 0..OVERTAKEN {
            match self.ask(sql)? {
                Answer::Refused(refusal) if refusal.is_overtaken() => std::thread::sleep(SHORTLY),
                answer => return answer.granted(),
            }
        }
        self.ask(sql)?.granted()
    }
}

pub fn user(remote: &Remote) -> &str {
    remote.user.as_deref().unwrap_or(SUPERUSER)
}

/// The database of the application, where everything is tried: rights differ from one to the next.
pub fn database<'a>(scene: &Scene<'a>) -> &'a str {
    if scene.remote.path.is_empty() {
        user(scene.remote)
    } else {
        &scene.remote.path
    }
}

/// Somebody who asks for the database of the application.
pub fn as_user<'a>(scene: &Scene<'a>, user: &'a str) -> Who<'a> {
    Who {
        user,
        database: database(scene),
        application: "dbdyno",
        replicates: false,
    }
}

/// Opens a connection without a login, encrypted as the address says.
pub fn open(scene: &Scene<'_>, host: &HostPort) -> Result<Channel, ChannelError> {
    match scene.remote.tls {
        Some(_) => encrypted(scene, host, scene.configuration(scene.remote)?),
        None => scene.open_to(host),
    }
}

/// Opens a connection over TLS without the client's certificate, and without a login.
pub fn open_without_certificate(scene: &Scene<'_>, host: &HostPort) -> Result<Channel, ChannelError> {
    encrypted(scene, host, scene.without_certificate()?)
}

/// Opens a connection over TLS with the client's certificate, whatever certificate the server shows: for probes that send no
/// password.
pub fn open_trusting(scene: &Scene<'_>, host: &HostPort) -> Result<Channel, ChannelError> {
    encrypted(scene, host, scene.trusting()?)
}

fn encrypted(
    scene: &Scene<'_>,
    host: &HostPort,
    configuration: Arc<ClientConfig>,
) -> Result<Channel, ChannelError> {
    let mut channel = scene.open_to(host)?;
    match request_tls(&mut channel)? {
        b'S' => channel.secure(host, configuration),
        _ => Err(ChannelError::Tls("the server does not speak it".to_owned())),
    }
}

/// Attempts a login, encrypted as the address says.
pub fn try_entry(
    scene: &Scene<'_>,
    host: &HostPort,
    who: Who<'_>,
    password: Option<&str>,
) -> Result<Entrance, ChannelError> {
    enter(&mut open(scene, host)?, who, password)
}

/// A session of this user.
pub fn session(
    scene: &Scene<'_>,
    host: &HostPort,
    who: Who<'_>,
    password: Option<&str>,
) -> Result<Session, ChannelError> {
    let mut channel = open(scene, host)?;
    let entrance = enter(&mut channel, who, password)?;
    match entrance.outcome {
        Outcome::In => Ok(Session {
            host: host.clone(),
            channel,
        }),
        _ => Err(ChannelError::Unexpected(entrance.shown())),
    }
}

/// A session of the user of the address.
pub fn application(scene: &Scene<'_>) -> Result<Session, ChannelError> {
    log_in(scene, scene.remote)
}

/// A session that may administrate: that of the administrator, or without one of the address' own user. What it may do is
/// seen when it does it.
pub fn administrator(scene: &Scene<'_>) -> Result<Session, ChannelError> {
    let mut session = log_in(scene, scene.administrator.unwrap_or(scene.remote))?;
    // The application may have made functions that fit a question better than the server's own; they would do as an administrator
    // may (manual, "Writing SECURITY DEFINER Functions Safely", and CVE-2018-1058).
    session.must("SET search_path = pg_catalog")?;
    Ok(session)
}

/// Logs in as the administrator at one of several servers.
pub fn administrator_at(scene: &Scene<'_>, host: &HostPort) -> Result<Session, ChannelError> {
    let remote = scene.administrator.unwrap_or(scene.remote);
    let password = remote.password.as_ref().map(|password| password.reveal());
    let mut session = session(scene, host, as_user(scene, user(remote)), password)?;
    session.must("SET search_path = pg_catalog")?;
    Ok(session)
}

/// Of several servers the one that can be written to, else the first that lets the login in.
fn log_in(scene: &Scene<'_>, remote: &Remote) -> Result<Session, ChannelError> {
    let password = remote.password.as_ref().map(|password| password.reveal());
    let who = as_user(scene, user(remote));
    if let [host] = remote.hosts.as_slice() {
        return session(scene, host, who, password);
    }
    let (mut first, mut last) = (None, None);
    for host in &remote.hosts {
        match session(scene, host, who, password) {
            Ok(mut found) => {
                if found.ask("SELECT pg_catalog.pg_is_in_recovery()")?.column() == ["f"] {
                    return Ok(found);
                }
                first.get_or_insert(found);
            }
            Err(error) => last = Some(error),
        }
    }
    first.ok_or_else(|| {
        last.unwrap_or(ChannelError::Unreachable(
            "the address names no server".to_owned(),
        ))
    })
}
