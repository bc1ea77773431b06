//! What a start does, step by step: the login, the certificates, the processes.

use dbdyno_lab::{
    ADMINISTRATOR, APPLICATION, Installation, LabError, LaunchContext, Protection, Security, ServerRequest,
};

use crate::java::Java;
use crate::kerberos::{CLIENT, Kerberos};
use crate::process::Process;
use crate::site::{Site, Tls};
use crate::{DEADLINE, is_with_login};

/// ZooKeeper holds a few kilobytes.
const QUORUM_HEAP_MEBIBYTES: u32 = 64;

/// Memory that the processes of so many nodes take, bytes; the Kerberos server is not among them.
pub fn memory_bytes(nodes: u32, heap_mebibytes: u32) -> u64 {
    let processes = processes(&vec![0; nodes as usize], heap_mebibytes);
    processes.iter().map(Process::memory_bytes).sum()
}

/// The processes whose region servers listen at these ports.
fn processes(regions: &[u16], heap: u32) -> Vec<Process> {
    let process = |name: &str, class, heap_mebibytes, region_port| Process {
        name: name.to_owned(),
        class,
        heap_mebibytes,
        region_port,
    };
    let region_server = "org.apache.hadoop.hbase.regionserver.HRegionServer";
    let master = "org.apache.hadoop.hbase.master.HMaster";
    let mut processes = Vec::new();
    if let [region] = regions {
        processes.push(process("hbase", master, heap, Some(*region)));
    } else {
        let quorum = "org.apache.hadoop.hbase.zookeeper.HQuorumPeer";
        processes.push(process("zookeeper", quorum, QUORUM_HEAP_MEBIBYTES, None));
        processes.push(process("master", master, heap, None));
        for (number, port) in (1..).zip(regions) {
            let name = format!("region{number}");
            processes.push(process(&name, region_server, heap, Some(*port)));
        }
    }
    processes
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
    let processes = processes(&regions, heap);
    // A process that starts gets its directory, with all that others read there.
    let mut specifications = Vec::new();
    for process in &processes {
        specifications.push(process.specification(context, site, java)?);
    }
    for specification in specifications {
        let is_quorum = specification.name == "zookeeper";
        context.spawn(specification)?;
        if is_quorum {
            context.wait_until("a ZooKeeper that listens", DEADLINE, || {
                std::net::TcpStream::connect(("127.0.0.1", site.quorum))
                    .map(drop)
                    .map_err(|error| error.to_string())
            })?;
        }
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
    let clients: &[&str] = match protection.logins {
        Some(_) => &[APPLICATION, ADMINISTRATOR],
        None => &[CLIENT],
    };
    let is_hardened = protection.profile == Security::Hardened;
    Kerberos::start(context, java, installation, clients, is_hardened).map(Some)
}
