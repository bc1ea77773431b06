//! A connection to one server or to a cluster, and what sends commands over it.

use std::io;

use dbdyno_driver::remote::{HostPort, Remote, Tls, client_configuration};
use dbdyno_driver::{DbError, ErrorClass};
use redis::aio::ConnectionLike;
use redis::cluster::ClusterClient;
use redis::cluster_async::ClusterConnection;
use redis::{
    ClientTlsConfig, Cmd, ConnectionAddr, ConnectionInfo, IntoConnectionInfo, ProtocolVersion,
    RedisConnectionInfo, RedisError, RedisResult, TlsCertificates, Value, cmd,
};
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::error::classified;
use crate::section::{by_key, is_replica};
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
    /// Whether one of several servers was a master; none of the others will do then.
    needs_master: bool,
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
            needs_master: false,
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

    /// The servers that the address names.
    pub(crate) fn servers(&self) -> &[HostPort] {
        &self.remote.hosts
    }

    /// Notes whether the first connection is to a master.
    pub(crate) async fn found(&mut self, link: &mut Link) -> Result<(), DbError> {
        let is_master = link.is_master().await;
        let is_master = is_master.map_err(|error| classified(error, &self.hosts()))?;
        self.needs_master = is_master && !self.clustered;
        Ok(())
    }

    /// A connection to the cluster, or to the first server that answers; of several, to the first that is a master.
    pub(crate) async fn link(&self) -> Result<Link, DbError> {
        if self.clustered {
            return self.cluster().await.map(Link::Cluster);
        }
        let (mut last, mut replica) = (None, None);
        for host in &self.remote.hosts {
            let mut link = match self.at(host).await {
                Ok(link) => link,
                Err(error) => {
                    last = Some(error);
                    continue;
                }
            };
            if self.remote.hosts.len() == 1 {
                return Ok(link);
            }
            match link.is_master().await {
                Ok(true) => return Ok(link),
                Ok(false) => {
                    replica.get_or_insert(link);
                }
                Err(error) => last = Some(classified(error, &host.to_string())),
            }
        }
        match (replica, last) {
            (Some(replica), _) if !self.needs_master => Ok(replica),
            (_, Some(error)) => Err(error),
            (Some(_), None) => Err(DbError::new(
                ErrorClass::Unavailable,
                format!("Redis at {}: each of these servers is a replica", self.hosts()),
            )),
            (None, None) => Err(DbError::new(ErrorClass::Rejected, "`redis` is given no server")),
        }
    }

    /// A connection to this server, logged in.
    pub(crate) async fn at(&self, host: &HostPort) -> Result<Link, DbError> {
        let login = Login {
            user: self.remote.user.as_deref().filter(|user| !user.is_empty()),
            password: self.remote.password.as_ref().map(|password| password.reveal()),
            database: self.database()?,
        };
        let limit = self.remote.connect_timeout;
        let connecting = self.one(&host.host, host.port, &login);
        let connected = timeout(limit, connecting).await;
        connected
            .unwrap_or_else(|_| Err(late(limit)))
            .map_err(|error| classified(error, &host.to_string()))
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
    /// Whether the server is a master, by itself or with replicas.
    async fn is_master(&mut self) -> RedisResult<bool> {
        let answer = self.send(cmd("INFO").arg("replication")).await?;
        let server = by_key(answer.extract_error()?);
        Ok(!server.is_some_and(|server| is_replica(&server)))
    }

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
