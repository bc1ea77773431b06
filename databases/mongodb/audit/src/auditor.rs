//! The probes of MongoDB, a feature a function.

use bson::doc;
use dbdyno_audit::{Auditor, Identity, Scene, exposure, injection, known_vulnerabilities};
use dbdyno_database_mongodb::MongodbDriver;
use dbdyno_driver::remote::Remote;
use dbdyno_driver::{DbError, Driver, Target};
use dbdyno_record::audit::{AuditFinding, Feature};

use crate::client::{administrator, ask_without_login};
use crate::message::{Reply, ask};
use crate::{access, accounts, at_rest, auditing, clean, management, nodes, revocation, wire};

/// Probes for MongoDB and what speaks its protocol.
pub struct MongodbAuditor;

impl Auditor for MongodbAuditor {
    fn database(&self) -> &'static str {
        "mongodb"
    }

    fn schemes(&self) -> &'static [&'static str] {
        MongodbDriver::INFO.schemes
    }

    fn read(&self, target: &Target) -> Result<Remote, DbError> {
        dbdyno_database_mongodb::remote(target)
    }

    fn catalogue(&self) -> &'static str {
        include_str!("../catalogue.toml")
    }

    fn vulnerabilities(&self) -> &'static str {
        include_str!("../known_vulnerabilities.toml")
    }

    /// Old servers tell everybody what they are, newer ones who is logged in.
    fn identify(&self, scene: &mut Scene<'_>) -> Identity {
        let question = || doc! { "buildInfo": 1 };
        let answer = ask_without_login(scene, question())
            .ok()
            .filter(Reply::is_ok)
            .or_else(|| {
                let mut channel = administrator(scene).ok()?;
                ask(&mut channel, "admin", question()).ok().filter(Reply::is_ok)
            });
        answer.map_or_else(Identity::default, |answer| identity(&answer))
    }

    fn asks_for_certificate(&self, scene: &mut Scene<'_>) -> Option<bool> {
        wire::WIRE.asks_for_certificate(scene)
    }

    fn may_run(&self, feature: Feature) -> Option<&'static str> {
        (feature == Feature::JmxAuthentication).then_some(management::MAY_RUN)
    }

    fn examine(&self, feature: Feature, scene: &mut Scene<'_>) -> AuditFinding {
        match feature {
            Feature::Authentication => access::authentication(scene),
            Feature::Authorization => access::authorization(scene),
            Feature::DefaultCredentials => accounts::default_credentials(scene),
            Feature::PasswordStorage => accounts::password_storage(scene),
            Feature::ClientToNodeEncryption => wire::client_to_node(scene),
            Feature::TransportEncryption => wire::transport(scene),
            Feature::EncryptionAtRest => at_rest::encryption(scene),
            Feature::Auditing => auditing::auditing(scene),
            Feature::JmxAuthentication => management::commands(scene),
            Feature::AuthenticationCaching => revocation::time_to_revoke(scene),
            Feature::ProxyRoles => {
                AuditFinding::not_applicable(feature, "MongoDB has no way for one user to act as another.")
            }
            Feature::NodeToNodeEncryption => nodes::encryption(scene),
            Feature::Exposure => exposure(
                scene,
                "net.bindIp: 127.0.0.1, or the one address that clients use",
                "https://www.mongodb.com/docs/manual/core/security-mongodb-configuration/",
            ),
            Feature::IdleConnections => access::idle_connections(scene),
            Feature::KnownVulnerabilities => known_vulnerabilities(self, scene),
            Feature::Injection => injection::<MongodbDriver>(scene),
        }
    }

    fn clean(&self, scene: &mut Scene<'_>) -> Vec<String> {
        clean::clean(scene)
    }
}

fn identity(answer: &Reply) -> Identity {
    let text = |name: &str| answer.0.get_str(name).ok();
    let is_enterprise = answer
        .0
        .get_array("modules")
        .is_ok_and(|modules| modules.iter().any(|module| module.as_str() == Some("enterprise")));
    let (product, version) = if let Some(version) = text("psmdbVersion") {
        ("Percona Server for MongoDB", version)
    } else if let Ok(ferret) = answer.0.get_document("ferretdb") {
        ("FerretDB", ferret.get_str("version").unwrap_or_default())
    } else if is_enterprise {
        ("MongoDB Enterprise", text("version").unwrap_or_default())
    } else {
        ("MongoDB", text("version").unwrap_or_default())
    };
    Identity {
        product: product.to_owned(),
        version: dbdyno_audit::shortened(version),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_has_the_ten_features_and_what_is_out_of_date() {
        let catalogue = dbdyno_audit::catalogue(&MongodbAuditor);
        for feature in Feature::of_the_thesis() {
            assert!(catalogue.of(*feature).next().is_some(), "{}", feature.id());
        }
        let dated: Vec<Feature> = catalogue
            .capabilities
            .iter()
            .filter(|capability| !capability.out_of_date.is_empty())
            .map(|capability| capability.feature)
            .collect();
        assert_eq!(dated, [Feature::NodeToNodeEncryption]);
    }

    #[test]
    fn products_are_told_apart() {
        let of = |answer| {
            let identity = identity(&Reply(answer));
            format!("{} {}", identity.product, identity.version)
        };
        assert_eq!(of(doc! { "version": "6.0.5", "modules": [] }), "MongoDB 6.0.5");
        assert_eq!(
            of(doc! { "version": "8.0.1", "modules": ["enterprise"] }),
            "MongoDB Enterprise 8.0.1"
        );
        assert_eq!(
            of(doc! { "version": "7.0.1", "psmdbVersion": "7.0.1-2" }),
            "Percona Server for MongoDB 7.0.1-2"
        );
    }
}
