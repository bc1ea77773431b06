//! The files and flags that one node is started with.
//!
//! The jars bring none of these: `cassandra.yaml`, `logback.xml` and the JVM's flags are written for each node.

use std::path::{Path, PathBuf};

use dbdyno_lab::{KEY_STORE_TYPE, KeyStore, LabError, ServerRequest};

use crate::memory::Memory;

/// The settings that the nodes of one instance share.
pub(crate) struct Cluster<'a> {
    /// Addresses of all nodes; the first is the seed.
    pub addresses: &'a [std::net::Ipv4Addr],
    pub cql_port: u16,
    pub storage_port: u16,
    pub memory: Memory,
    pub partitioner: Partitioner,
    /// The directory in which commit logs lie apart from the data; `None`: beside them.
    pub log_base: Option<PathBuf>,
    /// `periodic`, `batch` or `group`.
    pub commitlog_sync: &'static str,
    pub with_passwords: bool,
    /// Further options of Java, separated by blanks.
    pub java_options: &'a str,
    /// Encryption of clients; the files lie in each node's directory.
    pub tls: Option<NodeTls>,
    /// Whether nodes also encrypt among themselves, security events are written down, withdrawn rights end at once and there
    /// is no JMX.
    pub is_hardened: bool,
    /// The key that the commit log is encrypted with; `None`: it is not.
    pub keys: Option<KeyStore>,
}

/// By which nodes share the keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Partitioner {
    Murmur3,
    Random,
    ByteOrdered,
}

impl Partitioner {
    const ALL: [Self; 3] = [Self::Murmur3, Self::Random, Self::ByteOrdered];

    /// That of a request.
    ///
    /// # Errors
    /// When there is none of that name.
    pub(crate) fn of(request: &ServerRequest) -> Result<Self, LabError> {
        let name = request.choice("partitioner", &Self::ALL.map(Self::name))?;
        Ok(Self::ALL
            .into_iter()
            .find(|own| own.name() == name)
            .unwrap_or(Self::Murmur3))
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Murmur3 => "murmur3",
            Self::Random => "random",
            Self::ByteOrdered => "byte-ordered",
        }
    }

    const fn class(self) -> &'static str {
        match self {
            Self::Murmur3 => "Murmur3Partitioner",
            Self::Random => "RandomPartitioner",
            Self::ByteOrdered => "ByteOrderedPartitioner",
        }
    }
}

/// How clients are encrypted.
pub(crate) struct NodeTls {
    pub asks_clients: bool,
}

/// The cipher of an encrypted commit log, Cassandra's default.
pub(crate) const COMMIT_LOG_CIPHER: &str = "AES/CBC/PKCS5Padding";

/// Packages of the JDK that Cassandra reaches into; from its `jvm17-server.options`.
const EXPORTS: [&str; 9] = [
    "java.base/jdk.internal.misc",
    "java.base/jdk.internal.ref",
    "java.base/sun.nio.ch",
    "java.management.rmi/com.sun.jmx.remote.internal.rmi",
    "java.rmi/sun.rmi.registry",
    "java.rmi/sun.rmi.server",
    "java.rmi/sun.rmi.transport.tcp",
    "java.sql/java.sql",
    "jdk.unsupported/sun.misc",
];
const OPENS: [&str; 16] = [
    "java.base/java.lang.module",
    "java.base/jdk.internal.loader",
    "java.base/jdk.internal.ref",
    "java.base/jdk.internal.reflect",
    "java.base/jdk.internal.math",
    "java.base/jdk.internal.module",
    "java.base/jdk.internal.util.jar",
    "java.base/sun.nio.ch",
    "java.base/java.io",
    "java.base/java.lang",
    "java.base/java.lang.reflect",
    "java.base/java.util",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
    "java.base/java.nio",
    "java.rmi/sun.rmi.transport.tcp",
];

