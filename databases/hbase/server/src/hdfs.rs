//! An HDFS below HBase: a NameNode and DataNodes from Hadoop's own packages. Names of settings are those of
//! hdfs-default.xml and core-default.xml.

mod login;
mod zone;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use dbdyno_lab::{
    Installation, LabError, LabErrorKind, LaunchContext, Missing, Progress, ServerRequest, ServerSpec, Store,
    maven_jars, read_log,
};

use crate::hadoop::{configuration, logging};
use crate::jars;
use crate::java::Java;
pub use login::Login;
pub use zone::{CIPHER, OPTION as ZONE_OPTION, Zone};

/// Newer than the Hadoop client in HBase's own jars; the protocol of HDFS is compatible between the two.
const VERSION: &str = "3.4.1";
/// Every process holds the file system of a benchmark: a few thousand blocks.
const HEAP_MEBIBYTES: u32 = 192;
/// What a process takes beyond its heap.
const BEYOND_HEAP_MEBIBYTES: u32 = 120;
/// How long the NameNode and all DataNodes may take; a busy machine takes a multiple of the usual five seconds.
const DEADLINE: Duration = Duration::from_secs(120);
const NAME_NODE: &str = "namenode";
/// The directory of HBase in HDFS.
const ROOT: &str = "/hbase";
/// The directory of the tool that makes it.
const ROOT_MAKER: &str = "hdfs-root";

/// How much of HDFS a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    pub data_nodes: u32,
    /// Copies of every block.
    pub copies: u32,
}

impl Size {
    /// What the options say; `None`: no HDFS.
    ///
    /// # Errors
    /// When they are no numbers of what there can be, or ask for more copies than DataNodes.
    pub fn of(request: &ServerRequest) -> Result<Option<Self>, LabError> {
        let data_nodes = request.number("hdfs", 0, 0..=4)?;
        if data_nodes == 0 {
            if request.option("replication").is_some() {
                return Err(LabError::new(
                    LabErrorKind::Request,
                    "replication of hbase needs HDFS: files on the local file system have one copy",
                )
                .help("add hdfs=3, or leave replication out"));
            }
            return Ok(None);
        }
        let copies = request.number("replication", data_nodes.min(3), 1..=4)?;
        if copies > data_nodes {
            return Err(LabError::new(
                LabErrorKind::Request,
                format!("replication={copies} of hbase is more than the DataNodes there are, {data_nodes}"),
            )
            .help(format!("ask for replication={data_nodes} or hdfs={copies}")));
        }
        Ok(Some(Self { data_nodes, copies }))
    }

    /// Memory that its processes take, bytes.
    pub fn memory_bytes(self) -> u64 {
        u64::from(1 + self.data_nodes) * memory_bytes()
    }
}

fn memory_bytes() -> u64 {
    u64::from(HEAP_MEBIBYTES + BEYOND_HEAP_MEBIBYTES) << 20
}

/// Fetches Hadoop's jars, to stand beside those of the server.
///
/// # Errors
/// When they cannot be fetched.
pub fn install(store: &Store, progress: &mut dyn Progress) -> Result<(), LabError> {
    let artefacts = ["hadoop-hdfs", "hadoop-hdfs-client", "hadoop-common"]
        .map(|name| format!("org.apache.hadoop:{name}:{VERSION}"));
    let artefacts = artefacts.each_ref().map(String::as_str);
    maven_jars(store, &format!("hadoop-hdfs-{VERSION}"), &artefacts, progress).map(drop)
}

/// What tools run with.
struct Tools<'a> {
    java: &'a Java,
    jars: &'a Path,
}

/// A program of one file.
struct Tool {
    file: &'static str,
    source: &'static str,
}

const MAKES_KEY: Tool = Tool {
    file: "HdfsKey.java",
    source: include_str!("../java/HdfsKey.java"),
};
const MAKES_ROOT: Tool = Tool {
    file: "HdfsRoot.java",
    source: include_str!("../java/HdfsRoot.java"),
};

