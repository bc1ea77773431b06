//! What is on the wire between clients and the server.

use bson::doc;
use dbdyno_audit::{
    ClearText, Scene, TlsOfServers, asks_for_certificate as all_ask_for_certificate, client_to_node as judge,
    transport as judge_transport,
};
use dbdyno_driver::remote::HostPort;
use dbdyno_record::audit::AuditFinding;

use crate::message::ask;

pub const TLS: &str = "https://www.mongodb.com/docs/manual/tutorial/configure-ssl/";
const FIX: &str = "net.tls.mode: requireTLS, net.tls.certificateKeyFile, net.tls.CAFile";

/// A greeting in clear text.
pub fn clear_text(scene: &mut Scene<'_>, host: &HostPort) -> ClearText {
    let reply = scene
        .open_to(host)
        .and_then(|mut channel| ask(&mut channel, "admin", doc! { "hello": 1 }));
    let got = reply.map(|reply| reply.shown());
    scene.note_outcome(
        "mongodb.clear-text",
        format!("hello in clear text to {host}"),
        &got,
    );
    ClearText::of(&got)
}

/// The same with every server.
fn clear_text_of_all(scene: &mut Scene<'_>) -> ClearText {
    let hosts = &scene.remote.hosts;
    ClearText::worst(hosts.iter().map(|host| clear_text(scene, host)))
}

fn tls(scene: &mut Scene<'_>) -> TlsOfServers {
    let hosts = &scene.remote.hosts;
    scene.tls("mongodb.tls", hosts, &mut |scene, host| scene.open_to(host))
}

/// TLS accepted, clear text refused.
pub fn client_to_node(scene: &mut Scene<'_>) -> AuditFinding {
    let tls = tls(scene);
    let clear = clear_text_of_all(scene);
    judge(&tls, &clear, FIX, TLS)
}

/// Versions, suites, certificate; whether clients must show one.
pub fn transport(scene: &mut Scene<'_>) -> AuditFinding {
    let tls = tls(scene);
    let clear = clear_text_of_all(scene);
    let asks = tls.is_spoken().then(|| asks_for_certificate(scene)).flatten();
    let fix = format!("{FIX}, net.tls.disabledProtocols: TLS1_0,TLS1_1");
    judge_transport(&tls, &clear, asks, &fix, TLS)
}

/// Whether a client without a certificate is refused, by every server.
pub fn asks_for_certificate(scene: &mut Scene<'_>) -> Option<bool> {
    let hosts = &scene.remote.hosts;
    let sent = "hello over TLS without a certificate";
    all_ask_for_certificate(
        scene,
        "mongodb.no-certificate",
        sent,
        hosts,
        &mut |scene, host, anonymous| {
            let mut channel = scene.open_to(host)?.secure(host, anonymous)?;
            Ok(ask(&mut channel, "admin", doc! { "hello": 1 })?.shown())
        },
    )
}
