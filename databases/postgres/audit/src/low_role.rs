//! A role of the audit's own that may log in and read one empty table, and nothing else.

use dbdyno_audit::{Canary, ChannelError, Scene};
use postgres_protocol::password::scram_sha_256;

use crate::client::{Session, as_user, database, session};
use crate::protocol::quoted;

/// The role. It is also the name of a schema with two tables: `granted`, which it may read, and `secret`, which it may not.
pub struct LowRole {
    pub name: String,
    pub password: String,
}

impl LowRole {
    /// Makes it, with everything of it at once or nothing.
    pub fn make(scene: &Scene<'_>, managing: &mut Session) -> Result<Self, ChannelError> {
        let (password, verifier) = new_verifier();
        let role = Self {
            name: scene.own_name().to_owned(),
            password,
        };
        role.remove(managing)?;
        let name = quoted(&role.name);
        managing.must(&format!(
            "CREATE ROLE {name} LOGIN PASSWORD '{}'; GRANT CONNECT ON DATABASE {} TO {name}; \
             CREATE SCHEMA {name}; GRANT USAGE ON SCHEMA {name} TO {name}; \
             CREATE TABLE {name}.granted (v int); GRANT SELECT ON {name}.granted TO {name}; \
             CREATE TABLE {name}.secret (v int)",
            verifier,
            quoted(database(scene))
        ))?;
        Ok(role)
    }

    /// A session of it.
    pub fn session(&self, scene: &Scene<'_>, managing: &Session) -> Result<Session, ChannelError> {
        let who = as_user(scene, &self.name);
        session(scene, &managing.host, who, Some(&self.password))
    }

    /// Removes it with all that is its own, also where only a part is there.
    pub fn remove(&self, managing: &mut Session) -> Result<(), ChannelError> {
        managing.must(&format!("DROP SCHEMA IF EXISTS {} CASCADE", quoted(&self.name)))?;
        drop_role(managing, &self.name)
    }
}

/// A random password of letters and digits, and its verifier, which a log of statements may keep.
pub fn new_verifier() -> (String, String) {
    let password = Canary::new().text().to_owned();
    let verifier = scram_sha_256(password.as_bytes());
    (password, verifier)
}

/// Removes a role and its rights, where it is there.
pub fn drop_role(managing: &mut Session, name: &str) -> Result<(), ChannelError> {
    let literal = name.replace('\'', "''");
    let found = managing.must(&format!(
        "SELECT rolname FROM pg_catalog.pg_roles WHERE rolname = '{literal}'"
    ))?;
    if found.column().is_empty() {
        return Ok(());
    }
    let name = quoted(name);
    managing
        .must(&format!("DROP OWNED BY {name} CASCADE; DROP ROLE {name}"))
        .map(drop)
}
