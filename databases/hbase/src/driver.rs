//! Connecting, tables and manifests.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use dbdyno_driver::{DbError, Driver, DriverInfo, Durability, SystemFacts, Table, Target};
use dbdyno_jvm::{Bridge, Failure, open_with};
use dbdyno_vocabulary::words::agreeing;

use crate::calls;
use crate::error::connecting;
use crate::info::INFO;
use crate::options::Options;
use crate::session::HbaseSession;
use crate::shared::{Shared, milliseconds};

const BRIDGE: Bridge = Bridge {
    name: "HBaseChannel",
    source: include_str!("../java/HBaseChannel.java"),
};

/// What the bridge class is made of, beside itself.
const PARTS: [(&str, &str); 8] = [
    ("Connecting", include_str!("../java/Connecting.java")),
    ("Deletions", include_str!("../java/Deletions.java")),
    ("Facts", include_str!("../java/Facts.java")),
    ("QuietErrors", include_str!("../java/QuietErrors.java")),
    ("Refusal", include_str!("../java/Refusal.java")),
    ("Rights", include_str!("../java/Rights.java")),
    ("Security", include_str!("../java/Security.java")),
    ("Tables", include_str!("../java/Tables.java")),
];

/// An HBase cluster, connected: one connection of the Java client, shared by all sessions.
pub struct HbaseDriver {
    shared: Arc<Shared>,
}

impl Driver for HbaseDriver {
    type Session = HbaseSession;
    const INFO: DriverInfo = INFO;

    async fn connect(target: &Target) -> Result<Self, DbError> {
        let options = Options::read(target)?;
        let hosts = options.remote.hosts_text();
        // Hadoop and the client decide once for all connections whether there is a login.
        let apart = options.login.as_ref().map_or("", |_| "login");
        let mut control = open_with(BRIDGE, &PARTS, apart, &options.class_path)?;
        let settings = options.client_settings();
        control
            .begin()
            .number(milliseconds(options.remote.connect_timeout))
            .number(milliseconds(options.longest_operation()))
            .number(settings.len() as u32);
        for (name, value) in &settings {
            control.bytes(name.as_bytes()).bytes(value.as_bytes());
        }
        control
            .call(calls::CONNECT)
            .map_err(|failure| connecting(failure, &hosts))?;
        Ok(Self {
            shared: Arc::new(Shared {
                control: Mutex::new(control),
                options,
                hosts,
            }),
        })
    }

    async fn create_table(&self, table: &Table) -> Result<(), DbError> {
        let options = &self.shared.options;
        let mut control = self
            .shared
            .control(self.shared.options.longest_change_of_a_table())?;
        control
            .begin()
            .bytes(table.name.as_bytes())
            .bytes(options.column_family.as_bytes())
            .bytes(options.cipher.as_bytes())
            .number(options.regions);
        self.done(control.call(calls::CREATE_TABLE).map(drop))
    }

    async fn drop_table(&self, table: &Table) -> Result<(), DbError> {
        let mut control = self
            .shared
            .control(self.shared.options.longest_change_of_a_table())?;
        control.begin().bytes(table.name.as_bytes());
        self.done(control.call(calls::DROP_TABLE).map(drop))
    }

    async fn session(&self, table: &Table) -> Result<HbaseSession, DbError> {
        let options = &self.shared.options;
        let mut control = self.shared.control(self.shared.options.longest_inquiry())?;
        control
            .begin()
            .bytes(table.name.as_bytes())
            .bytes(options.column_family.as_bytes())
            .bytes(options.durability_word().as_bytes())
            .number(table.field_names.len() as u32);
        for name in &table.field_names {
            control.bytes(name.as_bytes());
        }
        self.done(control.call(calls::SESSION).map(drop))?;
        let channel = self.done(control.take_child())?;
        drop(control);
        Ok(HbaseSession::new(channel, Arc::clone(&self.shared)))
    }

