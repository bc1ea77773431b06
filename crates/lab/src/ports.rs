//! Free ports of the loopback addresses.

use std::collections::BTreeSet;
use std::net::{IpAddr, TcpListener};

use crate::error::{LabError, Trouble};

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
            Trouble::Machine,
            "no free port was found on the loopback addresses",
        ))
    }

    /// Lets go of every port, for the servers that are about to listen.
    pub(crate) fn release(&mut self) {
        self.held.clear();
    }
}