impl Cluster<'_> {
    /// The arguments of `java` for a node in `directory` with the jars of `library`.
    pub(crate) fn arguments(&self, directory: &Path, library: &Path, jmx_port: Option<u16>) -> Vec<String> {
        let copies = self.addresses.len().min(3);
        let mut arguments = vec![
            format!("-Xms{0}M", self.memory.heap_mebibytes),
            format!("-Xmx{0}M", self.memory.heap_mebibytes),
            "-XX:+UseG1GC".to_owned(),
            "-XX:+ExitOnOutOfMemoryError".to_owned(),
            "-Djava.security.manager=allow".to_owned(),
            "-Djdk.attach.allowAttachSelf=true".to_owned(),
            "-Dio.netty.tryReflectionSetAccessible=true".to_owned(),
            "-Djava.net.preferIPv4Stack=true".to_owned(),
            // RMI would take the host's own address, which need not be loopback.
            "-Djava.rmi.server.hostname=127.0.0.1".to_owned(),
            "-Dcassandra-foreground=yes".to_owned(),
            // Nodes that begin empty have nothing to wait for: the ring stands in seconds, not minutes.
            // It is also how long a node waits for the first one's answer, which comes late on a busy machine, and over TLS later.
            format!(
                "-Dcassandra.ring_delay_ms={}",
                match (self.is_hardened, self.addresses.len()) {
                    (true, _) => 5000,
                    (false, 1) => 500,
                    (false, _) => 3000,
                }
            ),
            "-Dcassandra.skip_wait_for_gossip_to_settle=0".to_owned(),
            // A node on a busy machine may miss a new table or the end of one. It asks for what it missed after a second, not after a
            // minute that every client would wait.
            "-Dcassandra.migration_delay_ms=1000".to_owned(),
            // In a cluster the first tries fail until enough nodes are there to keep users.
            format!(
                "-Dcassandra.superuser_setup_delay_ms={}",
                if copies > 1 { 500 } else { 0 }
            ),
            // With one copy of the users, nobody could log in without the node that has it.
            format!("-Dcassandra.system_auth.default_rf={copies}"),
            format!(
                "-Dcassandra.config=file://{}",
                directory.join("cassandra.yaml").display()
            ),
            format!(
                "-Dlogback.configurationFile=file://{}",
                directory.join("logback.xml").display()
            ),
            format!("-Dcassandra.storagedir={}", directory.display()),
            format!("-Dcassandra.logdir={}", directory.display()),
        ];
        arguments.extend(jmx_port.map(|port| format!("-Dcassandra.jmx.local.port={port}")));
        for package in EXPORTS {
            arguments.extend(["--add-exports".to_owned(), format!("{package}=ALL-UNNAMED")]);
        }
        for package in OPENS {
            arguments.extend(["--add-opens".to_owned(), format!("{package}=ALL-UNNAMED")]);
        }
        arguments.extend([
            "--add-opens".to_owned(),
            "jdk.management/com.sun.management.internal=ALL-UNNAMED".to_owned(),
        ]);
        // It measures objects in memory; without it sizes are estimated.
        if let Some(agent) = agent(library) {
            arguments.push(format!("-javaagent:{}", agent.display()));
        }
        // The last word on an option counts, so that of the user does.
        arguments.extend(self.java_options.split_whitespace().map(str::to_owned));
        arguments.extend([
            "-cp".to_owned(),
            format!("{}:{}/*", directory.display(), library.display()),
            "org.apache.cassandra.service.CassandraDaemon".to_owned(),
        ]);
        arguments
    }

    /// The text of `cassandra.yaml` for the node at `address`. What is not written here is the server's default.
    /// `log`: where its commit log lies apart from the data.
    pub(crate) fn yaml(&self, address: std::net::Ipv4Addr, directory: &Path, log: Option<&Path>) -> String {
        let sync = match self.commitlog_sync {
            "batch" => "commitlog_sync: batch",
            "group" => "commitlog_sync: group\ncommitlog_sync_group_window: 10ms",
            _ => "commitlog_sync: periodic\ncommitlog_sync_period: 10000ms",
        };
        let mut text = format!(
            "cluster_name: dbdyno\n\
             num_tokens: 16\n\
             partitioner: org.apache.cassandra.dht.{}\n\
             endpoint_snitch: SimpleSnitch\n\
             auto_bootstrap: false\n\
             auto_snapshot: false\n\
             listen_address: {address}\n\
             rpc_address: {address}\n\
             native_transport_port: {}\n\
             storage_port: {}\n\
             {sync}\n",
            self.partitioner.class(),
            self.cql_port,
            self.storage_port
        );
        text.push_str(&self.caches());
        let beside = directory.join("commitlog");
        text.push_str(&format!(
            "commitlog_directory: {}\n",
            quoted(log.unwrap_or(&beside))
        ));
        for (key, name) in [
            ("saved_caches_directory", "saved_caches"),
            ("hints_directory", "hints"),
            ("cdc_raw_directory", "cdc_raw"),
        ] {
            text.push_str(&format!("{key}: {}\n", quoted(&directory.join(name))));
        }
        text.push_str(&format!(
            "data_file_directories:\n  - {}\n\
             seed_provider:\n  - class_name: org.apache.cassandra.locator.SimpleSeedProvider\n    parameters:\n      \
             - seeds: \"{}:{}\"\n",
            quoted(&directory.join("data")),
            self.addresses[0],
            self.storage_port
        ));
        if self.with_passwords {
            text.push_str(
                "authenticator: PasswordAuthenticator\nauthorizer: CassandraAuthorizer\n\
                 role_manager: CassandraRoleManager\n",
            );
        }
        if let Some(tls) = &self.tls {
            text.push_str(&format!(
                "client_encryption_options:\n  enabled: true\n  optional: false\n  require_client_auth: {}\n{}",
                tls.asks_clients,
                certificates(directory)
            ));
        }
        if self.is_hardened {
            text.push_str(&format!(
                "server_encryption_options:\n  internode_encryption: all\n  optional: false\n  \
                 require_client_auth: true\n  require_endpoint_verification: true\n{}{HARDENED}",
                certificates(directory)
            ));
        }
        text.extend(self.keys.iter().map(commit_log_encryption));
        text
    }
}