/// A running HDFS.
pub struct Hdfs {
    name_node: u16,
    /// The NameNode's web server.
    web: u16,
    size: Size,
    /// `None`: everybody is whoever he says.
    login: Option<Login>,
    /// `None`: blocks are as HBase wrote them.
    zone: Option<Zone>,
}

impl Hdfs {
    /// Formats and starts it, and waits until every DataNode takes blocks.
    ///
    /// # Errors
    /// When a process does not start.
    pub fn start(
        context: &mut LaunchContext<'_>,
        java: &Java,
        installation: &Installation,
        size: Size,
        (login, zone): (Option<Login>, Option<Zone>),
    ) -> Result<Self, LabError> {
        let jars = jars(
            installation,
            "hdfs/lib",
            &format!("hadoop-hdfs-{VERSION}"),
            "org.apache.hadoop:hadoop-hdfs",
        )?;
        let hdfs = Self {
            name_node: context.port()?,
            web: context.port()?,
            size,
            login,
            zone,
        };
        let tools = Tools { java, jars: &jars };
        if hdfs.zone.is_some() {
            let (key, bits) = zone::KEY;
            let arguments = [key.to_owned(), bits.to_string()];
            hdfs.run(context, &tools, zone::MAKER, &MAKES_KEY, &arguments)?;
        }
        let start =
            |context: &LaunchContext<'_>, name: &str, class: &str, settings: &[(&'static str, String)]| {
                hdfs.write_files(context, name, settings)?;
                hdfs.specification(context, (java, &jars), name, class)
            };
        let name_node = "org.apache.hadoop.hdfs.server.namenode.NameNode";
        let names = context.server_directory(NAME_NODE)?.join("names");
        let name_settings = [("dfs.namenode.name.dir", format!("file://{}", names.display()))];
        let mut servers = vec![start(context, NAME_NODE, name_node, &name_settings)?];
        for number in 1..=size.data_nodes {
            let name = format!("datanode{number}");
            let blocks = context.server_directory(&name)?.join("blocks");
            let mut settings = vec![("dfs.datanode.data.dir", format!("file://{}", blocks.display()))];
            for port in [
                "dfs.datanode.address",
                "dfs.datanode.ipc.address",
                hdfs.web_setting("dfs.datanode.http.address", "dfs.datanode.https.address"),
            ] {
                settings.push((port, format!("127.0.0.1:{}", context.port()?)));
            }
            let class = "org.apache.hadoop.hdfs.server.datanode.DataNode";
            servers.push(start(context, &name, class, &settings)?);
        }
        context.hand_over(NAME_NODE)?;
        let mut format = Command::new(&servers[0].program);
        format
            .args(&servers[0].arguments)
            .args(["-format", "-nonInteractive"]);
        context.run_tool(&mut format)?;
        for server in servers {
            context.spawn(server)?;
        }
        let log = log_of(&context.server_directory(NAME_NODE)?);
        context.wait_until("an HDFS with all its DataNodes", DEADLINE, || {
            let stated = read_log(&log).map_err(|error| error.to_string())?;
            has_all(&stated, size.data_nodes)
        })?;
        if hdfs.login.is_some() || hdfs.zone.is_some() {
            hdfs.run(context, &tools, ROOT_MAKER, &MAKES_ROOT, &hdfs.root_arguments())?;
        }
        Ok(hdfs)
    }

    /// How HBase's directory is made by the file system's own user: nobody else may make one at the top, or a zone.
    fn root_arguments(&self) -> Vec<String> {
        let mut arguments = vec![format!("directory={ROOT}")];
        arguments.extend(self.login.iter().flat_map(Login::root_arguments));
        arguments.extend(self.zone.iter().map(|_| format!("key={}", zone::KEY.0)));
        arguments
    }

    /// Runs a tool in a directory of its own, with everybody's settings.
    fn run(
        &self,
        context: &mut LaunchContext<'_>,
        tools: &Tools<'_>,
        name: &str,
        tool: &Tool,
        arguments: &[String],
    ) -> Result<(), LabError> {
        let directory = context.server_directory(name)?;
        self.write_files(context, name, &[])?;
        let source = context.write(name, tool.file, tool.source)?;
        context.hand_over(name)?;
        let mut command = tools.java.tool();
        command
            .args(self.login.iter().flat_map(Login::java_options))
            .arg("-cp")
            .arg(format!("{}:{}/*", directory.display(), tools.jars.display()))
            .arg(source)
            .args(arguments);
        context.run_tool(&mut command)
    }

    /// The setting of a web server's address: without encryption, or with it.
    fn web_setting(&self, http: &'static str, https: &'static str) -> &'static str {
        match &self.login {
            Some(login) if login.has_tls() => https,
            _ => http,
        }
    }

    fn write_files(
        &self,
        context: &LaunchContext<'_>,
        name: &str,
        own: &[(&'static str, String)],
    ) -> Result<(), LabError> {
        let directory = context.server_directory(name)?;
        // The defaults of HDFS come after the one file, and those of Hadoop before it.
        let login = || self.login.iter().flat_map(Login::server_settings);
        let common: Vec<_> = self.file_system().into_iter().chain(login()).collect();
        context.write(name, "core-site.xml", configuration(&common))?;
        self.write_password(context, name)?;
        if let Some(keys) = self.login.as_ref().and_then(Login::web_keys) {
            context.write(name, "ssl-server.xml", keys)?;
        }
        let mut settings = vec![
            (
                "dfs.namenode.rpc-address",
                format!("127.0.0.1:{}", self.name_node),
            ),
            (
                self.web_setting("dfs.namenode.http-address", "dfs.namenode.https-address"),
                format!("127.0.0.1:{}", self.web),
            ),
        ];
        let constant = [
            ("dfs.namenode.rpc-bind-host", "127.0.0.1"),
            ("dfs.datanode.hostname", "127.0.0.1"),
            // Addresses of loopback have no names that all machines agree on.
            ("dfs.namenode.datanode.registration.ip-hostname-check", "false"),
            // A file system of seconds of age has no block to wait for.
            ("dfs.namenode.safemode.extension", "0"),
            // A DataNode is asked three seconds after it came otherwise.
            ("dfs.heartbeat.interval", "1"),
        ];
        settings.extend(constant.map(|(name, value)| (name, value.to_owned())));
        settings.extend(login());
        settings.extend(own.iter().cloned());
        context.write(name, "hdfs-site.xml", configuration(&settings))?;
        context.write(name, "log4j.properties", logging(&log_of(&directory)))?;
        // Hadoop's jars lack the pages of their web servers, and these do not start without a directory of them.
        for pages in ["hdfs", "datanode"] {
            let pages = directory.join("webapps").join(pages).join("WEB-INF");
            std::fs::create_dir_all(&pages)
                .and_then(|()| std::fs::write(pages.join("web.xml"), "<web-app/>\n"))
                .map_err(|error| LabError::files("make", &pages, &error))?;
        }
        Ok(())
    }

    fn specification(
        &self,
        context: &LaunchContext<'_>,
        (java, jars): (&Java, &Path),
        name: &str,
        class: &str,
    ) -> Result<ServerSpec, LabError> {
        let directory = context.server_directory(name)?;
        let mut specification = ServerSpec::new(name, &java.program)
            .arguments([format!("-Xmx{HEAP_MEBIBYTES}m")])
            .arguments(["-XX:+UseSerialGC", "-Djava.net.preferIPv4Stack=true"])
            // Without it WebHDFS answers every question with status 500.
            .arguments(["--add-opens=java.base/java.lang=ALL-UNNAMED"])
            .arguments(java.options.split_whitespace())
            .arguments(self.login.iter().flat_map(Login::java_options).cloned())
            .arguments(["-cp".to_owned()])
            .arguments([format!("{}:{}/*", directory.display(), jars.display())])
            .arguments([class]);
        specification.memory_bytes = memory_bytes();
        specification.log = Some(log_of(&directory));
        Ok(specification)
    }

    /// Settings of whoever stores files there.
    pub fn client_settings(&self) -> Vec<(&'static str, String)> {
        let mut settings = self.file_system();
        settings.extend(self.login.iter().flat_map(Login::client_settings));
        settings
    }

    /// Writes what a process that reads or writes files there needs beside its settings.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_password(&self, context: &LaunchContext<'_>, process: &str) -> Result<(), LabError> {
        match &self.zone {
            Some(zone) => zone.write_password(context, process),
            None => Ok(()),
        }
    }

    /// Whether it encrypts HBase's files.
    pub fn has_zone(&self) -> bool {
        self.zone.is_some()
    }

    /// Which file system it is.
    fn file_system(&self) -> Vec<(&'static str, String)> {
        let mut settings = vec![
            ("fs.defaultFS", format!("hdfs://127.0.0.1:{}", self.name_node)),
            ("dfs.replication", self.size.copies.to_string()),
        ];
        settings.extend(self.zone.iter().flat_map(Zone::settings));
        settings
    }

    /// HBase's root directory.
    pub fn root(&self) -> String {
        format!("hdfs://127.0.0.1:{}{ROOT}", self.name_node)
    }

    /// Options of an address by which facts are asked for.
    pub fn address_options(&self) -> Vec<(&'static str, String)> {
        match &self.login {
            Some(login) => login.address_options(self.web, ROOT),
            None => vec![("webhdfs", format!("127.0.0.1:{}{ROOT}", self.web))],
        }
    }
}

