//! What protects the servers of a trial, seen with its clients' own address: a few connections, none of them harmful.

use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::{DbError, Target};
use dbdyno_record::audit::{Feature, redacted};
use dbdyno_record::protection::{Connection, ProtectionRecord};

use crate::auditor::Auditor;
use crate::channel::ChannelError;
use crate::identity::Identity;
use crate::own_name::{OwnName, new_name};
use crate::scene::{Place, Scene};
use crate::tls::name_of;
use crate::vantage::Vantage;

/// How long one connection may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Observes the servers at this address: what clients that are configured as it says speak, whether a certificate and a login are
/// asked for. With the login of an administrator it sees the rules for other users, too. Nothing is made on the servers.
///
/// # Errors
/// When the address cannot be read.
pub fn in_force(
    auditor: &dyn Auditor,
    target: &Target,
    administrator: Option<&Target>,
) -> Result<ProtectionRecord, DbError> {
    let remote = auditor.read(target)?;
    let of_administrator = administrator.map(|target| auditor.read(target)).transpose()?;
    let (place, from) = (Place::default(), Vantage::default());
    let mut scene = Scene {
        target,
        remote: &remote,
        administrator: of_administrator.as_ref(),
        administrator_target: administrator,
        place: &place,
        from: &from,
        tries_defaults: false,
        tries_idle_connections: false,
        patience: PATIENCE,
        own_name: Arc::new(OwnName::new(new_name(
            jiff::Timestamp::now().as_second(),
            PATIENCE,
        ))),
        identity: Identity::default(),
        evidence: Vec::new(),
        tls: None,
    };
    // Clients that are not configured for TLS speak clear text, and the trial shows that they were answered.
    let (connection, asks_for_certificate) = match remote.tls {
        None => (Connection::ClearText, None),
        Some(_) => match agreed(auditor, &mut scene) {
            Ok(connection) => (connection, auditor.asks_for_certificate(&mut scene)),
            Err(error) => (
                Connection::Unknown {
                    why: error.to_string(),
                },
                None,
            ),
        },
    };
    let login = auditor.examine(Feature::Authentication, &mut scene);
    let login_seen = redacted(&login.summary, &scene.secrets());
    Ok(ProtectionRecord {
        connection,
        asks_for_certificate,
        login: login.level,
        login_seen,
    })
}

/// What a handshake with the clients' own configuration agrees on.
fn agreed(auditor: &dyn Auditor, scene: &mut Scene<'_>) -> Result<Connection, ChannelError> {
    let configuration = scene.configuration(scene.remote)?;
    let (host, channel) = auditor.before_tls(scene)?;
    let agreed = channel.secure(&host, configuration)?.agreed();
    Ok(match agreed {
        Some((version, suite, _)) => Connection::Tls {
            version: name_of(version).to_owned(),
            cipher: format!("{suite:?}"),
        },
        None => Connection::Unknown {
            why: "the handshake ended without an agreement".to_owned(),
        },
    })
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use dbdyno_driver::remote::{HostPort, Remote, Tls};
    use dbdyno_record::audit::{AuditFinding, UnknownReason};
    use rcgen::{CertificateParams, KeyPair};
    use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
    use rustls::{ServerConfig, ServerConnection};

    use super::*;

    /// A product with a question of its own about certificates.
    struct Asking(Remote);

    impl Auditor for Asking {
        fn database(&self) -> &'static str {
            "asking"
        }

        fn schemes(&self) -> &'static [&'static str] {
            &["asking"]
        }

        fn read(&self, _: &Target) -> Result<Remote, DbError> {
            Ok(self.0.clone())
        }

        fn catalogue(&self) -> &'static str {
            ""
        }

        fn vulnerabilities(&self) -> &'static str {
            ""
        }

        fn identify(&self, _: &mut Scene<'_>) -> Identity {
            Identity::default()
        }

        fn asks_for_certificate(&self, _: &mut Scene<'_>) -> Option<bool> {
            Some(false)
        }

        fn examine(&self, feature: Feature, _: &mut Scene<'_>) -> AuditFinding {
            AuditFinding::unknown(feature, UnknownReason::NotRequested, "Nothing was looked at.")
        }

        fn clean(&self, _: &mut Scene<'_>) -> Vec<String> {
            Vec::new()
        }
    }

    /// A server that shakes hands over TLS and then ends the connection; its port, and its certificate.
    fn server() -> (u16, String) {
        let key = KeyPair::generate().unwrap();
        let parameters = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        let certificate = parameters.self_signed(&key).unwrap();
        let secret = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let configuration = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], secret)
            .unwrap();
        let configuration = Arc::new(configuration);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut connection = ServerConnection::new(Arc::clone(&configuration)).unwrap();
                while connection.is_handshaking() && connection.complete_io(&mut stream).is_ok() {}
            }
        });
        (port, certificate.pem())
    }

    #[test]
    fn a_products_own_question_about_certificates_is_what_is_read_back() {
        let (port, certificate) = server();
        let place = tempfile::tempdir().unwrap();
        let authority = place.path().join("ca.pem");
        std::fs::write(&authority, certificate).unwrap();
        let tls = Tls {
            ca: Some(authority),
            client: None,
        };
        let auditor = Asking(Remote {
            hosts: vec![HostPort {
                host: "127.0.0.1".to_owned(),
                port,
            }],
            user: None,
            password: None,
            path: String::new(),
            tls: Some(tls),
            connect_timeout: PATIENCE,
            timeout: PATIENCE,
        });
        let target = Target::parse("asking://127.0.0.1").unwrap();
        let seen = in_force(&auditor, &target, None).unwrap();
        assert!(matches!(seen.connection, Connection::Tls { .. }), "{seen:?}");
        // Who ends a connection without a certificate seems to ask for one; the product knows better.
        assert_eq!(seen.asks_for_certificate, Some(false));
    }
}