impl Cluster<'_> {
    /// Sizes of the caches, where the request sets them.
    fn caches(&self) -> String {
        let mut text = String::new();
        if self.memory.row_cache_mebibytes > 0 {
            text.push_str(&format!(
                "row_cache_size: {}MiB\n",
                self.memory.row_cache_mebibytes
            ));
        }
        if let Some(keys) = self.memory.key_cache_mebibytes {
            text.push_str(&format!("key_cache_size: {keys}MiB\n"));
        }
        text
    }
}

/// Encryption of the commit log. The documentation names hints, too; those of 5.0.9 were found in clear text.
fn commit_log_encryption(keys: &KeyStore) -> String {
    format!(
        "transparent_data_encryption_options:\n  enabled: true\n  chunk_length_kb: 64\n  cipher: {COMMIT_LOG_CIPHER}\n  \
         key_alias: {0}\n  key_provider:\n    - class_name: org.apache.cassandra.security.JKSKeyProvider\n      parameters:\n        \
         - keystore: {1}\n          keystore_password: {2}\n          store_type: {KEY_STORE_TYPE}\n          key_password: {2}\n",
        keys.alias,
        quoted(&keys.path),
        keys.password
    )
}

/// What is logged of security, and how long a node believes what it knows of users.
const HARDENED: &str = "audit_logging_options:\n  enabled: true\n  logger:\n    - class_name: FileAuditLogger\n  \
    included_categories: AUTH,DCL,DDL,ERROR\nroles_validity: 400ms\npermissions_validity: 400ms\n\
    credentials_validity: 400ms\n";

/// The keys of both kinds of encryption that name its files.
fn certificates(directory: &Path) -> String {
    format!(
        "  ssl_context_factory:\n    class_name: org.apache.cassandra.security.PEMBasedSslContextFactory\n  \
         keystore: {}\n  truststore: {}\n",
        quoted(&directory.join("server.pem")),
        quoted(&directory.join("ca.pem")),
    )
}

/// A path as a YAML string.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.display().to_string().replace('\'', "''"))
}

fn agent(library: &Path) -> Option<PathBuf> {
    std::fs::read_dir(library)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| {
            path.file_name().is_some_and(|name| {
                let name = name.to_string_lossy();
                name.starts_with("jamm-") && name.ends_with(".jar")
            })
        })
}

