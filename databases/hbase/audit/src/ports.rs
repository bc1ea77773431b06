//! Where the master and the region servers answer. An address names ZooKeeper only, which knows the others.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::Duration;

use dbdyno_audit::{Channel, ChannelError, Deadline, Scene};
use dbdyno_driver::remote::{HostPort, Remote};
use dbdyno_machine::listening_addresses;
use prost::Message as _;

use crate::messages::Master;
use crate::quorum::{Quorum, Reply, content};
use crate::rpc::{Answer, QUESTIONS, ask_as};

/// Ports of the master and of region servers where nothing else is said (`hbase-default.xml`).
const USUAL: [u16; 2] = [16_000, 16_020];
/// Servers that are looked at, so that no list of a server's holds up an audit.
const MOST: usize = 32;
/// How long a port that may be no server's may take.
const BRIEFLY: Duration = Duration::from_millis(1_500);
/// What data of HBase begin with in ZooKeeper: a byte, the length of a name, the name, four letters.
const PREFIX: u8 = 0xff;
const LETTERS: &[u8] = b"PBUF";

/// The servers of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Servers {
    pub masters: Vec<HostPort>,
    pub regions: Vec<HostPort>,
    /// Region servers beyond those that are looked at.
    unasked: usize,
}

impl Servers {
    /// All of them, the master first.
    pub fn all(&self) -> Vec<HostPort> {
        [self.masters.clone(), self.regions.clone()].concat()
    }

    /// How many of them are asked, where there are more.
    pub fn gap(&self) -> Option<String> {
        let asked = self.masters.len() + self.regions.len();
        (self.unasked > 0).then(|| format!("{asked} of {} servers were asked", asked + self.unasked))
    }

    fn of(master: Option<HostPort>, mut regions: Vec<HostPort>) -> Self {
        let unasked = regions.len().saturating_sub(MOST);
        regions.truncate(MOST);
        Self {
            masters: master.into_iter().collect(),
            regions,
            unasked,
        }
    }
}

/// The node that everything of HBase lies below.
pub fn parent(scene: &Scene<'_>) -> String {
    match scene.remote.path.as_str() {
        "" => "/hbase".to_owned(),
        path => format!("/{path}"),
    }
}

/// Finds the servers: by ZooKeeper, or else by the sockets of their processes, or else by the usual ports.
pub fn servers(scene: &mut Scene<'_>) -> Servers {
    let known = by_quorum(scene);
    let (servers, how) = match known {
        Ok(servers) if !servers.regions.is_empty() => (servers, "read from ZooKeeper".to_owned()),
        outcome => {
            let why = match outcome {
                Ok(_) => "it names no region server".to_owned(),
                Err(error) => error.to_string(),
            };
            let candidates = candidates(scene);
            let how = format!(
                "ZooKeeper does not say ({why}); of the ports {}",
                shown(&candidates)
            );
            (by_asking(scene, &candidates), how)
        }
    };
    let named = format!(
        "master {}; region servers {}",
        shown(&servers.masters),
        shown(&servers.regions)
    );
    scene.note(
        "hbase.servers",
        "where the servers answer",
        format!("{named} ({how})"),
    );
    servers
}

fn shown(hosts: &[HostPort]) -> String {
    if hosts.is_empty() {
        return "none".to_owned();
    }
    hosts
        .iter()
        .map(HostPort::to_string)
        .collect::<Vec<_>>()
        .join(", ")
}

fn by_quorum(scene: &Scene<'_>) -> Result<Servers, ChannelError> {
    let parent = parent(scene);
    let mut quorum = Quorum::connect(scene)?;
    let regions = quorum.children(&format!("{parent}/rs"))?;
    let master = quorum.data(&format!("{parent}/master"))?;
    quorum.close();
    let master = match &master {
        Reply::Found(answer) => content(answer).and_then(master_of),
        Reply::NoNode | Reply::NoRight => None,
    };
    let regions = regions.iter().filter_map(|name| region_of(name)).collect();
    Ok(Servers::of(master, regions))
}

/// A region server's node is called HOST,PORT,START.
fn region_of(name: &str) -> Option<HostPort> {
    let mut parts = name.split(',');
    let (host, port) = (parts.next()?, parts.next()?);
    (!host.is_empty()).then_some(HostPort {
        host: host.to_owned(),
        port: port.parse().ok()?,
    })
}

/// The master's node holds a message: its first field is the server's name, with host and port.
fn master_of(data: &[u8]) -> Option<HostPort> {
    let (&first, rest) = data.split_first()?;
    let (length, rest) = rest.split_first_chunk()?;
    let name_bytes = usize::try_from(u32::from_be_bytes(*length)).ok()?;
    let message = rest.get(name_bytes..)?.strip_prefix(LETTERS)?;
    let server = Master::decode(message).ok()?.server.filter(|_| first == PREFIX)?;
    Some(HostPort {
        host: server.host,
        port: u16::try_from(server.port?).ok()?,
    })
}

/// The ports that one process listens on.
pub fn listening_ports(process: dbdyno_machine::ProcessId) -> BTreeSet<u16> {
    let sockets = listening_addresses(process).unwrap_or_default();
    sockets.iter().map(SocketAddr::port).collect()
}

/// The sockets that the servers' processes listen on, and those that cannot be seen.
#[derive(Debug, Default)]
pub struct Sockets {
    pub seen: BTreeSet<SocketAddr>,
    /// Why there may be more.
    pub unseen: Option<String>,
}

