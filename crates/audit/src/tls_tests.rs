//! Which certificates are trusted, and what is seen of real servers: OpenSSL's, told to speak as nobody should any more.

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use dbdyno_driver::remote::{Tls, authorities};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use tempfile::TempDir;

use super::*;
use crate::client_hello::STATIC_RSA;
use crate::clock::Deadline;
use crate::vantage::Vantage;

/// For a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(30);
const NOT_INSTALLED: &str = "openssl is not installed: apt-get install openssl";

/// An authority, which may stand for a server on 127.0.0.1 itself. All have one name, and each has a key of its own.
fn authority() -> (CertificateParams, KeyPair) {
    let mut parameters = parameters();
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    (parameters, KeyPair::generate().unwrap())
}

fn parameters() -> CertificateParams {
    CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap()
}

fn self_signed((parameters, key): &(CertificateParams, KeyPair)) -> CertificateDer<'static> {
    parameters.self_signed(key).unwrap().der().clone()
}

fn roots(certificates: &[&CertificateDer<'static>]) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    for certificate in certificates {
        roots.add((*certificate).clone()).unwrap();
    }
    roots
}

/// Whether a client that knows these authorities trusts this certificate at that address.
fn judged(own: &CertificateDer<'static>, address: &str, known: &RootCertStore) -> Result<(), String> {
    let host = HostPort {
        host: address.to_owned(),
        port: 1,
    };
    trust(std::slice::from_ref(own), &host, known)
}

#[test]
fn an_authority_that_is_named_is_trusted_as_a_server_too() {
    let (own, other) = (self_signed(&authority()), self_signed(&authority()));
    assert_eq!(judged(&own, "127.0.0.1", &roots(&[&other, &own])), Ok(()));
    assert!(
        judged(&own, "127.0.0.1", &roots(&[&other])).is_err(),
        "another key under the same name"
    );
    assert!(
        judged(&own, "127.0.0.2", &roots(&[&own])).is_err(),
        "the certificate of another host"
    );
    let unknown = judged(&own, "127.0.0.1", &RootCertStore::empty()).unwrap_err();
    assert!(unknown.contains("`tls_ca`"), "{unknown}");
}

#[test]
fn a_certificate_is_trusted_if_a_named_authority_signed_it() {
    let signing = authority();
    let (named, other) = (self_signed(&signing), self_signed(&authority()));
    let (of_authority, key) = signing;
    let signed = parameters().signed_by(&KeyPair::generate().unwrap(), &Issuer::new(of_authority, key));
    let own = signed.unwrap().der().clone();
    assert_eq!(judged(&own, "127.0.0.1", &roots(&[&named])), Ok(()));
    assert!(judged(&own, "127.0.0.2", &roots(&[&named])).is_err());
    assert!(judged(&own, "127.0.0.1", &roots(&[&other])).is_err());
}

/// A process that ends with its test, however that ends.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// A server of OpenSSL with a certificate of its own.
struct Server {
    host: HostPort,
    /// Its certificate and key.
    files: TempDir,
    _process: Process,
}

impl Server {
    /// With a key of this kind, e.g. `rsa:2048`, and options of `openssl s_server`.
    fn start(key: &str, options: &[&str]) -> Self {
        let files = tempfile::tempdir().unwrap();
        let openssl = |command: &str| {
            let mut openssl = Command::new("openssl");
            openssl.arg(command).current_dir(files.path());
            openssl
        };
        let made = openssl("req")
            .args(["-x509", "-nodes", "-newkey", key, "-days", "2"])
            .args(["-subj", "/CN=dbdyno", "-addext", "subjectAltName=IP:127.0.0.1"])
            .args(["-keyout", "own.key", "-out", "own.pem"])
            .output()
            .expect(NOT_INSTALLED);
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let child = openssl("s_server")
            .args(["-accept", "127.0.0.1:0", "-cert", "own.pem", "-key", "own.key"])
            // Without it, the server ends with its own input.
            .arg("-www")
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect(NOT_INSTALLED);
        let mut process = Process(child);
        let mut output = BufReader::new(process.0.stdout.take().unwrap());
        let port = output
            .by_ref()
            .lines()
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("ACCEPT 127.0.0.1:")?.parse().ok());
        let port = port.expect("openssl s_server ended before it listened");
        // What it says of each connection must not hold it up.
        std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
        Self {
            host: HostPort {
                host: "127.0.0.1".to_owned(),
                port,
            },
            files,
            _process: process,
        }
    }

    /// What is seen of it by one who names its certificate.
    fn observed(&self) -> TlsObservation {
        let tls = Tls {
            ca: Some(self.files.path().join("own.pem")),
            client: None,
        };
        let known = authorities(&tls).unwrap();
        let mut open = || Channel::connect(&self.host, &Vantage::Here, Deadline::within(PATIENCE));
        let seen = observe_tls(&self.host, &known, None, &mut open).unwrap();
        assert!(seen.unanswered.is_empty(), "{seen:?}");
        assert_eq!(seen.trust, Some(Ok(())), "{seen:?}");
        seen
    }
}

#[test]
fn a_server_of_tls_1_0_is_outdated() {
    let seen = Server::start("rsa:2048", &["-tls1", "-cipher", "ALL:@SECLEVEL=0"]).observed();
    assert_eq!(seen.outdated, ["TLS 1.0"], "{seen:?}");
    assert!(seen.accepted.is_empty() && seen.unfinished.is_none(), "{seen:?}");
    let certificate = seen.certificate.unwrap();
    assert_eq!(certificate.key, "RSA 2048");
    assert!(!certificate.has_short_key);
}

#[test]
fn a_short_key_is_seen_although_no_handshake_ends() {
    let cipher = "ECDHE-RSA-AES128-GCM-SHA256:@SECLEVEL=0";
    let seen = Server::start("rsa:1024", &["-tls1_2", "-cipher", cipher]).observed();
    assert!(seen.accepted.is_empty() && seen.unfinished.is_some(), "{seen:?}");
    assert!(seen.outdated.is_empty(), "{seen:?}");
    let certificate = seen.certificate.unwrap();
    assert_eq!(certificate.key, "RSA 1024");
    assert!(certificate.has_short_key);
}

#[test]
fn static_rsa_is_outdated_and_its_twin_with_ecdhe_is_not() {
    let of = |cipher: &str| Server::start("rsa:2048", &["-tls1_2", "-cipher", cipher]).observed();
    let static_rsa = of("AES128-GCM-SHA256");
    assert_eq!(static_rsa.outdated, [STATIC_RSA], "{static_rsa:?}");
    assert!(static_rsa.accepted.is_empty(), "{static_rsa:?}");
    let twin = of("ECDHE-RSA-AES128-GCM-SHA256");
    let suite = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256".to_owned();
    assert_eq!(twin.accepted, [("TLS 1.2", suite)], "{twin:?}");
    assert!(twin.outdated.is_empty() && twin.unfinished.is_none(), "{twin:?}");
}
