//! How connections are made, and a connection.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use dbdyno_driver::remote::{HostPort, Remote, client_configuration};
use dbdyno_driver::{DbError, ErrorClass};
use tokio::net::TcpStream;
use tokio_postgres::config::SslMode;
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{Client, Config, NoTls, SimpleQueryMessage, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::bounded::{Allowance, Bounded};
use crate::error::{classified, not_connected, timeout};
use crate::exchange::{Bell, Broken, Deadline, Pump, Waiter};
use crate::statements::Shape;

/// The user when the address names none: the one that every installation has.
const USER: &str = "postgres";

/// How connections are made.
pub(crate) struct Connector {
    configuration: Config,
    encryption: Option<MakeRustlsConnect>,
    hosts: Vec<HostPort>,
    hosts_text: String,
    /// Servers that take no writes are passed over.
    needs_writes: bool,
    connect_timeout: Duration,
    pub(crate) timeout: Duration,
}

impl Connector {
    pub(crate) fn new(remote: &Remote, needs_writes: bool) -> Result<Self, DbError> {
        let user = remote.user.as_deref().unwrap_or(USER);
        let mut configuration = Config::new();
        configuration
            .user(user)
            .dbname(if remote.path.is_empty() {
                user
            } else {
                &remote.path
            })
            .application_name("dbdyno")
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
            hosts: remote.hosts.clone(),
            hosts_text: remote.hosts_text(),
            needs_writes,
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
        &self.hosts_text
    }

    /// A connection to the first server that answers and takes what it must.
    pub(crate) async fn link(self: &Arc<Self>) -> Result<Link, DbError> {
        let limit = self.connect_timeout;
        let mut last = None;
        for host in &self.hosts {
            match tokio::time::timeout(limit, self.one(host)).await {
                Ok(Ok(link)) => return Ok(link),
                Ok(Err(error)) => last = Some(error),
                Err(_) => {
                    last = Some(timeout(&self.hosts_text, "connection", "connect_timeout", limit));
                }
            }
        }
        Err(last.unwrap_or_else(|| DbError::new(ErrorClass::Rejected, "`postgres` is given no server")))
    }

    /// A connection to that server. The library would open it itself, with a stream that has no end.
    async fn one(self: &Arc<Self>, host: &HostPort) -> Result<Link, DbError> {
        let connected = TcpStream::connect((host.host.as_str(), host.port)).await;
        let connected = connected.and_then(|stream| stream.set_nodelay(true).map(|()| stream));
        let stream = connected.map_err(|error| not_connected(error, &self.hosts_text))?;
        let allowance = Allowance::new();
        let stream = Bounded::new(stream, allowance.clone());
        let of_library = |error| classified(error, &self.hosts_text);
        let (client, pump) = match &self.encryption {
            None => {
                let connecting = self.configuration.connect_raw(stream, NoTls).await;
                let (client, connection) = connecting.map_err(of_library)?;
                (client, Box::pin(connection) as Pump)
            }
            Some(encryption) => {
                let mut encryption = encryption.clone();
                let Ok(tls) =
                    MakeTlsConnect::<Bounded<TcpStream>>::make_tls_connect(&mut encryption, &host.host);
                let connecting = self.configuration.connect_raw(stream, tls).await;
                let (client, connection) = connecting.map_err(of_library)?;
                (client, Box::pin(connection) as Pump)
            }
        };
        let mut link = Link {
            client,
            pump,
            bell: Bell::new(),
            allowance,
            deadline: Deadline::new(self.timeout),
            statements: HashMap::new(),
            connector: Arc::clone(self),
        };
        if self.needs_writes && link.is_read_only().await? {
            let words = format!("PostgreSQL at {host} takes no writes");
            return Err(DbError::new(ErrorClass::Unavailable, words));
        }
        Ok(link)
    }
}

/// An open connection. Nothing runs beside its user: it moves its own bytes while somebody waits for an answer, which
/// saves two switches between tasks for each operation.
pub(crate) struct Link {
    client: Client,
    pump: Pump,
    bell: Bell,
    allowance: Allowance,
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
                allowance: &self.allowance,
                deadline: &mut self.deadline,
                hosts: self.connector.hosts(),
            },
        )
    }

    /// Whether the server is one that only reads, such as a standby.
    async fn is_read_only(&mut self) -> Result<bool, Broken> {
        let (client, mut waiter) = self.split();
        let messages = waiter
            .wait(client.simple_query("SHOW transaction_read_only"))
            .await?;
        let is_on = |message: &SimpleQueryMessage| match message {
            SimpleQueryMessage::Row(row) => row.try_get(0).is_ok_and(|word| word == Some("on")),
            _ => false,
        };
        Ok(messages.iter().any(is_on))
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
