//! Options that may stand in the address.

use std::time::Duration;

use dbdyno_driver::remote::Remote;
use dbdyno_driver::{DbError, Durability, ErrorClass, Target, options};
use dbdyno_jvm::ClassPath;

use crate::encryption::Encryption;
use crate::info::INFO;
use crate::login::Login;
use crate::webhdfs::WebHdfs;

/// Regions that a table may be split into at its creation: as many as there are different first keys.
const MOST_REGIONS: u32 = 1000;

/// The address, read and checked.
pub struct Options {
    pub remote: Remote,
    pub encryption: Option<Encryption>,
    pub login: Option<Login>,
    pub durability: Durability,
    /// Whether the log lies on HDFS: what the address says, unless it says whom to ask.
    pub on_hdfs: bool,
    /// Whom to ask.
    pub webhdfs: Option<WebHdfs>,
    pub column_family: String,
    pub regions: u32,
    /// The cipher of new tables' files, as HBase names it; empty: none.
    pub cipher: &'static str,
    /// How new tables' files are compressed; `None`: as the servers do unasked.
    pub compression: Option<&'static str>,
    pub class_path: ClassPath,
}

/// Reads an address, for those who look at its servers without the Java client. The user is the principal.
///
/// # Errors
/// When it is no address of this driver, or an option has a value that it cannot have.
pub fn remote(target: &Target) -> Result<Remote, DbError> {
    options::check(&INFO, target)?;
    let mut remote = Remote::read(&INFO, target)?;
    if let Some(principal) = target.options.get("principal") {
        remote.user = Some(principal.clone());
    }
    Ok(remote)
}

/// What the log lies on: on HDFS, where the address says whom to ask about it.
fn storage(target: &Target) -> Result<&'static str, DbError> {
    let is_named = target.options.contains_key("webhdfs");
    let usual = if is_named { "hdfs" } else { "file" };
    match options::choice(&INFO, target, "storage", &["file", "hdfs"], usual)? {
        "file" if is_named => Err(DbError::new(
            ErrorClass::Rejected,
            "`hbase` cannot have storage=file and `webhdfs`; leave one out",
        )),
        storage => Ok(storage),
    }
}

/// The level of durability asked for.
///
/// # Errors
/// `Rejected`, when HBase does not give it.
pub fn durability(target: &Target) -> Result<Durability, DbError> {
    let durability = options::durability(&INFO, target)?;
    if durability == Durability::Synced && storage(target)? != "hdfs" {
        return Err(DbError::new(
            ErrorClass::Rejected,
            "`hbase` gives durability `synced` only where its log lies on HDFS: on a local file system it writes the log \
             and never syncs it; say storage=hdfs if it does, or ask for `buffered`",
        ));
    }
    Ok(durability)
}

/// How new tables' files are compressed, where the address says it.
fn compression(target: &Target) -> Result<Option<&'static str>, DbError> {
    if !target.options.contains_key("compression") {
        return Ok(None);
    }
    let known = ["none", "gz", "snappy", "lz4", "zstd"];
    options::choice(&INFO, target, "compression", &known, "none").map(Some)
}

impl Options {
    pub fn read(target: &Target) -> Result<Self, DbError> {
        let refuse = |what: String| DbError::new(ErrorClass::Rejected, format!("`hbase` {what}"));
        options::check(&INFO, target)?;
        let remote = Remote::read(&INFO, target)?;
        if remote.user.is_some() || remote.password.is_some() {
            return Err(refuse(
                "knows no passwords; leave user and password out (its login is Kerberos: principal and keytab)"
                    .to_owned(),
            ));
        }
        let durability = durability(target)?;
        let webhdfs = WebHdfs::read(target).map_err(refuse)?;
        let storage = storage(target)?;
        let regions = match target.options.get("regions") {
            None => 1,
            Some(text) => text
                .parse()
                .ok()
                .filter(|count| (1..=MOST_REGIONS).contains(count))
                .ok_or_else(|| {
                    refuse(format!(
                        "cannot use option `regions={text}`; it is a whole number from 1 to {MOST_REGIONS}"
                    ))
                })?,
        };
        let variable = std::env::var("HBASE_CLASS_PATH").ok();
        let class_path = target.options.get("class_path").or(variable.as_ref()).ok_or_else(|| {
            refuse(
                "needs the jars of HBase's client: class_path=DIR or HBASE_CLASS_PATH; get them with `mvn \
                 dependency:copy-dependencies` for org.apache.hbase:hbase-shaded-client:2.6.4, or let the lab: \
                 lab:hbase"
                    .to_owned(),
            )
        })?;
        Ok(Self {
            encryption: remote.tls.as_ref().map(Encryption::of).transpose()?,
            login: Login::read(target).map_err(refuse)?,
            remote,
            durability,
            on_hdfs: storage == "hdfs",
            webhdfs,
            column_family: target
                .options
                .get("columnfamily")
                .cloned()
                .unwrap_or_else(|| "family".to_owned()),
            regions,
            cipher: match options::choice(&INFO, target, "encryption", &["none", "aes"], "none")? {
                "aes" => "AES",
                _ => "",
            },
            compression: compression(target)?,
            class_path: ClassPath::parse(class_path)?,
        })
    }

