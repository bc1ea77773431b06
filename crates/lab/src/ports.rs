//! Free ports of the loopback addresses.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::ops::Range;
use std::os::fd::OwnedFd;

use rustix::io::Result;
use rustix::net::sockopt::set_socket_reuseaddr;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, getsockname, socket_with};

use crate::error::{LabError, LabErrorKind};

/// Ports handed out and held until a server takes them over. The sockets are kept so that nobody else gets one in the
/// meantime; they close when the server that wants them is spawned.
///
/// They do not listen. A process that another thread is just starting has copies of them until it executes its program;
/// a copy that listened would answer whoever asks whether the server is up.
#[derive(Default)]
pub(crate) struct Ports {
    held: Vec<Held>,
    claims: Claims,
}

/// Ports that no other lab of this machine takes, also while nobody listens there: a server of Java is started twenty seconds before it
/// does, and one that is killed comes back to its port.
#[derive(Default)]
pub(crate) struct Claims(BTreeMap<u16, OwnedFd>);

impl Claims {
    /// Whether the port was free to claim.
    fn add(&mut self, port: u16) -> bool {
        if self.0.contains_key(&port) {
            return false;
        }
        claim(port).is_ok_and(|socket| self.0.insert(port, socket).is_none())
    }
}

/// A socket whose name, which only one socket of this network has, names the port. The kernel forgets it with this process.
#[cfg(target_os = "linux")]
fn claim(port: u16) -> Result<OwnedFd> {
    let name = rustix::net::SocketAddrUnix::new_abstract_name(format!("dbdyno-lab-port-{port}").as_bytes())?;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, FLAGS, None)?;
    bind(&socket, &name)?;
    Ok(socket)
}

/// Where no server starts (`platform.rs`), nobody needs a claim.
#[cfg(not(target_os = "linux"))]
fn claim(_: u16) -> Result<OwnedFd> {
    socket_with(AddressFamily::UNIX, SocketType::STREAM, FLAGS, None)
}

/// An address that nobody else can have.
struct Held {
    address: SocketAddr,
    socket: OwnedFd,
}

/// Other systems cannot close a new socket on exec in one step. No server starts there (`platform.rs`).
#[cfg(not(target_os = "linux"))]
const FLAGS: SocketFlags = SocketFlags::empty();
#[cfg(target_os = "linux")]
const FLAGS: SocketFlags = SocketFlags::CLOEXEC;

impl Held {
    fn take(address: SocketAddr) -> Result<Self> {
        let family = match address {
            SocketAddr::V4(_) => AddressFamily::INET,
            SocketAddr::V6(_) => AddressFamily::INET6,
        };
        let socket = socket_with(family, SocketType::STREAM, FLAGS, None)?;
        bind(&socket, &address)?;
        let address = getsockname(&socket)?.try_into()?;
        Ok(Self { address, socket })
    }

    /// From now on a server that allows reuse gets the address, even while a copy of the socket is open.
    fn release(self) {
        // Without it the server waits for the copy to close.
        let _ = set_socket_reuseaddr(&self.socket, true);
    }
}

/// Ports of the lab's servers. The kernel gives those of a higher range to connections, and a server may take twenty seconds
/// until it listens: with a port of that range, a connection of a server to another was sometimes there first. Some servers open
/// a second port at a distance of 10,000 (Redis's cluster bus), which is neither in this range nor in the kernel's. HBase's usual ports begin above.
const PORTS: Range<u16> = 10_000..16_000;
const SECOND_PORT_DISTANCE: u16 = 10_000;

/// Whether connections get ports of the lab's servers on this machine, where somebody widened their range.
fn connections_use_our_ports() -> bool {
    let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    let lowest = range
        .split_whitespace()
        .next()
        .and_then(|lowest| lowest.parse().ok());
    lowest.is_some_and(|lowest: u16| lowest < PORTS.end + SECOND_PORT_DISTANCE)
}

/// A port to try; 0 leaves the choice to the kernel.
fn candidate() -> u16 {
    let mut bytes = [0; 2];
    if connections_use_our_ports() || getrandom::fill(&mut bytes).is_err() {
        return 0;
    }
    PORTS.start + u16::from_ne_bytes(bytes) % (PORTS.end - PORTS.start)
}