/// Logs to standard output, which the lab keeps.
pub(crate) const LOGBACK: &str = "<configuration>\n  <appender name=\"out\" class=\"ch.qos.logback.core.ConsoleAppender\">\n    \
    <encoder><pattern>%-5level %date{HH:mm:ss.SSS} %logger{0} - %msg%n</pattern></encoder>\n  </appender>\n  \
    <root level=\"INFO\"><appender-ref ref=\"out\"/></root>\n</configuration>\n";

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    const MEMORY: Memory = Memory {
        heap_mebibytes: 256,
        row_cache_mebibytes: 0,
        key_cache_mebibytes: None,
    };

    #[test]
    fn a_node_listens_on_its_own_address_and_only_asks_for_what_was_requested() {
        let addresses = [Ipv4Addr::LOCALHOST, Ipv4Addr::new(127, 0, 0, 2)];
        let mut cluster = Cluster {
            addresses: &addresses,
            cql_port: 9042,
            storage_port: 7000,
            memory: MEMORY,
            partitioner: Partitioner::Murmur3,
            log_base: None,
            commitlog_sync: "batch",
            with_passwords: false,
            java_options: "-Xmx300M  -Da=b",
            tls: None,
            is_hardened: false,
            keys: None,
        };
        let directory = Path::new("/it's here");
        let text = cluster.yaml(addresses[1], directory, None);
        assert!(text.contains("rpc_address: 127.0.0.2\n") && text.contains("listen_address: 127.0.0.2\n"));
        assert!(text.contains("seeds: \"127.0.0.1:7000\"") && text.contains("'/it''s here/data'"));
        assert!(text.contains("commitlog_sync: batch\n") && !text.contains("period"));
        assert!(!text.contains("authenticator") && !text.contains("encryption"));
        assert!(text.contains("dht.Murmur3Partitioner\n") && !text.contains("_cache_size"));
        cluster.partitioner = Partitioner::ByteOrdered;
        cluster.memory.row_cache_mebibytes = 64;
        cluster.memory.key_cache_mebibytes = Some(0);
        let text = cluster.yaml(addresses[1], directory, Some(Path::new("/log")));
        assert!(
            text.contains("dht.ByteOrderedPartitioner\n") && text.contains("commitlog_directory: '/log'\n")
        );
        assert!(text.contains("row_cache_size: 64MiB\nkey_cache_size: 0MiB\n"));
        cluster.with_passwords = true;
        cluster.tls = Some(NodeTls { asks_clients: true });
        let text = cluster.yaml(addresses[1], directory, None);
        assert!(text.contains("PasswordAuthenticator") && text.contains("require_client_auth: true"));
        assert!(!text.contains("server_encryption") && !text.contains("audit_logging"));
        let arguments = cluster.arguments(directory, Path::new("/no/such/lib"), Some(7199));
        assert!(arguments.contains(&"-Xmx256M".to_owned()));
        assert!(arguments.contains(&"-Dcassandra.jmx.local.port=7199".to_owned()));
        assert!(arguments.contains(&"-Dcassandra.migration_delay_ms=1000".to_owned()));
        assert!(arguments.contains(&"-Dcassandra.ring_delay_ms=3000".to_owned()));
        let at = |wanted: &str| arguments.iter().position(|argument| argument == wanted);
        assert!(at("-Xmx256M") < at("-Xmx300M") && at("-Xmx300M") < at("-Da=b") && at("-Da=b") < at("-cp"));
    }

    #[test]
    fn a_hardened_node_encrypts_on_both_sides_writes_down_and_has_no_jmx() {
        let addresses = [Ipv4Addr::LOCALHOST];
        let cluster = Cluster {
            addresses: &addresses,
            cql_port: 9042,
            storage_port: 7000,
            memory: MEMORY,
            partitioner: Partitioner::Murmur3,
            log_base: None,
            commitlog_sync: "periodic",
            with_passwords: true,
            java_options: "",
            tls: Some(NodeTls { asks_clients: false }),
            is_hardened: true,
            keys: Some(KeyStore {
                path: "/d/keys".into(),
                password: "secret".to_owned(),
                alias: "dbdyno",
            }),
        };
        let text = cluster.yaml(addresses[0], Path::new("/d"), None);
        assert!(text.contains("internode_encryption: all\n  optional: false\n"));
        assert!(text.contains("require_client_auth: false") && text.contains("'/d/server.pem'"));
        assert!(text.contains("audit_logging_options:\n  enabled: true\n"));
        assert!(
            text.contains("- keystore: '/d/keys'\n          keystore_password: secret\n"),
            "{text}"
        );
        let arguments = cluster.arguments(Path::new("/d"), Path::new("/no/such/lib"), None);
        assert!(
            !arguments
                .iter()
                .any(|argument| argument.contains("jmx.local.port"))
        );
    }
}
