//! Certificates for tests of TLS, made anew each time, and what names them.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

/// Puts an authority's certificate (`ca.pem`), and certificates and keys of a server on the loopback address and of a
/// client (`server.pem`, `server.key`, `client.pem`, `client.key`) into a directory.
pub fn certificates(directory: &Path) {
    certificates_of(directory, &["127.0.0.1", "localhost"]);
}

/// The same with other names than those of the loopback address.
pub fn certificates_of(directory: &Path, names: &[&str]) {
    let mut authority = CertificateParams::new(Vec::<String>::new()).unwrap();
    authority
        .distinguished_name
        .push(DnType::CommonName, "the authority of this test");
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let certificate = authority.self_signed(&key).unwrap();
    std::fs::write(directory.join("ca.pem"), certificate.pem()).unwrap();
    let issuer = Issuer::new(authority, key);
    for name in ["server", "client"] {
        let key = KeyPair::generate().unwrap();
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut parameters = CertificateParams::new(names).unwrap();
        parameters.distinguished_name.push(DnType::CommonName, name);
        let certificate = parameters.signed_by(&key, &issuer).unwrap();
        std::fs::write(directory.join(format!("{name}.pem")), certificate.pem()).unwrap();
        std::fs::write(directory.join(format!("{name}.key")), key.serialize_pem()).unwrap();
    }
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
