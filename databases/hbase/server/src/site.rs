//! The configuration files. Names of settings are those of hbase-default.xml.

use std::path::{Path, PathBuf};

use dbdyno_lab::{ADMINISTRATOR, KEY_STORE_TYPE, KeyStore};

use crate::hadoop::configuration;
use crate::hdfs::Hdfs;
use crate::kerberos::Kerberos;

/// The settings that all processes of one instance share.
pub struct Site {
    /// Where the data and the logs of writes lie: a directory, as a URL.
    pub root: String,
    /// The file system of that URL, where it is no local one.
    pub hdfs: Option<Hdfs>,
    /// Ports of ZooKeeper's servers.
    pub quorum: Vec<u16>,
    /// Ports of the masters.
    pub masters: Vec<u16>,
    /// Region servers.
    pub nodes: u32,
    /// With encryption.
    pub tls: Option<Tls>,
    /// With login.
    pub kerberos: Option<Kerberos>,
    /// Whether rights are checked.
    pub has_rights: bool,
    /// The key that wraps those of tables and of the log of writes; `None`: nothing is encrypted.
    pub keys: Option<KeyStore>,
    /// What the request sets beyond that; it comes last, and the last one counts.
    pub further: Vec<(String, String)>,
}

/// The files, in PEM form, that servers encrypt with.
pub struct Tls {
    /// A certificate with its key, in one file.
    pub own: PathBuf,
    /// The authority of the clients.
    pub authority: PathBuf,
    /// Whether clients must show a certificate.
    pub asks_clients: bool,
    /// Whether the certificate is for the address of the servers, so that they can check each other's.
    pub names_address: bool,
}

impl Tls {
    /// Servers that speak nothing but TLS. Their name is checked by clients; that a client comes from an address in its
    /// certificate is asked by no other server of the lab either.
    fn settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = vec![
            ("hbase.rpc.tls.keystore.location", self.own.display().to_string()),
            (
                "hbase.rpc.tls.truststore.location",
                self.authority.display().to_string(),
            ),
        ];
        let constant = [
            ("hbase.rpc.tls.keystore.type", "PEM"),
            ("hbase.rpc.tls.truststore.type", "PEM"),
            ("hbase.server.netty.tls.enabled", "true"),
            ("hbase.server.netty.tls.supportplaintext", "false"),
            // 1.2 only, if nothing is said.
            ("hbase.rpc.tls.enabledProtocols", "TLSv1.3,TLSv1.2"),
            ("hbase.server.netty.tls.verify.client.hostname", "false"),
            // Servers are each other's clients.
            ("hbase.client.netty.tls.enabled", "true"),
        ];
        settings.extend(constant.map(|(name, value)| (name, value.to_owned())));
        let mode = if self.asks_clients { "NEED" } else { "NONE" };
        settings.push(("hbase.server.netty.tls.client.auth.mode", mode.to_owned()));
        settings.push((
            "hbase.client.netty.tls.verify.server.hostname",
            self.names_address.to_string(),
        ));
        settings
    }
}

/// Every right is asked for, and none is anybody's but the administrator's.
fn rights() -> Vec<(&'static str, String)> {
    const CONTROLLER: &str = "org.apache.hadoop.hbase.security.access.AccessController";
    vec![
        ("hbase.security.authorization", "true".to_owned()),
        // Without it nobody asks whether one user may act as another.
        ("hadoop.security.authorization", "true".to_owned()),
        ("hbase.security.exec.permission.checks", "true".to_owned()),
        ("hbase.superuser", ADMINISTRATOR.to_owned()),
        ("hbase.coprocessor.master.classes", CONTROLLER.to_owned()),
        ("hbase.coprocessor.regionserver.classes", CONTROLLER.to_owned()),
        (
            "hbase.coprocessor.region.classes",
            format!("org.apache.hadoop.hbase.security.token.TokenProvider,{CONTROLLER}"),
        ),
    ]
}

/// Encryption of the log of writes, and of the column families that ask for it.
fn encryption_at_rest(keys: &KeyStore) -> Vec<(&'static str, String)> {
    vec![
        (
            "hbase.crypto.keyprovider",
            "org.apache.hadoop.hbase.io.crypto.KeyStoreKeyProvider".to_owned(),
        ),
        (
            "hbase.crypto.keyprovider.parameters",
            format!(
                "{}://{}?password={}",
                KEY_STORE_TYPE.to_lowercase(),
                keys.path.display(),
                keys.password
            ),
        ),
        ("hbase.crypto.master.key.name", keys.alias.to_owned()),
        ("hbase.regionserver.wal.encryption", "true".to_owned()),
    ]
}

/// Where a process listens for the masters' clients, and for those of its regions, if it has any.
#[derive(Clone, Copy, Debug)]
pub struct Role {
    pub master_port: u16,
    pub region_port: Option<u16>,
}

