//! Login by Kerberos: a key distribution centre of the lab's own, and the settings of a server that insists on it.

use std::path::PathBuf;
use std::time::Duration;

use dbdyno_lab::{Installation, LabError, LaunchContext, Progress, ServerSpec, Store, maven_jars};

use crate::jars;
use crate::java::Java;

const VERSION: &str = "2.0.3";
const REALM: &str = "DBDYNO.LAB";
const HEAP_MEBIBYTES: u32 = 64;
const DEADLINE: Duration = Duration::from_secs(60);
/// Hadoop asks this class of Java's for the realm, and Java hides it.
const REALM_IN_JAVA: &str = "--add-exports=java.security.jgss/sun.security.krb5=ALL-UNNAMED";

/// Who logs in with the option `auth=kerberos`, which makes no administrator.
pub const CLIENT: &str = "client";
/// The principal of the servers, which may do everything.
const SERVER: &str = "hbase/localhost";
/// The principal of ZooKeeper.
const QUORUM: &str = "zookeeper/localhost";
/// A server with a principal of its own: the name of its keytab, and the principal.
pub type Server = (&'static str, &'static str);
/// The servers of HDFS, which may do everything there.
pub const HDFS: Server = ("hdfs", "hdfs/localhost");
/// The web servers of HDFS.
pub const WEB: Server = ("web", "HTTP/localhost");
/// Who looks at the files on HDFS, and may do nothing else.
pub const OBSERVER: &str = "observer";

/// What servers and clients need once the centre runs.
pub struct Kerberos {
    directory: PathBuf,
    /// With which servers log in to ZooKeeper; `None`: they do not.
    quorum_login: Option<PathBuf>,
}

/// Fetches the centre's jars, to stand beside those of the server.
pub fn install(store: &Store, progress: &mut dyn Progress) -> Result<(), LabError> {
    let artefact = format!("org.apache.kerby:kerb-simplekdc:{VERSION}");
    maven_jars(store, &format!("kerby-{VERSION}"), &[&artefact], progress).map(drop)
}

impl Kerberos {
    /// Memory that the centre takes, bytes.
    pub const MEMORY_BYTES: u64 = (HEAP_MEBIBYTES as u64 + 60) << 20;

    /// Starts the centre, with these principals beside those of HBase and ZooKeeper, and waits until it gives tickets. Servers that
    /// log in to ZooKeeper own their nodes in it.
    pub fn start(
        context: &mut LaunchContext<'_>,
        java: &Java,
        installation: &Installation,
        clients: &[&str],
        servers: &[Server],
        logs_in_to_quorum: bool,
    ) -> Result<Self, LabError> {
        let fetched = format!("kerby-{VERSION}");
        let jars = jars(
            installation,
            "kdc/lib",
            &fetched,
            "org.apache.kerby:kerb-simplekdc",
        )?;
        let directory = context.server_directory("kdc")?;
        let port = context.port()?;
        context.write("kdc", "Kdc.java", include_str!("../java/Kdc.java"))?;
        context.write(
            "kdc",
            "kerberos.conf",
            format!(
                "[libdefaults]\n  default_realm = {REALM}\n  dns_lookup_kdc = false\n  dns_lookup_realm = false\n  \
                 udp_preference_limit = 1\n[realms]\n  {REALM} = {{\n    kdc = 127.0.0.1:{port}\n  }}\n"
            ),
        )?;
        let quorum_login = if logs_in_to_quorum {
            let section = |name: &str, principal: &str, keytab: &str| {
                format!(
                    "{name} {{\n  com.sun.security.auth.module.Krb5LoginModule required\n  useKeyTab=true storeKey=true \
                     useTicketCache=false\n  keyTab=\"{}/{keytab}.keytab\"\n  principal=\"{principal}@{REALM}\";\n}};\n",
                    directory.display()
                )
            };
            let text = section("Server", QUORUM, "zookeeper") + &section("Client", SERVER, "server");
            Some(context.write("kdc", "jaas.conf", text)?)
        } else {
            None
        };
        let mut specification = ServerSpec::new("kdc", &java.program)
            .arguments([format!("-Xmx{HEAP_MEBIBYTES}m")])
            .arguments(["-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"])
            .arguments(["-cp".to_owned(), format!("{}/*", jars.display())])
            .arguments([directory.join("Kdc.java"), directory.clone()])
            .arguments([port.to_string(), REALM.to_owned()])
            .arguments(["server".to_owned(), format!("{SERVER}@{REALM}")])
            .arguments(["zookeeper".to_owned(), format!("{QUORUM}@{REALM}")]);
        let clients = clients.iter().map(|client| (*client, *client));
        for (keytab, principal) in clients.chain(servers.iter().copied()) {
            specification = specification.arguments([keytab.to_owned(), format!("{principal}@{REALM}")]);
        }
        specification.memory_bytes = Self::MEMORY_BYTES;
        specification.listens = vec![([127, 0, 0, 1], port).into()];
        context.spawn(specification)?;
        context.wait_until("an open port of the Kerberos server", DEADLINE, || {
            std::net::TcpStream::connect(("127.0.0.1", port))
                .map(drop)
                .map_err(|error| error.to_string())
        })?;
        Ok(Self {
            directory,
            quorum_login,
        })
    }

