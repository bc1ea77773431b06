//! The protection of the wire between clients and the server.

use dbdyno_audit::{ClearText, OtherPorts, Scene, Wire, with_other_ports};
use dbdyno_driver::remote::HostPort;
use dbdyno_record::audit::AuditFinding;

use crate::client::log_in_at;
use crate::resp::ask;

/// The port that the product comes with.
const PORT: u16 = 6379;
const FIX: &str = "port 0, tls-port 6379, tls-cert-file, tls-key-file, tls-ca-cert-file";

/// Servers answer PING, if only to ask for a login.
pub const WIRE: Wire = Wire {
    product: "redis",
    question: "PING",
    ask: |channel| Ok(ask(channel, &["PING"])?.shown()),
    reference: "https://redis.io/docs/latest/operate/oss_and_stack/management/security/encryption/",
};

/// TLS accepted, clear text refused.
pub fn client_to_node(scene: &mut Scene<'_>) -> AuditFinding {
    let finding = WIRE.client_to_node(scene, FIX);
    let ports = OtherPorts {
        usual: PORT,
        is_open: &mut |scene, host| WIRE.clear_text_at(scene, host) == ClearText::Accepted,
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
    WIRE.transport(scene, |_| FIX)
}
