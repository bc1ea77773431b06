//! What is on the wire between clients and the server.

use dbdyno_audit::{
    ClearText, Scene, TlsOfServers, asks_for_certificate as all_ask_for_certificate, client_to_node as judge,
    transport as judge_transport,
};
use dbdyno_driver::remote::HostPort;
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel, UnknownReason};

use crate::client::log_in_at;
use crate::resp::ask;

const TLS: &str = "https://redis.io/docs/latest/operate/oss_and_stack/management/security/encryption/";
/// The port that the product comes with.
const PORT: u16 = 6379;
const FIX: &str = "port 0, tls-port 6379, tls-cert-file, tls-key-file, tls-ca-cert-file";

/// PING in clear text to every server.
fn clear_text(scene: &mut Scene<'_>) -> ClearText {
    let hosts = &scene.remote.hosts;
    ClearText::worst(hosts.iter().map(|host| clear_text_at(scene, host)))
}

fn clear_text_at(scene: &mut Scene<'_>, host: &HostPort) -> ClearText {
    let reply = scene
        .open_to(host)
        .and_then(|mut channel| ask(&mut channel, &["PING"]));
    let got = reply.map(|reply| reply.shown());
    scene.note_outcome("redis.clear-text", format!("PING in clear text to {host}"), &got);
    ClearText::of(&got)
}

fn tls(scene: &mut Scene<'_>) -> TlsOfServers {
    let hosts = &scene.remote.hosts;
    scene.tls("redis.tls", hosts, &mut |scene, host| scene.open_to(host))
}

/// TLS accepted, clear text refused.
pub fn client_to_node(scene: &mut Scene<'_>) -> AuditFinding {
    let tls = tls(scene);
    let clear = clear_text(scene);
    let finding = judge(&tls, &clear, FIX, TLS);
    if finding.level != ProtectionLevel::Enforced {
        return finding;
    }
    with_other_ports(finding, elsewhere(scene))
}

/// What other ports of the servers do. A server may have both `port` and `tls-port`.
enum Elsewhere {
    /// One of them answers in clear text.
    Open(HostPort),
    /// A server answers in clear text there, and nothing shows whether it is the same one.
    Perhaps(HostPort),
    Closed,
    /// Which other ports there are is not known.
    Unseen,
}

/// Looks at the other ports of the servers' processes; where these are not known, at the port that a server names, and where it names
/// none, at the one that the product comes with.
fn elsewhere(scene: &mut Scene<'_>) -> Elsewhere {
    let is_open = |scene: &mut Scene<'_>, host: &HostPort| clear_text_at(scene, host) == ClearText::Accepted;
    if !scene.place.processes.is_empty() {
        let open = scene.other_ports().into_iter().find(|host| is_open(scene, host));
        return open.map_or(Elsewhere::Closed, Elsewhere::Open);
    }
    let mut all = Elsewhere::Closed;
    for host in scene.remote.hosts.clone() {
        let own = named_port(scene, &host);
        let port = own.unwrap_or(PORT);
        let other = HostPort { port, ..host.clone() };
        if !scene.remote.hosts.contains(&other) && is_open(scene, &other) {
            return match own {
                Some(_) => Elsewhere::Open(other),
                None => Elsewhere::Perhaps(other),
            };
        }
        if own.is_none() {
            all = Elsewhere::Unseen;
        }
    }
    all
}

/// The port that a server names to who is logged in: the one in clear text where it has one, else that of TLS.
fn named_port(scene: &mut Scene<'_>, host: &HostPort) -> Option<u16> {
    let remote = scene.administrator.unwrap_or(scene.remote);
    let answer =
        log_in_at(scene, remote, host).and_then(|mut channel| ask(&mut channel, &["INFO", "server"]));
    let text = answer.map(|reply| reply.text()).unwrap_or_default();
    let port = text.lines().find_map(|line| line.strip_prefix("tcp_port:"));
    scene.note(
        "redis.tcp-port",
        format!("INFO server: tcp_port, at {host}"),
        port.map_or("not seen", str::trim),
    );
    port?.trim().parse().ok()
}

fn with_other_ports(mut finding: AuditFinding, elsewhere: Elsewhere) -> AuditFinding {
    let feature = Feature::ClientToNodeEncryption;
    let here = "This port speaks TLS and refuses clear text";
    match elsewhere {
        Elsewhere::Open(host) => AuditFinding::new(
            feature,
            ProtectionLevel::Partial,
            format!("{here}, but the same server answers in clear text at {host}."),
        )
        .mend(AuditSeverity::Medium, FIX)
        .see(TLS),
        Elsewhere::Perhaps(host) => AuditFinding::unknown(
            feature,
            UnknownReason::Unexpected,
            format!(
                "{here}. A server answers in clear text at {host}; whether it is the same one is unknown."
            ),
        )
        .see(TLS),
        Elsewhere::Closed => finding,
        Elsewhere::Unseen => {
            finding.summary = format!("{here}; which other ports the server has is unknown.");
            finding
        }
    }
}

/// Versions, suites, certificate; whether clients must show one.
pub fn transport(scene: &mut Scene<'_>) -> AuditFinding {
    let tls = tls(scene);
    let clear = clear_text(scene);
    let asks = tls.is_spoken().then(|| asks_for_certificate(scene)).flatten();
    judge_transport(&tls, &clear, asks, FIX, TLS)
}

/// Whether a client without a certificate is refused, by every server.
pub fn asks_for_certificate(scene: &mut Scene<'_>) -> Option<bool> {
    let hosts = &scene.remote.hosts;
    let sent = "PING over TLS without a certificate";
    all_ask_for_certificate(
        scene,
        "redis.no-certificate",
        sent,
        hosts,
        &mut |scene, host, anonymous| {
            let mut channel = scene.open_to(host)?.secure(host, anonymous)?;
            Ok(ask(&mut channel, &["PING"])?.shown())
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_port_in_clear_text_takes_the_pass_away() {
        let host = || HostPort {
            host: "db".to_owned(),
            port: PORT,
        };
        let of = |elsewhere| {
            let enforced = AuditFinding::new(Feature::ClientToNodeEncryption, ProtectionLevel::Enforced, "");
            with_other_ports(enforced, elsewhere)
        };
        assert_eq!(of(Elsewhere::Open(host())).level, ProtectionLevel::Partial);
        // It may be another server.
        assert_eq!(of(Elsewhere::Perhaps(host())).level, ProtectionLevel::Unknown);
        assert_eq!(of(Elsewhere::Closed).level, ProtectionLevel::Enforced);
        let unseen = of(Elsewhere::Unseen);
        assert!(unseen.level == ProtectionLevel::Enforced && unseen.summary.starts_with("This port"));
    }
}
