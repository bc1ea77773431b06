//! The protection of the wire between clients and the server.

use bson::doc;
use dbdyno_audit::{Scene, Wire};
use dbdyno_record::audit::AuditFinding;

use crate::message::ask;

const FIX: &str = "net.tls.mode: requireTLS, net.tls.certificateKeyFile, net.tls.CAFile";
const FIX_QUALITY: &str = "net.tls.mode: requireTLS, net.tls.certificateKeyFile, net.tls.CAFile, net.tls.disabledProtocols: TLS1_0,TLS1_1";

/// A greeting, for which nobody has to log in.
pub const WIRE: Wire = Wire {
    product: "mongodb",
    question: "hello",
    ask: |channel| Ok(ask(channel, "admin", doc! { "hello": 1 })?.shown()),
    reference: "https://www.mongodb.com/docs/manual/tutorial/configure-ssl/",
};

/// TLS accepted, clear text refused.
pub fn client_to_node(scene: &mut Scene<'_>) -> AuditFinding {
    WIRE.client_to_node(scene, FIX)
}

/// Versions, suites, certificate; whether clients must show one.
pub fn transport(scene: &mut Scene<'_>) -> AuditFinding {
    WIRE.transport(scene, |_| FIX_QUALITY)
}