impl Site {
    /// The address of ZooKeeper, as HBase writes it.
    pub fn quorum_address(&self) -> String {
        let servers: Vec<String> = self
            .quorum
            .iter()
            .map(|port| format!("127.0.0.1:{port}"))
            .collect();
        servers.join(",")
    }

    /// `hbase-site.xml` of the process that has this directory and listens at this port.
    pub fn xml(&self, directory: &Path, role: Role) -> String {
        let below = |name: &str| directory.join(name).display().to_string();
        let mut settings = vec![
            ("hbase.rootdir", self.root.clone()),
            ("hbase.tmp.dir", below("tmp")),
            ("hbase.zookeeper.property.dataDir", below("zookeeper")),
            ("hbase.zookeeper.property.clientPort", self.quorum[0].to_string()),
            ("hbase.zookeeper.quorum", self.quorum_address()),
            ("hbase.master.port", role.master_port.to_string()),
            (
                "hbase.regionserver.port",
                role.region_port.unwrap_or_default().to_string(),
            ),
            // The master begins when all are there, and does not wait for more.
            (
                "hbase.master.wait.on.regionservers.mintostart",
                self.nodes.to_string(),
            ),
            (
                "hbase.master.wait.on.regionservers.maxtostart",
                self.nodes.to_string(),
            ),
            ("hbase.cluster.distributed", (self.nodes > 1).to_string()),
            // A local file system cannot promise what HBase asks of HDFS.
            (
                "hbase.unsafe.stream.capability.enforce",
                self.hdfs.is_some().to_string(),
            ),
        ];
        let constant = [
            // Without it ZooKeeper listens on every address of the machine.
            ("hbase.zookeeper.property.clientPortAddress", "127.0.0.1"),
            // Some builds of HBase bring what its web server needs, which asks nobody who he is.
            ("hbase.zookeeper.property.admin.enableServer", "false"),
            ("hbase.master.hostname", "127.0.0.1"),
            ("hbase.master.ipc.address", "127.0.0.1"),
            ("hbase.master.info.port", "-1"),
            ("hbase.regionserver.hostname", "127.0.0.1"),
            ("hbase.regionserver.ipc.address", "127.0.0.1"),
            ("hbase.regionserver.info.port", "-1"),
            ("hbase.wal.provider", "filesystem"),
            // A region server is given its first regions when it has reported for the second time: after 3 s by default.
            ("hbase.regionserver.msginterval", "500"),
            // Both are 150 ms by default, to gather the work of many tables; a new table waits for them several times.
            ("hbase.procedure.remote.dispatcher.delay.msec", "2"),
            ("hbase.assignment.dispatch.wait.msec", "2"),
        ];
        settings.extend(constant.map(|(name, value)| (name, value.to_owned())));
        if self.nodes > 1 {
            // A lost region server is noticed after 6 s. ZooKeeper allows 2 to 20 ticks, so both are said.
            settings.push(("hbase.zookeeper.property.tickTime", "1000".to_owned()));
            settings.push(("zookeeper.session.timeout", "6000".to_owned()));
        }
        settings.extend(self.hdfs.iter().flat_map(Hdfs::client_settings));
        settings.extend(self.tls.iter().flat_map(Tls::settings));
        settings.extend(self.kerberos.iter().flat_map(Kerberos::settings));
        if self.has_rights {
            settings.extend(rights());
        }
        settings.extend(self.keys.iter().flat_map(encryption_at_rest));
        let mut settings: Vec<(&str, String)> = settings;
        let further = self.further.iter();
        settings.extend(further.map(|(name, value)| (name.as_str(), value.clone())));
        configuration(&settings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_stays_on_the_loopback_address() {
        for nodes in [1, 3] {
            let site = Site {
                root: "file:///a & b/data".to_owned(),
                hdfs: None,
                quorum: vec![1],
                masters: vec![2],
                nodes,
                tls: None,
                kerberos: None,
                has_rights: false,
                keys: None,
                further: vec![("hbase.one".to_owned(), "<two>".to_owned())],
            };
            let text = site.xml(
                Path::new("/a & b"),
                Role {
                    master_port: 2,
                    region_port: Some(3),
                },
            );
            assert!(text.contains("<value>file:///a &amp; b/data</value>"), "{text}");
            for name in [
                "hbase.zookeeper.property.clientPortAddress",
                "hbase.master.ipc.address",
                "hbase.regionserver.ipc.address",
            ] {
                assert!(text.contains(&format!("<name>{name}</name><value>127.0.0.1</value>")));
            }
            assert!(text.contains("<name>hbase.one</name><value>&lt;two></value>"));
            assert_eq!(text.contains("<name>zookeeper.session.timeout</name>"), nodes > 1);
        }
    }
}
