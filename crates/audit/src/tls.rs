//! What a server speaks when it speaks TLS: versions, cipher suites, certificate, and whether clients must show one.

use std::sync::Arc;

use dbdyno_driver::remote::HostPort;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, ProtocolVersion, RootCertStore, SignatureScheme,
};

use crate::certificate::Certificate;
use crate::channel::{Channel, ChannelError};
use crate::client_hello::{self, OFFERS, SOUND};

/// A connection on which TLS may begin now: some protocols need words before it.
pub type Opened<'a> = dyn FnMut() -> Result<Channel, ChannelError> + 'a;

/// The TLS of one server, as it was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsObservation {
    /// Versions with the cipher suites that were accepted, e.g. `TLS 1.3`, `TLS13_AES_256_GCM_SHA384`.
    pub accepted: Vec<(&'static str, String)>,
    /// Offers that should have been refused and were not, e.g. `TLS 1.0`.
    pub outdated: Vec<&'static str>,
    /// Why no handshake could be ended although the server began one: with such a key, current libraries refuse to.
    pub unfinished: Option<String>,
    /// Offers that got no answer, so that nothing is known of them.
    pub unanswered: Vec<&'static str>,
    /// The server's own certificate.
    pub certificate: Option<Certificate>,
    /// Whether the chain leads to a trusted authority and the name is right; `Err` with the reason.
    pub trust: Option<Result<(), String>>,
}

/// The TLS of several servers, each with its address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsOfServers(pub Vec<(HostPort, Result<TlsObservation, ChannelError>)>);

impl TlsOfServers {
    /// Whether any server speaks it.
    #[must_use]
    pub fn is_spoken(&self) -> bool {
        let spoken = |seen: &TlsObservation| seen.is_spoken();
        self.0.iter().any(|(_, seen)| seen.as_ref().is_ok_and(spoken))
    }
}

impl TlsObservation {
    /// For evidence.
    #[must_use]
    pub fn summary(&self) -> String {
        let mut parts: Vec<String> = self
            .accepted
            .iter()
            .map(|(version, suite)| format!("{version} {suite}"))
            .collect();
        if parts.is_empty() {
            parts.push("no handshake".to_owned());
        }
        parts.extend(
            self.unfinished
                .as_ref()
                .map(|why| format!("begun and not ended: {why}")),
        );
        parts.extend(self.outdated.iter().map(|name| format!("{name} accepted")));
        if let Some(certificate) = &self.certificate {
            parts.push(format!(
                "certificate of {}, for {}, key {}, {} days left",
                certificate.subject,
                certificate.names.join(" "),
                certificate.key,
                certificate.seconds_left / 86_400
            ));
        }
        if let Some(Err(why)) = &self.trust {
            parts.push(format!("not trusted: {why}"));
        }
        parts.join("; ")
    }

    /// Whether any handshake succeeded, or was begun by the server.
    #[must_use]
    pub fn is_spoken(&self) -> bool {
        !self.accepted.is_empty() || !self.outdated.is_empty() || self.unfinished.is_some()
    }
}

/// Tries every version and suite that the library knows, one handshake each, and the greetings that it does not.
///
/// `client` gives the certificate of the client, where the server asks for one; only its authorities and certificate are used.
///
/// # Errors
/// When no connection can be opened.
pub fn observe_tls(
    host: &HostPort,
    authorities: &RootCertStore,
    client: Option<&ClientConfig>,
    open: &mut Opened<'_>,
) -> Result<TlsObservation, ChannelError> {
    let mut seen = TlsObservation::default();
    let all = rustls::crypto::ring::default_provider();
    let mut chain: Vec<CertificateDer<'static>> = Vec::new();
    let mut last = None;
    for suite in &all.cipher_suites {
        let version = suite.version();
        let provider = CryptoProvider {
            cipher_suites: vec![*suite],
            ..all.clone()
        };
        let configuration = trusting_anybody(provider, &[version], client).map_err(ChannelError::Tls)?;
        match open()?.secure(host, configuration) {
            Ok(channel) => {
                if let Some((version, suite, certificates)) = channel.agreed() {
                    seen.accepted.push((name_of(version), format!("{suite:?}")));
                    chain = certificates;
                }
            }
            Err(ChannelError::Silent | ChannelError::Unreachable(_)) => {
                seen.unanswered.push(name_of(version.version));
            }
            Err(error) => last = Some(error.to_string()),
        }
        // A server that answers nothing to one suite answers nothing to the next; each would wait for the deadline.
        if !seen.is_spoken() && !seen.unanswered.is_empty() {
            break;
        }
    }
    if !seen.is_spoken() && !seen.unanswered.is_empty() {
        return Ok(seen);
    }
    let mut shown = Vec::new();
    for offer in OFFERS {
        match client_hello::accepted(offer, &mut open()?) {
            Ok(Some(chain)) => {
                seen.outdated.push(offer.name);
                shown = chain;
            }
            Ok(None) => {}
            Err(_) => seen.unanswered.push(offer.name),
        }
    }
    if seen.accepted.is_empty() {
        // The library ends no handshake with what it takes for broken.
        if let Ok(Some(chain)) = client_hello::accepted(SOUND, &mut open()?) {
            seen.unfinished = Some(last.unwrap_or_else(|| "no suite was agreed on".to_owned()));
            shown = chain;
        }
        chain = shown;
    }
    seen.certificate = chain
        .first()
        .and_then(|own| Certificate::read(own, jiff::Timestamp::now().as_second()));
    if !chain.is_empty() {
        seen.trust = Some(trust(&chain, host, authorities));
    }
    Ok(seen)
}

