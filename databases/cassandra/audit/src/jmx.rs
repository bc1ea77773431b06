//! JMX, by which Cassandra is managed: whether it can be reached, and whether it asks for a login.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use dbdyno_audit::{ChannelError, Scene};
use dbdyno_driver::remote::HostPort;
use dbdyno_machine::listening_addresses;
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

use crate::client::administrator;
use crate::nodes::ring;
use crate::rmi::{Login, connect_to_jmx, find_jmx, greet};

const JMX: &str =
    "https://cassandra.apache.org/doc/latest/cassandra/managing/operating/security.html#jmx-access";
const FIX: &str = "com.sun.management.jmxremote.authenticate=true with a password file or cassandra.jmx.remote.login.config, or no cassandra.jmx.local.port and no cassandra.jmx.remote.port at all";
/// The port of JMX where nobody chose another.
const USUAL: u16 = 7199;

/// A socket, as it was seen.
enum Seen {
    /// JMX, to everybody.
    Open,
    /// JMX, to who logs in.
    Asked,
    /// RMI, and no entry of JMX: the second port of one.
    NoEntry,
    /// No RMI.
    Other,
    Unknown(String),
}

/// Who may manage the servers.
pub fn management(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::JmxAuthentication;
    let finding = if scene.place.processes.is_empty() {
        let host = HostPort {
            port: USUAL,
            ..scene.host().clone()
        };
        let seen = look(scene, &host);
        of_usual_port(&seen, &host)
    } else {
        match sockets(scene) {
            Ok(hosts) => {
                let seen = hosts.iter().map(|host| look(scene, host)).collect::<Vec<_>>();
                of_sockets(&hosts, &seen)
            }
            Err(why) => AuditFinding::unknown(feature, UnknownReason::NoPrivilege, why),
        }
    };
    finding.see(JMX)
}

/// The sockets of the servers' processes that are neither for clients nor for nodes.
fn sockets(scene: &mut Scene<'_>) -> Result<Vec<HostPort>, String> {
    let mut all: BTreeSet<SocketAddr> = BTreeSet::new();
    for process in &scene.place.processes {
        let found = listening_addresses(*process)
            .map_err(|error| format!("The sockets of process {} cannot be seen: {error}.", process.id))?;
        all.extend(found);
    }
    let mut known: Vec<u16> = scene.remote.hosts.iter().map(|host| host.port).collect();
    if let Ok((own, peers)) = administrator(scene).and_then(|mut channel| ring(&mut channel)) {
        known.extend(std::iter::once(own).chain(peers).map(|host| host.port));
    }
    let (theirs, others): (Vec<SocketAddr>, Vec<SocketAddr>) = all
        .into_iter()
        .partition(|address| known.contains(&address.port()));
    if theirs.is_empty() {
        return Err("The servers' processes listen on none of the ports of the address.".to_owned());
    }
    let others: Vec<HostPort> = others
        .into_iter()
        .map(|address| HostPort {
            host: address.ip().to_canonical().to_string(),
            port: address.port(),
        })
        .collect();
    let shown: Vec<String> = others.iter().map(HostPort::to_string).collect();
    scene.note(
        "sockets.listening",
        "sockets of the servers' processes that are neither for clients nor for nodes",
        if shown.is_empty() {
            "none".to_owned()
        } else {
            shown.join(", ")
        },
    );
    Ok(others)
}

fn look(scene: &mut Scene<'_>, host: &HostPort) -> Seen {
    let (seen, got) = match try_jmx(scene, host) {
        Ok(Login::NotAsked) => (Seen::Open, "JMX, without a login".to_owned()),
        Ok(Login::Asked) => (Seen::Asked, "JMX, a login is asked for".to_owned()),
        Err((true, ChannelError::Unexpected(why))) => (Seen::NoEntry, format!("RMI; {why}")),
        Err((true, error)) => (Seen::Unknown(error.to_string()), format!("RMI; {error}")),
        Err((false, error @ (ChannelError::Unexpected(_) | ChannelError::Closed))) => {
            (Seen::Other, error.to_string())
        }
        Err((false, error)) => (Seen::Unknown(error.to_string()), error.to_string()),
    };
    scene.note(
        "cassandra.jmx",
        format!("the greeting of RMI, then a connection to JMX without a login, to {host}"),
        got,
    );
    seen
}

/// The error comes with whether RMI was spoken.
fn try_jmx(scene: &Scene<'_>, host: &HostPort) -> Result<Login, (bool, ChannelError)> {
    let greeted = |host: &HostPort| {
        let mut channel = scene.open_to(host)?;
        greet(&mut channel)?;
        Ok(channel)
    };
    let mut registry = greeted(host).map_err(|error| (false, error))?;
    let jmx = find_jmx(&mut registry).map_err(|error| (true, error))?;
    let second = HostPort {
        port: jmx.port,
        ..host.clone()
    };
    greeted(&second)
        .and_then(|mut channel| connect_to_jmx(&mut channel, &jmx))
        .map_err(|error| {
            (
                true,
                ChannelError::Tls(format!("the second port of JMX: {error}")),
            )
        })
}

