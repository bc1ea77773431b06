//! The audit's own keyspace, table and roles on the server, and their removal.

use std::collections::BTreeSet;
use std::time::Duration;

use dbdyno_audit::{Canary, Channel, ChannelError, Deadline, Scene, is_own};

use crate::client::{administrator, must};
use crate::cql::{Answer, UNAUTHORIZED, query, text_of};

/// More names than this were not made by audits.
const MOST: usize = 1_000;
/// How long nodes may take to agree on the schema.
const AGREEMENT: Duration = Duration::from_secs(10);

/// A table of the audit's own, and a connection that may use it.
pub struct Workshop {
    pub channel: Channel,
    pub keyspace: String,
    /// Whether the keyspace is the audit's own, too.
    is_own: bool,
    /// With its keyspace.
    pub table: String,
    /// Of the roles that are made beside it: nobody can guess it, should one stay behind after a kill.
    pub password: Canary,
}

impl Workshop {
    /// Makes the keyspace, or where that is not allowed the table alone in the keyspace of the address. What is stored there
    /// reaches its file within about a second.
    pub fn open(scene: &Scene<'_>) -> Result<Self, ChannelError> {
        let mut channel = administrator(scene)?;
        let name = scene.own_name();
        let made = query(
            &mut channel,
            &format!(
                "CREATE KEYSPACE {name} WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': 1}}"
            ),
        )?;
        let is_own = match made {
            answer if answer.is_error(UNAUTHORIZED) => false,
            Answer::Error { .. } => return Err(ChannelError::Unexpected(made.shown())),
            _ => true,
        };
        let path = scene.remote.path.as_str();
        let keyspace = match (is_own, path) {
            (true, _) => name,
            (false, "") => "ycsb",
            (false, path) if is_plain(path) => path,
            (false, _) => return Err(ChannelError::Unexpected("no keyspace may be used".to_owned())),
        };
        let table = format!("{keyspace}.{name}");
        let create = format!(
            "CREATE TABLE {table} (id text PRIMARY KEY, value text) \
             WITH memtable_flush_period_in_ms = 1000 AND compression = {{'enabled': 'false'}}"
        );
        let workshop = Self {
            keyspace: keyspace.to_owned(),
            is_own,
            table,
            password: Canary::new(),
            channel,
        };
        workshop.with_table(&create)
    }

    fn with_table(mut self, create: &str) -> Result<Self, ChannelError> {
        // Without this option, which version 5.0 brought, a server keeps a snapshot of a table that is dropped.
        let quiet = format!("{create} AND allow_auto_snapshot = false");
        let made = match must(&mut self.channel, &quiet) {
            Ok(answer) => Ok(answer),
            Err(_) => must(&mut self.channel, create),
        };
        match made {
            Ok(_) => {
                wait_for_agreement(&mut self.channel);
                Ok(self)
            }
            Err(error) => {
                self.close();
                Err(error)
            }
        }
    }

    /// Removes what [`open`](Self::open) made.
    pub fn close(mut self) {
        let drop = if self.is_own {
            format!("DROP KEYSPACE IF EXISTS {}", self.keyspace)
        } else {
            format!("DROP TABLE IF EXISTS {}", self.table)
        };
        // What stays is found by the last cleaning, which says so.
        query(&mut self.channel, &drop).ok();
    }
}

/// Waits until all nodes know the new table: one that does not would refuse what is written to it. If they never agree, what
/// comes next fails and says so.
fn wait_for_agreement(channel: &mut Channel) {
    let deadline = Deadline::within(AGREEMENT);
    while deadline.left().is_some() && !is_agreed(channel) {
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Whether the nodes name one version of the schema. A node that is down names an older one for ever.
fn is_agreed(channel: &mut Channel) -> bool {
    let mut versions = BTreeSet::new();
    for table in ["local", "peers_v2"] {
        if let Ok(answer) = query(channel, &format!("SELECT schema_version FROM system.{table}")) {
            versions.extend(answer.values());
        }
    }
    versions.len() <= 1
}

/// Whether a name can stand in a statement as it is.
pub fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_')
}

/// Whether a name is one of an audit, and can stand in a statement.
fn is_ours(name: &str) -> bool {
    is_own(name) && is_plain(name)
}

/// Removes everything that audits have left. Returns what could not be removed.
pub fn clean(scene: &Scene<'_>, channel: &mut Channel) -> Vec<String> {
    let (statements, mut left) = leftovers(scene, channel);
    for statement in statements {
        match must(channel, &statement) {
            Ok(_) => {}
            Err(error) => left.push(format!("{statement}: {error}")),
        }
    }
    left
}

/// The statements that remove it, and what could not be looked for. Who may not list things of a kind has made none.
fn leftovers(scene: &Scene<'_>, channel: &mut Channel) -> (Vec<String>, Vec<String>) {
    let is_left = |name: &str| is_ours(name) && scene.may_remove(name);
    let mut unseen = Vec::new();
    let mut ask = |what: &str, statement: &str| {
        let answer = query(channel, statement);
        let why = answer.as_ref().err();
        unseen.extend(why.and_then(|error| scene.not_looked_for(what, error)));
        answer
    };
    let mut statements = Vec::new();
    if let Ok(roles) = ask("roles", "SELECT role FROM system_auth.roles") {
        let ours = roles.texts().into_iter().filter(|role| is_left(role));
        statements.extend(ours.map(|role| format!("DROP ROLE IF EXISTS {role}")));
    }
    if let Ok(keyspaces) = ask("keyspaces", "SELECT keyspace_name FROM system_schema.keyspaces") {
        let ours = keyspaces.texts().into_iter().filter(|name| is_left(name));
        statements.extend(ours.map(|name| format!("DROP KEYSPACE IF EXISTS {name}")));
    }
    if let Ok(Answer::Rows(tables)) = ask(
        "tables",
        "SELECT keyspace_name, table_name FROM system_schema.tables",
    ) {
        for row in tables {
            if let (Some(keyspace), Some(table)) = (text_of(&row, 0), text_of(&row, 1))
                && is_plain(&keyspace)
                && is_left(&table)
                && !is_ours(&keyspace)
            {
                statements.push(format!("DROP TABLE IF EXISTS {keyspace}.{table}"));
            }
        }
    }
    statements.truncate(MOST);
    (statements, unseen)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_servers_names_are_no_statements() {
        assert!(is_ours("dbdyno_audit_0123456789ab_x"));
        for name in [
            "dbdyno_audit_0123456789ab; DROP KEYSPACE b",
            "dbdyno_audit_mine",
            "ycsb",
            "dbdyno_audit_\"",
            "",
        ] {
            assert!(!is_ours(name), "{name}");
        }
    }
}