pub(crate) const fn name_of(version: ProtocolVersion) -> &'static str {
    match version {
        ProtocolVersion::TLSv1_3 => "TLS 1.3",
        ProtocolVersion::TLSv1_2 => "TLS 1.2",
        _ => "another version of TLS",
    }
}

/// Whether a client with these authorities would accept the chain for this host.
fn trust(
    chain: &[CertificateDer<'static>],
    host: &HostPort,
    authorities: &RootCertStore,
) -> Result<(), String> {
    if authorities.is_empty() {
        return Err("no authority is known; name one by `tls_ca`".to_owned());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(authorities.clone()), provider)
        .build()
        .map_err(|error| error.to_string())?;
    let name = ServerName::try_from(host.host.clone()).map_err(|error| error.to_string())?;
    match verifier.verify_server_cert(&chain[0], &chain[1..], &name, &[], UnixTime::now()) {
        Ok(_) => Ok(()),
        Err(_) if is_named_itself(&chain[0], &name, authorities) => Ok(()),
        Err(rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer)) => Err(
            "no authority that is known signed it: that of `tls_ca` where one is given, else those of the system".to_owned(),
        ),
        Err(error) => Err(error.to_string()),
    }
}

/// Whether the certificate is itself among those that were named, and for this host. OpenSSL makes self-signed ones that may sign others;
/// its clients accept them, and webpki does not.
fn is_named_itself(
    own: &CertificateDer<'static>,
    name: &ServerName<'_>,
    authorities: &RootCertStore,
) -> bool {
    let mut alone = RootCertStore::empty();
    let (Ok(()), Ok(parsed)) = (alone.add(own.clone()), ParsedCertificate::try_from(own)) else {
        return false;
    };
    let is_among = alone.roots.iter().all(|one| {
        authorities.roots.iter().any(|known| {
            (&known.subject, &known.subject_public_key_info) == (&one.subject, &one.subject_public_key_info)
        })
    });
    is_among && verify_server_name(&parsed, name).is_ok()
}

/// Accepts every certificate, with every version and cipher suite that the library knows. `client` gives the client's certificate.
pub(crate) fn trusting_configuration(client: Option<&ClientConfig>) -> Result<Arc<ClientConfig>, String> {
    trusting_anybody(
        rustls::crypto::ring::default_provider(),
        rustls::DEFAULT_VERSIONS,
        client,
    )
}

/// Accepts every certificate, with these versions and the cipher suites of this provider: the question is what the server speaks.
fn trusting_anybody(
    provider: CryptoProvider,
    versions: &[&'static rustls::SupportedProtocolVersion],
    client: Option<&ClientConfig>,
) -> Result<Arc<ClientConfig>, String> {
    let provider = Arc::new(provider);
    let mut configuration = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(versions)
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anybody(provider)))
        .with_no_client_auth();
    if let Some(client) = client {
        configuration.client_auth_cert_resolver = Arc::clone(&client.client_auth_cert_resolver);
    }
    Ok(Arc::new(configuration))
}

/// Accepts every certificate; signatures of handshakes are checked, so that a broken server is seen as one.
#[derive(Debug)]
struct Anybody(Arc<CryptoProvider>);

impl ServerCertVerifier for Anybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(
            message,
            certificate,
            signature,
            &self.0.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(
            message,
            certificate,
            signature,
            &self.0.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
#[path = "tls_tests.rs"]
mod tests;
