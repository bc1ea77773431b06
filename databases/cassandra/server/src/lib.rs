//! The lab's recipe for Cassandra: one to four nodes on the loopback addresses 127.0.0.1 to 127.0.0.4, which share their
//! ports as the nodes of a real cluster do.

mod configuration;
mod home;
mod protocol;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use configuration::{Cluster, LOGBACK};
use dbdyno_lab::{
    Installation, LabError, LabErrorKind, LaunchContext, Progress, Recipe, RecipeInfo, ServerRequest,
    ServerSpec, Store, TLS_OPTION, maven_jars, named_home, on_path,
};

/// How long all nodes together may take until they answer and know each other; a start takes 6 to 25 s.
const DEADLINE: Duration = Duration::from_secs(150);
/// What a node takes beyond its heap (measured: 400 to 460 MB).
const BEYOND_HEAP_MEBIBYTES: u32 = 470;

/// The recipe.
pub struct CassandraRecipe;

const INFO: RecipeInfo = RecipeInfo {
    name: "cassandra",
    summary: "Apache Cassandra's jars from Maven Central, or a directory that holds them",
    versions: &["5.0.9", "4.1.10"],
    options: &[
        (
            "home",
            "unpacked Cassandra, with its jars in lib (default: $CASSANDRA_HOME, Maven Central)",
        ),
        ("nodes", "1 to 4 (default 1)"),
        (
            "replication",
            "copies of each record (default: 3, or all nodes where there are fewer)",
        ),
        ("heap", "Java heap of each node, 192M at least (default 384M)"),
        (
            "commitlog_sync",
            "periodic, batch or group: when the commit log is synced (default periodic)",
        ),
        (
            "auth",
            "off, or password: clients log in (default off); the first user is cassandra, password cassandra",
        ),
        (
            "java_options",
            "further options of Java for each node, separated by blanks",
        ),
        TLS_OPTION,
    ],
    usual_start: Duration::from_secs(9),
    usual_warmup: Duration::from_secs(65),
};

impl Recipe for CassandraRecipe {
    fn info(&self) -> RecipeInfo {
        INFO
    }

    fn install(
        &self,
        request: &ServerRequest,
        store: &Store,
        progress: &mut dyn Progress,
    ) -> Result<Installation, LabError> {
        if on_path("java", &[]).is_none() {
            return Err(LabError::new(
                LabErrorKind::Software,
                "Java is not installed, and Cassandra needs it",
            )
            .help("install it: sudo apt-get install default-jre-headless"));
        }
        if let Some(home) = named_home(request, "CASSANDRA_HOME")? {
            return home::checked(home, request);
        }
        let version = request.version(&INFO)?;
        let artefact = format!("org.apache.cassandra:cassandra-all:{version}");
        Ok(Installation {
            path: maven_jars(store, &format!("cassandra-{version}"), &[&artefact], progress)?,
            origin: format!("{version} from Maven Central"),
        })
    }

