//! Whether servers insist on a certificate of their clients.

use std::sync::Arc;

use dbdyno_driver::remote::HostPort;
use rustls::ClientConfig;

use crate::channel::ChannelError;
use crate::scene::Scene;

/// Asks a server something over TLS with a configuration; returns its answer in words.
pub type Question<'a> =
    dyn FnMut(&Scene<'_>, &HostPort, Arc<ClientConfig>) -> Result<String, ChannelError> + 'a;

/// Whether all of these servers refuse a client without a certificate: false if one of them answers it, `None` if one did not show
/// what it does. Under TLS 1.3 the refusal comes after the handshake, so `question` must wait
/// for an answer.
pub fn asks_for_certificate(
    scene: &mut Scene<'_>,
    probe: &str,
    sent: &str,
    hosts: &[HostPort],
    question: &mut Question<'_>,
) -> Option<bool> {
    let anonymous = scene.without_certificate().ok()?;
    let mut all = (!hosts.is_empty()).then_some(true);
    for host in hosts {
        let outcome = question(scene, host, Arc::clone(&anonymous));
        scene.note_outcome(probe, format!("{sent} to {host}"), &outcome);
        match outcome {
            Ok(_) => return Some(false),
            Err(ChannelError::Closed | ChannelError::Tls(_)) => {}
            Err(_) => all = None,
        }
    }
    all
}
