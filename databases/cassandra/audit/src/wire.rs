//! The protection of the wire between clients and the server.

use dbdyno_audit::{ClearText, OtherPorts, Scene, Wire, with_other_ports};
use dbdyno_driver::remote::{HostPort, Remote};
use dbdyno_record::audit::AuditFinding;

use crate::access::SECURITY;
use crate::client::{log_in, setting};
use crate::cql::options;

const FIX: &str = "client_encryption_options: enabled: true, optional: false";
/// The port of clients that the product comes with.
const PORT: u16 = 9042;
const QUALITY: &str = "client_encryption_options: accepted_protocols: [TLSv1.3, TLSv1.2], and a certificate that names the node's address";

/// Servers answer OPTIONS before a login.
pub const WIRE: Wire = Wire {
    product: "cassandra",
    question: "OPTIONS",
    ask: |channel| Ok(options(channel)?.shown()),
    reference: SECURITY,
};

/// TLS accepted, clear text refused.
pub fn client_to_node(scene: &mut Scene<'_>) -> AuditFinding {
    let finding = WIRE.client_to_node(scene, FIX);
    let ports = OtherPorts {
        usual: PORT,
        is_open: &mut |scene, host| WIRE.clear_text_at(scene, host) == ClearText::Accepted,
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
    WIRE.transport(scene, |is_spoken| if is_spoken { QUALITY } else { FIX })
}
