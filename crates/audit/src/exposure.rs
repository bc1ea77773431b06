//! Which addresses the servers listen on.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

use dbdyno_machine::{ProcessId, listening_addresses};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel, Scope, UnknownReason};

use crate::scene::Scene;

/// The finding, from the sockets of the servers' processes where they are known. `fix` names the setting of the address.
pub fn exposure(scene: &mut Scene<'_>, fix: &str, reference: &str) -> AuditFinding {
    if scene.place.processes.is_empty() {
        return tried(scene, fix).of(Scope::Network).see(reference);
    }
    let mut addresses = BTreeSet::new();
    for process in &scene.place.processes {
        match listening_addresses(*process) {
            Ok(found) => addresses.extend(found),
            Err(error) => {
                let why = format!("The sockets of process {} cannot be seen: {error}.", process.id);
                return AuditFinding::unknown(Feature::Exposure, UnknownReason::NoPrivilege, why);
            }
        }
    }
    scene.note(
        "sockets.listening",
        "the listening sockets of the servers' processes",
        shown(&addresses),
    );
    let port = scene.host().port;
    if !addresses.is_empty() && addresses.iter().all(|address| address.port() != port) {
        return AuditFinding::unknown(
            Feature::Exposure,
            UnknownReason::Unexpected,
            format!(
                "The processes listen on {}, and the server answers on port {port}: they are not its processes.",
                shown(&addresses)
            ),
        );
    }
    of_addresses(&addresses, fix).of(Scope::Network).see(reference)
}

fn of_addresses(addresses: &BTreeSet<SocketAddr>, fix: &str) -> AuditFinding {
    let finding = |level, summary: String| AuditFinding::new(Feature::Exposure, level, summary);
    if addresses.is_empty() {
        return AuditFinding::unknown(
            Feature::Exposure,
            UnknownReason::Unexpected,
            "The servers' processes listen on nothing: they are not the ones that answer.",
        );
    }
    let open: Vec<String> = addresses
        .iter()
        .filter(|address| !is_loopback(address.ip()))
        .map(SocketAddr::to_string)
        .collect();
    if open.is_empty() {
        return finding(
            ProtectionLevel::Enforced,
            format!("On loopback only: {}.", shown(addresses)),
        );
    }
    let severity = if addresses.iter().any(|address| address.ip().is_unspecified()) {
        AuditSeverity::Medium
    } else {
        AuditSeverity::Low
    };
    finding(
        ProtectionLevel::Partial,
        format!("Other hosts can reach {}.", open.join(", ")),
    )
    .mend(severity, fix)
}

fn shown(addresses: &BTreeSet<SocketAddr>) -> String {
    let all: Vec<String> = addresses.iter().map(SocketAddr::to_string).collect();
    all.join(", ")
}

/// Without the processes only the address that was tried is known.
fn tried(scene: &Scene<'_>, fix: &str) -> AuditFinding {
    let host = scene.host();
    let mut addresses = (host.host.as_str(), host.port)
        .to_socket_addrs()
        .into_iter()
        .flatten();
    if addresses.all(|address| is_loopback(address.ip())) {
        return AuditFinding::unknown(
            Feature::Exposure,
            UnknownReason::NoFileAccess,
            format!(
                "Only {host} was tried, which is loopback; other addresses are not known without the servers' processes (`server_pids=`)."
            ),
        );
    }
    AuditFinding::partial(
        Feature::Exposure,
        format!("The server answers at {host}, which other hosts can reach."),
    )
    .mend(AuditSeverity::Low, fix)
}

/// Also an IPv4 address that is written as one of IPv6.
fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// Whether the process of this number listens on the port: the one that a server in a container names is another process here.
#[must_use]
pub fn listens_on(process: u32, port: u16) -> bool {
    let addresses = ProcessId::of(process).map(listening_addresses);
    matches!(addresses, Some(Ok(addresses)) if addresses.iter().any(|address| address.port() == port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_is_more_exposed_than_one() {
        let of = |texts: &[&str]| {
            let addresses = texts.iter().map(|text| text.parse().unwrap()).collect();
            let finding = of_addresses(&addresses, "bind 127.0.0.1");
            (finding.level, finding.severity)
        };
        use ProtectionLevel::{Enforced, Partial, Unknown};
        assert_eq!(
            of(&["127.0.0.1:1", "[::1]:1", "[::ffff:127.0.0.2]:1"]),
            (Enforced, None)
        );
        assert_eq!(
            of(&["127.0.0.1:1", "10.0.0.1:2"]),
            (Partial, Some(AuditSeverity::Low))
        );
        for everybody in ["0.0.0.0:1", "[::]:1"] {
            assert_eq!(of(&[everybody]), (Partial, Some(AuditSeverity::Medium)));
        }
        assert_eq!(of(&[]).0, Unknown);
    }
}
