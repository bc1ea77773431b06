//! The probes of HBase, a feature a function.

use dbdyno_audit::{
    Auditor, Channel, ChannelError, Identity, Scene, exposure, injection, known_vulnerabilities,
};
use dbdyno_database_hbase::HbaseDriver;
use dbdyno_driver::remote::{HostPort, Remote};
use dbdyno_driver::{DbError, Driver, Target};
use dbdyno_record::audit::{AuditFinding, Feature};

use crate::access::{self, SECURITY};
use crate::driven::{self, connected, managing};
use crate::{at_rest, auditing, authorization, keytabs, management, nodes, proxy, revocation, wire};

/// Probes for HBase and the ZooKeeper below it.
pub struct HbaseAuditor;

impl Auditor for HbaseAuditor {
    fn database(&self) -> &'static str {
        "hbase"
    }

    fn schemes(&self) -> &'static [&'static str] {
        HbaseDriver::INFO.schemes
    }

    fn read(&self, target: &Target) -> Result<Remote, DbError> {
        dbdyno_database_hbase::remote(target)
    }

    fn catalogue(&self) -> &'static str {
        include_str!("../catalogue.toml")
    }

    fn vulnerabilities(&self) -> &'static str {
        include_str!("../known_vulnerabilities.toml")
    }

    fn identify(&self, scene: &mut Scene<'_>) -> Identity {
        let facts = connected(scene, managing(scene), async |driver| driver.facts().await);
        facts.map_or_else(
            |_| Identity::default(),
            |facts| Identity {
                product: facts.product,
                version: facts.version,
            },
        )
    }

    fn before_tls(&self, scene: &mut Scene<'_>) -> Result<(HostPort, Channel), ChannelError> {
        wire::before_tls(scene)
    }

    fn examine(&self, feature: Feature, scene: &mut Scene<'_>) -> AuditFinding {
        match feature {
            Feature::Authentication => access::authentication(scene),
            Feature::Authorization => authorization::authorization(scene),
            Feature::DefaultCredentials => access::default_credentials(scene),
            Feature::PasswordStorage => keytabs::storage(scene),
            Feature::ClientToNodeEncryption => wire::client_to_node(scene),
            Feature::TransportEncryption => wire::transport(scene),
            Feature::EncryptionAtRest => at_rest::encryption(scene),
            Feature::Auditing => auditing::auditing(scene),
            Feature::JmxAuthentication => management::planes(scene),
            Feature::AuthenticationCaching => revocation::time_to_revoke(scene),
            Feature::ProxyRoles => proxy::roles(scene),
            Feature::NodeToNodeEncryption => nodes::encryption(scene),
            Feature::Exposure => exposure(
                scene,
                "hbase.master.ipc.address, hbase.regionserver.ipc.address and hbase.zookeeper.property.clientPortAddress: the one address that clients use",
                SECURITY,
            ),
            Feature::IdleConnections => access::idle_connections(scene),
            Feature::KnownVulnerabilities => known_vulnerabilities(self, scene),
            Feature::Injection => injection::<HbaseDriver>(scene),
        }
    }

    fn clean(&self, scene: &mut Scene<'_>) -> Vec<String> {
        driven::clean(scene)
    }
}
