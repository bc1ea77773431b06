//! The lab's recipe for Cassandra: one to four nodes on the loopback addresses 127.0.0.1 to 127.0.0.4, which share their
//! ports as the nodes of a real cluster do.

mod access;
mod configuration;
mod home;
mod memory;
mod protocol;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use access::{Access, KEYSPACE};
use configuration::{COMMIT_LOG_CIPHER, Cluster, LOGBACK, NodeTls, Partitioner};
use dbdyno_lab::{
    ADMINISTRATOR, APPLICATION, AT_REST_OPTION, AtRestLevel, Durability, Installation, LOG_DIRECTORY_OPTION,
    LabError, LabErrorKind, LaunchContext, NodeMemory, Progress, Protection, Recipe, RecipeInfo,
    RecipeOption, SECURITY_OPTION, Security, ServerRequest, ServerSpec, Software, Store, TLS_OPTION,
    Topology, log_directory, maven_jars, named_home, on_path, with_options,
};
use dbdyno_record::EngineEncryption;
use memory::Memory;

/// The recipe.
pub struct CassandraRecipe;

const INFO: RecipeInfo = RecipeInfo {
    name: "cassandra",
    product: "Apache Cassandra",
    summary: "Apache Cassandra's jars from Maven Central, or a directory that holds them",
    versions: &["5.0.9", "4.1.10"],
    options: &[
        RecipeOption::new(
            "home",
            "unpacked Cassandra, with its jars in lib",
            "$CASSANDRA_HOME, Maven Central",
        ),
        RecipeOption::new("nodes", "1 to 4", "1"),
        RecipeOption::new(
            "replication",
            "copies of each record",
            "3, or all nodes where there are fewer",
        ),
        RecipeOption::new(
            "heap",
            "Java heap of each node, 192M at least",
            "384M; with `memory`, Cassandra's own share of it",
        ),
        RecipeOption::new(
            "row_cache",
            "cache of whole rows, e.g. 64M: lies beside the heap; tables are created with `caching=all`",
            "0: none",
        ),
        RecipeOption::new(
            "key_cache",
            "cache of keys in the heap, e.g. 16M",
            "5% of the heap",
        ),
        RecipeOption::new(
            "partitioner",
            "murmur3, random or byte-ordered: by which nodes share the keys; byte-ordered scans in the order of keys",
            "murmur3",
        ),
        LOG_DIRECTORY_OPTION,
        RecipeOption::new(
            "commitlog_sync",
            "periodic, batch or group: when the commit log is synced",
            "periodic",
        ),
        RecipeOption::new(
            "auth",
            "off, or password: clients log in; the first user is cassandra, password cassandra",
            "off",
        ),
        RecipeOption::new(
            "java_options",
            "further options of Java for each node, separated by blanks",
            "",
        ),
        TLS_OPTION,
        SECURITY_OPTION,
        AT_REST_OPTION,
    ],
    software: Software {
        program: None,
        further: &[],
        home: "CASSANDRA_HOME",
        fetched: Some("cassandra-"),
        otherwise: "fetched from Maven Central when it is first used; needs Java and Maven",
    },
    durability_by: Some((
        "commitlog_sync",
        &[
            ("periodic", Durability::None),
            ("batch", Durability::Synced),
            ("group", Durability::Synced),
        ],
    )),
    encrypts_files: Some("the commit log"),
    scans_by_key: Some(("partitioner", "byte-ordered")),
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

    fn memory_bytes(&self, request: &ServerRequest) -> Result<u64, LabError> {
        Partitioner::of(request)?;
        log_directory(request)?;
        let (nodes, _) = topology(request)?;
        Ok(u64::from(nodes) * Memory::of(request)?.node_bytes())
    }

    fn within_memory(&self, request: &ServerRequest, mebibytes: u32) -> Result<NodeMemory, LabError> {
        memory::within(request, mebibytes)
    }

    fn topology(&self, request: &ServerRequest) -> Result<Topology, LabError> {
        let (nodes, copies) = topology(request)?;
        Ok(Topology {
            nodes,
            copies,
            shards: 1,
        })
    }

    fn start(
        &self,
        request: &ServerRequest,
        installation: &Installation,
        context: &mut LaunchContext<'_>,
    ) -> Result<String, LabError> {
        let (nodes, replication) = topology(request)?;
        let mut protection = context.protection(request)?;
        if let Some(tls) = &mut protection.tls {
            tls.directory = absolute(&tls.directory)?;
        }
        let addresses: Vec<Ipv4Addr> = (1..=nodes as u8)
            .map(|last| Ipv4Addr::new(127, 0, 0, last))
            .collect();
        let of_all: Vec<IpAddr> = addresses.iter().copied().map(IpAddr::V4).collect();
        let cluster = Cluster {
            addresses: &addresses,
            cql_port: context.port_of(&of_all)?,
            storage_port: context.port_of(&of_all)?,
            memory: Memory::of(request)?,
            partitioner: Partitioner::of(request)?,
            log_base: log_directory(request)?,
            commitlog_sync: request.choice("commitlog_sync", &["periodic", "batch", "group"])?,
            with_passwords: protection.logins.is_some()
                || request.choice("auth", &["off", "password"])? == "password",
            java_options: request.option("java_options").unwrap_or_default(),
            tls: protection.tls.as_ref().map(|tls| NodeTls {
                asks_clients: tls.asks_clients,
            }),
            is_hardened: protection.profile == Security::Hardened,
            keys: match request.at_rest()? {
                AtRestLevel::Engine => Some(context.key_store(&java())?),
                _ => None,
            },
        };
        if cluster.keys.is_some() {
            context.set_engine_encryption(EngineEncryption {
                covers: "commit log".to_owned(),
                cipher: COMMIT_LOG_CIPHER.to_owned(),
            });
        }
        let access = Access::new(cluster.cql_port, protection.tls.as_ref())?;
        for index in 0..addresses.len() {
            start_node(&cluster, &protection, index, installation, context)?;
            if index == 0 && nodes > 1 {
                // The others find the ring through the first. Nobody can log in yet: users are kept by several nodes.
                access.wait_for_answer(context, addresses[0])?;
            }
        }
        for address in &addresses {
            access.wait_for_peers(context, *address, nodes - 1)?;
        }
        let hosts: Vec<String> = addresses
            .iter()
            .map(|address| format!("{address}:{}", cluster.cql_port))
            .collect();
        // Without it, the cache of rows would stay empty.
        let caching = match cluster.memory.row_cache_mebibytes {
            0 => "",
            _ => "&caching=all",
        };
        let address = |login: &str| {
            format!(
                "cassandra://{login}{}/{KEYSPACE}?replication={replication}{caching}",
                hosts.join(",")
            )
        };
        if let Some(logins) = &protection.logins {
            access.make_users(addresses[0], logins, replication)?;
            let administrator = address(&format!("{ADMINISTRATOR}@"));
            context.set_administrator(with_options(&administrator, &protection.administrator_options()));
            let application = address(&format!("{APPLICATION}@"));
            return Ok(with_options(&application, &protection.client_options()));
        }
        let login = if cluster.with_passwords {
            "cassandra:cassandra@"
        } else {
            ""
        };
        Ok(with_options(&address(login), &protection.client_options()))
    }
}

