//! The lab's recipe for HBase: one Java process that holds everything, or a cluster of ZooKeeper, a master and region
//! servers in processes of their own. Either keeps its files on the local file system.

mod java;
mod kerberos;
mod process;
mod site;

use std::path::{Path, PathBuf};
use std::time::Duration;

use dbdyno_lab::{
    Installation, LabError, LabErrorKind, LaunchContext, Progress, Recipe, RecipeInfo, ServerRequest, Store,
    TLS_OPTION, maven_jars, named_home, read_log,
};

use java::Java;
use kerberos::Kerberos;
use process::Process;
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
                TLS_OPTION,
                (
                    "auth",
                    "none (default), or kerberos: everybody must log in, with a Kerberos server of the lab's own",
                ),
            ],
            usual_start: Duration::from_secs(6),
            usual_warmup: Duration::from_secs(55),
        }
    }

    fn install(
        &self,
        request: &ServerRequest,
        store: &Store,
        progress: &mut dyn Progress,
    ) -> Result<Installation, LabError> {
        let with_login = is_with_login(request)?;
        if let Some(home) = named_home(request, "DBDYNO_HBASE_HOME")? {
            return Ok(Installation {
                path: home.path,
                origin: home.origin,
            });
        }
        let version = request.version(&self.info())?;
        let server = format!("org.apache.hbase:hbase-server:{version}");
        let path = maven_jars(store, &format!("hbase-{version}"), &[&server], progress)?;
        let client = format!("org.apache.hbase:hbase-shaded-client:{version}");
        maven_jars(store, &format!("hbase-client-{version}"), &[&client], progress)?;
        if with_login {
            kerberos::install(store, progress)?;
        }
        Ok(Installation {
            path,
            origin: "fetched from Maven Central".to_owned(),
        })
    }

    fn start(
        &self,
        request: &ServerRequest,
        installation: &Installation,
        context: &mut LaunchContext<'_>,
    ) -> Result<String, LabError> {
        let nodes = request.number("nodes", 1, 1..=4)?;
        let heap = request.mebibytes("heap", if nodes == 1 { 512 } else { 256 })?;
        let java = Java {
            program: process::java()?,
            jars: installation.path.join("lib"),
            options: request.option("java_options").unwrap_or_default().to_owned(),
        };
        let fetched = installation
            .path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        let fetched = fetched.replacen("hbase-", "hbase-client-", 1);
        let client = jars(
            installation,
            "client/lib",
            &fetched,
            "org.apache.hbase:hbase-shaded-client",
        )?;
        // The files lie in the directory of the process that makes them, where their size is looked for.
        let maker = if nodes == 1 { "hbase" } else { "master" };
        let home = context.server_directory(maker)?;
        let tls = request
            .option("tls")
            .map(|directory| tls_files(Path::new(directory), context, maker))
            .transpose()?;
        let with_login = is_with_login(request)?;
        if (tls.is_some() || with_login) && nodes > 1 {
            return Err(LabError::new(
                LabErrorKind::Request,
                "the lab has login and TLS for one server of hbase only",
            )
            .help("leave nodes out"));
        }
        let kerberos = if with_login {
            Some(Kerberos::start(context, &java, installation)?)
        } else {
            None
        };
        let site = Site {
            files: home.join("data"),
            quorum: context.port()?,
            master: context.port()?,
            nodes,
            tls,
            kerberos,
        };
        let regions: Vec<u16> = (0..nodes).map(|_| context.port()).collect::<Result<_, _>>()?;
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
        context.check_memory(processes.iter().map(Process::memory_bytes).sum())?;
        for process in &processes {
            context.spawn(process.specification(context, &site, &java)?)?;
            if process.name == "zookeeper" {
                context.wait_until("a ZooKeeper that listens", DEADLINE, || {
                    std::net::TcpStream::connect(("127.0.0.1", site.quorum))
                        .map(drop)
                        .map_err(|error| error.to_string())
                })?;
            }
        }
        let log = process::log_of(&home);
        context.wait_until("an initialised master", DEADLINE, || {
            let stated = read_log(&log).map_err(|error| error.to_string())?;
            if stated.contains("Master has completed initialization") {
                Ok(())
            } else {
                Err("its log does not say so yet".to_owned())
            }
        })?;
        let login = site
            .kerberos
            .as_ref()
            .map_or_else(String::new, |kerberos| format!("&{}", kerberos.address_options()));
        Ok(format!(
            "hbase://127.0.0.1:{}?class_path={}{login}",
            site.quorum,
            client.display()
        ))
    }
}

/// The files of a directory as servers take them: certificate and key become one file of the server's directory.
fn tls_files(directory: &Path, context: &LaunchContext<'_>, server: &str) -> Result<Tls, LabError> {
    let read = |name: &str| {
        let path = directory.join(name);
        std::fs::read(&path).map_err(|error| LabError::files("read", &path, &error))
    };
    let both = [read("server.key")?, read("server.pem")?].join(&b'\n');
    Ok(Tls {
        own: context.write(server, "server.pem", both)?,
        authority: context.write(server, "ca.pem", read("ca.pem")?)?,
    })
}

/// Whether everybody must log in.
fn is_with_login(request: &ServerRequest) -> Result<bool, LabError> {
    match request.option("auth") {
        None | Some("none") => Ok(false),
        Some("kerberos") => Ok(true),
        Some(other) => Err(
            LabError::new(LabErrorKind::Request, format!("auth={other} of hbase cannot be"))
                .help("write auth=kerberos or auth=none"),
        ),
    }
}

/// A directory of jars that servers do not need: inside a named directory, or an entry of its own beside theirs, where they
/// were fetched.
fn jars(
    installation: &Installation,
    inside: &str,
    fetched: &str,
    artefact: &str,
) -> Result<PathBuf, LabError> {
    let beside = installation.path.with_file_name(fetched).join("lib");
    [installation.path.join(inside), beside]
        .into_iter()
        .find(|path| path.is_dir())
        .ok_or_else(|| {
            let what = format!("{} holds no {inside}", installation.path.display());
            LabError::new(LabErrorKind::Software, what).help(format!("put the jars of {artefact} there"))
        })
}
