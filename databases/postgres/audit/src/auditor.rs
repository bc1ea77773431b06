//! The probes of PostgreSQL, a feature a function.

use dbdyno_audit::{
    Auditor, Channel, ChannelError, Identity, PREFIX, Scene, injection, known_vulnerabilities,
};
use dbdyno_database_postgres::PostgresDriver;
use dbdyno_driver::remote::{HostPort, Remote};
use dbdyno_driver::{DbError, Driver, Target};
use dbdyno_record::audit::{AuditFinding, Feature, UnknownReason};

use crate::client::{Session, administrator};
use crate::low_role::drop_role;
use crate::protocol::{Answer, quoted};
use crate::stranger::sends_password_in_clear;
use crate::{access, at_rest, auditing, exposed, management, nodes, proxy, revocation, rights, stored, wire};

/// Probes for PostgreSQL and what speaks its protocol.
pub struct PostgresAuditor;

impl Auditor for PostgresAuditor {
    fn database(&self) -> &'static str {
        "postgres"
    }

    fn schemes(&self) -> &'static [&'static str] {
        PostgresDriver::INFO.schemes
    }

    fn read(&self, target: &Target) -> Result<Remote, DbError> {
        dbdyno_database_postgres::remote(target)
    }

    fn catalogue(&self) -> &'static str {
        include_str!("../catalogue.toml")
    }

    fn vulnerabilities(&self) -> &'static str {
        include_str!("../known_vulnerabilities.toml")
    }

    fn identify(&self, scene: &mut Scene<'_>) -> Identity {
        let sql =
            "SELECT split_part(version(), ' ', 1), split_part(current_setting('server_version'), ' ', 1)";
        let row = administrator(scene)
            .and_then(|mut session| session.ask(sql))
            .ok()
            .and_then(|answer| answer.first());
        match row.as_deref() {
            Some([product, version]) => Identity {
                product: product.clone(),
                version: version.clone(),
            },
            _ => Identity::default(),
        }
    }

    fn before_tls(&self, scene: &mut Scene<'_>) -> Result<(HostPort, Channel), ChannelError> {
        let host = scene.host().clone();
        let channel = wire::before_tls(scene, &host)?;
        Ok((host, channel))
    }

    fn asks_for_certificate(&self, scene: &mut Scene<'_>) -> Option<bool> {
        wire::asks_for_certificate(scene)
    }

    fn may_run(&self, feature: Feature) -> Option<&'static str> {
        (feature == Feature::JmxAuthentication).then_some(management::MAY_RUN)
    }

    fn examine(&self, feature: Feature, scene: &mut Scene<'_>) -> AuditFinding {
        match feature {
            Feature::Authentication => access::authentication(scene),
            Feature::DefaultCredentials => access::default_credentials(scene),
            Feature::PasswordStorage => stored::passwords(scene),
            Feature::Authorization => rights::authorization(scene),
            Feature::JmxAuthentication => management::access(scene),
            Feature::ProxyRoles => proxy::roles(scene),
            Feature::ClientToNodeEncryption => wire::client_to_node(scene),
            Feature::TransportEncryption => wire::transport(scene),
            Feature::EncryptionAtRest => at_rest::encryption(scene),
            Feature::Auditing => auditing::auditing(scene),
            Feature::AuthenticationCaching => revocation::time_to_revoke(scene),
            Feature::NodeToNodeEncryption => nodes::encryption(scene),
            Feature::Exposure => exposed::addresses(scene),
            Feature::IdleConnections => access::idle_connections(scene),
            Feature::KnownVulnerabilities => known_vulnerabilities(self, scene),
            Feature::Injection => match sends_password_in_clear(scene) {
                true => AuditFinding::unknown(
                    feature,
                    UnknownReason::NoPrivilege,
                    "Not tried: the server asks for the password in clear text, and the driver would send it.",
                ),
                false => injection::<PostgresDriver>(scene),
            },
        }
    }

    fn clean(&self, scene: &mut Scene<'_>) -> Vec<String> {
        match administrator(scene) {
            Ok(mut session) => clean(scene, &mut session),
            Err(error) => scene
                .not_looked_for("schemas, tables and roles", &error)
                .into_iter()
                .collect(),
        }
    }
}

/// Removes schemas, tables and roles that this audit has made, or one that no longer lives: roles last, because they own.
fn clean(scene: &Scene<'_>, session: &mut Session) -> Vec<String> {
    let begins = |column: &str| format!("{column} ~ '^{PREFIX}[0-9a-f]{{12}}([^0-9A-Za-z]|$)'");
    let mut left = Vec::new();
    let schemas = format!(
        "SELECT nspname, nspname FROM pg_catalog.pg_namespace WHERE {}",
        begins("nspname")
    );
    for name in listed(scene, session, ("schemas", &schemas), &mut left) {
        let dropped = session.must(&format!("DROP SCHEMA IF EXISTS {} CASCADE", quoted(&name)));
        left.extend(dropped.err().map(|error| format!("schema {name}: {error}")));
    }
    let tables = format!(
        "SELECT c.relname, format('%I.%I', n.nspname, c.relname) FROM pg_catalog.pg_class c \
         JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND {}",
        begins("c.relname")
    );
    for name in listed(scene, session, ("tables", &tables), &mut left) {
        let dropped = session.must(&format!("DROP TABLE IF EXISTS {name}"));
        left.extend(dropped.err().map(|error| format!("table {name}: {error}")));
    }
    let roles = format!(
        "SELECT rolname, rolname FROM pg_catalog.pg_roles WHERE {}",
        begins("rolname")
    );
    for name in listed(scene, session, ("roles", &roles), &mut left) {
        let dropped = drop_role(session, &name);
        left.extend(dropped.err().map(|error| format!("role {name}: {error}")));
    }
    left
}

/// What the second column calls those things whose name in the first allows their removal; what they are is for people.
fn listed(
    scene: &Scene<'_>,
    session: &mut Session,
    (what, sql): (&str, &str),
    left: &mut Vec<String>,
) -> Vec<String> {
    let rows = match session.must(sql) {
        Ok(Answer::Rows(rows)) => rows,
        Ok(Answer::Refused(_)) => return Vec::new(),
        Err(error) => {
            left.extend(scene.not_looked_for(what, &error));
            return Vec::new();
        }
    };
    let called = |row: &Vec<Option<String>>| match row.as_slice() {
        [Some(name), Some(called)] if scene.may_remove(name) => Some(called.clone()),
        _ => None,
    };
    rows.iter().filter_map(called).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_has_the_ten_features() {
        let catalogue = dbdyno_audit::catalogue(&PostgresAuditor);
        for feature in Feature::of_the_thesis() {
            assert!(catalogue.of(*feature).next().is_some(), "{}", feature.id());
        }
    }
}