    fn keytab(&self, name: &str) -> PathBuf {
        self.directory.join(format!("{name}.keytab"))
    }

    fn configuration(&self) -> String {
        self.directory.join("kerberos.conf").display().to_string()
    }

    /// Options of a server's Java. Java notes in a file beyond the instance which tickets were used, unless told otherwise.
    pub fn java_options(&self) -> Vec<String> {
        let mut options = vec![
            format!("-Djava.security.krb5.conf={}", self.configuration()),
            "-Dsun.security.krb5.rcache=none".to_owned(),
            REALM_IN_JAVA.to_owned(),
        ];
        if let Some(file) = &self.quorum_login {
            options.push(format!("-Djava.security.auth.login.config={}", file.display()));
            // HBase names itself in ZooKeeper's lists of rights without host and realm.
            options.extend(
                [
                    "-Dzookeeper.authProvider.1=org.apache.zookeeper.server.auth.SASLAuthenticationProvider",
                    "-Dzookeeper.kerberos.removeHostFromPrincipal=true",
                    "-Dzookeeper.kerberos.removeRealmFromPrincipal=true",
                ]
                .map(str::to_owned),
            );
        }
        options
    }

    /// Settings of a server.
    pub fn settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = vec![("hbase.security.authentication", "kerberos".to_owned())];
        for (principal, keytab) in [
            ("hbase.master.kerberos.principal", "hbase.master.keytab.file"),
            (
                "hbase.regionserver.kerberos.principal",
                "hbase.regionserver.keytab.file",
            ),
        ] {
            settings.push((principal, format!("{SERVER}@{REALM}")));
            settings.push((keytab, self.keytab("server").display().to_string()));
        }
        settings
    }

    /// Settings of Hadoop, which looks for them in a file of its own.
    pub fn hadoop_settings() -> Vec<(&'static str, String)> {
        vec![("hadoop.security.authentication", "kerberos".to_owned())]
    }

    /// Options of an address by which a client logs in.
    pub fn address_options(&self, client: &str) -> Vec<(&'static str, String)> {
        let (principal, keytab) = self.login(client);
        vec![
            ("principal", principal),
            ("keytab", keytab.display().to_string()),
            ("krb5_conf", self.configuration()),
        ]
    }

    /// Principal and key of a server.
    pub fn server(&self, (keytab, principal): Server) -> (String, PathBuf) {
        (format!("{principal}@{REALM}"), self.keytab(keytab))
    }

    /// Principal and key of a client.
    pub fn login(&self, client: &str) -> (String, PathBuf) {
        (format!("{client}@{REALM}"), self.keytab(client))
    }
}
