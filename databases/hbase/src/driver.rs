//! Connecting, tables and manifests.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use dbdyno_driver::{
    AskedServers, Consistency, DbError, Driver, DriverInfo, Durability, ErrorClass, Foreseen, SystemFacts,
    Table, TableFacts, Target,
};
use dbdyno_jvm::{Bridge, Failure, Reply, open_with};
use dbdyno_vocabulary::words::agreeing;

use crate::calls;
use crate::error::connecting;
use crate::foreseen;
use crate::info::INFO;
use crate::options::Options;
use crate::session::HbaseSession;
use crate::shared::{Shared, milliseconds};

const BRIDGE: Bridge = Bridge {
    name: "HBaseChannel",
    source: include_str!("../java/HBaseChannel.java"),
};

/// What the bridge class is made of, beside itself.
const PARTS: [(&str, &str); 9] = [
    ("Connecting", include_str!("../java/Connecting.java")),
    ("Deletions", include_str!("../java/Deletions.java")),
    ("Facts", include_str!("../java/Facts.java")),
    ("Hdfs", include_str!("../java/Hdfs.java")),
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

    fn foreseen(target: &Target, servers: Option<&AskedServers>) -> Option<Foreseen> {
        Some(foreseen::foreseen(target, servers))
    }

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
        let asks_hdfs = options.webhdfs.is_some();
        let driver = Self {
            shared: Arc::new(Shared {
                control: Mutex::new(control),
                options,
                hosts,
            }),
        };
        if asks_hdfs {
            // What the address says wrongly of HDFS would be found after the trial otherwise.
            driver.facts().await?;
        }
        Ok(driver)
    }

    async fn create_table(&self, table: &Table) -> Result<(), DbError> {
        self.create(table)?;
        // One that was there is left as it is.
        match self.shared.options.compression {
            Some(asked) => check_compression(asked, &self.table_facts(table).await?, table),
            None => Ok(()),
        }
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
            pairs(self.done(control.begin().call(calls::FACTS))?)
        };
        let version = settings.remove("version").unwrap_or_default();
        let servers = settings.remove("region_servers").unwrap_or_default();
        let nodes: Option<u32> = servers.parse().ok();
        let copies = settings
            .get("hdfs_replication")
            .and_then(|copies| copies.parse().ok());
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
            topology: topology(&servers, &settings),
            nodes,
            replicas: copies,
            durability: options.durability,
            durability_means: durability_means(options, copies.is_some()),
            consistency: copies.map(|_| Consistency::Quorum),
            consistency_means: copies.map_or_else(String::new, |_| {
                "a write is acknowledged by every data node in the pipeline of its log, which loses those that fail, and one \
                 region server answers all reads of a record"
                    .to_owned()
            }),
            settings,
        })
    }

    async fn table_facts(&self, table: &Table) -> Result<TableFacts, DbError> {
        let options = &self.shared.options;
        let mut control = self.shared.control(options.longest_inquiry())?;
        control
            .begin()
            .bytes(table.name.as_bytes())
            .bytes(options.column_family.as_bytes());
        let answer = self.done(control.call(calls::TABLE_FACTS))?;
        Ok(TableFacts {
            scan_order: None,
            settings: pairs(answer),
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

/// Names with their values.
fn pairs(mut answer: Reply<'_>) -> BTreeMap<String, String> {
    (0..answer.number())
        .map(|_| (answer.text(), answer.text()))
        .collect()
}

/// Refuses a table that was made with another compression: the files that are there keep theirs.
fn check_compression(asked: &str, facts: &TableFacts, table: &Table) -> Result<(), DbError> {
    match facts.settings.get("compression") {
        Some(seen) if seen != asked => Err(DbError::new(
            ErrorClass::Rejected,
            format!(
                "the table {} has compression {seen}, not {asked}; drop it, or leave out `compression`",
                table.name
            ),
        )),
        _ => Ok(()),
    }
}

/// What the level means here, given whether HDFS itself was asked.
fn durability_means(options: &Options, is_told: bool) -> String {
    let means = match (options.durability, options.on_hdfs) {
        (Durability::None, _) => {
            return "SKIP_WAL: a write is in the memory of one region server when it is acknowledged"
                .to_owned();
        }
        (Durability::Buffered, false) => {
            return "SYNC_WAL: a write is in its log's file, written but not synced, when it is acknowledged"
                .to_owned();
        }
        (Durability::Buffered, true) => {
            "SYNC_WAL: a write has reached every data node of its log (hflush) when it is acknowledged"
        }
        (Durability::Synced, _) => {
            "FSYNC_WAL: every data node of the log has synced a write (hsync) when it is acknowledged"
        }
    };
    let source = if is_told {
        ""
    } else {
        "; that the log lies on HDFS is what the address says"
    };
    format!("{means}{source}")
}

/// `3 region servers on HDFS with 3 data nodes`.
fn topology(servers: &str, settings: &BTreeMap<String, String>) -> String {
    let counted = |count: &str, one, many| {
        format!(
            "{count} {}",
            agreeing(&count.parse::<u32>().unwrap_or(0), one, many)
        )
    };
    let regions = counted(servers, "region server", "region servers");
    match settings.get("hdfs_data_nodes") {
        Some(nodes) => format!(
            "{regions} on HDFS with {}",
            counted(nodes, "data node", "data nodes")
        ),
        None => regions,
    }
}

impl HbaseDriver {
    fn create(&self, table: &Table) -> Result<(), DbError> {
        let options = &self.shared.options;
        let mut control = self.shared.control(options.longest_change_of_a_table())?;
        control
            .begin()
            .bytes(table.name.as_bytes())
            .bytes(options.column_family.as_bytes())
            .bytes(options.cipher.as_bytes())
            .bytes(options.compression.unwrap_or_default().as_bytes())
            .number(options.regions);
        self.done(control.call(calls::CREATE_TABLE).map(drop))
    }

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
        Ok(pairs(self.done(control.call(calls::RIGHTS))?))
    }

    /// The files in which DataNodes of HDFS keep a table's blocks, by name, for audits: of a table that was dropped lately, too. None
    /// where the address names no web server of HDFS.
    ///
    /// # Errors
    /// When that server cannot be asked, or does not let this login see the table's files.
    pub fn blocks(&self, table: &Table) -> Result<Vec<String>, DbError> {
        let mut control = self.shared.control(self.shared.options.longest_inquiry())?;
        control.begin().bytes(table.name.as_bytes());
        let mut answer = self.done(control.call(calls::BLOCKS))?;
        Ok((0..answer.number()).map(|_| answer.text()).collect())
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
