//! The probes of Redis, a feature a function.

use dbdyno_audit::{Auditor, Identity, Scene, exposure, injection, known_vulnerabilities};
use dbdyno_database_redis::RedisDriver;
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
            text.lines()
                .find_map(|line| line.strip_prefix(key))
                .map(str::trim)
        };
        // Others that speak its protocol name the version that they are like, too.
        PRODUCTS
            .iter()
            .find_map(|(product, key)| Some(identity(product, value(key)?)))
            .unwrap_or_default()
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

/// Products, by the lines of INFO with their versions.
const PRODUCTS: [(&str, &str); 7] = [
    ("Valkey", "valkey_version:"),
    ("Dragonfly", "dragonfly_version:"),
    ("Kvrocks", "kvrocks_version:"),
    ("Garnet", "garnet_version:"),
    ("Redict", "redict_version:"),
    ("KeyDB", "keydb_version:"),
    ("Redis", "redis_version:"),
];

fn identity(product: &str, version: &str) -> Identity {
    Identity {
        product: product.to_owned(),
        version: version.to_owned(),
    }
}
