//! The probes: those of Redis, on a server that may lie to them.

use dbdyno_audit::{Auditor, Identity, Scene, known_vulnerabilities};
use dbdyno_audit_redis::RedisAuditor;
use dbdyno_database_sick::INFO;
use dbdyno_driver::remote::Remote;
use dbdyno_driver::{DbError, ErrorClass, Target};
use dbdyno_record::audit::{AuditFinding, Feature};

use crate::lie::Lie;
use crate::server::running;
use crate::users::PASSWORD;

/// Probes for a server that lies as its address asks, and is started for the audit in this process.
pub struct SickAuditor;

impl Auditor for SickAuditor {
    fn database(&self) -> &'static str {
        INFO.name
    }

    fn schemes(&self) -> &'static [&'static str] {
        INFO.schemes
    }

    /// Starts the server, the first time.
    fn read(&self, target: &Target) -> Result<Remote, DbError> {
        let lie = Lie::read(target)?;
        let (port, authority) = running(lie).map_err(|error| {
            DbError::new(
                ErrorClass::Unavailable,
                format!("the server of `sick` cannot start: {error}"),
            )
        })?;
        let address = format!(
            "rediss://:{PASSWORD}@127.0.0.1:{port}?tls_ca={}",
            authority.display()
        );
        let target = Target::parse(&address).map_err(|error| {
            DbError::new(
                ErrorClass::Bug,
                format!("the address of `sick` cannot be read: {error}"),
            )
        })?;
        RedisAuditor.read(&target)
    }

    fn catalogue(&self) -> &'static str {
        include_str!("../catalogue.toml")
    }

    fn vulnerabilities(&self) -> &'static str {
        include_str!("../known_vulnerabilities.toml")
    }

    /// The version is what the server says.
    fn identify(&self, scene: &mut Scene<'_>) -> Identity {
        Identity {
            product: INFO.name.to_owned(),
            ..RedisAuditor.identify(scene)
        }
    }

    fn examine(&self, feature: Feature, scene: &mut Scene<'_>) -> AuditFinding {
        let has_none = |what: &str| AuditFinding::not_applicable(feature, what.to_owned());
        match feature {
            Feature::PasswordStorage => has_none("Users live in this process and end with it."),
            Feature::EncryptionAtRest => has_none("No data is kept."),
            Feature::Injection => has_none("No data is kept, so nothing can be read back."),
            Feature::KnownVulnerabilities => known_vulnerabilities(self, scene),
            other => RedisAuditor.examine(other, scene),
        }
    }

    fn clean(&self, scene: &mut Scene<'_>) -> Vec<String> {
        RedisAuditor.clean(scene)
    }
}