    fn start(
        &self,
        request: &ServerRequest,
        installation: &Installation,
        context: &mut LaunchContext<'_>,
    ) -> Result<String, LabError> {
        let nodes = request.number("nodes", 1, 1..=4)?;
        let replication = request.number("replication", nodes.min(3), 1..=nodes)?;
        let tls = request.option("tls").map(absolute).transpose()?;
        if tls.is_some() && nodes > 1 {
            return Err(LabError::new(
                LabErrorKind::Request,
                "the lab's Cassandra speaks TLS with one node only, for it cannot ask encrypted nodes about each other",
            )
            .help("leave out nodes or tls"));
        }
        let addresses: Vec<Ipv4Addr> = (1..=nodes as u8)
            .map(|last| Ipv4Addr::new(127, 0, 0, last))
            .collect();
        let of_all: Vec<IpAddr> = addresses.iter().copied().map(IpAddr::V4).collect();
        let cluster = Cluster {
            addresses: &addresses,
            cql_port: context.port_of(&of_all)?,
            storage_port: context.port_of(&of_all)?,
            heap_mebibytes: heap(request)?,
            commitlog_sync: request.choice("commitlog_sync", &["periodic", "batch", "group"])?,
            with_passwords: request.choice("auth", &["off", "password"])? == "password",
            java_options: request.option("java_options").unwrap_or_default(),
            tls,
        };
        let memory = u64::from(cluster.heap_mebibytes + BEYOND_HEAP_MEBIBYTES) << 20;
        context.check_memory(memory * u64::from(nodes))?;
        let jmx: Vec<u16> = addresses
            .iter()
            .map(|_| context.port())
            .collect::<Result<_, _>>()?;
        let library = installation.path.join("lib");
        for (index, (address, jmx)) in addresses.iter().zip(jmx).enumerate() {
            let name = format!("node{}", index + 1);
            let directory = context.server_directory(&name)?;
            write_files(&cluster, *address, context, &name)?;
            let arguments = cluster.arguments(&directory, &library, jmx);
            let mut spec = ServerSpec::new(name, java()).arguments(arguments);
            spec.memory_bytes = memory;
            spec.listens = vec![
                SocketAddr::from((*address, cluster.cql_port)),
                SocketAddr::from((*address, cluster.storage_port)),
                SocketAddr::from((Ipv4Addr::LOCALHOST, jmx)),
            ];
            context.spawn(spec)?;
            if index == 0 && nodes > 1 {
                // The others find the ring through the first.
                ready(context, &cluster, *address, 0)?;
            }
        }
        for address in &addresses {
            ready(context, &cluster, *address, nodes - 1)?;
        }
        let login = if cluster.with_passwords {
            "cassandra:cassandra@"
        } else {
            ""
        };
        let hosts: Vec<String> = addresses
            .iter()
            .map(|address| format!("{address}:{}", cluster.cql_port))
            .collect();
        Ok(format!(
            "cassandra://{login}{}/ycsb?replication={replication}",
            hosts.join(",")
        ))
    }
}

fn java() -> PathBuf {
    let of_home = std::env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin/java"));
    of_home
        .filter(|java| java.is_file())
        .or_else(|| on_path("java", &[]))
        .unwrap_or_else(|| PathBuf::from("java"))
}

fn absolute(directory: &str) -> Result<PathBuf, LabError> {
    std::fs::canonicalize(directory).map_err(|error| LabError::files("find", Path::new(directory), &error))
}

fn ready(
    context: &mut LaunchContext<'_>,
    cluster: &Cluster<'_>,
    address: Ipv4Addr,
    peers: u32,
) -> Result<(), LabError> {
    context.wait_until("an answer of Cassandra", DEADLINE, || {
        if cluster.tls.is_some() {
            protocol::is_open(address, cluster.cql_port)
        } else {
            protocol::knows_peers(address, cluster.cql_port, peers)
        }
    })
}

fn write_files(
    cluster: &Cluster<'_>,
    address: Ipv4Addr,
    context: &LaunchContext<'_>,
    node: &str,
) -> Result<(), LabError> {
    let directory = context.server_directory(node)?;
    context.write(node, "cassandra.yaml", cluster.yaml(address, &directory))?;
    context.write(node, "logback.xml", LOGBACK)?;
    if let Some(tls) = &cluster.tls {
        let read = |name: &str| {
            let path = tls.join(name);
            std::fs::read_to_string(&path).map_err(|error| LabError::files("read", &path, &error))
        };
        // Cassandra wants the key and the certificates in one file.
        let both = format!("{}{}", read("server.key")?, read("server.pem")?);
        context.write(node, "keystore.pem", both)?;
        context.write(node, "ca.pem", read("ca.pem")?)?;
    }
    Ok(())
}

/// Less would only show how the collector struggles.
const SMALLEST_HEAP_MEBIBYTES: u32 = 192;

fn heap(request: &ServerRequest) -> Result<u32, LabError> {
    let heap = request.mebibytes("heap", 384)?;
    if heap < SMALLEST_HEAP_MEBIBYTES {
        return Err(LabError::new(
            LabErrorKind::Request,
            format!("heap={heap}M of cassandra cannot be"),
        )
        .help(format!("it takes {SMALLEST_HEAP_MEBIBYTES}M at least")));
    }
    Ok(heap)
}
