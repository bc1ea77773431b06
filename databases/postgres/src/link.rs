//! How connections are made, and a connection.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::DbError;
use dbdyno_driver::remote::{Remote, client_configuration};
use tokio_postgres::config::{SslMode, TargetSessionAttrs};
use tokio_postgres::{Client, Config, Error, NoTls, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::error::{classified, timeout};
use crate::exchange::{Bell, Broken, Deadline, Pump, Waiter};
use crate::statements::Shape;

/// The user when the address names none: the one that every installation has.
const USER: &str = "postgres";

/// How connections are made.
pub(crate) struct Connector {
    configuration: Config,
    encryption: Option<MakeRustlsConnect>,
    hosts: String,
    connect_timeout: Duration,
    pub(crate) timeout: Duration,
}

impl Connector {
    pub(crate) fn new(remote: &Remote, attributes: TargetSessionAttrs) -> Result<Self, DbError> {
        let user = remote.user.as_deref().unwrap_or(USER);
        let mut configuration = Config::new();
        for host in &remote.hosts {
            configuration.host(&host.host).port(host.port);
        }
        configuration
            .user(user)
            .dbname(if remote.path.is_empty() {
                user
            } else {
                &remote.path
            })
            .application_name("dbdyno")
            .connect_timeout(remote.connect_timeout)
            .target_session_attrs(attributes)
            .ssl_mode(if remote.tls.is_some() {
                SslMode::Require
            } else {
                SslMode::Disable
            });
        if let Some(password) = &remote.password {
            configuration.password(password.reveal());
        }
        let encryption = remote
            .tls
            .as_ref()
            .map(|tls| client_configuration(tls).map(|shared| MakeRustlsConnect::new((*shared).clone())))
            .transpose()?;
        Ok(Self {
            configuration,
            encryption,
            hosts: remote.hosts_text(),
            connect_timeout: remote.connect_timeout,
            timeout: remote.timeout,
        })
    }

    /// Every later connection sets this level by itself.
    pub(crate) fn set_synchronous_commit(&mut self, level: &str) {
        self.configuration
            .options(format!("-c synchronous_commit={level}"));
    }

    /// The servers as people write them.
    pub(crate) fn hosts(&self) -> &str {
        &self.hosts
    }

    /// A connection to the first server that answers and has the attributes asked for.
    pub(crate) async fn link(self: &Arc<Self>) -> Result<Link, DbError> {
        let connecting = async {
            Ok::<_, Error>(match &self.encryption {
                None => {
                    let (client, connection) = self.configuration.connect(NoTls).await?;
                    (client, Box::pin(connection) as Pump)
                }
                Some(encryption) => {
                    let (client, connection) = self.configuration.connect(encryption.clone()).await?;
                    (client, Box::pin(connection) as Pump)
                }
            })
        };
        let (client, pump) = match tokio::time::timeout(self.connect_timeout, connecting).await {
            Ok(connected) => connected.map_err(|error| classified(error, &self.hosts))?,
            Err(_) => {
                return Err(timeout(
                    &self.hosts,
                    "connection",
                    "connect_timeout",
                    self.connect_timeout,
                ));
            }
        };
        Ok(Link {
            client,
            pump,
            bell: Bell::new(),
            deadline: Deadline::new(self.timeout),
            statements: HashMap::new(),
            connector: Arc::clone(self),
        })
    }
}

/// An open connection. Nothing runs beside its user: it moves its own bytes while somebody waits for an answer, which
/// saves two switches between tasks for each operation.
pub(crate) struct Link {
    client: Client,
    pump: Pump,
    bell: Bell,
    deadline: Deadline,
    /// Statements that the server keeps prepared, by what they do.
    statements: HashMap<Shape, Statement>,
    connector: Arc<Connector>,
}

impl Link {
    /// What sends requests; their answers come while [`wait`](Self::wait) waits for them.
    pub(crate) fn split(&mut self) -> (&Client, Waiter<'_>) {
        (
            &self.client,
            Waiter {
                pump: &mut self.pump,
                bell: &self.bell,
                deadline: &mut self.deadline,
                hosts: self.connector.hosts(),
            },
        )
    }

    /// The prepared statement of that shape, whose text `sql` writes the first time.
    pub(crate) async fn prepared(
        &mut self,
        shape: &Shape,
        sql: impl FnOnce() -> String,
    ) -> Result<Statement, Broken> {
        if let Some(statement) = self.statements.get(shape) {
            return Ok(statement.clone());
        }
        let sql = sql();
        let (client, mut waiter) = self.split();
        let statement = waiter.wait(client.prepare(&sql)).await?;
        self.statements.insert(shape.clone(), statement.clone());
        Ok(statement)
    }
}
