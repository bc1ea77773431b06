//! The reader of a TLS server's first words for `crates/fuzzed`; nothing else uses it.

use crate::client_hello::{OFFERS, accepted};
use crate::{Certificate, Channel, ChannelError};

/// The lengths of the certificates of a server that takes an offer, each of which is read; `None` where it refuses.
///
/// # Errors
/// When what it answers is not TLS.
pub fn tls_answer(channel: &mut Channel) -> Result<Option<Vec<usize>>, ChannelError> {
    let found = accepted(OFFERS[0], channel)?;
    if let Some(chain) = &found {
        chain.iter().for_each(|certificate| {
            std::hint::black_box(Certificate::read(certificate, 0));
        });
    }
    Ok(found.map(|chain| chain.iter().map(|certificate| certificate.len()).collect()))
}
