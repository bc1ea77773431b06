//! A connection to one server or to a cluster, and what sends commands over it.

use std::io;

use dbdyno_driver::remote::{Remote, Tls, client_configuration};
use dbdyno_driver::{DbError, ErrorClass};
use redis::aio::ConnectionLike;
use redis::cluster::ClusterClient;
use redis::cluster_async::ClusterConnection;
use redis::{
    ClientTlsConfig, Cmd, ConnectionAddr, ConnectionInfo, IntoConnectionInfo, ProtocolVersion,
    RedisConnectionInfo, RedisError, RedisResult, TlsCertificates, Value,
};
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::error::classified;
use crate::single::{Login, Single, late};

/// How connections are made.
pub(crate) struct Connector {
    remote: Remote,
    /// To one server.
    encryption: Option<TlsConnector>,
    /// To a cluster.
    certificates: Option<TlsCertificates>,
    /// Whether the servers are a cluster; known after the first connection.
    pub(crate) clustered: bool,
}

/// An open connection.
pub(crate) enum Link {
    Plain(Single<TcpStream>),
    /// One server, encrypted.
    Encrypted(Box<Single<TlsStream<TcpStream>>>),
    Cluster(ClusterConnection),
}

impl Connector {
    pub(crate) fn new(remote: Remote) -> Result<Self, DbError> {
        let certificates = remote.tls.as_ref().map(certificates).transpose()?;
        let encryption = match &remote.tls {
            Some(tls) => Some(TlsConnector::from(client_configuration(tls)?)),
            None => None,
        };
        Ok(Self {
            remote,
            encryption,
            certificates,
            clustered: false,
        })
    }

    /// The servers as people write them.
    pub(crate) fn hosts(&self) -> String {
        self.remote.hosts_text()
    }

    /// The number of the database, if one is named.
    fn database(&self) -> Result<Option<i64>, DbError> {
        if self.remote.path.is_empty() {
            return Ok(None);
        }
        self.remote.path.parse().map(Some).map_err(|_| {
            DbError::new(
                ErrorClass::Rejected,
                format!(
                    "`redis` cannot use `/{}`; after the host stands the number of a database, e.g. /0",
                    self.remote.path
                ),
            )
        })
    }

    fn information(&self) -> Result<Vec<ConnectionInfo>, DbError> {
        let mut login = RedisConnectionInfo::default().set_protocol(ProtocolVersion::RESP2);
        if let Some(user) = self.remote.user.as_deref().filter(|user| !user.is_empty()) {
            login = login.set_username(user);
        }
        if let Some(password) = &self.remote.password {
            login = login.set_password(password.reveal());
        }
        if let Some(number) = self.database()? {
            login = login.set_db(number);
        }
        self.remote
            .hosts
            .iter()
            .map(|host| {
                let address = if self.remote.tls.is_some() {
                    ConnectionAddr::TcpTls {
                        host: host.host.clone(),
                        port: host.port,
                        insecure: false,
                        tls_params: None,
                    }
                } else {
                    ConnectionAddr::Tcp(host.host.clone(), host.port)
                };
                let information = address
                    .into_connection_info()
                    .map_err(|error| classified(error, &self.hosts()))?;
                let tcp = information.tcp_settings().clone().set_nodelay(true);
                Ok(information
                    .set_redis_settings(login.clone())
                    .set_tcp_settings(tcp))
            })
            .collect()
    }

    /// A connection to the first server that answers, or to the cluster.
    pub(crate) async fn link(&self) -> Result<Link, DbError> {
        if self.clustered {
            return self.cluster().await.map(Link::Cluster);
        }
        let login = Login {
            user: self.remote.user.as_deref().filter(|user| !user.is_empty()),
            password: self.remote.password.as_ref().map(|password| password.reveal()),
            database: self.database()?,
        };
        let limit = self.remote.connect_timeout;
        let mut last = None;
        for host in &self.remote.hosts {
            let connecting = self.one(&host.host, host.port, &login);
            match timeout(limit, connecting).await {
                Ok(Ok(link)) => return Ok(link),
                Ok(Err(error)) => last = Some(error),
                Err(_) => last = Some(late(limit)),
            }
        }
        Err(self.none_of_them(last))
    }

