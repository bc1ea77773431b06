//! What is on the wire between clients and the server.

use dbdyno_audit::{
    ClearText, OtherPorts, Scene, TlsOfServers, asks_for_certificate as all_ask_for_certificate,
    client_to_node as judge, transport as judge_transport, with_other_ports,
};
use dbdyno_driver::remote::{HostPort, Remote};
use dbdyno_record::audit::AuditFinding;

use crate::access::SECURITY;
use crate::client::{log_in, setting};
use crate::cql::options;

const FIX: &str = "client_encryption_options: enabled: true, optional: false";
/// The port of clients that the product comes with.
const PORT: u16 = 9042;
const QUALITY: &str = "client_encryption_options: accepted_protocols: [TLSv1.3, TLSv1.2], and a certificate that names the node's address";

/// OPTIONS in clear text to every server: each answers it, without a login.
fn clear_text(scene: &mut Scene<'_>) -> ClearText {
    let hosts = &scene.remote.hosts;
    ClearText::worst(hosts.iter().map(|host| clear_text_at(scene, host)))
}

fn clear_text_at(scene: &mut Scene<'_>, host: &HostPort) -> ClearText {
    let answer = scene.open_to(host).and_then(|mut channel| options(&mut channel));
    let got = answer.map(|answer| answer.shown());
    let sent = format!("OPTIONS in clear text to {host}");
    scene.note_outcome("cassandra.clear-text", sent, &got);
    ClearText::of(&got)
}

fn tls(scene: &mut Scene<'_>) -> TlsOfServers {
    let hosts = &scene.remote.hosts;
    scene.tls("cassandra.tls", hosts, &mut |scene, host| scene.open_to(host))
}

/// TLS accepted, clear text refused.
pub fn client_to_node(scene: &mut Scene<'_>) -> AuditFinding {
    let tls = tls(scene);
    let clear = clear_text(scene);
    let finding = judge(&tls, &clear, FIX, SECURITY);
    let ports = OtherPorts {
        usual: PORT,
        is_open: &mut |scene, host| clear_text_at(scene, host) == ClearText::Accepted,
        named: &mut port_of_settings,
        fix: FIX,
    };
    with_other_ports(scene, finding, ports)
}

/// The port that a server's settings name for clients.
fn port_of_settings(scene: &mut Scene<'_>, host: &HostPort) -> Option<u16> {
    let name = "native_transport_port";
    let remote = scene.administrator.unwrap_or(scene.remote);
    let at_host = Remote {
        hosts: vec![host.clone()],
        ..remote.clone()
    };
    let value = log_in(scene, &at_host)
        .ok()
        .and_then(|mut channel| setting(&mut channel, &[name]));
    scene.note(
        "cassandra.port-setting",
        format!("the setting {name} at {host}"),
        value.as_deref().unwrap_or("not seen"),
    );
    value?.parse().ok()
}

/// Versions, suites, certificate; whether clients must show one.
pub fn transport(scene: &mut Scene<'_>) -> AuditFinding {
    let tls = tls(scene);
    let clear = clear_text(scene);
    let (asks, fix) = if tls.is_spoken() {
        (asks_for_certificate(scene), QUALITY)
    } else {
        (None, FIX)
    };
    judge_transport(&tls, &clear, asks, fix, SECURITY)
}

/// Whether a client without a certificate is refused, by every server.
pub fn asks_for_certificate(scene: &mut Scene<'_>) -> Option<bool> {
    let hosts = &scene.remote.hosts;
    let sent = "OPTIONS over TLS without a certificate";
    all_ask_for_certificate(
        scene,
        "cassandra.no-certificate",
        sent,
        hosts,
        &mut |scene, host, anonymous| {
            let mut channel = scene.open_to(host)?.secure(host, anonymous)?;
            Ok(options(&mut channel)?.shown())
        },
    )
}
