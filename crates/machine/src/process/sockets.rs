//! The addresses that processes listen on.

use std::collections::BTreeSet;
use std::io;
use std::net::SocketAddr;
use std::path::Path;

use super::ProcessId;
use super::as_owner::{as_owner, io_error};
use crate::tables::net::{TcpNetEntry, TcpState, tcp, tcp6};
use crate::tables::process::FDTarget;
use crate::tables::{ProcError, ProcResult};

/// The addresses that a process and its descendants listen on; none for processes that are gone.
///
/// # Errors
/// When the kernel does not show them. Never fewer addresses than there are: others may rely on none being open.
pub fn listening_addresses(process: ProcessId) -> io::Result<Vec<SocketAddr>> {
    let mut sockets = BTreeSet::new();
    for process in [vec![process], process.descendants()].concat() {
        let directory = Path::new("/proc").join(process.id.to_string());
        match as_owner(&directory, open_sockets) {
            Ok(open) => sockets.extend(open),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    let theirs = listeners()?
        .into_iter()
        .filter(|entry| sockets.contains(&entry.inode));
    Ok(theirs.map(|entry| entry.local_address).collect())
}

/// The addresses that programs of anybody listen on, in the network of this process.
///
/// # Errors
/// When the kernel does not show them.
pub fn all_listening_addresses() -> io::Result<Vec<SocketAddr>> {
    Ok(listeners()?
        .into_iter()
        .map(|entry| entry.local_address)
        .collect())
}

fn listeners() -> io::Result<Vec<TcpNetEntry>> {
    let mut entries = [table(tcp())?, table(tcp6())?].concat();
    entries.retain(|entry| entry.state == TcpState::Listen);
    Ok(entries)
}

/// A kernel without IPv6 has no such table.
fn table(entries: ProcResult<Vec<TcpNetEntry>>) -> io::Result<Vec<TcpNetEntry>> {
    match entries {
        Err(ProcError::NotFound(_)) => Ok(Vec::new()),
        entries => entries.map_err(io_error),
    }
}

/// The inodes of a process's open sockets. `procfs` would leave out descriptors that may not be looked at.
fn open_sockets(process: &Path) -> io::Result<Vec<u64>> {
    let mut inodes = Vec::new();
    for entry in std::fs::read_dir(process.join("fd"))? {
        let link = match std::fs::read_link(entry?.path()) {
            Ok(link) => link,
            // Closed in between.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        if let Some(Ok(FDTarget::Socket(inode))) = link.to_str().map(str::parse) {
            inodes.push(inode);
        }
    }
    Ok(inodes)
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
        let found = listening_addresses(ProcessId::own().unwrap()).unwrap();
        for listener in &listeners {
            let address = listener.local_addr().unwrap();
            assert!(found.contains(&address), "{address} is missing in {found:?}");
        }
        assert!(!found.contains(&connection.local_addr().unwrap()), "{found:?}");
        let all = all_listening_addresses().unwrap();
        assert!(found.iter().all(|address| all.contains(address)), "{all:?}");
        let gone = ProcessId {
            id: u32::MAX,
            start_ticks: 0,
        };
        assert_eq!(listening_addresses(gone).unwrap(), []);
    }
}
