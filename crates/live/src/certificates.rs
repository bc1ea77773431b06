//! Certificates for tests of TLS, made anew each time.

use std::path::Path;

use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};

/// Puts an authority's certificate (`ca.pem`), and certificates and keys of a server on the loopback address and of a
/// client (`server.pem`, `server.key`, `client.pem`, `client.key`) into a directory.
pub fn certificates(directory: &Path) {
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
        let mut parameters =
            CertificateParams::new(vec!["127.0.0.1".to_owned(), "localhost".to_owned()]).unwrap();
        parameters.distinguished_name.push(DnType::CommonName, name);
        let certificate = parameters.signed_by(&key, &issuer).unwrap();
        std::fs::write(directory.join(format!("{name}.pem")), certificate.pem()).unwrap();
        std::fs::write(directory.join(format!("{name}.key")), key.serialize_pem()).unwrap();
    }
}
