//! Certificates for tests of TLS, made anew each time, and what names them.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Puts an authority's certificate (`ca.pem`), and certificates and keys of a server on the loopback address and of a
/// client (`server.pem`, `server.key`, `client.pem`, `client.key`) into a directory.
pub fn certificates(directory: &Path) {
    certificates_of(directory, &["127.0.0.1", "localhost"]);
}

/// Puts such certificates into a directory, with other names than those of the loopback address.
pub fn certificates_of(directory: &Path, names: &[&str]) {
    dbdyno_lab::make_certificates(directory, names).unwrap();
    // As people keep keys: a server of another user gets copies.
    std::fs::set_permissions(directory, PermissionsExt::from_mode(0o700)).unwrap();
}

/// The options of a client that shows the certificate of one such directory, and trusts the authority of the other.
pub fn certificate_options(own: &Path, authority: &Path) -> String {
    format!(
        "tls_ca={}/ca.pem&tls_cert={1}/client.pem&tls_key={1}/client.key",
        authority.display(),
        own.display()
    )
}
