//! A ZooKeeper of several servers. HBase's own starter of ZooKeeper finds its number by the address of the machine, and here
//! all have one; so each gets a configuration of its own, in the form of ZooKeeper's administrator's guide.

use std::path::PathBuf;
use std::time::Duration;

use dbdyno_lab::{LabError, LaunchContext, ServerSpec};

use crate::hadoop::logging;
use crate::java::Java;

const HEAP_MEBIBYTES: u32 = 64;
/// What a process takes beyond its heap.
const BEYOND_HEAP_MEBIBYTES: u32 = 100;
const DEADLINE: Duration = Duration::from_secs(180);

/// Memory that so many servers take, bytes.
pub fn memory_bytes(servers: u32) -> u64 {
    u64::from(servers) * (u64::from(HEAP_MEBIBYTES + BEYOND_HEAP_MEBIBYTES) << 20)
}

/// Starts the servers that clients reach at these ports, and waits until they listen. They choose a leader meanwhile.
///
/// # Errors
/// When one does not start.
pub fn start(context: &mut LaunchContext<'_>, java: &Java, clients: &[u16]) -> Result<(), LabError> {
    let mut members = String::new();
    for (number, client) in (1..).zip(clients) {
        let (peer, election) = (context.port()?, context.port()?);
        members += &format!("server.{number}=127.0.0.1:{peer}:{election};127.0.0.1:{client}\n");
    }
    for number in 1..=clients.len() {
        let specification = specification(context, java, number, &members)?;
        context.spawn(specification)?;
    }
    clients.iter().try_for_each(|client| wait(context, *client))
}

/// Waits until a server listens at this port.
///
/// # Errors
/// When it does not.
pub fn wait(context: &mut LaunchContext<'_>, client: u16) -> Result<(), LabError> {
    context.wait_until("a ZooKeeper that listens", DEADLINE, || {
        std::net::TcpStream::connect(("127.0.0.1", client))
            .map(drop)
            .map_err(|error| error.to_string())
    })
}

fn specification(
    context: &LaunchContext<'_>,
    java: &Java,
    number: usize,
    members: &str,
) -> Result<ServerSpec, LabError> {
    let name = format!("zookeeper{number}");
    let directory = context.server_directory(&name)?;
    let data = directory.join("data");
    let failed = |error: std::io::Error| LabError::files("make", &data, &error);
    std::fs::create_dir(&data).map_err(failed)?;
    std::fs::write(data.join("myid"), number.to_string()).map_err(failed)?;
    let settings = format!(
        "dataDir={}\ntickTime=1000\ninitLimit=10\nsyncLimit=5\nmaxClientCnxns=0\nadmin.enableServer=false\n{members}",
        data.display()
    );
    let settings = context.write(&name, "zoo.cfg", settings)?;
    let log: PathBuf = directory.join("zookeeper.log");
    context.write(&name, "log4j.properties", logging(&log))?;
    let mut specification = ServerSpec::new(&name, &java.program)
        .arguments([format!("-Xmx{HEAP_MEBIBYTES}m")])
        .arguments(["-XX:+UseSerialGC", "-Djava.net.preferIPv4Stack=true"])
        .arguments(java.options.split_whitespace())
        .arguments(["-cp".to_owned()])
        .arguments([format!("{}:{}/*", directory.display(), java.jars.display())])
        .arguments(["org.apache.zookeeper.server.quorum.QuorumPeerMain".to_owned()])
        .arguments([settings]);
    specification.memory_bytes = memory_bytes(1);
    specification.log = Some(log);
    Ok(specification)
}