/// Writes the files of a node and starts it.
fn start_node(
    cluster: &Cluster<'_>,
    protection: &Protection,
    index: usize,
    installation: &Installation,
    context: &mut LaunchContext<'_>,
) -> Result<(), LabError> {
    let name = format!("node{}", index + 1);
    let address = cluster.addresses[index];
    let directory = context.server_directory(&name)?;
    let log = cluster.log_base.as_deref();
    let log = log.map(|base| context.log_directory(base, &name)).transpose()?;
    context.write(
        &name,
        "cassandra.yaml",
        cluster.yaml(address, &directory, log.as_deref()),
    )?;
    context.write(&name, "logback.xml", LOGBACK)?;
    if let Some(tls) = &protection.tls {
        tls.as_one_file(context, &name)?;
    }
    // A management plane that is not there needs no login.
    let jmx = (!cluster.is_hardened).then(|| context.port()).transpose()?;
    let arguments = cluster.arguments(&directory, &installation.path.join("lib"), jmx);
    let mut spec = ServerSpec::new(name, java()).arguments(arguments);
    spec.memory_bytes = cluster.memory.node_bytes();
    spec.log_directory = log;
    spec.listens = vec![
        SocketAddr::from((address, cluster.cql_port)),
        SocketAddr::from((address, cluster.storage_port)),
    ];
    spec.listens
        .extend(jmx.map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port))));
    context.spawn(spec)
}

fn java() -> PathBuf {
    let of_home = std::env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin/java"));
    of_home
        .filter(|java| java.is_file())
        .or_else(|| on_path("java", &[]))
        .unwrap_or_else(|| PathBuf::from("java"))
}

fn absolute(directory: &Path) -> Result<PathBuf, LabError> {
    std::fs::canonicalize(directory).map_err(|error| LabError::files("find", directory, &error))
}

/// The most nodes: each has an address of its own.
const MOST_NODES: u32 = 4;

/// The nodes, and the copies of each record on them.
///
/// # Errors
/// When there are more copies than nodes.
fn topology(request: &ServerRequest) -> Result<(u32, u32), LabError> {
    let nodes = request.number("nodes", 1, 1..=MOST_NODES)?;
    let replication = request.number("replication", nodes.min(3), 1..=MOST_NODES)?;
    if replication > nodes {
        return Err(LabError::new(
            LabErrorKind::Request,
            format!(
                "replication={replication} of cassandra needs as many nodes, and there {} {nodes}",
                if nodes == 1 { "is" } else { "are" }
            ),
        )
        .help(format!("ask for nodes={replication}, or for fewer copies")));
    }
    Ok((nodes, replication))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<(u32, u32), LabError> {
        topology(&ServerRequest::parse(text).unwrap())
    }

    #[test]
    fn copies_are_on_nodes_of_their_own() {
        for (text, expected) in [
            ("cassandra", (1, 1)),
            ("cassandra?nodes=2", (2, 2)),
            ("cassandra?nodes=4", (4, 3)),
            ("cassandra?nodes=4&replication=1", (4, 1)),
            ("cassandra?nodes=4&replication=4", (4, 4)),
        ] {
            assert_eq!(of(text).unwrap(), expected, "{text}");
        }
        for (text, help) in [
            ("cassandra?replication=2", "nodes=2"),
            ("cassandra?nodes=3&replication=4", "nodes=4"),
            ("cassandra?nodes=4&replication=0", "from 1 to 4"),
            ("cassandra?nodes=5", "from 1 to 4"),
        ] {
            // Before anything starts.
            let request = ServerRequest::parse(text).unwrap();
            let error = CassandraRecipe.memory_bytes(&request).unwrap_err();
            assert_eq!(error.kind, LabErrorKind::Request);
            assert!(error.help.contains(help), "{text}: {}", error.help);
        }
    }
}
