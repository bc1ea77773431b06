//! The lab's recipe for HBase: ZooKeeper, master and region server in one Java process, on the local file system.
//!
//! Names of settings: hbase-default.xml.

use std::path::PathBuf;
use std::time::Duration;

use dbdyno_lab::{
    Ground, Installation, LabError, Progress, Recipe, RecipeInfo, ServerSpec, Store, Trouble, Wish,
    maven_jars, named_home, on_path,
};

/// How long the servers may take until the master says that it is ready; a busy machine takes a multiple of the usual
/// ten seconds.
const DEADLINE: Duration = Duration::from_secs(180);

/// The recipe.
pub struct HbaseRecipe;

impl Recipe for HbaseRecipe {
    fn info(&self) -> RecipeInfo {
        RecipeInfo {
            name: "hbase",
            summary: "HBase on the local file system, fetched from Maven Central",
            versions: &["2.6.4"],
            options: &[
                (
                    "home",
                    "directory with lib (HBase's jars) and client/lib (those of hbase-shaded-client)",
                ),
                ("heap", "Java heap of the server (default 512M)"),
            ],
        }
    }

    fn install(
        &self,
        wish: &Wish,
        store: &Store,
        progress: &mut dyn Progress,
    ) -> Result<Installation, LabError> {
        if let Some(home) = named_home(wish, "DBDYNO_HBASE_HOME")? {
            return Ok(Installation {
                path: home.path,
                origin: home.origin,
            });
        }
        let version = wish.version(&self.info())?;
        let server = format!("org.apache.hbase:hbase-server:{version}");
        let path = maven_jars(store, &format!("hbase-{version}"), &[&server], progress)?;
        let client = format!("org.apache.hbase:hbase-shaded-client:{version}");
        maven_jars(store, &format!("hbase-client-{version}"), &[&client], progress)?;
        Ok(Installation {
            path,
            origin: "fetched from Maven Central".to_owned(),
        })
    }

    fn start(
        &self,
        wish: &Wish,
        installation: &Installation,
        ground: &mut Ground<'_>,
    ) -> Result<String, LabError> {
        let heap = wish.mebibytes("heap", 512)?;
        let java = java()?;
        let directory = ground.server_directory("hbase")?;
        let (quorum, master, region) = (ground.port()?, ground.port()?, ground.port()?);
        let write = |name: &str, text: String| {
            let path = directory.join(name);
            std::fs::write(&path, text).map_err(|error| LabError::files("write", &path, &error))
        };
        let place = directory.display();
        write(
            "hbase-site.xml",
            site(&[
                ("hbase.rootdir", format!("file://{place}/data")),
                ("hbase.tmp.dir", format!("{place}/tmp")),
                ("hbase.cluster.distributed", "false".to_owned()),
                ("hbase.zookeeper.quorum", "127.0.0.1".to_owned()),
                ("hbase.zookeeper.property.clientPort", quorum.to_string()),
                (
                    "hbase.zookeeper.property.clientPortAddress",
                    "127.0.0.1".to_owned(),
                ),
                ("hbase.zookeeper.property.dataDir", format!("{place}/zookeeper")),
                ("hbase.unsafe.stream.capability.enforce", "false".to_owned()),
                ("hbase.wal.provider", "filesystem".to_owned()),
                ("hbase.master.hostname", "127.0.0.1".to_owned()),
                ("hbase.master.ipc.address", "127.0.0.1".to_owned()),
                ("hbase.master.port", master.to_string()),
                ("hbase.master.info.port", "-1".to_owned()),
                ("hbase.regionserver.hostname", "127.0.0.1".to_owned()),
                ("hbase.regionserver.ipc.address", "127.0.0.1".to_owned()),
                ("hbase.regionserver.port", region.to_string()),
                ("hbase.regionserver.info.port", "-1".to_owned()),
            ]),
        )?;
        let log = directory.join("hbase.log");
        write("log4j.properties", logging(&log.display().to_string()))?;
        let mut spec = ServerSpec::new("hbase", java).arguments([
            format!("-Xmx{heap}m"),
            "-XX:+UseG1GC".to_owned(),
            "-Djava.net.preferIPv4Stack=true".to_owned(),
            "-cp".to_owned(),
            format!("{place}:{}/lib/*", installation.path.display()),
            "org.apache.hadoop.hbase.master.HMaster".to_owned(),
            "start".to_owned(),
        ]);
        spec.memory_bytes = (u64::from(heap) + 200) << 20;
        spec.log = Some(log.clone());
        ground.spawn(spec)?;
        ground.wait_until("an initialised master", DEADLINE, || {
            let said = std::fs::read_to_string(&log).map_err(|error| error.to_string())?;
            if said.contains("Master has completed initialization") {
                Ok(())
            } else {
                Err("its log does not say so yet".to_owned())
            }
        })?;
        Ok(format!(
            "hbase://127.0.0.1:{quorum}?class_path={}",
            client_jars(installation)?.display()
        ))
    }
}

fn client_jars(installation: &Installation) -> Result<PathBuf, LabError> {
    let name = installation
        .path
        .file_name()
        .map(|name| name.to_string_lossy().replacen("hbase-", "hbase-client-", 1));
    let candidates = [
        Some(installation.path.join("client/lib")),
        name.map(|name| installation.path.with_file_name(name).join("lib")),
    ];
    candidates
        .into_iter()
        .flatten()
        .find(|path| path.is_dir())
        .ok_or_else(|| {
            LabError::new(
                Trouble::Software,
                format!("{} holds no client/lib", installation.path.display()),
            )
            .help("put the jars of org.apache.hbase:hbase-shaded-client there")
        })
}

fn java() -> Result<PathBuf, LabError> {
    let home = std::env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin/java"));
    home.filter(|path| path.is_file())
        .or_else(|| on_path("java", &[]))
        .ok_or_else(|| {
            LabError::new(Trouble::Software, "there is no java, and HBase runs on it")
                .help("install it: sudo apt-get install default-jdk-headless")
        })
}

fn site(settings: &[(&str, String)]) -> String {
    let properties: String = settings
        .iter()
        .map(|(name, value)| {
            let value = value.replace('&', "&amp;").replace('<', "&lt;");
            format!("  <property><name>{name}</name><value>{value}</value></property>\n")
        })
        .collect();
    format!("<?xml version=\"1.0\"?>\n<configuration>\n{properties}</configuration>\n")
}

fn logging(path: &str) -> String {
    format!(
        "log4j.rootLogger=INFO, file\nlog4j.appender.file=org.apache.log4j.FileAppender\n\
         log4j.appender.file.File={path}\nlog4j.appender.file.layout=org.apache.log4j.PatternLayout\n\
         log4j.appender.file.layout.ConversionPattern=%d %p [%t] %c{{2}}: %m%n\n"
    )
}
