//! Removes what audits have left: users and keys of this audit, or of one that no longer lives.

use dbdyno_audit::{Channel, ChannelError, Deadline, PREFIX, Scene};
use dbdyno_driver::remote::HostPort;

use crate::client::log_in_at;
use crate::resp::{Reply, ask};

/// All pages of keys of one server may take so many times as long as one probe. A broken server never ends them.
const PAGES: u32 = 24;
/// Servers of a cluster that are visited.
const MOST_HOSTS: usize = 16;

/// Removes users from the servers of the address, and keys from all servers of its cluster. Returns what could not be removed or looked
/// for.
pub fn clean(scene: &Scene<'_>) -> Vec<String> {
    let remote = scene.administrator.unwrap_or(scene.remote);
    let mut left = Vec::new();
    let mut hosts = remote.hosts.clone();
    let mut next = 0;
    while let Some(host) = hosts.get(next).cloned() {
        next += 1;
        let opened = log_in_at(scene, remote, &host);
        let mut channel = match opened {
            Ok(channel) => channel,
            Err(error) => {
                left.extend(not_looked_for(scene, "users and keys", &host, &error));
                continue;
            }
        };
        for other in others(scene, &mut channel, &host) {
            if hosts.len() < MOST_HOSTS && !hosts.contains(&other) {
                hosts.push(other);
            }
        }
        users(scene, &mut channel, &host, &mut left);
        keys(scene, &mut channel, &host, &mut left);
    }
    left
}

fn not_looked_for(scene: &Scene<'_>, what: &str, host: &HostPort, error: &ChannelError) -> Option<String> {
    scene.not_looked_for(&format!("{what} at {host}"), error)
}

/// The other masters of a cluster: `CLUSTER SLOTS` lists ranges of slots, each with the server that takes its keys first.
fn others(scene: &Scene<'_>, channel: &mut Channel, host: &HostPort) -> Vec<HostPort> {
    channel.renew(scene.deadline());
    let Ok(Reply::Array(ranges)) = ask(channel, &["CLUSTER", "SLOTS"]) else {
        return Vec::new();
    };
    ranges.iter().filter_map(|range| master(range, host)).collect()
}

/// The server of a range: one without an address is at that of the server that was asked.
fn master(range: &Reply, asked: &HostPort) -> Option<HostPort> {
    let Reply::Array(range) = range else {
        return None;
    };
    let Some(Reply::Array(server)) = range.get(2) else {
        return None;
    };
    let [address, Reply::Integer(port), ..] = server.as_slice() else {
        return None;
    };
    let host = match address {
        Reply::Bulk(name) if !name.is_empty() => String::from_utf8(name.clone()).ok()?,
        _ => asked.host.clone(),
    };
    Some(HostPort {
        host,
        port: u16::try_from(*port).ok()?,
    })
}

/// Who may not list the users has made none.
fn users(scene: &Scene<'_>, channel: &mut Channel, host: &HostPort, left: &mut Vec<String>) {
    channel.renew(scene.deadline());
    let users = match ask(channel, &["ACL", "USERS"]) {
        Ok(Reply::Array(users)) => users,
        Ok(_) => return,
        Err(error) => return left.extend(not_looked_for(scene, "users", host, &error)),
    };
    let names = users.iter().map(Reply::text);
    for user in names.filter(|user| scene.may_remove(user)) {
        match ask(channel, &["ACL", "DELUSER", &user]) {
            Ok(Reply::Integer(_)) => {}
            other => left.push(format!(
                "user {user}: ACL DELUSER was answered with {}",
                shown(other)
            )),
        }
    }
}

fn keys(scene: &Scene<'_>, channel: &mut Channel, host: &HostPort, left: &mut Vec<String>) {
    let pattern = format!("{PREFIX}*");
    let mut cursor = "0".to_owned();
    let end = Deadline::within(scene.patience * PAGES);
    while end.left().is_some() {
        channel.renew(scene.deadline());
        let answer = ask(channel, &["SCAN", &cursor, "MATCH", &pattern, "COUNT", "1000"]);
        let (next, keys) = match page(answer) {
            Ok(page) => page,
            Err(error) => return left.extend(not_looked_for(scene, "keys", host, &error)),
        };
        for key in keys.iter().filter(|key| scene.may_remove(key)) {
            remove(channel, key, left);
        }
        cursor = next;
        if cursor == "0" {
            return;
        }
    }
    let error = ChannelError::Unexpected("SCAN did not end in time".to_owned());
    left.extend(not_looked_for(scene, "keys", host, &error));
}

/// The next cursor, and the keys of a page.
fn page(answer: Result<Reply, ChannelError>) -> Result<(String, Vec<String>), ChannelError> {
    match answer? {
        Reply::Array(parts) => match parts.as_slice() {
            [next, Reply::Array(keys)] => Ok((next.text(), keys.iter().map(Reply::text).collect())),
            _ => Err(ChannelError::Unexpected("no answer to SCAN".to_owned())),
        },
        other => Err(ChannelError::Unexpected(other.shown())),
    }
}

fn remove(channel: &mut Channel, key: &str, left: &mut Vec<String>) {
    match ask(channel, &["DEL", key]) {
        Ok(Reply::Integer(_)) => {}
        // A replica has its keys from a master, which is visited, too.
        Ok(reply) if reply.is_error("MOVED") || reply.is_error("READONLY") => {}
        other => left.push(format!("key {key}: DEL was answered with {}", shown(other))),
    }
}

fn shown(outcome: Result<Reply, ChannelError>) -> String {
    outcome.map_or_else(|error| error.to_string(), |reply| reply.shown())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_masters_of_a_cluster_are_read() {
        let asked = HostPort {
            host: "db".to_owned(),
            port: 1,
        };
        let range = |address| {
            let server = Reply::Array(vec![address, Reply::Integer(7000), Reply::Nil]);
            Reply::Array(vec![Reply::Integer(0), Reply::Integer(99), server])
        };
        let read = |range: &Reply| master(range, &asked).map(|host| host.to_string());
        let named = range(Reply::Bulk(b"10.0.0.2".to_vec()));
        assert_eq!(read(&named).as_deref(), Some("10.0.0.2:7000"));
        assert_eq!(read(&range(Reply::Nil)).as_deref(), Some("db:7000"));
        assert_eq!(read(&Reply::Array(vec![Reply::Integer(0)])), None);
    }

    #[test]
    fn a_page_that_is_none_is_no_end() {
        let error = Reply::Error("NOPERM no".to_owned());
        page(Ok(error)).unwrap_err();
        page(Err(ChannelError::Silent)).unwrap_err();
        page(Ok(Reply::Array(vec![Reply::Nil]))).unwrap_err();
        let last = Reply::Array(vec![Reply::Bulk(b"0".to_vec()), Reply::Array(Vec::new())]);
        assert_eq!(page(Ok(last)), Ok(("0".to_owned(), Vec::new())));
    }
}
