//! Free ports of the loopback addresses.

use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr, TcpListener};

use crate::error::{LabError, LabErrorKind};

/// Ports handed out and held until a server takes them over. The listeners are kept so that nobody else gets one in the
/// meantime; they close when the server that wants them is spawned.
#[derive(Default)]
pub(crate) struct Ports {
    held: Vec<TcpListener>,
    given: BTreeSet<u16>,
}

impl Ports {
    /// A port that is free on all of these addresses, and never given before.
    pub(crate) fn take(&mut self, addresses: &[IpAddr]) -> Result<u16, LabError> {
        for _ in 0..200 {
            let Some(first) = addresses
                .first()
                .and_then(|address| TcpListener::bind((*address, 0)).ok())
            else {
                break;
            };
            let Ok(port) = first.local_addr().map(|address| address.port()) else {
                break;
            };
            // Some servers open a second port at a distance of 10,000 (Redis's cluster bus).
            if port > 55_000 || self.given.contains(&port) {
                continue;
            }
            let rest: Result<Vec<TcpListener>, _> = addresses[1..]
                .iter()
                .map(|address| TcpListener::bind((*address, port)))
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
        self.held.clear();
    }

    /// Lets go of these ports, and holds the others for servers that start later.
    pub(crate) fn release_only(&mut self, wanted: &[SocketAddr]) {
        self.held.retain(|listener| {
            !listener
                .local_addr()
                .is_ok_and(|address| wanted.contains(&address))
        });
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_port_is_held_until_its_own_server_starts() {
        let addresses = [Ipv4Addr::LOCALHOST, Ipv4Addr::new(127, 0, 0, 2)];
        let mut ports = Ports::default();
        let port = ports.take(&addresses.map(IpAddr::V4)).unwrap();
        let is_free = |address: Ipv4Addr| TcpListener::bind((address, port)).is_ok();
        // Until it executes its program, a process that another test has just started holds copies of our listeners.
        let becomes_free = |address| {
            (0..1000).any(|_| {
                std::thread::sleep(Duration::from_millis(10));
                is_free(address)
            })
        };
        ports.release_only(&[SocketAddr::from((addresses[0], port))]);
        assert!(becomes_free(addresses[0]) && !is_free(addresses[1]));
        ports.release();
        assert!(addresses.into_iter().all(becomes_free));
    }
}
