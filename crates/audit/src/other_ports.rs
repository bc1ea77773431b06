//! A server may have a port in clear text beside the one that speaks TLS.

use dbdyno_driver::remote::HostPort;
use dbdyno_record::audit::{AuditFinding, AuditSeverity, ProtectionLevel, UnknownReason};

use crate::scene::Scene;

/// How a product is asked about its other ports.
pub struct OtherPorts<'a> {
    /// The port of clients that the product comes with.
    pub usual: u16,
    /// Whether a server answers in clear text there.
    pub is_open: &'a mut dyn FnMut(&mut Scene<'_>, &HostPort) -> bool,
    /// The port in clear text that the server itself names; `None` where it names none.
    pub named: &'a mut dyn FnMut(&mut Scene<'_>, &HostPort) -> Option<u16>,
    /// What closes such a port.
    pub fix: &'a str,
}

/// What other ports of the servers do.
enum Elsewhere {
    /// One of them answers in clear text.
    Open(HostPort),
    /// A server answers in clear text there, and nothing shows whether it is the same one.
    Perhaps(HostPort),
    Closed,
    /// Which other ports there are is not known.
    Unseen,
}

/// A finding about the encryption to clients, after a look at the other ports of servers whose own port refuses clear text.
#[must_use]
pub fn with_other_ports(scene: &mut Scene<'_>, finding: AuditFinding, ports: OtherPorts<'_>) -> AuditFinding {
    if finding.level != ProtectionLevel::Enforced {
        return finding;
    }
    let fix = ports.fix;
    judged(finding, elsewhere(scene, ports), fix)
}

/// Looks at the other ports of the servers' processes; where these are not known, at the port that a server names, and where it names
/// none, at the one that the product comes with.
fn elsewhere(scene: &mut Scene<'_>, ports: OtherPorts<'_>) -> Elsewhere {
    if !scene.place.processes.is_empty() {
        let Some(others) = scene.other_ports() else {
            return Elsewhere::Unseen;
        };
        let open = others.into_iter().find(|host| (ports.is_open)(scene, host));
        return open.map_or(Elsewhere::Closed, Elsewhere::Open);
    }
    let mut all = Elsewhere::Closed;
    for host in scene.remote.hosts.clone() {
        let named = (ports.named)(scene, &host);
        let port = named.unwrap_or(ports.usual);
        let other = HostPort { port, ..host };
        if !scene.remote.hosts.contains(&other) && (ports.is_open)(scene, &other) {
            return match named {
                Some(_) => Elsewhere::Open(other),
                None => Elsewhere::Perhaps(other),
            };
        }
        if named.is_none() {
            all = Elsewhere::Unseen;
        }
    }
    all
}

fn judged(finding: AuditFinding, elsewhere: Elsewhere, fix: &str) -> AuditFinding {
    const HERE: &str = "This port speaks TLS and refuses clear text";
    let feature = finding.feature;
    let judged = match elsewhere {
        Elsewhere::Open(host) => AuditFinding::partial(
            feature,
            format!("{HERE}, but the same server answers in clear text at {host}."),
        )
        .mend(AuditSeverity::Medium, fix),
        Elsewhere::Perhaps(host) => AuditFinding::unknown(
            feature,
            UnknownReason::Unexpected,
            format!(
                "{HERE}. A server answers in clear text at {host}; whether it is the same one is unknown."
            ),
        ),
        Elsewhere::Closed => return finding,
        Elsewhere::Unseen => AuditFinding::unknown(
            feature,
            UnknownReason::NoPrivilege,
            format!("{HERE}; which other ports the server has is unknown."),
        ),
    };
    AuditFinding {
        reference: finding.reference,
        ..judged
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_record::audit::Feature;

    use super::*;

    #[test]
    fn another_port_in_clear_text_takes_the_pass_away() {
        let host = || HostPort {
            host: "db".to_owned(),
            port: 9042,
        };
        let of = |elsewhere| {
            let enforced = AuditFinding::enforced(Feature::ClientToNodeEncryption, "");
            judged(enforced.see("https://manual"), elsewhere, "close it")
        };
        let open = of(Elsewhere::Open(host()));
        assert_eq!(
            (open.level, open.fix.as_str()),
            (ProtectionLevel::Partial, "close it")
        );
        assert_eq!(open.reference, ["https://manual"]);
        // It may be another server.
        assert_eq!(of(Elsewhere::Perhaps(host())).level, ProtectionLevel::Unknown);
        assert_eq!(of(Elsewhere::Closed).level, ProtectionLevel::Enforced);
        let unseen = of(Elsewhere::Unseen);
        assert!(unseen.level == ProtectionLevel::Unknown && unseen.summary.starts_with("This port"));
    }
}
