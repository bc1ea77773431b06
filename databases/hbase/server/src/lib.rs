//! The lab's recipe for HBase: one Java process that holds everything, or a cluster of ZooKeeper, a master and region
//! servers in processes of their own. Either keeps its files on the local file system.

mod process;
mod site;

use std::path::{Path, PathBuf};
use std::time::Duration;

use dbdyno_lab::{
    Ground, Installation, LabError, Progress, Recipe, RecipeInfo, Store, Trouble, Wish, maven_jars,
    named_home,
};

use process::{Java, Process};
use site::{Site, Tls};

/// How long the servers may take until the master says that it is ready; a busy machine takes a multiple of the usual
/// ten seconds.
const DEADLINE: Duration = Duration::from_secs(180);
/// ZooKeeper holds a few kilobytes.
const QUORUM_HEAP_MEBIBYTES: u32 = 64;

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
                (
                    "nodes",
                    "region servers: 1 in one process with all else, or 2 to 4 in processes of their own (default 1)",
                ),
                (
                    "heap",
                    "Java heap of each server (default 512M; 256M with several nodes)",
                ),
                (
                    "java_options",
                    "further options of Java for each server, separated by blanks",
                ),
                (
                    "tls",
                    "directory with server.pem, server.key and ca.pem; clients must show a certificate of that authority",
                ),
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
        let nodes = wish.number("nodes", 1, 1..=4)?;
        let heap = wish.mebibytes("heap", if nodes == 1 { 512 } else { 256 })?;
        let java = Java {
            program: process::java()?,
            jars: installation.path.join("lib"),
            options: wish.option("java_options").unwrap_or_default().to_owned(),
        };
        let client = client_jars(installation)?;
        // The files lie in the directory of the process that makes them, where their size is looked for.
        let home = ground.server_directory(if nodes == 1 { "hbase" } else { "master" })?;
        let tls = wish
            .option("tls")
            .map(|directory| tls_files(Path::new(directory), &home))
            .transpose()?;
        if tls.is_some() && nodes > 1 {
            return Err(
                LabError::new(Trouble::Wish, "the lab has TLS for one server of hbase only")
                    .help("leave nodes out"),
            );
        }
        let site = Site {
            files: home.join("data"),
            quorum: ground.port()?,
            master: ground.port()?,
            nodes,
            tls,
        };
        let regions: Vec<u16> = (0..nodes).map(|_| ground.port()).collect::<Result<_, _>>()?;
        let process = |name: &str, class, heap_mebibytes, region_port| Process {
            name: name.to_owned(),
            class,
            heap_mebibytes,
            region_port,
        };
        let region_server = "org.apache.hadoop.hbase.regionserver.HRegionServer";
        let master = "org.apache.hadoop.hbase.master.HMaster";
        let mut processes = Vec::new();
        if nodes == 1 {
            processes.push(process("hbase", master, heap, Some(regions[0])));
        } else {
            let quorum = "org.apache.hadoop.hbase.zookeeper.HQuorumPeer";
            processes.push(process("zookeeper", quorum, QUORUM_HEAP_MEBIBYTES, None));
            processes.push(process("master", master, heap, None));
            for (number, port) in (1..).zip(&regions) {
                let name = format!("region{number}");
                processes.push(process(&name, region_server, heap, Some(*port)));
            }
        }
        ground.check_memory(processes.iter().map(Process::memory_bytes).sum())?;
        for process in &processes {
            ground.spawn(process.specification(ground, &site, &java)?)?;
            if process.name == "zookeeper" {
                ground.wait_until("a ZooKeeper that listens", DEADLINE, || {
                    std::net::TcpStream::connect(("127.0.0.1", site.quorum))
                        .map(drop)
                        .map_err(|error| error.to_string())
                })?;
            }
        }
        let log = process::log_of(&home);
        ground.wait_until("an initialised master", DEADLINE, || {
            let said = std::fs::read_to_string(&log).map_err(|error| error.to_string())?;
            if said.contains("Master has completed initialization") {
                Ok(())
            } else {
                Err("its log does not say so yet".to_owned())
            }
        })?;
        Ok(format!(
            "hbase://127.0.0.1:{}?class_path={}",
            site.quorum,
            client.display()
        ))
    }
}

/// The files of a directory as servers take them: certificate and key become one file of the server's directory.
fn tls_files(directory: &Path, home: &Path) -> Result<Tls, LabError> {
    let read = |name: &str| {
        let path = directory.join(name);
        std::fs::read(&path).map_err(|error| LabError::files("read", &path, &error))
    };
    let write = |name: &str, bytes: &[u8]| {
        let path = home.join(name);
        std::fs::write(&path, bytes).map_err(|error| LabError::files("write", &path, &error))?;
        Ok(path)
    };
    Ok(Tls {
        own: write(
            "server.pem",
            &[read("server.key")?, read("server.pem")?].join(&b'\n'),
        )?,
        authority: write("ca.pem", &read("ca.pem")?)?,
    })
}

/// The jars of the client: beside those of the server in a named directory, or an entry of their own where they were
/// fetched.
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
        .find(|path: &PathBuf| Path::is_dir(path))
        .ok_or_else(|| {
            LabError::new(
                Trouble::Software,
                format!("{} holds no client/lib", installation.path.display()),
            )
            .help("put the jars of org.apache.hbase:hbase-shaded-client there")
        })
}