/// The sockets that the servers' processes listen on; none where no processes are known.
pub fn listening(scene: &Scene<'_>) -> Sockets {
    let mut sockets = Sockets::default();
    for process in &scene.place.processes {
        match listening_addresses(*process) {
            Ok(addresses) => sockets.seen.extend(addresses),
            Err(error) => {
                sockets.unseen = Some(format!(
                    "the sockets of process {} cannot be seen: {error}",
                    process.id
                ));
            }
        }
    }
    sockets
}

fn candidates(scene: &Scene<'_>) -> Vec<HostPort> {
    let listening = listening(scene).seen;
    if listening.is_empty() {
        let host = &scene.host().host;
        return USUAL
            .map(|port| HostPort {
                host: host.clone(),
                port,
            })
            .to_vec();
    }
    let hosts = listening.iter().map(|socket| of_socket(socket, scene.host()));
    hosts.take(MOST).collect()
}

/// How a listening socket is reached: one of all addresses at the host of the audited address, which also other hosts reach.
pub fn of_socket(socket: &SocketAddr, audited: &HostPort) -> HostPort {
    let address = socket.ip().to_canonical();
    let host = if address.is_unspecified() {
        audited.host.clone()
    } else {
        address.to_string()
    };
    HostPort {
        host,
        port: socket.port(),
    }
}

/// The ports that answer as a master or as a region server does, in clear text or over TLS.
fn by_asking(scene: &Scene<'_>, candidates: &[HostPort]) -> Servers {
    let mut servers = Servers::default();
    for host in candidates {
        let clear = ask(scene, &|| briefly(scene, host));
        let answer = clear.or_else(|_| {
            let anybody = scene.trusting()?;
            ask(scene, &|| briefly(scene, host)?.secure(host, anybody.clone()))
        });
        match answer {
            Ok((0, _)) => servers.masters.push(host.clone()),
            Ok(_) => servers.regions.push(host.clone()),
            Err(_) => {}
        }
    }
    servers
}

/// A connection that may not take long.
pub fn briefly(scene: &Scene<'_>, host: &HostPort) -> Result<Channel, ChannelError> {
    Channel::connect(host, scene.from, Deadline::within(BRIEFLY.min(scene.patience)))
}

/// A connection as clients make it.
pub fn open(scene: &Scene<'_>, remote: &Remote, host: &HostPort) -> Result<Channel, ChannelError> {
    let channel = scene.open_to(host)?;
    if remote.tls.is_none() {
        return Ok(channel);
    }
    channel.secure(host, scene.configuration(remote)?)
}

/// Asks without a login: a master's question, then a region server's where it has no master. The number says which of them was
/// answered.
pub fn ask(
    scene: &Scene<'_>,
    open: &dyn Fn() -> Result<Channel, ChannelError>,
) -> Result<(usize, Answer), ChannelError> {
    let mut last = Err(ChannelError::Silent);
    for (number, question) in QUESTIONS.into_iter().enumerate() {
        last = open()
            .and_then(|mut channel| ask_as(&mut channel, scene.unused_name(), question))
            .map(|answer| (number, answer));
        // A server without that service says so, or just ends the connection.
        match &last {
            Ok((_, Answer::Failed(_))) | Err(ChannelError::Closed) => {}
            _ => return last,
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::ServerName;

    #[test]
    fn a_socket_of_all_addresses_is_looked_for_where_the_address_leads() {
        let audited = HostPort {
            host: "10.0.0.1".to_owned(),
            port: 2_181,
        };
        for (socket, expected) in [
            ("0.0.0.0:16010", "10.0.0.1"),
            ("[::]:16010", "10.0.0.1"),
            ("127.0.0.1:16010", "127.0.0.1"),
            ("[::ffff:127.0.0.2]:16010", "127.0.0.2"),
        ] {
            let found = of_socket(&socket.parse().unwrap(), &audited);
            assert_eq!((found.host.as_str(), found.port), (expected, 16_010), "{socket}");
        }
    }

    #[test]
    fn region_servers_that_are_not_asked_are_counted() {
        let host = |port| HostPort {
            host: "h".to_owned(),
            port,
        };
        let servers = Servers::of(Some(host(1)), (0..40).map(host).collect());
        assert_eq!(servers.all().len(), 1 + MOST);
        assert_eq!(servers.gap().as_deref(), Some("33 of 41 servers were asked"));
        assert_eq!(Servers::of(None, vec![host(1)]).gap(), None);
    }

    #[test]
    fn servers_are_read_from_their_nodes() {
        let region = region_of("127.0.0.1,16020,1700000000000").unwrap();
        assert_eq!((region.host.as_str(), region.port), ("127.0.0.1", 16_020));
        for name in ["", "host", "host,port,1", ",1,2", "host,99999,1"] {
            assert_eq!(region_of(name), None, "{name}");
        }
        let server = ServerName {
            host: "there".to_owned(),
            port: Some(16_000),
        };
        let mut data = vec![PREFIX, 0, 0, 0, 3, b'a', b'b', b'c'];
        data.extend(LETTERS);
        data.extend(Master { server: Some(server) }.encode_to_vec());
        let master = master_of(&data).unwrap();
        assert_eq!((master.host.as_str(), master.port), ("there", 16_000));
        for length in 0..data.len() - 1 {
            assert_eq!(master_of(&data[..length]), None);
        }
    }
}