/// What the NameNode's log says of the DataNodes that have come.
fn has_all(log: &str, wanted: u32) -> Result<(), Missing> {
    if let Some(line) = log.lines().find(|line| line.contains("Failed to start namenode")) {
        return Err(Missing::ForEver(line.trim().to_owned()));
    }
    let come = log
        .lines()
        .filter(|line| line.contains("Adding a new node: "))
        .count();
    if come >= wanted as usize {
        return Ok(());
    }
    Err(Missing::Yet(format!("{come} of {wanted} DataNodes have come")))
}

/// The log of the process that has this directory.
fn log_of(directory: &Path) -> PathBuf {
    directory.join("hdfs.log")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(options: &str) -> Result<Option<Size>, String> {
        let request = ServerRequest::parse(&format!("hbase?{options}")).unwrap();
        Size::of(&request).map_err(|error| format!("{error:?}"))
    }

    #[test]
    fn three_copies_where_there_are_as_many_data_nodes() {
        let copies = |options| size(options).unwrap().map(|size| (size.data_nodes, size.copies));
        assert_eq!(copies("nodes=3"), None);
        assert_eq!(copies("hdfs=1"), Some((1, 1)));
        assert_eq!(copies("hdfs=4"), Some((4, 3)));
        assert_eq!(copies("hdfs=3&replication=2"), Some((3, 2)));
    }

    #[test]
    fn data_nodes_are_counted_and_a_name_node_that_failed_is_not_waited_for() {
        let one = "INFO net.NetworkTopology: Adding a new node: /default-rack/127.0.0.1:1\n";
        assert!(matches!(has_all(one, 2), Err(Missing::Yet(why)) if why == "1 of 2 DataNodes have come"));
        assert_eq!(has_all(&one.repeat(2), 2), Ok(()));
        let failed = "ERROR namenode.NameNode: Failed to start namenode.\n";
        assert!(matches!(has_all(failed, 2), Err(Missing::ForEver(_))));
    }

    #[test]
    fn more_copies_than_data_nodes_are_refused_with_what_mends_it() {
        let error = size("hdfs=2&replication=3").unwrap_err();
        assert!(
            error.contains("replication=3") && error.contains("hdfs=3"),
            "{error}"
        );
        let error = size("replication=3").unwrap_err();
        assert!(error.contains("needs HDFS"), "{error}");
        assert!(size("hdfs=5").is_err());
    }
}
