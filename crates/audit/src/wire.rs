//! What is on the wire between clients and servers that begin TLS at once.

use dbdyno_driver::remote::HostPort;
use dbdyno_record::audit::AuditFinding;

use crate::channel::{Channel, ChannelError};
use crate::client_certificate::asks_for_certificate;
use crate::scene::Scene;
use crate::tls::TlsOfServers;
use crate::transport::{ClearText, client_to_node, transport};

/// A question that servers of a product answer without a login, and which so shows what they let through.
pub struct Wire {
    /// The product, as evidence begins with it.
    pub product: &'static str,
    /// The question, in words.
    pub question: &'static str,
    /// Asks it; the answer, in words.
    pub ask: fn(&mut Channel) -> Result<String, ChannelError>,
    /// The page of the manual.
    pub reference: &'static str,
}

impl Wire {
    /// Asks one server in clear text.
    pub fn clear_text_at(&self, scene: &mut Scene<'_>, host: &HostPort) -> ClearText {
        let got = scene
            .open_to(host)
            .and_then(|mut channel| (self.ask)(&mut channel));
        let sent = format!("{} in clear text to {host}", self.question);
        scene.note_outcome(&format!("{}.clear-text", self.product), sent, &got);
        ClearText::of(&got)
    }

    /// Asks every server in clear text: one that answers is enough.
    pub fn clear_text(&self, scene: &mut Scene<'_>) -> ClearText {
        let hosts = &scene.remote.hosts;
        ClearText::worst(hosts.iter().map(|host| self.clear_text_at(scene, host)))
    }

    /// The TLS of every server.
    pub fn tls(&self, scene: &mut Scene<'_>) -> TlsOfServers {
        let hosts = &scene.remote.hosts;
        let probe = format!("{}.tls", self.product);
        scene.tls(&probe, hosts, &mut |scene, host| scene.open_to(host))
    }

    /// Whether a client without a certificate is refused, by every server.
    pub fn asks_for_certificate(&self, scene: &mut Scene<'_>) -> Option<bool> {
        let hosts = &scene.remote.hosts;
        let probe = format!("{}.no-certificate", self.product);
        let sent = format!("{} over TLS without a certificate", self.question);
        asks_for_certificate(scene, &probe, &sent, hosts, &mut |scene, host, anonymous| {
            let mut channel = scene.open_to(host)?.secure(host, anonymous)?;
            (self.ask)(&mut channel)
        })
    }

    /// TLS accepted, clear text refused.
    pub fn client_to_node(&self, scene: &mut Scene<'_>, fix: &str) -> AuditFinding {
        let tls = self.tls(scene);
        let clear = self.clear_text(scene);
        client_to_node(&tls, &clear, fix, self.reference)
    }

    /// Versions, suites, certificate; whether clients must show one. What mends it may depend on whether TLS is spoken.
    pub fn transport(&self, scene: &mut Scene<'_>, fix: fn(is_spoken: bool) -> &'static str) -> AuditFinding {
        let tls = self.tls(scene);
        let clear = self.clear_text(scene);
        let is_spoken = tls.is_spoken();
        let asks = is_spoken.then(|| self.asks_for_certificate(scene)).flatten();
        transport(&tls, &clear, asks, fix(is_spoken), self.reference)
    }
}
