//! The memory of a node: its heap and its caches.

use dbdyno_lab::{LabError, LabErrorKind, NodeMemory, ServerRequest};

/// Memory that a node takes beyond its heap and its cache of rows (measured: 400 to 460 MB).
const BEYOND_HEAP_MEBIBYTES: u32 = 470;
/// Less would only show how the collector struggles.
const SMALLEST_HEAP_MEBIBYTES: u32 = 192;
/// The heap where an address sets neither it nor the memory.
const USUAL_HEAP_MEBIBYTES: u32 = 384;

/// The sizes that a request asks for, MiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    pub heap_mebibytes: u32,
    /// Beside the heap; 0: no cache of rows.
    pub row_cache_mebibytes: u32,
    /// In the heap; `None`: Cassandra's own choice, 5% of it.
    pub key_cache_mebibytes: Option<u32>,
}

impl Memory {
    /// Those of a request.
    ///
    /// # Errors
    /// When a heap is too small to start with, or a cache does not fit into it.
    pub(crate) fn of(request: &ServerRequest) -> Result<Self, LabError> {
        let heap_mebibytes = request.mebibytes("heap", USUAL_HEAP_MEBIBYTES)?;
        if heap_mebibytes < SMALLEST_HEAP_MEBIBYTES {
            return Err(refused(
                &format!("heap={heap_mebibytes}M of cassandra is too small"),
                &format!("it takes {SMALLEST_HEAP_MEBIBYTES}M at least"),
            ));
        }
        let cache = |name: &str| match request.option(name) {
            None => Ok(None),
            Some("0") => Ok(Some(0)),
            Some(_) => request.mebibytes(name, 0).map(Some),
        };
        let key_cache_mebibytes = cache("key_cache")?;
        if let Some(keys) = key_cache_mebibytes.filter(|keys| *keys > heap_mebibytes / 2) {
            return Err(refused(
                &format!(
                    "key_cache={keys}M of cassandra takes more than half of the heap of {heap_mebibytes}M"
                ),
                &format!("ask for {}M at most, or for more `heap`", heap_mebibytes / 2),
            ));
        }
        Ok(Self {
            heap_mebibytes,
            row_cache_mebibytes: cache("row_cache")?.unwrap_or(0),
            key_cache_mebibytes,
        })
    }

    /// Memory that one node may take, bytes.
    pub(crate) fn node_bytes(self) -> u64 {
        u64::from(self.node_mebibytes()) << 20
    }

    fn node_mebibytes(self) -> u32 {
        self.heap_mebibytes
            .saturating_add(self.row_cache_mebibytes)
            .saturating_add(BEYOND_HEAP_MEBIBYTES)
    }
}

/// The heap of a node with this memory, MiB: Cassandra's own choice for a machine of this size (`cassandra-env.sh`: the larger of half
/// the memory up to 1 GB and a quarter of it up to 8 GB), and less where the rest would not fit beside it.
///
/// # Errors
/// When a node takes more.
pub(crate) fn within(request: &ServerRequest, mebibytes: u32) -> Result<NodeMemory, LabError> {
    let heap = match request.option("heap") {
        Some(_) => Memory::of(request)?.heap_mebibytes,
        None => {
            let beside = Memory::of(request)?
                .row_cache_mebibytes
                .saturating_add(BEYOND_HEAP_MEBIBYTES);
            let own = (mebibytes / 2).min(1024).max((mebibytes / 4).min(8192));
            own.min(mebibytes.saturating_sub(beside))
                .max(SMALLEST_HEAP_MEBIBYTES)
        }
    };
    let mut sized = request.clone();
    sized.options.insert("heap".to_owned(), format!("{heap}M"));
    let least = Memory::of(&sized)?.node_mebibytes();
    if least > mebibytes {
        return Err(refused(
            &format!(
                "memory={mebibytes}M of cassandra is too little: a node with a heap of {heap}M takes {least}M, because Java and \
                 buffers need {BEYOND_HEAP_MEBIBYTES}M beyond heap and row cache"
            ),
            &format!("ask for memory={least}M at least, or for smaller `heap` and `row_cache`"),
        ));
    }
    Ok(NodeMemory {
        options: vec![("heap", format!("{heap}M"))],
        arguments: Vec::new(),
    })
}

fn refused(message: &str, help: &str) -> LabError {
    LabError::new(LabErrorKind::Request, message).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heap(options: &str, mebibytes: u32) -> Result<String, LabError> {
        let request = ServerRequest::parse(&format!("cassandra?{options}")).unwrap();
        Ok(within(&request, mebibytes)?.options[0].1.clone())
    }

    #[test]
    fn the_heap_is_cassandras_own_share_of_the_memory() {
        for (mebibytes, expected) in [
            (1024, "512M"),
            (2048, "1024M"),
            (4096, "1024M"),
            (8192, "2048M"),
            (700, "230M"),
        ] {
            assert_eq!(heap("", mebibytes).unwrap(), expected, "{mebibytes}");
        }
        assert_eq!(heap("row_cache=300M", 1024).unwrap(), "254M");
        assert_eq!(
            heap("heap=300M", 4096).unwrap(),
            "300M",
            "the address has the last word"
        );
    }

    #[test]
    fn what_does_not_fit_names_what_would() {
        for (options, mebibytes, expected) in [
            ("", 512, "memory=662M at least"),
            ("heap=1G", 1024, "memory=1494M at least"),
            ("row_cache=1G", 1024, "memory=1686M at least"),
        ] {
            let error = heap(options, mebibytes).unwrap_err();
            assert!(error.help.contains(expected), "{options}: {}", error.help);
        }
        let of = |options: &str| Memory::of(&ServerRequest::parse(&format!("cassandra?{options}")).unwrap());
        assert!(of("heap=100M").unwrap_err().help.contains("192M at least"));
        assert!(
            of("key_cache=300M")
                .unwrap_err()
                .message
                .contains("half of the heap")
        );
        assert_eq!(of("row_cache=64M").unwrap().node_bytes(), (384 + 64 + 470) << 20);
    }
}
