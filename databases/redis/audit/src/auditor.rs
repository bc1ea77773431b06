//! The probes of Redis, a feature a function.

use dbdyno_audit::{Auditor, Identity, Scene, exposure, injection, known_vulnerabilities};
use dbdyno_database_redis::{RedisDriver, product};
use dbdyno_driver::remote::Remote;
use dbdyno_driver::{DbError, Driver, Target};
use dbdyno_record::audit::{AuditFinding, Feature};

use crate::resp::{Reply, ask};
use crate::{access, at_rest, clean, client, management, nodes, passwords, revocation, rights, wire};

/// Probes for Redis and what speaks its protocol.
pub struct RedisAuditor;

impl Auditor for RedisAuditor {
    fn database(&self) -> &'static str {
        "redis"
    }

    fn schemes(&self) -> &'static [&'static str] {
        RedisDriver::INFO.schemes
    }

    fn read(&self, target: &Target) -> Result<Remote, DbError> {
        dbdyno_database_redis::remote(target)
    }

    fn catalogue(&self) -> &'static str {
        include_str!("../catalogue.toml")
    }

    fn vulnerabilities(&self) -> &'static str {
        include_str!("../known_vulnerabilities.toml")
    }

    fn identify(&self, scene: &mut Scene<'_>) -> Identity {
        let answer =
            client::administrator(scene).and_then(|mut channel| ask(&mut channel, &["INFO", "server"]));
        let text = match answer {
            Ok(Reply::Bulk(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
            _ => return Identity::default(),
        };
        let value = |key: &str| {
            let of_key = |line: &str| Some(line.strip_prefix(key)?.strip_prefix(':')?.trim().to_owned());
            text.lines().find_map(of_key)
        };
        match product(value) {
            (_, version) if version.is_empty() => Identity::default(),
            (product, version) => Identity {
                product: product.to_owned(),
                version,
            },
        }
    }

    fn asks_for_certificate(&self, scene: &mut Scene<'_>) -> Option<bool> {
        wire::WIRE.asks_for_certificate(scene)
    }

    fn examine(&self, feature: Feature, scene: &mut Scene<'_>) -> AuditFinding {
        match feature {
            Feature::Authentication => access::authentication(scene),
            Feature::Authorization => rights::authorization(scene),
            Feature::DefaultCredentials => access::default_credentials(scene),
            Feature::PasswordStorage => passwords::password_storage(scene),
            Feature::ClientToNodeEncryption => wire::client_to_node(scene),
            Feature::TransportEncryption => wire::transport(scene),
            Feature::EncryptionAtRest => at_rest::encryption(scene),
            Feature::Auditing => management::auditing(scene),
            Feature::JmxAuthentication => management::commands(scene),
            Feature::AuthenticationCaching => revocation::time_to_revoke(scene),
            Feature::ProxyRoles => {
                AuditFinding::not_applicable(feature, "Redis has no way for one user to act as another.")
            }
            Feature::NodeToNodeEncryption => nodes::encryption(scene),
            Feature::Exposure => exposure(
                scene,
                "bind 127.0.0.1 -::1, or the one address that clients use",
                "https://redis.io/docs/latest/operate/oss_and_stack/management/security/",
            ),
            Feature::IdleConnections => access::idle_connections(scene),
            Feature::KnownVulnerabilities => known_vulnerabilities(self, scene),
            Feature::Injection => injection::<RedisDriver>(scene),
        }
    }

    fn clean(&self, scene: &mut Scene<'_>) -> Vec<String> {
        clean::clean(scene)
    }
}