    async fn facts(&self) -> Result<SystemFacts, DbError> {
        let options = &self.shared.options;
        let mut settings = {
            let mut control = self.shared.control(self.shared.options.longest_inquiry())?;
            let mut answer = self.done(control.begin().call(calls::FACTS))?;
            (0..answer.number())
                .map(|_| (answer.text(), answer.text()))
                .collect::<BTreeMap<_, _>>()
        };
        let version = settings.remove("version").unwrap_or_default();
        let servers = settings.remove("region_servers").unwrap_or_default();
        let nodes: Option<u32> = servers.parse().ok();
        settings.insert("columnfamily".to_owned(), options.column_family.clone());
        settings.insert(
            "java_client".to_owned(),
            settings.get("client").cloned().unwrap_or_default(),
        );
        settings.remove("client");
        // The client never falls back to speaking in the clear.
        let encrypted = match options.encryption {
            Some(_) => "on",
            None => "off",
        };
        settings.insert("tls".to_owned(), encrypted.to_owned());
        let cipher = if options.cipher.is_empty() {
            "none"
        } else {
            options.cipher
        };
        settings.insert("table_encryption".to_owned(), cipher.to_owned());
        let login = options.login.as_ref().map_or("none", |_| "kerberos");
        settings.insert("login".to_owned(), login.to_owned());
        Ok(SystemFacts {
            product: "HBase".to_owned(),
            version,
            topology: format!("{servers} {}", agreeing(&nodes.unwrap_or(0), "region server", "region servers")),
            nodes,
            // HDFS keeps the copies, and a client of HBase does not ask it.
            replicas: None,
            durability: options.durability,
            durability_means: match (options.durability, options.on_hdfs) {
                (Durability::None, _) => "SKIP_WAL: a write is in the memory of one region server when it is acknowledged",
                (Durability::Buffered, false) => {
                    "SYNC_WAL: a write is in its log's file, written but not synced, when it is acknowledged"
                }
                (Durability::Buffered, true) => {
                    "SYNC_WAL: a write has reached every data node of its log (hflush) when it is acknowledged"
                }
                (Durability::Synced, _) => {
                    "FSYNC_WAL: every data node of the log has synced a write (hsync) when it is acknowledged; that the \
                     log lies on HDFS is what the address says"
                }
            }
            .to_owned(),
            consistency: None,
            consistency_means: String::new(),
            settings,
        })
    }

    async fn load_manifest(&self, table: &Table) -> Result<Option<String>, DbError> {
        let mut control = self.shared.control(self.shared.options.longest_inquiry())?;
        control.begin().bytes(table.name.as_bytes());
        let mut answer = self.done(control.call(calls::LOAD_MANIFEST))?;
        Ok((answer.number() == 1).then(|| answer.text()))
    }

    async fn store_manifest(&self, table: &Table, manifest: &str) -> Result<(), DbError> {
        let mut control = self
            .shared
            .control(self.shared.options.longest_change_of_a_table())?;
        control
            .begin()
            .bytes(table.name.as_bytes())
            .bytes(manifest.as_bytes());
        self.done(control.call(calls::STORE_MANIFEST).map(drop))
    }
}

impl HbaseDriver {
    /// Lets a user read and write a table, for audits.
    ///
    /// # Errors
    /// When this login may not give rights, or the servers keep none.
    pub fn grant(&self, table: &Table, user: &str) -> Result<(), DbError> {
        self.change_right(calls::GRANT, table, user)
    }

    /// Withdraws that right.
    ///
    /// # Errors
    /// As [`grant`](Self::grant).
    pub fn revoke(&self, table: &Table, user: &str) -> Result<(), DbError> {
        self.change_right(calls::REVOKE, table, user)
    }

    /// All rights of a user and of its groups, for audits: the letters of its actions by place, which is empty for everywhere,
    /// `@namespace`, or a table.
    ///
    /// # Errors
    /// When this login may not see them, or the servers keep none.
    pub fn rights(&self, user: &str) -> Result<BTreeMap<String, String>, DbError> {
        let mut control = self.shared.control(self.shared.options.longest_inquiry())?;
        control.begin().bytes(user.as_bytes());
        let mut answer = self.done(control.call(calls::RIGHTS))?;
        Ok((0..answer.number())
            .map(|_| (answer.text(), answer.text()))
            .collect())
    }

    fn change_right(&self, call: u32, table: &Table, user: &str) -> Result<(), DbError> {
        let mut control = self.shared.control(self.shared.options.longest_inquiry())?;
        control
            .begin()
            .bytes(table.name.as_bytes())
            .bytes(user.as_bytes());
        self.done(control.call(call).map(drop))
    }

    fn done<T>(&self, result: Result<T, Failure>) -> Result<T, DbError> {
        result.map_err(|failure| self.shared.classify(failure))
    }
}
