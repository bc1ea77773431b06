//! What is on the wire between clients and the server.

use dbdyno_audit::{
    ClearText, Scene, TlsOfServers, asks_for_certificate as all_ask_for_certificate, client_to_node as judge,
    transport as judge_transport,
};
use dbdyno_record::audit::AuditFinding;

use crate::access::SECURITY;
use crate::cql::options;

const FIX: &str = "client_encryption_options: enabled: true, optional: false";
const QUALITY: &str = "client_encryption_options: accepted_protocols: [TLSv1.3, TLSv1.2], and a certificate that names the node's address";

/// OPTIONS in clear text to every server: each answers it, without a login.
fn clear_text(scene: &mut Scene<'_>) -> ClearText {
    let hosts = &scene.remote.hosts;
    ClearText::worst(hosts.iter().map(|host| {
        let answer = scene.open_to(host).and_then(|mut channel| options(&mut channel));
        let got = answer.map(|answer| answer.shown());
        let sent = format!("OPTIONS in clear text to {host}");
        scene.note_outcome("cassandra.clear-text", sent, &got);
        ClearText::of(&got)
    }))
}

fn tls(scene: &mut Scene<'_>) -> TlsOfServers {
    let hosts = &scene.remote.hosts;
    scene.tls("cassandra.tls", hosts, &mut |scene, host| scene.open_to(host))
}

/// TLS accepted, clear text refused.
pub fn client_to_node(scene: &mut Scene<'_>) -> AuditFinding {
    let tls = tls(scene);
    let clear = clear_text(scene);
    judge(&tls, &clear, FIX, SECURITY)
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
fn asks_for_certificate(scene: &mut Scene<'_>) -> Option<bool> {
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
