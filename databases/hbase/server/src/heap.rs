//! The heap of each server.

use dbdyno_lab::{LabError, NodeMemory, ServerRequest};

use crate::process::BEYOND_HEAP_MEBIBYTES;
use crate::refused;
use crate::setup::Topology;

/// The least heap that a server serves with.
const SMALLEST_HEAP_MEBIBYTES: u32 = 128;

/// The heap of each process but ZooKeeper's, MiB.
///
/// # Errors
/// When it is too small to serve with.
pub fn mebibytes(request: &ServerRequest, topology: Topology) -> Result<u32, LabError> {
    let heap = request.mebibytes("heap", if topology.nodes == 1 { 512 } else { 256 })?;
    if heap < SMALLEST_HEAP_MEBIBYTES {
        return Err(refused(
            &format!("heap={heap}M of hbase is too small"),
            &format!("it takes {SMALLEST_HEAP_MEBIBYTES}M at least"),
        ));
    }
    Ok(heap)
}

/// The heap of a server with this memory.
///
/// # Errors
/// When the server takes more.
pub fn within(
    request: &ServerRequest,
    topology: Topology,
    mebibytes_of_node: u32,
) -> Result<NodeMemory, LabError> {
    let heap = match request.option("heap") {
        Some(_) => mebibytes(request, topology)?,
        // Java's own choice of a quarter would leave most of it to nobody: HBase caches in its heap.
        None => {
            let beside = mebibytes_of_node.saturating_sub(BEYOND_HEAP_MEBIBYTES);
            (mebibytes_of_node / 2).min(beside).max(SMALLEST_HEAP_MEBIBYTES)
        }
    };
    let least = heap.saturating_add(BEYOND_HEAP_MEBIBYTES);
    if least > mebibytes_of_node {
        return Err(refused(
            &format!(
                "memory={mebibytes_of_node}M of hbase is too little: a server with a heap of {heap}M takes {least}M"
            ),
            &format!("ask for memory={least}M at least, or for a smaller `heap`"),
        ));
    }
    Ok(NodeMemory {
        options: vec![("heap", format!("{heap}M"))],
        arguments: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(options: &str) -> ServerRequest {
        ServerRequest::parse(&format!("hbase?{options}")).unwrap()
    }

    #[test]
    fn the_heap_is_half_of_the_memory_and_leaves_room_beside_it() {
        let heap = |options: &str, mebibytes_of_node: u32| {
            let request = request(options);
            let topology = Topology::of(&request).unwrap();
            within(&request, topology, mebibytes_of_node).map(|memory| memory.options[0].1.clone())
        };
        for (memory, expected) in [(278, "128M"), (290, "140M"), (1024, "512M"), (4096, "2048M")] {
            assert_eq!(heap("", memory).unwrap(), expected);
        }
        assert_eq!(heap("heap=200M", 1024).unwrap(), "200M");
        for (options, memory, expected) in [
            ("", 277, "memory=278M at least"),
            ("heap=1G", 1024, "memory=1174M at least"),
            ("heap=64M", 1024, "128M at least"),
        ] {
            let error = heap(options, memory).unwrap_err();
            assert!(error.help.contains(expected), "{options}: {error}");
        }
    }
}
