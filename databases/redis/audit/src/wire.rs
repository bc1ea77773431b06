//! What is on the wire between clients and the server.

use dbdyno_audit::{
    ClearText, Scene, TlsOfServers, asks_for_certificate as all_ask_for_certificate, client_to_node as judge,
    transport as judge_transport,
};
use dbdyno_driver::remote::HostPort;
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel};

use crate::resp::ask;

const TLS: &str = "https://redis.io/docs/latest/operate/oss_and_stack/management/security/encryption/";
const FIX: &str = "port 0, tls-port 6379, tls-cert-file, tls-key-file, tls-ca-cert-file";

/// PING in clear text to every server.
fn clear_text(scene: &mut Scene<'_>) -> ClearText {
    let hosts = &scene.remote.hosts;
    ClearText::worst(hosts.iter().map(|host| {
        let reply = scene
            .open_to(host)
            .and_then(|mut channel| ask(&mut channel, &["PING"]));
        let got = reply.map(|reply| reply.shown());
        scene.note_outcome("redis.clear-text", format!("PING in clear text to {host}"), &got);
        ClearText::of(&got)
    }))
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
    match open_elsewhere(scene) {
        Some(host) if finding.level == ProtectionLevel::Enforced => AuditFinding::new(
            Feature::ClientToNodeEncryption,
            ProtectionLevel::Partial,
            format!("This port speaks TLS and refuses clear text, but the same server answers in clear text at {host}."),
        )
        .mend(AuditSeverity::Medium, FIX)
        .see(TLS),
        _ => finding,
    }
}

/// Another port of the server's processes that answers in clear text. A server may have both `port` and `tls-port`.
fn open_elsewhere(scene: &mut Scene<'_>) -> Option<HostPort> {
    for host in scene.other_ports() {
        let reply = scene
            .open_to(&host)
            .and_then(|mut channel| ask(&mut channel, &["PING"]));
        let got = reply.map(|reply| reply.shown());
        scene.note_outcome("redis.clear-text", format!("PING in clear text to {host}"), &got);
        if got.is_ok() {
            return Some(host);
        }
    }
    None
}

/// Versions, suites, certificate; whether clients must show one.
pub fn transport(scene: &mut Scene<'_>) -> AuditFinding {
    let tls = tls(scene);
    let clear = clear_text(scene);
    let asks = tls.is_spoken().then(|| asks_for_certificate(scene)).flatten();
    judge_transport(&tls, &clear, asks, FIX, TLS)
}

/// Whether a client without a certificate is refused, by every server.
fn asks_for_certificate(scene: &mut Scene<'_>) -> Option<bool> {
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
