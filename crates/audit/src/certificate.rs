//! What a server's certificate says of itself.

use std::net::IpAddr;

use rustls::pki_types::CertificateDer;
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::FromDer;
use x509_parser::public_key::PublicKey;

/// The parts of a certificate that are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// Whom it names.
    pub subject: String,
    /// Who signed it.
    pub issuer: String,
    /// The names and addresses that it is for.
    pub names: Vec<String>,
    /// Seconds until it expires; negative when it has.
    pub seconds_left: i64,
    /// Whether it is not valid yet.
    pub is_early: bool,
    /// Its key, e.g. `RSA 2048`.
    pub key: String,
    /// Whether the key is shorter than anybody should use today (NIST SP 800-57: RSA 2048, curves of 224 bits).
    pub has_short_key: bool,
    /// Whether it is signed with SHA-1 or MD5, whose collisions can be computed.
    pub has_weak_signature: bool,
}

impl Certificate {
    /// Reads a certificate, at a time in seconds since 1970; `None` when it is none.
    #[must_use]
    pub fn read(der: &CertificateDer<'_>, now: i64) -> Option<Self> {
        let (_, certificate) = X509Certificate::from_der(der).ok()?;
        let (key, has_short_key) = key(&certificate);
        let validity = certificate.validity();
        Some(Self {
            subject: certificate.subject().to_string(),
            issuer: certificate.issuer().to_string(),
            names: names(&certificate),
            seconds_left: validity.not_after.timestamp() - now,
            is_early: validity.not_before.timestamp() > now,
            key,
            has_short_key,
            has_weak_signature: is_weak(&certificate.signature_algorithm.algorithm.to_id_string()),
        })
    }
}

fn names(certificate: &X509Certificate<'_>) -> Vec<String> {
    let Ok(Some(extension)) = certificate.subject_alternative_name() else {
        return Vec::new();
    };
    let shown = |name: &GeneralName<'_>| match name {
        GeneralName::DNSName(name) => Some((*name).to_owned()),
        GeneralName::IPAddress(bytes) => match bytes.len() {
            4 => <[u8; 4]>::try_from(*bytes)
                .ok()
                .map(|bytes| IpAddr::from(bytes).to_string()),
            16 => <[u8; 16]>::try_from(*bytes)
                .ok()
                .map(|bytes| IpAddr::from(bytes).to_string()),
            _ => None,
        },
        _ => None,
    };
    extension.value.general_names.iter().filter_map(shown).collect()
}

fn key(certificate: &X509Certificate<'_>) -> (String, bool) {
    match certificate.public_key().parsed() {
        Ok(PublicKey::RSA(key)) => (format!("RSA {}", key.key_size()), key.key_size() < 2048),
        Ok(PublicKey::EC(point)) => (format!("EC {}", point.key_size()), point.key_size() < 224),
        Ok(_) => ("DSA or older".to_owned(), true),
        // Ed25519 and Ed448 are read as unknown keys of the right length.
        Err(_) => ("another kind".to_owned(), false),
    }
}

/// The identifiers of RFC 8017 and RFC 5758 for signatures with MD5 and SHA-1.
fn is_weak(algorithm: &str) -> bool {
    matches!(
        algorithm,
        "1.2.840.113549.1.1.4" | "1.2.840.113549.1.1.5" | "1.2.840.10040.4.3" | "1.2.840.10045.4.1"
    )
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, KeyPair};

    use super::*;

    #[test]
    fn names_and_the_end_are_read() {
        let key = KeyPair::generate().unwrap();
        let mut parameters =
            CertificateParams::new(vec!["db.example".to_owned(), "127.0.0.1".to_owned()]).unwrap();
        parameters.not_before = rcgen::date_time_ymd(2020, 1, 1);
        parameters.not_after = rcgen::date_time_ymd(2030, 1, 1);
        let signed = parameters.self_signed(&key).unwrap();
        let new_year_2029 = 1_861_920_000;
        let read = Certificate::read(signed.der(), new_year_2029).unwrap();
        assert_eq!(read.names, ["db.example", "127.0.0.1"]);
        assert_eq!(read.seconds_left, 365 * 86_400);
        assert!(!read.is_early && !read.has_short_key && !read.has_weak_signature);
        assert_eq!(read.key, "EC 256");
        assert!(Certificate::read(signed.der(), 0).unwrap().is_early);
        assert_eq!(
            Certificate::read(&CertificateDer::from(vec![0x30, 0xff, 1]), 0),
            None
        );
    }
}
