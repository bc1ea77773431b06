//! What a server speaks when it speaks TLS: versions, cipher suites, certificate, and whether clients must show one.

use std::sync::Arc;

use dbdyno_driver::remote::HostPort;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, ProtocolVersion, RootCertStore, SignatureScheme};

use crate::certificate::Certificate;
use crate::channel::{Channel, ChannelError};
use crate::client_hello::{self, OFFERS};

/// A connection on which TLS may begin now: some protocols need words before it.
pub type Opened<'a> = dyn FnMut() -> Result<Channel, ChannelError> + 'a;

/// What was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsObservation {
    /// Versions with the cipher suites that were accepted, e.g. `TLS 1.3`, `TLS13_AES_256_GCM_SHA384`.
    pub accepted: Vec<(&'static str, String)>,
    /// What should have been refused and was not, e.g. `TLS 1.0`.
    pub outdated: Vec<&'static str>,
    /// Offers that got no answer, so that nothing is known of them.
    pub unanswered: Vec<&'static str>,
    /// The server's own certificate.
    pub certificate: Option<Certificate>,
    /// Whether the chain leads to a trusted authority and the name is right; `Err` with the reason.
    pub trust: Option<Result<(), String>>,
}

/// The same of several servers, each with its address.
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

    /// Whether any handshake succeeded.
    #[must_use]
    pub fn is_spoken(&self) -> bool {
        !self.accepted.is_empty()
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
            Err(_) => {}
        }
        // A server that answers nothing to one suite answers nothing to the next; each would wait for the deadline.
        if !seen.is_spoken() && !seen.unanswered.is_empty() {
            break;
        }
    }
    if !seen.is_spoken() && !seen.unanswered.is_empty() {
        return Ok(seen);
    }
    for offer in OFFERS {
        match client_hello::is_accepted(offer, &mut open()?) {
            Ok(true) => seen.outdated.push(offer.name),
            Ok(false) => {}
            Err(_) => seen.unanswered.push(offer.name),
        }
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
    verifier
        .verify_server_cert(&chain[0], &chain[1..], &name, &[], UnixTime::now())
        .map(drop)
        .map_err(|error| error.to_string())
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
