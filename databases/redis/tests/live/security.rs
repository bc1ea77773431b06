//! TLS, against a server that asks for a client's certificate.

use std::path::Path;

use dbdyno_database_redis::RedisDriver;
use dbdyno_driver::conformance::BlockOn;
use dbdyno_driver::{Driver, ErrorClass};

use crate::{Runtime, start, target};

/// An authority, a certificate for the loopback address and one for a client.
fn certificates(directory: &Path) {
    let key = || rcgen::KeyPair::generate().unwrap();
    let mut authority = rcgen::CertificateParams::new(Vec::<String>::new()).unwrap();
    authority
        .distinguished_name
        .push(rcgen::DnType::CommonName, "the authority of this test");
    authority.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let authority_key = key();
    let authority_certificate = authority.self_signed(&authority_key).unwrap();
    let issuer = rcgen::Issuer::new(authority, authority_key);
    std::fs::write(directory.join("ca.pem"), authority_certificate.pem()).unwrap();
    for name in ["server", "client"] {
        let own = key();
        let mut parameters = rcgen::CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        parameters
            .distinguished_name
            .push(rcgen::DnType::CommonName, name);
        let certificate = parameters.signed_by(&own, &issuer).unwrap();
        std::fs::write(directory.join(format!("{name}.pem")), certificate.pem()).unwrap();
        std::fs::write(directory.join(format!("{name}.key")), own.serialize_pem()).unwrap();
    }
}

#[test]
fn tls_is_spoken_with_a_certificate_on_both_sides() {
    let folder = tempfile::tempdir().unwrap();
    certificates(folder.path());
    let lab = start(&format!("redis?tls={}", folder.path().display()));
    let file = |name: &str| folder.path().join(name).display().to_string();
    let runtime = Runtime::new();
    let connect = |options: &str| {
        runtime.block_on(RedisDriver::connect(&target(&format!(
            "{}{options}",
            lab.address()
        ))))
    };
    let with_both = format!(
        "?tls_ca={}&tls_cert={}&tls_key={}",
        file("ca.pem"),
        file("client.pem"),
        file("client.key")
    );
    connect(&with_both).unwrap();
    let without_client = connect(&format!("?tls_ca={}", file("ca.pem"))).err().unwrap();
    assert_eq!(without_client.class, ErrorClass::Unavailable, "{without_client}");
    let without_authority = connect("").err().unwrap();
    assert_eq!(
        without_authority.class,
        ErrorClass::Unavailable,
        "{without_authority}"
    );
    let plain = lab.address().replace("rediss://", "redis://");
    let plain = runtime
        .block_on(RedisDriver::connect(&target(&plain)))
        .err()
        .unwrap();
    assert_eq!(plain.class, ErrorClass::Unavailable, "{plain}");
}
