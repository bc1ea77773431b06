//! Which addresses servers listen on: other machines must not reach any of them.

use std::net::{IpAddr, SocketAddr};

use dbdyno_machine::listening_addresses;

use crate::error::{LabError, LabErrorKind};
use crate::state::Server;

/// Checks that these servers listen on loopback addresses only, and on the one that was asked for.
///
/// # Errors
/// When one listens elsewhere, or the kernel does not tell where it listens.
pub(crate) fn check(recipe: &str, servers: &[Server], asked_for: Option<IpAddr>) -> Result<(), LabError> {
    for server in servers {
        let listening = listening_addresses(server.process).map_err(|error| {
            LabError::new(
                LabErrorKind::Machine,
                format!(
                    "cannot see which addresses {} of {recipe} listens on: {error}",
                    server.name
                ),
            )
            .help("let dbdyno read /proc: the lab needs the directories of its servers and net/tcp")
        })?;
        let is_allowed =
            |address: &SocketAddr| is_loopback(address) || Some(address.ip().to_canonical()) == asked_for;
        if let Some(open) = listening.iter().find(|address| !is_allowed(address)) {
            return Err(LabError::new(
                LabErrorKind::Server,
                format!(
                    "{} of {recipe} listens on the address {}, port {}, which other machines may reach; it was stopped",
                    server.name,
                    open.ip(),
                    open.port()
                ),
            )
            .help(
                "servers of the lab listen on loopback addresses only: remove the option, the environment variable or the \
                 setting of the installation that opens the port",
            ));
        }
    }
    Ok(())
}

fn is_loopback(address: &SocketAddr) -> bool {
    // An IPv4 address may be written as one of IPv6, as Java does.
    address.ip().to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_addresses_stay_on_the_machine() {
        for (address, expected) in [
            ("127.0.0.1:1", true),
            ("127.8.0.1:1", true),
            ("[::1]:1", true),
            ("[::ffff:127.0.0.1]:1", true),
            ("0.0.0.0:1", false),
            ("[::]:1", false),
            ("[::ffff:10.0.0.1]:1", false),
            ("192.168.0.7:1", false),
        ] {
            assert_eq!(is_loopback(&address.parse().unwrap()), expected, "{address}");
        }
    }
}
