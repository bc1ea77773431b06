//! What is on the wire between clients and the server.

use dbdyno_audit::{
    ClearText, OtherPorts, Scene, TlsOfServers, asks_for_certificate as all_ask_for_certificate,
    client_to_node as judge, transport as judge_transport, with_other_ports,
};
use dbdyno_driver::remote::HostPort;
use dbdyno_record::audit::AuditFinding;

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

pub fn clear_text_at(scene: &mut Scene<'_>, host: &HostPort) -> ClearText {
    let reply = scene
        .open_to(host)
        .and_then(|mut channel| ask(&mut channel, &["PING"]));
    let got = reply.map(|reply| reply.shown());
    scene.note_outcome("redis.clear-text", format!("PING in clear text to {host}"), &got);
    ClearText::of(&got)
}

pub fn tls(scene: &mut Scene<'_>) -> TlsOfServers {
    let hosts = &scene.remote.hosts;
    scene.tls("redis.tls", hosts, &mut |scene, host| scene.open_to(host))
}

/// TLS accepted, clear text refused.
pub fn client_to_node(scene: &mut Scene<'_>) -> AuditFinding {
    let tls = tls(scene);
    let clear = clear_text(scene);
    let finding = judge(&tls, &clear, FIX, TLS);
    let ports = OtherPorts {
        usual: PORT,
        is_open: &mut |scene, host| clear_text_at(scene, host) == ClearText::Accepted,
        named: &mut named_port,
        fix: FIX,
    };
    with_other_ports(scene, finding, ports)
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
