//! What a start does, step by step: the login, the certificates, the processes.

use std::path::PathBuf;

use dbdyno_lab::{
    ADMINISTRATOR, APPLICATION, Installation, LabError, LabErrorKind, LaunchContext, Protection, Security,
    ServerRequest, read_log,
};

use crate::hdfs::Size;
use crate::java::Java;
use crate::kerberos::{CLIENT, HDFS, Kerberos, OBSERVER, Server, WEB};
use crate::process::{Process, log_of, names_collector};
use crate::shares::Shares;
use crate::site::{Role, Site, Tls};
use crate::{DEADLINE, is_with_login, quorum};

/// ZooKeeper holds a few kilobytes.
const QUORUM_HEAP_MEBIBYTES: u32 = 64;

/// How many processes of each kind there are, beside those of HDFS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Region servers; one holds everything in its process.
    pub nodes: u32,
    pub masters: u32,
    /// Servers of ZooKeeper.
    pub quorum: u32,
}

impl Topology {
    /// What the options say.
    ///
    /// # Errors
    /// When they are no numbers of what there can be.
    pub fn of(request: &ServerRequest) -> Result<Self, LabError> {
        let topology = Self {
            nodes: request.number("nodes", 1, 1..=4)?,
            masters: request.number("masters", 1, 1..=3)?,
            quorum: request.number("zookeeper", 1, 1..=5)?,
        };
        let refuse =
            |message: String, help: &str| Err(LabError::new(LabErrorKind::Request, message).help(help));
        for (name, count) in [("masters", topology.masters), ("zookeeper", topology.quorum)] {
            if topology.nodes == 1 && count > 1 {
                return refuse(
                    format!(
                        "{name}={count} of hbase is not possible with nodes=1, which is one process that holds everything"
                    ),
                    "add nodes=2 or more",
                );
            }
        }
        if topology.quorum.is_multiple_of(2) {
            let message = format!("zookeeper={} of hbase is not an odd number", topology.quorum);
            return refuse(
                message,
                "ask for 1, 3 or 5: a fourth server survives no more losses than three do",
            );
        }
        Ok(topology)
    }

    /// Memory that its processes take, bytes; Kerberos and HDFS are not among them.
    pub fn memory_bytes(self, heap_mebibytes: u32) -> u64 {
        let ports = |count: u32| vec![0; count as usize];
        let processes = processes(&ports(self.masters), &ports(self.nodes), heap_mebibytes);
        let quorum = match self {
            Self { nodes: 1, .. } => 0,
            Self { quorum: 1, .. } => quorum_peer().memory_bytes(),
            Self { quorum, .. } => quorum::memory_bytes(quorum),
        };
        processes.iter().map(Process::memory_bytes).sum::<u64>() + quorum
    }
}

/// The only server of ZooKeeper.
fn quorum_peer() -> Process {
    Process {
        name: "zookeeper".to_owned(),
        class: "org.apache.hadoop.hbase.zookeeper.HQuorumPeer",
        heap_mebibytes: QUORUM_HEAP_MEBIBYTES,
        role: Role {
            master_port: 0,
            region_port: None,
        },
    }
}

/// The masters and region servers that listen at these ports.
fn processes(masters: &[u16], regions: &[u16], heap_mebibytes: u32) -> Vec<Process> {
    let process = |name: String, class, master_port, region_port| Process {
        name,
        class,
        heap_mebibytes,
        role: Role {
            master_port,
            region_port,
        },
    };
    let master = "org.apache.hadoop.hbase.master.HMaster";
    if let ([port], [region]) = (masters, regions) {
        return vec![process("hbase".to_owned(), master, *port, Some(*region))];
    }
    let mut processes = Vec::new();
    for (number, port) in (1..).zip(masters) {
        processes.push(process(master_name(number), master, *port, None));
    }
    for (number, port) in (1..).zip(regions) {
        let class = "org.apache.hadoop.hbase.regionserver.HRegionServer";
        processes.push(process(region_name(number), class, masters[0], Some(*port)));
    }
    processes
}