    /// HBase's name of the level.
    pub fn durability_word(&self) -> &'static str {
        match self.durability {
            Durability::None => "SKIP_WAL",
            Durability::Buffered => "SYNC_WAL",
            Durability::Synced => "FSYNC_WAL",
        }
    }

    /// When an operation that the client itself has not ended is interrupted: some of its waits have no setting. The client
    /// comes first, since it knows what it waited for.
    pub fn longest_operation(&self) -> Duration {
        self.remote.timeout + self.remote.timeout / 10 + Duration::from_millis(50)
    }

    /// When opening a session and asking for facts are interrupted: they ask several questions one after the other.
    pub fn longest_inquiry(&self) -> Duration {
        self.longest_operation() * 3
    }

    /// When creating and dropping a table are interrupted: they move regions through several states on several servers.
    pub fn longest_change_of_a_table(&self) -> Duration {
        self.remote.timeout.max(Duration::from_secs(10)) * 6
    }

    /// Settings of the client. Every wait is bounded by the timeouts of the address; the names are those of
    /// hbase-default.xml.
    pub fn client_settings(&self) -> Vec<(&'static str, String)> {
        let milliseconds = |wait: Duration| wait.as_millis().to_string();
        let timeout = milliseconds(self.remote.timeout);
        let port = self.remote.hosts[0].port;
        let parent = match self.remote.path.as_str() {
            "" => "hbase",
            path => path,
        };
        let mut settings = vec![
            ("hbase.zookeeper.quorum", self.remote.hosts_text()),
            ("hbase.zookeeper.property.clientPort", port.to_string()),
            ("zookeeper.znode.parent", format!("/{parent}")),
            (
                "hbase.client.sync.wait.timeout.msec",
                milliseconds(self.longest_change_of_a_table()),
            ),
            (
                // Also what connecting waits for ZooKeeper, which begins with a session.
                "zookeeper.registry.async.get.timeout",
                milliseconds(self.remote.timeout.max(self.remote.connect_timeout)),
            ),
            ("hbase.client.pause", "20".to_owned()),
            // More than fit into any timeout: the timeout ends the tries, not their number.
            ("hbase.client.retries.number", "1000".to_owned()),
            ("zookeeper.recovery.retry", "2".to_owned()),
            ("zookeeper.recovery.retry.intervalmill", "200".to_owned()),
        ];
        let timeouts = [
            "hbase.rpc.timeout",
            "hbase.rpc.read.timeout",
            "hbase.rpc.write.timeout",
            "hbase.client.operation.timeout",
            "hbase.client.meta.operation.timeout",
            "hbase.client.meta.read.rpc.timeout",
            "hbase.client.scanner.timeout.period",
            "hbase.client.meta.scanner.timeout.period",
            "hbase.ipc.client.socket.timeout.connect",
        ];
        settings.extend(timeouts.map(|name| (name, timeout.clone())));
        if let Some(encryption) = &self.encryption {
            settings.extend(encryption.settings(self.remote.connect_timeout));
        }
        settings.extend(self.login.iter().flat_map(Login::settings));
        if let Some(webhdfs) = &self.webhdfs {
            settings.extend(webhdfs.settings());
            settings.push(("dbdyno.webhdfs.milliseconds", milliseconds(self.remote.timeout)));
        }
        settings
    }
}