impl Ports {
    /// A port that is free on all of these addresses, and never given before.
    pub(crate) fn take(&mut self, addresses: &[IpAddr]) -> std::result::Result<u16, LabError> {
        (0..200)
            .find_map(|_| self.take_if_free(candidate(), addresses))
            .ok_or_else(|| {
                LabError::new(
                    LabErrorKind::Machine,
                    "no free port was found on the loopback addresses",
                )
            })
    }

    /// The port, if it is free on all of these addresses and no lab has claimed it.
    fn take_if_free(&mut self, candidate: u16, addresses: &[IpAddr]) -> Option<u16> {
        let (first, rest) = addresses.split_first()?;
        let first = Held::take((*first, candidate).into()).ok()?;
        let port = first.address.port();
        if port > u16::MAX - SECOND_PORT_DISTANCE {
            return None;
        }
        let rest: Vec<Held> = rest
            .iter()
            .map(|address| Held::take((*address, port).into()))
            .collect::<Result<_>>()
            .ok()?;
        if !self.claims.add(port) {
            return None;
        }
        self.held.push(first);
        self.held.extend(rest);
        Some(port)
    }

    /// The claims alone, for as long as the servers may be started again.
    pub(crate) fn into_claims(self) -> Claims {
        self.claims
    }

    /// Lets go of every port, for the servers that are about to listen.
    pub(crate) fn release(&mut self) {
        self.held.drain(..).for_each(Held::release);
    }

    /// Lets go of these ports, and holds the others for servers that start later.
    pub(crate) fn release_only(&mut self, wanted: &[SocketAddr]) {
        self.held
            .extract_if(.., |held| wanted.contains(&held.address))
            .for_each(Held::release);
    }
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpListener, TcpStream};

    use super::*;

    #[test]
    fn a_port_is_held_until_its_own_server_starts() {
        let addresses = [Ipv4Addr::LOCALHOST, Ipv4Addr::new(127, 0, 0, 2)];
        let mut ports = Ports::default();
        let port = ports.take(&addresses.map(IpAddr::V4)).unwrap();
        let is_free = |address: Ipv4Addr| TcpListener::bind((address, port)).is_ok();
        ports.release_only(&[SocketAddr::from((addresses[0], port))]);
        assert!(is_free(addresses[0]) && !is_free(addresses[1]));
        ports.release();
        assert!(addresses.into_iter().all(is_free));
    }

    #[test]
    fn a_port_whose_server_is_still_starting_is_given_to_nobody() {
        let loopback = [IpAddr::V4(Ipv4Addr::LOCALHOST)];
        let (mut ports, mut others) = (Ports::default(), Ports::default());
        let port = ports.take(&loopback).unwrap();
        ports.release();
        assert_eq!(others.take_if_free(port, &loopback), None);
        let claims = ports.into_claims();
        assert_eq!(others.take_if_free(port, &loopback), None);
        drop(claims);
        assert_eq!(others.take_if_free(port, &loopback), Some(port));
    }

    #[test]
    fn nobody_answers_on_a_held_port_and_a_copy_keeps_no_server_out() {
        let mut ports = Ports::default();
        let port = ports.take(&[Ipv4Addr::LOCALHOST.into()]).unwrap();
        let copy = ports.held[0].socket.try_clone().unwrap();
        assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err());
        ports.release();
        assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err());
        assert!(TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok());
        drop(copy);
    }

    #[test]
    fn no_connection_can_have_the_port_of_a_server_that_is_starting() {
        let mut ports = Ports::default();
        let taken: Vec<u16> = (0..50)
            .map(|_| ports.take(&[Ipv4Addr::LOCALHOST.into()]).unwrap())
            .collect();
        let connections = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap();
        let lowest: u16 = connections.split_whitespace().next().unwrap().parse().unwrap();
        if lowest >= PORTS.end + SECOND_PORT_DISTANCE {
            assert!(
                taken.iter().all(|port| port + SECOND_PORT_DISTANCE < lowest),
                "{taken:?}"
            );
        }
    }
}
