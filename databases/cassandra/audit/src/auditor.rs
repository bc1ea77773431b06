//! The probes of Cassandra, a feature a function.

use dbdyno_audit::{Auditor, Identity, Scene, exposure, known_vulnerabilities};
use dbdyno_database_cassandra::CassandraDriver;
use dbdyno_driver::remote::Remote;
use dbdyno_driver::{DbError, Driver, Target};
use dbdyno_record::audit::{AuditFinding, Feature};

use crate::cql::query;
use crate::{
    access, at_rest, auditing, authorization, client, injection, jmx, nodes, revocation, wire, workshop,
};

/// Probes for Cassandra and what speaks its protocol.
pub struct CassandraAuditor;

impl Auditor for CassandraAuditor {
    fn database(&self) -> &'static str {
        "cassandra"
    }

    fn schemes(&self) -> &'static [&'static str] {
        CassandraDriver::INFO.schemes
    }

    fn read(&self, target: &Target) -> Result<Remote, DbError> {
        dbdyno_database_cassandra::remote(target)
    }

    fn catalogue(&self) -> &'static str {
        include_str!("../catalogue.toml")
    }

    fn vulnerabilities(&self) -> &'static str {
        include_str!("../known_vulnerabilities.toml")
    }

    fn identify(&self, scene: &mut Scene<'_>) -> Identity {
        let Ok(mut channel) = client::administrator(scene) else {
            return Identity::default();
        };
        let mut ask = |statement: &str| {
            let answer = query(&mut channel, statement).ok()?;
            answer.texts().into_iter().next()
        };
        // ScyllaDB names the version of Cassandra that it is compatible with, and its own in a table of its own.
        if let Some(version) = ask("SELECT version FROM system.versions WHERE key = 'local'") {
            return identity("ScyllaDB", version);
        }
        match ask("SELECT release_version FROM system.local") {
            Some(version) => identity("Apache Cassandra", version),
            None => Identity::default(),
        }
    }

    fn asks_for_certificate(&self, scene: &mut Scene<'_>) -> Option<bool> {
        wire::WIRE.asks_for_certificate(scene)
    }

    fn examine(&self, feature: Feature, scene: &mut Scene<'_>) -> AuditFinding {
        match feature {
            Feature::Authentication => access::authentication(scene),
            Feature::Authorization => authorization::authorization(scene),
            Feature::DefaultCredentials => access::default_credentials(scene),
            Feature::PasswordStorage => access::password_storage(scene),
            Feature::ClientToNodeEncryption => wire::client_to_node(scene),
            Feature::TransportEncryption => wire::transport(scene),
            Feature::EncryptionAtRest => at_rest::encryption(scene),
            Feature::Auditing => auditing::auditing(scene),
            Feature::JmxAuthentication => jmx::management(scene),
            Feature::AuthenticationCaching => revocation::time_to_revoke(scene),
            Feature::ProxyRoles => AuditFinding::not_applicable(
                feature,
                "Apache Cassandra has no way for one user to act as another; DataStax Enterprise has (PROXY.EXECUTE).",
            ),
            Feature::NodeToNodeEncryption => nodes::encryption(scene),
            Feature::Exposure => exposure(
                scene,
                "listen_address and rpc_address: the one address that nodes and clients use",
                access::SECURITY,
            ),
            Feature::IdleConnections => access::idle_connections(scene),
            Feature::KnownVulnerabilities => known_vulnerabilities(self, scene),
            Feature::Injection => injection::injected(scene),
        }
    }

    fn clean(&self, scene: &mut Scene<'_>) -> Vec<String> {
        match client::administrator(scene) {
            Ok(mut channel) => workshop::clean(scene, &mut channel),
            Err(error) => scene
                .not_looked_for("roles, keyspaces and tables", &error)
                .into_iter()
                .collect(),
        }
    }
}

fn identity(product: &str, version: String) -> Identity {
    Identity {
        product: product.to_owned(),
        version: dbdyno_audit::shortened(&version),
    }
}
