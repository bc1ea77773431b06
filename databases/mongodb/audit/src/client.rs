//! Connections without a login, as the user of the address, and as the administrator.

use bson::{Document, doc};
use dbdyno_audit::{Channel, ChannelError, Scene};
use dbdyno_driver::remote::{HostPort, Remote};

use crate::login::log_in as authenticate;
use crate::message::{Reply, ask};

/// Servers of an address that are looked at.
const MOST_HOSTS: usize = 16;

/// Opens a connection without a login, encrypted as the address says.
pub fn open(scene: &Scene<'_>, remote: &Remote, host: &HostPort) -> Result<Channel, ChannelError> {
    let channel = scene.open_to(host)?;
    if remote.tls.is_none() {
        return Ok(channel);
    }
    channel.secure(host, scene.configuration(remote)?)
}

/// The servers of the address that are looked at.
pub fn hosts(remote: &Remote) -> &[HostPort] {
    &remote.hosts[..remote.hosts.len().min(MOST_HOSTS)]
}

/// A connection without a login to the server that takes writes: others of a set refuse most commands for that alone.
pub fn open_primary(scene: &Scene<'_>, remote: &Remote) -> Result<Channel, ChannelError> {
    let mut last = ChannelError::Unreachable("the address names no server".to_owned());
    for host in hosts(remote) {
        let outcome = open(scene, remote, host).and_then(|mut channel| {
            let hello = ask(&mut channel, "admin", doc! { "hello": 1 })?;
            Ok((channel, hello))
        });
        match outcome {
            Ok((channel, hello)) if is_primary(&hello) => return Ok(channel),
            Ok((_, hello)) => {
                last = ChannelError::Unexpected(format!("{host} takes no writes: {}", hello.shown()));
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Servers before 5.0 know the older command only; every one of them answers that it knows no `hello`.
fn is_primary(hello: &Reply) -> bool {
    hello.flag("isWritablePrimary") || hello.flag("ismaster") || !hello.is_ok()
}

/// The database that knows the user of the address; that of the administrator is always `admin`.
pub fn source(scene: &Scene<'_>) -> String {
    let named = scene.target.options.get("authSource").cloned();
    named.unwrap_or_else(|| "admin".to_owned())
}

/// The database of the application.
pub fn database(scene: &Scene<'_>) -> String {
    match scene.remote.path.as_str() {
        "" => "ycsb".to_owned(),
        path => path.to_owned(),
    }
}

/// Opens a connection and logs in as the user of the address; without a login it stays unauthenticated.
pub fn application(scene: &Scene<'_>) -> Result<Channel, ChannelError> {
    logged_in(scene, scene.remote, &source(scene))
}

/// A connection with the highest rights at hand: the administrator's, else that of the user of the address, else one without a
/// login. Whether these rights suffice shows when they are used.
pub fn administrator(scene: &Scene<'_>) -> Result<Channel, ChannelError> {
    match scene.administrator {
        Some(remote) => logged_in(scene, remote, "admin"),
        None => application(scene),
    }
}

/// Whether a login that the audit was given is accepted.
pub fn accepts(scene: &Scene<'_>, remote: &Remote) -> bool {
    let is_application = std::ptr::eq(remote, scene.remote);
    let source = if is_application {
        source(scene)
    } else {
        "admin".to_owned()
    };
    logged_in(scene, remote, &source).is_ok()
}

fn logged_in(scene: &Scene<'_>, remote: &Remote, source: &str) -> Result<Channel, ChannelError> {
    let mut channel = open_primary(scene, remote)?;
    let (Some(user), Some(password)) = (&remote.user, &remote.password) else {
        return Ok(channel);
    };
    let reply = authenticate(&mut channel, source, user, password.reveal())?;
    granted(reply).map(|_| channel)
}

/// Makes a user of the audit's own, who may read and write a database of its own name and nothing else.
pub fn make_user(managing: &mut Channel, user: &str, password: &str) -> Result<Reply, ChannelError> {
    let command = doc! {
        "createUser": user, "pwd": password, "roles": [{ "role": "readWrite", "db": user }],
        "mechanisms": ["SCRAM-SHA-256"],
    };
    ask(managing, "admin", command)
}

/// Removes that user.
pub fn remove_user(managing: &mut Channel, user: &str) {
    ask(managing, "admin", doc! { "dropUser": user }).ok();
}

/// A reply that must say `ok`.
pub fn granted(reply: Reply) -> Result<Reply, ChannelError> {
    if reply.is_ok() {
        Ok(reply)
    } else {
        Err(ChannelError::Unexpected(reply.shown()))
    }
}

/// Runs a command without a login.
pub fn ask_without_login(scene: &Scene<'_>, command: Document) -> Result<Reply, ChannelError> {
    let mut channel = open_primary(scene, scene.remote)?;
    ask(&mut channel, "admin", command)
}