/// The logs of the processes with a master.
pub fn logs_of_masters(context: &LaunchContext<'_>, topology: Topology) -> Result<Vec<PathBuf>, LabError> {
    let log = |name: &str| Ok(log_of(&context.server_directory(name)?));
    match topology.nodes {
        1 => Ok(vec![log("hbase")?]),
        _ => (1..=topology.masters)
            .map(|number| log(&master_name(number)))
            .collect(),
    }
}

/// Waits until each region server states the shares of its heap that a request names.
///
/// # Errors
/// When one states others.
pub fn check_shares(
    context: &mut LaunchContext<'_>,
    topology: Topology,
    shares: Shares,
    (heap_mebibytes, java): (u32, &Java),
) -> Result<(), LabError> {
    if !shares.is_named() {
        return Ok(());
    }
    for log in logs_of_regions(context, topology)? {
        let mut stated = String::new();
        context.wait_until("the shares of the heap", DEADLINE, || {
            stated = read_log(&log).map_err(|error| error.to_string())?;
            match Shares::are_stated(&stated) {
                true => Ok(()),
                false => Err("its log does not state them yet".to_owned()),
            }
        })?;
        shares.check(&stated, heap_mebibytes, names_collector(&java.options))?;
    }
    Ok(())
}

/// The logs of the processes with regions.
fn logs_of_regions(context: &LaunchContext<'_>, topology: Topology) -> Result<Vec<PathBuf>, LabError> {
    let log = |name: &str| Ok(log_of(&context.server_directory(name)?));
    match topology.nodes {
        1 => Ok(vec![log("hbase")?]),
        nodes => (1..=nodes).map(|number| log(&region_name(number))).collect(),
    }
}

fn region_name(number: u32) -> String {
    format!("region{number}")
}

fn master_name(number: u32) -> String {
    match number {
        1 => "master".to_owned(),
        _ => format!("master{number}"),
    }
}

/// Starts all processes, ZooKeeper first.
pub fn start_all(
    context: &mut LaunchContext<'_>,
    site: &Site,
    java: &Java,
    heap: u32,
) -> Result<(), LabError> {
    let regions: Vec<u16> = (0..site.nodes)
        .map(|_| context.port())
        .collect::<Result<_, _>>()?;
    // A process that starts gets its directory, with all that others read there.
    let mut specifications = Vec::new();
    for process in &processes(&site.masters, &regions, heap) {
        specifications.push(process.specification(context, site, java)?);
    }
    match site.quorum.as_slice() {
        [port] if site.nodes > 1 => {
            let specification = quorum_peer().specification(context, site, java)?;
            context.spawn(specification)?;
            quorum::wait(context, *port)?;
        }
        [_] => {}
        ports => quorum::start(context, java, ports)?,
    }
    for specification in specifications {
        context.spawn(specification)?;
    }
    Ok(())
}

/// What servers encrypt with: certificate and key become one file of the maker's directory.
pub fn tls(
    protection: &Protection,
    context: &LaunchContext<'_>,
    maker: &str,
) -> Result<Option<Tls>, LabError> {
    let Some(files) = &protection.tls else {
        return Ok(None);
    };
    let (own, authority) = files.as_one_file(context, maker)?;
    Ok(Some(Tls {
        own,
        authority,
        asks_clients: files.asks_clients,
        names_address: protection.profile.has_tls(),
    }))
}

/// Starts the Kerberos server, where everybody must log in.
pub fn kerberos(
    request: &ServerRequest,
    protection: &Protection,
    context: &mut LaunchContext<'_>,
    java: &Java,
    installation: &Installation,
) -> Result<Option<Kerberos>, LabError> {
    if !is_with_login(request)? {
        return Ok(None);
    }
    let mut clients = match protection.logins {
        Some(_) => vec![APPLICATION, ADMINISTRATOR],
        None => vec![CLIENT],
    };
    let mut servers: &[Server] = &[];
    if Size::of(request)?.is_some() {
        clients.push(OBSERVER);
        servers = &[HDFS, WEB];
    }
    let is_hardened = protection.profile == Security::Hardened;
    Kerberos::start(context, java, installation, &clients, servers, is_hardened).map(Some)
}
