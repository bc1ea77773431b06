//! An HDFS where everybody logs in: who its servers are, what they encrypt, and whose files are whose. Names of settings are
//! those of hdfs-default.xml, core-default.xml and ssl-server.xml; what belongs together, Hadoop's guide "Hadoop in Secure Mode"
//! says.

use std::path::{Path, PathBuf};

use dbdyno_lab::{LabError, LaunchContext, ServerTls, random_password};

use crate::hadoop::configuration;
use crate::java::Java;
use crate::kerberos::{HDFS, Kerberos, OBSERVER, WEB};

/// The directory of what its servers share: keys, and secrets.
const SHARED: &str = "hdfs";
/// Who may read the files of HBase, beside their owner.
const OBSERVERS: &str = "observers";
/// As whom HBase's servers store files: their principal without host and realm.
const OWNER: &str = "hbase";

/// What its servers need.
pub struct Login {
    /// Settings of everybody: the servers, and those who store files there.
    everybody: Vec<(&'static str, String)>,
    /// Those of the servers alone.
    servers: Vec<(&'static str, String)>,
    java_options: Vec<String>,
    /// Who the file system's own user is.
    operator: (String, PathBuf),
    observer: (String, PathBuf),
    /// The file that says where the key of the web servers lies; `None`: they speak in the clear.
    web_keys: Option<String>,
}

impl Login {
    /// Makes what the servers read: with certificates all that they say is encrypted, and without nothing is.
    ///
    /// # Errors
    /// When a file cannot be made.
    pub fn prepare(
        context: &mut LaunchContext<'_>,
        java: &Java,
        kerberos: &Kerberos,
        tls: Option<&ServerTls>,
    ) -> Result<Self, LabError> {
        let protection = if tls.is_some() {
            "privacy"
        } else {
            "authentication"
        };
        let secret = context.write(SHARED, "cookies.secret", random_password()?)?;
        let web_keys = match tls {
            Some(files) => Some(web_keys(context, java, files)?),
            None => None,
        };
        context.hand_over(SHARED)?;
        let operator = kerberos.server(HDFS);
        let web = kerberos.server(WEB);
        let everybody = vec![
            ("dfs.namenode.kerberos.principal", operator.0.clone()),
            ("dfs.datanode.kerberos.principal", operator.0.clone()),
            ("hadoop.rpc.protection", protection.to_owned()),
            ("dfs.data.transfer.protection", protection.to_owned()),
        ];
        let file = |path: &Path| path.display().to_string();
        let mut servers = Kerberos::hadoop_settings();
        servers.extend([
            ("hadoop.security.authorization", "true".to_owned()),
            // Users of the file system need not be users of this machine.
            (
                "hadoop.user.group.static.mapping.overrides",
                format!("{OBSERVER}={OBSERVERS};{OWNER}={OWNER}"),
            ),
            ("dfs.block.access.token.enable", "true".to_owned()),
            ("dfs.namenode.keytab.file", file(&operator.1)),
            ("dfs.datanode.keytab.file", file(&operator.1)),
            ("dfs.web.authentication.kerberos.principal", web.0.clone()),
            ("dfs.web.authentication.kerberos.keytab", file(&web.1)),
            ("dfs.namenode.kerberos.internal.spnego.principal", web.0.clone()),
            // What is no file, the metrics for one, is asked for over the same server, and not protected by default.
            (
                "hadoop.http.filter.initializers",
                "org.apache.hadoop.security.AuthenticationFilterInitializer".to_owned(),
            ),
            ("hadoop.http.authentication.type", "kerberos".to_owned()),
            (
                "hadoop.http.authentication.simple.anonymous.allowed",
                "false".to_owned(),
            ),
            ("hadoop.http.authentication.kerberos.principal", web.0),
            ("hadoop.http.authentication.kerberos.keytab", file(&web.1)),
            ("hadoop.http.authentication.signature.secret.file", file(&secret)),
        ]);
        servers.push(match &web_keys {
            Some(_) => ("dfs.http.policy", "HTTPS_ONLY".to_owned()),
            // Without encryption a DataNode insists on ports that only root can open.
            None => ("ignore.secure.ports.for.testing", "true".to_owned()),
        });
        Ok(Self {
            everybody,
            servers,
            java_options: kerberos.java_options(),
            operator,
            observer: kerberos.login(OBSERVER),
            web_keys,
        })
    }

    /// Whether web servers speak TLS.
    pub fn has_tls(&self) -> bool {
        self.web_keys.is_some()
    }

    /// Options of a server's Java.
    pub fn java_options(&self) -> &[String] {
        &self.java_options
    }

    /// Settings of whoever stores files there.
    pub fn client_settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = self.everybody.clone();
        // Otherwise HBase takes the right to look from everybody but itself.
        settings.extend(["hbase.rootdir.perms", "hbase.wal.dir.perms"].map(|name| (name, "750".to_owned())));
        settings
    }

    /// Settings of its servers.
    pub fn server_settings(&self) -> impl Iterator<Item = (&'static str, String)> {
        self.everybody.iter().chain(&self.servers).cloned()
    }

    /// The text of `ssl-server.xml`, where there are keys.
    pub fn web_keys(&self) -> Option<&str> {
        self.web_keys.as_deref()
    }

    /// Options of an address by which facts are asked for: as a user who may look at files and do nothing else. A login over HTTP
    /// names the server by its host name.
    pub fn address_options(&self, port: u16, directory: &str) -> Vec<(&'static str, String)> {
        let scheme = if self.has_tls() { "https://" } else { "" };
        let (principal, keytab) = &self.observer;
        vec![
            ("webhdfs", format!("{scheme}localhost:{port}{directory}")),
            ("webhdfs_principal", principal.clone()),
            ("webhdfs_keytab", keytab.display().to_string()),
        ]
    }

    /// As whom HBase's directory is made, and whose it is.
    pub fn root_arguments(&self) -> [String; 4] {
        let (principal, keytab) = &self.operator;
        [
            format!("principal={principal}"),
            format!("keytab={}", keytab.display()),
            format!("owner={OWNER}"),
            format!("group={OBSERVERS}"),
        ]
    }
}

/// Makes the key store of the web servers, and `ssl-server.xml` that names it.
fn web_keys(context: &mut LaunchContext<'_>, java: &Java, files: &ServerTls) -> Result<String, LabError> {
    let (own, _) = files.as_one_file(context, SHARED)?;
    let source = context.write(SHARED, "WebKeys.java", include_str!("../../java/WebKeys.java"))?;
    context.hand_over(SHARED)?;
    let store = context.server_directory(SHARED)?.join("web.p12");
    let password = random_password()?;
    let mut command = java.tool();
    command
        .arg(source)
        .arg(own)
        .arg(&store)
        // Every user of the machine can read a command line, only this one its environment.
        .env("DBDYNO_KEY_STORE", &password);
    context.run_tool(&mut command)?;
    Ok(configuration(&[
        ("ssl.server.keystore.location", store.display().to_string()),
        ("ssl.server.keystore.type", "PKCS12".to_owned()),
        ("ssl.server.keystore.password", password.clone()),
        ("ssl.server.keystore.keypassword", password),
    ]))
}