    /// A connection to that server, logged in.
    async fn one(&self, host: &str, port: u16, login: &Login<'_>) -> RedisResult<Link> {
        let (connect_timeout, limit) = (self.remote.connect_timeout, self.remote.timeout);
        let stream = TcpStream::connect((host, port)).await?;
        stream.set_nodelay(true)?;
        let Some(encryption) = &self.encryption else {
            let single = Single::begin(stream, login, connect_timeout, limit).await?;
            return Ok(Link::Plain(single));
        };
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let stream = encryption.connect(name, stream).await?;
        let single = Single::begin(stream, login, connect_timeout, limit).await?;
        Ok(Link::Encrypted(Box::new(single)))
    }

    fn none_of_them(&self, last: Option<RedisError>) -> DbError {
        last.map_or_else(
            || DbError::new(ErrorClass::Rejected, "`redis` is given no server"),
            |error| classified(error, &self.hosts()),
        )
    }

    async fn cluster(&self) -> Result<ClusterConnection, DbError> {
        let mut builder = ClusterClient::builder(self.information()?)
            .connection_timeout(self.remote.connect_timeout)
            .response_timeout(self.remote.timeout)
            // A failed operation is counted, not hidden; a moved slot is followed.
            .retries(1);
        if let Some(certificates) = &self.certificates {
            builder = builder.certs(certificates.clone());
        }
        let connected = match builder.build() {
            Ok(client) => client.get_async_connection().await,
            Err(error) => Err(error),
        };
        connected.map_err(|error| classified(error, &self.hosts()))
    }
}

fn certificates(tls: &Tls) -> Result<TlsCertificates, DbError> {
    // The library takes the process's provider of cryptography; somebody else may have set it already.
    rustls::crypto::ring::default_provider().install_default().ok();
    let read = |path: &std::path::Path| {
        std::fs::read(path).map_err(|error| {
            DbError::new(
                ErrorClass::Rejected,
                format!("cannot read {}: {error}", path.display()),
            )
        })
    };
    let client_tls = match &tls.client {
        Some((certificate, key)) => Some(ClientTlsConfig {
            client_cert: read(certificate)?,
            client_key: read(key)?,
        }),
        None => None,
    };
    Ok(TlsCertificates {
        client_tls,
        root_cert: tls.ca.as_deref().map(read).transpose()?,
    })
}

impl Link {
    /// Whether it may still be used after an error.
    pub(crate) fn outlives(&self, error: &RedisError) -> bool {
        match self {
            Self::Plain(connection) => connection.is_usable(),
            Self::Encrypted(connection) => connection.is_usable(),
            // It knows which answer belongs to which command: one that comes late does no harm.
            Self::Cluster(_) => {
                !error.is_unrecoverable_error() && (!error.is_io_error() || error.is_timeout())
            }
        }
    }

    /// Sends a command and waits for its answer.
    pub(crate) async fn send(&mut self, command: &Cmd) -> RedisResult<Value> {
        match self {
            Self::Plain(connection) => connection.send(command).await,
            Self::Encrypted(connection) => connection.send(command).await,
            Self::Cluster(connection) => connection.req_packed_command(command).await,
        }
    }

    /// Sends commands that belong to one operation: together to one server, one after another to a cluster, whose
    /// servers each have a part of the keys.
    pub(crate) async fn send_all(&mut self, commands: Vec<Cmd>) -> RedisResult<Vec<Value>> {
        match self {
            Self::Plain(connection) => connection.send_all(&commands).await,
            Self::Encrypted(connection) => connection.send_all(&commands).await,
            Self::Cluster(connection) => {
                let mut answers = Vec::with_capacity(commands.len());
                for command in &commands {
                    answers.push(connection.req_packed_command(command).await?);
                }
                Ok(answers)
            }
        }
    }
}