fn open(hosts: &[&HostPort]) -> AuditFinding {
    let is_local = |host: &&HostPort| {
        let address = host.host.parse::<std::net::IpAddr>();
        address.is_ok_and(|address| address.is_loopback())
    };
    let names: Vec<String> = hosts.iter().map(ToString::to_string).collect();
    let (who, severity) = if hosts.iter().all(is_local) {
        ("Every user of the machine", AuditSeverity::Medium)
    } else {
        ("Anyone who reaches the server", AuditSeverity::Critical)
    };
    AuditFinding::off(
        Feature::JmxAuthentication,
        format!(
            "{who} may manage the server by JMX without a login ({}).",
            names.join(", ")
        ),
    )
    .mend(severity, FIX)
}

fn of_sockets(hosts: &[HostPort], seen: &[Seen]) -> AuditFinding {
    let feature = Feature::JmxAuthentication;
    let opened: Vec<&HostPort> = hosts
        .iter()
        .zip(seen)
        .filter(|(_, seen)| matches!(seen, Seen::Open))
        .map(|(host, _)| host)
        .collect();
    if !opened.is_empty() {
        return open(&opened);
    }
    if hosts.is_empty() {
        return AuditFinding::enforced(
            feature,
            "There is no JMX: the servers listen for clients and for nodes only.",
        );
    }
    let is_asked = seen.iter().any(|seen| matches!(seen, Seen::Asked));
    let unknown = seen.iter().find_map(|seen| match seen {
        Seen::Unknown(why) => Some(why.as_str()),
        // A socket that speaks RMI belongs to a JMX that was seen, or hides one.
        Seen::NoEntry if !is_asked => Some("a socket speaks RMI and names no JMX"),
        Seen::Other => Some("a socket does not speak RMI in clear text; it may do so over TLS"),
        Seen::Open | Seen::Asked | Seen::NoEntry => None,
    });
    match unknown {
        None => AuditFinding::enforced(feature, "JMX asks for a login."),
        Some(why) => AuditFinding::unknown(
            feature,
            UnknownReason::Unexpected,
            format!("Whether JMX asks for a login is unknown: {why}."),
        ),
    }
}

/// Without the processes, only the usual port was tried, and JMX may have another.
fn of_usual_port(seen: &Seen, host: &HostPort) -> AuditFinding {
    let feature = Feature::JmxAuthentication;
    match seen {
        Seen::Open => open(&[host]),
        Seen::Asked => AuditFinding::enforced(feature, "JMX asks for a login."),
        Seen::NoEntry | Seen::Other => AuditFinding::unknown(
            feature,
            UnknownReason::Unexpected,
            format!("At {host} no JMX answers that the probe knows."),
        ),
        Seen::Unknown(why) => AuditFinding::unknown(
            feature,
            UnknownReason::Unreachable,
            format!(
                "JMX was not found at its usual port ({why}); without the servers' processes (`server_pids=`) no other is known."
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_record::audit::ProtectionLevel;

    use super::*;

    fn host(text: &str) -> HostPort {
        HostPort {
            host: text.to_owned(),
            port: USUAL,
        }
    }

    #[test]
    fn open_jmx_is_worse_for_all_than_for_one_machine() {
        let of = |name: &str, seen| {
            let finding = of_sockets(&[host(name)], &[seen]);
            (finding.level, finding.severity)
        };
        use ProtectionLevel::{Enforced, SupportedOff, Unknown};
        assert_eq!(
            of("127.0.0.1", Seen::Open),
            (SupportedOff, Some(AuditSeverity::Medium))
        );
        assert_eq!(
            of("10.0.0.1", Seen::Open),
            (SupportedOff, Some(AuditSeverity::Critical))
        );
        assert_eq!(of("10.0.0.1", Seen::Asked), (Enforced, None));
        for unclear in [Seen::NoEntry, Seen::Other, Seen::Unknown("silence".to_owned())] {
            assert_eq!(of("127.0.0.1", unclear), (Unknown, None));
        }
        assert_eq!(of_sockets(&[], &[]).level, Enforced);
        let both = [host("127.0.0.1"), host("127.0.0.1")];
        assert_eq!(of_sockets(&both, &[Seen::NoEntry, Seen::Asked]).level, Enforced);
        assert_eq!(of_usual_port(&Seen::Other, &both[0]).level, Unknown);
    }
}
