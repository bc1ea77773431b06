//! Free ports of the loopback addresses.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};
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
    given: BTreeSet<u16>,
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

impl Ports {
    /// A port that is free on all of these addresses, and never given before.
    pub(crate) fn take(&mut self, addresses: &[IpAddr]) -> std::result::Result<u16, LabError> {
        for _ in 0..200 {
            let Some(first) = addresses
                .first()
                .and_then(|address| Held::take((*address, 0).into()).ok())
            else {
                break;
            };
            let port = first.address.port();
            // Some servers open a second port at a distance of 10,000 (Redis's cluster bus).
            if port > 55_000 || self.given.contains(&port) {
                continue;
            }
            let rest: Result<Vec<Held>> = addresses[1..]
                .iter()
                .map(|address| Held::take((*address, port).into()))
                .collect();
            if let Ok(rest) = rest {
                self.given.insert(port);
                self.held.push(first);
                self.held.extend(rest);
                return Ok(port);
            }
        }
        Err(LabError::new(
            LabErrorKind::Machine,
            "no free port was found on the loopback addresses",
        ))
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
}
