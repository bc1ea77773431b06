//! Which addresses servers listen on: other machines must not reach any of them.

use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::Path;

use crate::as_owner::as_owner;
use crate::error::{LabError, LabErrorKind};
use crate::process::ProcessId;
use crate::state::Server;

/// The state of a listening socket (`TCP_LISTEN` in the kernel's `tcp_states.h`).
const LISTENING: &str = "0A";

/// Checks that these servers listen on loopback addresses only.
///
/// # Errors
/// When one listens elsewhere, or the kernel does not tell where it listens.
pub(crate) fn check(recipe: &str, servers: &[Server]) -> Result<(), LabError> {
    for server in servers {
        let listening = listening(server.process).map_err(|error| {
            LabError::new(
                LabErrorKind::Machine,
                format!(
                    "cannot see which addresses {} of {recipe} listens on: {error}",
                    server.name
                ),
            )
            .help("let dbdyno read /proc, of which the lab needs the directories of its servers and net/tcp")
        })?;
        if let Some(open) = listening.iter().find(|address| !is_loopback(address)) {
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

/// Where a process and those that it started listen; nothing for processes that are gone.
fn listening(process: ProcessId) -> io::Result<Vec<SocketAddr>> {
    let mut sockets = BTreeSet::new();
    for process in [vec![process], process.descendants()].concat() {
        let directory = Path::new("/proc").join(process.id.to_string());
        match as_owner(&directory, open_sockets) {
            Ok(open) => sockets.extend(open),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    let mut found = Vec::new();
    for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
        match std::fs::read_to_string(table) {
            Ok(text) => found.extend(listeners(&text, &sockets)),
            // A kernel without IPv6.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// The inodes of the sockets that a process has open.
fn open_sockets(process: &Path) -> io::Result<Vec<u64>> {
    let mut inodes = Vec::new();
    for entry in std::fs::read_dir(process.join("fd"))? {
        let link = match std::fs::read_link(entry?.path()) {
            Ok(link) => link,
            // Closed in between.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let inode = link.to_str().and_then(|link| {
            link.strip_prefix("socket:[")?
                .strip_suffix(']')?
                .parse::<u64>()
                .ok()
        });
        inodes.extend(inode);
    }
    Ok(inodes)
}

/// The addresses of a table of `/proc/net` on which one of these sockets listens. Fields: proc_pid_net(5).
fn listeners(table: &str, sockets: &BTreeSet<u64>) -> Vec<SocketAddr> {
    let rows = table
        .lines()
        .skip(1)
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    rows.filter_map(|fields| {
        let (address, state, inode) = (fields.get(1)?, fields.get(3)?, fields.get(9)?);
        let is_theirs = *state == LISTENING && sockets.contains(&inode.parse().ok()?);
        is_theirs.then(|| socket_address(address)).flatten()
    })
    .collect()
}

/// `0100007F:1F90`: the words of the address as this machine stores them, which are in the network's order; the port as a number.
fn socket_address(text: &str) -> Option<SocketAddr> {
    let (address, port) = text.split_once(':')?;
    let word = |at: usize| {
        let word = u32::from_str_radix(address.get(at..at + 8)?, 16).ok()?;
        Some(u32::from_be(word))
    };
    let address = if address.len() == 8 {
        IpAddr::V4(Ipv4Addr::from(word(0)?))
    } else {
        let words = [word(0)?, word(8)?, word(16)?, word(24)?];
        let whole = words
            .iter()
            .fold(0, |whole: u128, word| whole << 32 | u128::from(*word));
        IpAddr::V6(Ipv6Addr::from(whole))
    };
    Some(SocketAddr::new(address, u16::from_str_radix(port, 16).ok()?))
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn listening_sockets_of_a_process_are_found_and_others_are_not() {
        let listeners =
            ["127.0.0.1:0", "127.0.0.2:0", "[::1]:0"].map(|address| TcpListener::bind(address).unwrap());
        let connection = TcpStream::connect(listeners[0].local_addr().unwrap()).unwrap();
        let found = listening(ProcessId::own().unwrap()).unwrap();
        for listener in &listeners {
            let address = listener.local_addr().unwrap();
            assert!(found.contains(&address), "{address} is missing in {found:?}");
        }
        assert!(!found.contains(&connection.local_addr().unwrap()), "{found:?}");
        let none = listeners_of_nobody();
        assert_eq!(none, []);
    }

    fn listeners_of_nobody() -> Vec<SocketAddr> {
        listeners(
            &std::fs::read_to_string("/proc/net/tcp").unwrap(),
            &BTreeSet::new(),
        )
    }

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
