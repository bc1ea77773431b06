//! Exceptions for localhost: what a server allows to whoever comes over loopback, and not to other hosts.
//!
//! Servers believe that only their own machine's users come over loopback. Everything that runs there does: a web application that can
//! be made to fetch an address, a container on the host's network, every account of the machine.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket};

use dbdyno_driver::remote::{HostPort, Remote};
use dbdyno_machine::{all_listening_addresses, listening_addresses};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature};

use crate::channel::Channel;
use crate::clock::Deadline;
use crate::scene::{LOOK, Place};
use crate::vantage::Vantage;

/// What servers decide by where a client comes from.
pub(crate) const DEPENDENT: [Feature; 4] = [
    Feature::Authentication,
    Feature::ClientToNodeEncryption,
    Feature::JmxAuthentication,
    Feature::DefaultCredentials,
];

/// The servers of an address that run on this machine, over loopback; `None` where there are none, or the address is loopback.
pub(crate) fn over_loopback(remote: &Remote, place: &Place) -> Option<Remote> {
    let hosts: Vec<HostPort> = remote
        .hosts
        .iter()
        .filter_map(|host| loopback_of(host, place))
        .collect();
    (!hosts.is_empty()).then(|| Remote {
        hosts,
        ..remote.clone()
    })
}

fn loopback_of(host: &HostPort, place: &Place) -> Option<HostPort> {
    let addresses: Vec<IpAddr> = (host.host.as_str(), host.port)
        .to_socket_addrs()
        .ok()?
        .map(|address| address.ip().to_canonical())
        .collect();
    if addresses.iter().any(IpAddr::is_loopback) {
        return None;
    }
    let address = addresses
        .into_iter()
        .find(|address| is_of_this_machine(*address))?;
    let loopback: IpAddr = match address {
        IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
    };
    let found = HostPort {
        host: loopback.to_string(),
        port: host.port,
    };
    let is_theirs = if place.processes.is_empty() {
        all_listening_addresses().is_ok_and(|all| is_everywhere(&all, host.port))
    } else {
        listens(place, (loopback, host.port).into())
    };
    let answers = || Channel::connect(&found, &Vantage::Loopback, Deadline::within(LOOK)).is_ok();
    (is_theirs && answers()).then_some(found)
}

/// Only an address of an own interface can be bound to.
fn is_of_this_machine(address: IpAddr) -> bool {
    !address.is_unspecified() && UdpSocket::bind((address, 0)).is_ok()
}

/// Whether a program that listens on every address at once is the only one with this port. If so, it has the port on loopback, too;
/// if not, another program may have it there, and would be sent the password.
fn is_everywhere(all: &[SocketAddr], port: u16) -> bool {
    let mut with_port = all.iter().filter(|address| address.port() == port).peekable();
    with_port.peek().is_some() && with_port.all(|address| address.ip().is_unspecified())
}

/// Whether one of the servers' processes listens there: another program may have the port on loopback.
fn listens(place: &Place, at: SocketAddr) -> bool {
    let all = place
        .processes
        .iter()
        .filter_map(|one| listening_addresses(*one).ok());
    all.flatten().any(|known| {
        known.port() == at.port() && (known.ip().is_unspecified() || known.ip().to_canonical() == at.ip())
    })
}

/// One finding from what was seen from elsewhere and over loopback. What is worse over loopback is an exception for localhost; it is
/// never critical, because not everybody who reaches the server can use it.
pub(crate) fn compare(far: AuditFinding, from: &str, near: AuditFinding, at: &str) -> AuditFinding {
    let is_exception = near.severity > far.severity;
    let mut found = if is_exception {
        let severity = near
            .severity
            .map_or(AuditSeverity::Low, |one| one.min(AuditSeverity::High));
        let summary = format!(
            "There is an exception for localhost. Over loopback, at {at}: {} From {from}: {}",
            near.summary, far.summary
        );
        AuditFinding {
            reference: near.reference,
            revocations: far.revocations,
            evidence: far.evidence,
            ..AuditFinding::partial(far.feature, summary).mend(severity, near.fix)
        }
    } else {
        let alike = (near.level, near.severity) == (far.level, far.severity);
        let seen = if alike {
            format!(" It is the same over loopback, at {at}.")
        } else {
            format!(" Over loopback, at {at}: {}", near.summary)
        };
        AuditFinding {
            summary: far.summary + &seen,
            ..far
        }
    };
    found.evidence.extend(near.evidence);
    found
}

#[cfg(test)]
mod tests {
    use dbdyno_record::audit::ProtectionLevel;

    use super::*;

    fn finding(level: ProtectionLevel, severity: Option<AuditSeverity>) -> AuditFinding {
        let finding = AuditFinding::new(Feature::Authentication, level, format!("It is {}.", level.name()));
        match severity {
            Some(severity) => finding.mend(severity, "mend it"),
            None => finding,
        }
    }

    #[test]
    fn what_is_worse_over_loopback_is_an_exception_and_nothing_else_is() {
        use AuditSeverity::{Critical, High, Medium};
        use ProtectionLevel::{Enforced, Partial, SupportedOff};
        let compared = |far, near| compare(far, "elsewhere", near, "127.0.0.1:1");
        let trusted = compared(finding(Enforced, None), finding(SupportedOff, Some(Critical)));
        assert_eq!((trusted.level, trusted.severity), (Partial, Some(High)));
        assert!(trusted.summary.contains("exception for localhost") && trusted.fix == "mend it");
        let small = compared(finding(Enforced, None), finding(Partial, Some(Medium)));
        assert_eq!(small.severity, Some(Medium));
        let alike = compared(finding(Enforced, None), finding(Enforced, None));
        assert_eq!((alike.level, alike.severity), (Enforced, None));
        assert!(alike.summary.contains("same over loopback"), "{}", alike.summary);
        let open = compared(finding(SupportedOff, Some(Critical)), finding(Enforced, None));
        assert_eq!((open.level, open.severity), (SupportedOff, Some(Critical)));
    }

    #[test]
    fn only_a_server_that_listens_everywhere_is_known_to_have_the_port_on_loopback() {
        let all = |addresses: &[&str]| -> Vec<SocketAddr> {
            addresses.iter().map(|address| address.parse().unwrap()).collect()
        };
        let here = |addresses: &[&str]| is_everywhere(&all(addresses), 6379);
        assert!(here(&["0.0.0.0:6379", "[::]:6379", "127.0.0.1:80"]));
        assert!(!here(&["10.0.0.1:6379", "127.0.0.1:6379"]));
        assert!(!here(&["0.0.0.0:6379", "127.0.0.1:6379"]));
        assert!(!here(&["0.0.0.0:80"]));
    }

    #[test]
    fn loopback_has_no_other_side() {
        let host = |name: &str| HostPort {
            host: name.to_owned(),
            port: 1,
        };
        for name in ["127.0.0.1", "::1", "localhost", "192.0.2.1"] {
            assert_eq!(loopback_of(&host(name), &Place::default()), None, "{name}");
        }
    }
}
