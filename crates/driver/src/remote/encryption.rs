//! The configuration of rustls for the clients that take one.

use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore};

use super::Tls;
use crate::{DbError, ErrorClass};

/// What rustls needs to speak as `tls` says: authorities, and the client's certificate when there is one. The server's
/// certificate and name are always checked.
///
/// # Errors
/// `Rejected`, when a file holds no certificates or no key.
pub fn client_configuration(tls: &Tls) -> Result<Arc<ClientConfig>, DbError> {
    let authorities = authorities(tls)?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| DbError::new(ErrorClass::Bug, format!("TLS cannot be set up: {error}")))?
        .with_root_certificates(authorities);
    let configuration = match &tls.client {
        None => builder.with_no_client_auth(),
        Some((certificate, key)) => {
            let private = PrivateKeyDer::from_pem_file(key).map_err(|error| unusable(key, &error))?;
            builder
                .with_client_auth_cert(certificates(certificate)?, private)
                .map_err(|error| unusable(certificate, &error))?
        }
    };
    Ok(Arc::new(configuration))
}

/// The authorities that may have signed a server's certificate: those of the file, else the system's.
///
/// # Errors
/// `Rejected`, when the file holds no certificates.
pub fn authorities(tls: &Tls) -> Result<RootCertStore, DbError> {
    let mut authorities = RootCertStore::empty();
    match &tls.ca {
        Some(file) => {
            for certificate in certificates(file)? {
                authorities
                    .add(certificate)
                    .map_err(|error| unusable(file, &error))?;
            }
        }
        None => {
            // Some of the system's certificates may be unreadable; those that are not serve.
            authorities.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    Ok(authorities)
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, DbError> {
    let found: Vec<_> = CertificateDer::pem_file_iter(file)
        .and_then(Iterator::collect)
        .map_err(|error| unusable(file, &error))?;
    if found.is_empty() {
        return Err(unusable(file, &"it contains no certificate"));
    }
    Ok(found)
}

fn unusable(file: &Path, why: &dyn std::fmt::Display) -> DbError {
    DbError::new(
        ErrorClass::Rejected,
        format!(
            "{} cannot be used for TLS: {why}; it must be in PEM form",
            file.display()
        ),
    )
}
