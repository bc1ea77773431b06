//! Connections: one set for each runtime.
//!
//! A connection is a task of the runtime that made it. A client that used another thread's connection would pay for waking
//! that thread twice an operation; a set of connections for each client would multiply them, and what is asked of the
//! cluster about itself, by the number of clients. So the clients of one runtime share a set, one connection to each node
//! (unless `connections` asks for more), and many operations travel on it at a time.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use dbdyno_driver::remote::{Remote, client_configuration};
use dbdyno_driver::{Consistency, DbError, ErrorClass};
use rustls::ClientConfig;
use scylla::client::PoolSize;
use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::policies::retry::FallthroughRetryPolicy;
use tokio::runtime::{Handle, Id};

use crate::error::of_connecting;
use crate::layout::Layout;
use crate::statements::{Statements, in_cql};

/// How often it is asked whether all nodes know of a new table. The library's 200 ms are longer than most nodes take.
const AGREEMENT_STEP: Duration = Duration::from_millis(20);

/// How long all nodes may take to know of it. A node that missed the news asks the others for it a minute later (`MigrationCoordinator` of
/// Cassandra 4.0 to 5.0, `cassandra.migration_delay_ms`), when the library's 60 s are just over.
const LONGEST_AGREEMENT: Duration = Duration::from_secs(90);

/// How many connections there are, and how they send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wires {
    /// To each node, for each runtime: each thread of clients has one.
    pub(crate) connections: NonZeroUsize,
    /// Whether a connection waits a moment for more requests before it sends: fewer system calls when many are under
    /// way, some microseconds more when few are.
    pub(crate) write_coalescing: bool,
}

/// How connections are made.
pub(crate) struct Connector {
    remote: Remote,
    wires: Wires,
    /// Its copies decide which node is asked for a key; of other keyspaces nothing need be known.
    keyspace: String,
    consistency: Consistency,
    /// The encryption of the connections.
    tls: Option<Arc<ClientConfig>>,
    /// By runtime. A set lives as long as a session uses it.
    sets: Mutex<HashMap<Id, Weak<Session>>>,
    /// Clients that begin together wait for one set instead of making many.
    making: tokio::sync::Mutex<()>,
    /// By runtime and the statement that creates the table, which names its columns.
    statements: tokio::sync::Mutex<HashMap<(Id, String), Statements>>,
}

impl Connector {
    pub(crate) fn new(
        remote: Remote,
        wires: Wires,
        keyspace: &str,
        consistency: Consistency,
    ) -> Result<Self, DbError> {
        let tls = remote.tls.as_ref().map(client_configuration).transpose()?;
        Ok(Self {
            tls,
            remote,
            wires,
            keyspace: keyspace.to_owned(),
            consistency,
            sets: Mutex::default(),
            making: tokio::sync::Mutex::new(()),
            statements: tokio::sync::Mutex::default(),
        })
    }

    pub(crate) fn wires(&self) -> Wires {
        self.wires
    }

    /// The statements of a table on the connections of the current runtime, prepared by its first client.
    pub(crate) async fn statements(&self, link: &Session, layout: &Layout) -> Result<Statements, DbError> {
        let mut known = self.statements.lock().await;
        let key = (Handle::current().id(), layout.create(""));
        if let Some(statements) = known.get(&key) {
            return Ok(statements.clone());
        }
        let statements = Statements::of(layout, link, self.consistency, &self.hosts()).await?;
        known.insert(key, statements.clone());
        Ok(statements)
    }

    /// Tables come or go: what was prepared may be so no longer.
    pub(crate) async fn forget_statements(&self) {
        self.statements.lock().await.clear();
    }

    /// The servers as people write them.
    pub(crate) fn hosts(&self) -> String {
        self.remote.hosts_text()
    }

    /// Longest wait for the answer to one operation.
    pub(crate) fn timeout(&self) -> Duration {
        self.remote.timeout
    }

    pub(crate) fn consistency(&self) -> Consistency {
        self.consistency
    }

    fn known(&self, runtime: Id) -> Option<Arc<Session>> {
        self.sets
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&runtime)
            .and_then(Weak::upgrade)
    }

    /// The connections of the current runtime.
    pub(crate) async fn link(&self) -> Result<Arc<Session>, DbError> {
        let runtime = Handle::current().id();
        if let Some(session) = self.known(runtime) {
            return Ok(session);
        }
        let _turn = tokio::time::timeout(self.remote.connect_timeout, self.making.lock())
            .await
            .map_err(|_| self.late())?;
        if let Some(session) = self.known(runtime) {
            return Ok(session);
        }
        let session = Arc::new(self.connect().await?);
        let mut sets = self.sets.lock().unwrap_or_else(PoisonError::into_inner);
        sets.retain(|_, session| session.strong_count() > 0);
        sets.insert(runtime, Arc::downgrade(&session));
        Ok(session)
    }

    fn late(&self) -> DbError {
        DbError::new(
            ErrorClass::Timeout,
            format!(
                "Cassandra at {} did not answer within {} ms; check that it runs, or raise `connect_timeout`",
                self.hosts(),
                self.remote.connect_timeout.as_millis()
            ),
        )
    }

    async fn connect(&self) -> Result<Session, DbError> {
        let profile = ExecutionProfile::builder()
            .consistency(in_cql(self.consistency))
            .request_timeout(Some(self.remote.timeout))
            // A failed operation is counted, not hidden by another try; and no second copy of a slow one is sent.
            .retry_policy(Arc::new(FallthroughRetryPolicy::new()))
            .speculative_execution_policy(None)
            .build();
        let mut builder = SessionBuilder::new()
            .default_execution_profile_handle(profile.into_handle())
            .connection_timeout(self.remote.connect_timeout)
            .pool_size(PoolSize::PerHost(self.wires.connections))
            .write_coalescing(self.wires.write_coalescing)
            // After each change of the schema all of this is asked for again.
            .keyspaces_to_fetch([&self.keyspace])
            .schema_agreement_interval(AGREEMENT_STEP)
            .schema_agreement_timeout(LONGEST_AGREEMENT)
            .keepalive_interval(Duration::from_secs(5))
            .keepalive_timeout(Duration::from_secs(10))
            .tls_context(self.tls.clone())
            .tcp_nodelay(true);
        for host in &self.remote.hosts {
            builder = builder.known_node(host.to_string());
        }
        if let Some(user) = &self.remote.user {
            let password = self
                .remote
                .password
                .as_ref()
                .map_or("", |password| password.reveal());
            builder = builder.user(user, password);
        }
        // It may try each host in turn; this bounds the whole.
        match tokio::time::timeout(self.remote.connect_timeout, builder.build()).await {
            Ok(Ok(session)) => Ok(session),
            Ok(Err(error)) => Err(of_connecting(error, &self.hosts())),
            Err(_) => Err(self.late()),
        }
    }
}
