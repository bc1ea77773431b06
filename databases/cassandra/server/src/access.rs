//! Getting into the nodes that were started: waiting until they answer, and making the users of a profile.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::remote::{Tls, client_configuration};
use dbdyno_lab::{
    ADMINISTRATOR, APPLICATION, LabError, LabErrorKind, LaunchContext, Logins, ServerTls, random_password,
};
use rustls::ClientConfig;

use crate::protocol::Conversation;

/// How long all nodes together may take until they answer and know each other; a start takes 6 to 25 s.
const DEADLINE: Duration = Duration::from_secs(150);
/// The user, and its password, that every new cluster with logins begins with.
const BUILT_IN: &str = "cassandra";
/// The keyspace of the address, which the application may use and no other.
pub(crate) const KEYSPACE: &str = "ycsb";

/// How this process gets in.
pub(crate) struct Access {
    port: u16,
    tls: Option<Arc<ClientConfig>>,
}

impl Access {
    /// The certificate of the servers serves this process as a client's.
    pub(crate) fn new(port: u16, tls: Option<&ServerTls>) -> Result<Self, LabError> {
        let configuration = |tls: &ServerTls| {
            let own = Tls {
                ca: Some(tls.file("ca.pem")),
                client: tls
                    .asks_clients
                    .then(|| (tls.file("server.pem"), tls.file("server.key"))),
            };
            client_configuration(&own).map_err(|error| LabError::new(LabErrorKind::Files, error.message))
        };
        Ok(Self {
            port,
            tls: tls.map(configuration).transpose()?,
        })
    }

    fn open(&self, address: Ipv4Addr) -> Result<Conversation, String> {
        Conversation::open(address, self.port, self.tls.as_ref())
    }

    /// Waits until a node answers at all.
    pub(crate) fn wait_for_answer(
        &self,
        context: &mut LaunchContext<'_>,
        address: Ipv4Addr,
    ) -> Result<(), LabError> {
        context.wait_until("an answer of Cassandra", DEADLINE, || {
            self.open(address)?.answers()
        })
    }

    /// Waits until a node answers queries, of the built-in user where it asks for a login, and knows this many peers.
    pub(crate) fn wait_for_peers(
        &self,
        context: &mut LaunchContext<'_>,
        address: Ipv4Addr,
        peers: u32,
    ) -> Result<(), LabError> {
        context.wait_until("an answer of Cassandra", DEADLINE, || {
            self.open(address)?.log_in(BUILT_IN, BUILT_IN)?.knows_peers(peers)
        })
    }

    /// Makes the administrator and the application, and takes everything from the built-in user, as the manual advises.
    pub(crate) fn make_users(
        &self,
        address: Ipv4Addr,
        logins: &Logins,
        replication: u32,
    ) -> Result<(), LabError> {
        let nobodys = random_password()?;
        let made = || -> Result<(), String> {
            self.open(address)?.log_in(BUILT_IN, BUILT_IN)?.query(&format!(
                "CREATE ROLE {ADMINISTRATOR} WITH PASSWORD = '{}' AND LOGIN = true AND SUPERUSER = true",
                logins.administrator_password
            ))?;
            let mut administrator = self
                .open(address)?
                .log_in(ADMINISTRATOR, &logins.administrator_password)?;
            for statement in statements(logins, &nobodys, replication) {
                administrator.query(&statement)?;
            }
            Ok(())
        };
        made().map_err(|why| {
            LabError::new(
                LabErrorKind::Server,
                format!("the users of Cassandra cannot be made: {why}"),
            )
        })
    }
}

/// What the administrator does once.
fn statements(logins: &Logins, nobodys_password: &str, replication: u32) -> Vec<String> {
    let mut statements = vec![
        format!(
            "ALTER ROLE {BUILT_IN} WITH PASSWORD = '{nobodys_password}' AND LOGIN = false AND SUPERUSER = false"
        ),
        // Making keyspaces is a right to all of them.
        format!(
            "CREATE KEYSPACE IF NOT EXISTS {KEYSPACE} WITH replication = {{'class': 'NetworkTopologyStrategy', \
             'replication_factor': {replication}}} AND durable_writes = true"
        ),
        format!(
            "CREATE ROLE {APPLICATION} WITH PASSWORD = '{}' AND LOGIN = true",
            logins.password
        ),
        // The driver reads back the durability in force.
        format!("GRANT SELECT ON TABLE system_views.settings TO {APPLICATION}"),
    ];
    let rights = ["CREATE", "ALTER", "DROP", "SELECT", "MODIFY"];
    statements.extend(rights.map(|right| format!("GRANT {right} ON KEYSPACE {KEYSPACE} TO {APPLICATION}")));
    statements
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_application_gets_rights_to_its_own_keyspace_and_the_built_in_user_none() {
        let logins = Logins {
            password: "aaaa".to_owned(),
            administrator_password: "bbbb".to_owned(),
        };
        let statements = statements(&logins, "cccc", 3);
        assert!(statements[0].starts_with("ALTER ROLE cassandra") && statements[0].contains("LOGIN = false"));
        assert!(statements[1].contains("'replication_factor': 3"));
        for grant in statements.iter().filter(|text| text.starts_with("GRANT")) {
            assert!(
                grant.ends_with(" ON KEYSPACE ycsb TO dbdyno") || grant.contains("system_views.settings"),
                "{grant}"
            );
        }
        assert!(
            !statements
                .iter()
                .any(|text| text.contains("AUTHORIZE") || text.contains("bbbb"))
        );
    }
}
