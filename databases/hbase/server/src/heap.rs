//! The heap of each server, and the shares of it that hold records: the cache of blocks that were read, and what was written
//! and is in no file yet.

use dbdyno_lab::{LabError, LabErrorKind, Missing, NodeMemory, ServerRequest};

use crate::process::BEYOND_HEAP_MEBIBYTES;
use crate::setup::Topology;

/// The least heap that a server serves with.
const SMALLEST_HEAP_MEBIBYTES: u32 = 128;
/// A region server ends at its start where both shares take more of the heap (`HeapMemorySizeUtil` of HBase 2.6).
const MOST_OF_BOTH_SHARES: f64 = 0.8;
/// HBase's own choice for each of the shares (`hbase-default.xml`).
const USUAL_SHARE: f64 = 0.4;

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

/// The shares that a request names.
///
/// # Errors
/// When one of them is not a share, or both take more of the heap than HBase lets them.
pub fn shares(request: &ServerRequest) -> Result<Shares, LabError> {
    let share = |name: &str, least: f64| {
        let Some(text) = request.option(name) else {
            return Ok(None);
        };
        let number: Option<f64> = text.parse().ok();
        match number.filter(|share| (least..=MOST_OF_BOTH_SHARES).contains(share)) {
            Some(share) => Ok(Some(share)),
            None => Err(refused(
                &format!("{name}={text} of hbase is not a share of the heap"),
                &format!("write a number from {least} to {MOST_OF_BOTH_SHARES}, e.g. {name}=0.3"),
            )),
        }
    };
    let blocks: Option<f64> = share("block_cache", 0.0)?;
    // HBase takes its own choice instead of none at all.
    let written: Option<f64> = share("memstore", 0.05)?;
    let both = blocks.unwrap_or(USUAL_SHARE) + written.unwrap_or(USUAL_SHARE);
    // Sums of decimal fractions are not exact.
    if both > MOST_OF_BOTH_SHARES + 1e-9 {
        return Err(refused(
            &format!(
                "block_cache={} and memstore={} of hbase take more than {MOST_OF_BOTH_SHARES} of the heap",
                blocks.unwrap_or(USUAL_SHARE),
                written.unwrap_or(USUAL_SHARE)
            ),
            "make one of them smaller; each is 0.4 where the address does not say it",
        ));
    }
    Ok(Shares { blocks, written })
}

/// Shares of the heap; `None` where a request does not name them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    /// Of blocks that were read.
    blocks: Option<f64>,
    /// Of what was written and is in no file yet.
    written: Option<f64>,
}

/// How a region server states a share in its log when it starts (`BlockCacheFactory` and `MemStoreFlusher` of HBase 2.6).
const STATED: [(&str, &str); 2] = [
    ("block_cache", "Allocating BlockCache size="),
    ("memstore", "globalMemStoreLimit="),
];
/// Java's serial collector, which `java_options` may ask for, keeps 3% of the heap from HBase; logs round, too.
const TOLERANCE: f64 = 0.05;

impl Shares {
    /// The settings of `hbase-site.xml`.
    pub fn settings(self) -> Vec<(String, String)> {
        let settings = [
            ("hfile.block.cache.size", self.blocks),
            ("hbase.regionserver.global.memstore.size", self.written),
        ];
        let named = settings.into_iter();
        named
            .filter_map(|(name, share)| Some((name.to_owned(), share?.to_string())))
            .collect()
    }

    /// Whether somebody named one of them.
    pub fn is_named(self) -> bool {
        self.blocks.is_some() || self.written.is_some()
    }

    /// Compares the shares with what a region server with this heap states in its log.
    ///
    /// # Errors
    /// [`Missing::Yet`] while the log does not state them, and [`Missing::ForEver`] where it states others.
    pub fn kept(self, log: &str, heap_mebibytes: u32) -> Result<(), Missing> {
        for ((option, stated), share) in STATED.into_iter().zip([self.blocks, self.written]) {
            let Some(share) = share.filter(|share| *share > 0.0) else {
                continue;
            };
            let size = log.split_once(stated).map(|(_, after)| mebibytes_of(after));
            let Some(size) = size else {
                return Err(Missing::Yet(format!("its log does not state {option} yet")));
            };
            let asked = share * f64::from(heap_mebibytes);
            if size.is_none_or(|size| (size - asked).abs() > TOLERANCE * asked) {
                let size = size.map_or_else(|| "another size".to_owned(), |size| format!("{size:.1} MiB"));
                return Err(Missing::ForEver(format!(
                    "its log states {size} where {option}={share} of {heap_mebibytes} MiB was asked for"
                )));
            }
        }
        Ok(())
    }
}

/// The size that this text begins with, `204.80 MB` or `204.8 M`; Hadoop writes powers of 1024 so.
fn mebibytes_of(text: &str) -> Option<f64> {
    let mut words = text.split([' ', ',']);
    let size: f64 = words.next()?.parse().ok()?;
    let unit = match words.next()?.chars().next()? {
        'K' => 1.0 / 1024.0,
        'M' => 1.0,
        'G' => 1024.0,
        _ => return None,
    };
    Some(size * unit)
}

fn refused(message: &str, help: &str) -> LabError {
    LabError::new(LabErrorKind::Request, message).help(help)
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

    #[test]
    fn shares_of_the_heap_are_those_that_hbase_starts_with() {
        let settings = |options: &str| shares(&request(options)).map(Shares::settings);
        assert_eq!(settings("").unwrap(), []);
        assert_eq!(
            settings("block_cache=0.1&memstore=0.7").unwrap(),
            [
                ("hfile.block.cache.size".to_owned(), "0.1".to_owned()),
                (
                    "hbase.regionserver.global.memstore.size".to_owned(),
                    "0.7".to_owned()
                ),
            ]
        );
        assert_eq!(settings("block_cache=0").unwrap()[0].1, "0");
        for (options, expected) in [
            ("block_cache=0.5", "block_cache=0.5 and memstore=0.4"),
            ("block_cache=40%", "is not a share"),
            ("memstore=0", "is not a share"),
            ("memstore=NaN", "is not a share"),
        ] {
            let error = settings(options).unwrap_err();
            assert!(error.message.contains(expected), "{options}: {error}");
        }
    }

    #[test]
    fn shares_are_those_that_the_server_states() {
        let log = "INFO [main] hfile.BlockCacheFactory: Allocating BlockCache size=51.20 MB, blockSize=64 KB\n\
                   INFO [rs] regionserver.MemStoreFlusher: globalMemStoreLimit=358.4 M, globalMemStoreLimitLowMark=340.5 M, Offheap=false\n";
        let kept = |options: &str, log: &str| shares(&request(options)).unwrap().kept(log, 512);
        assert_eq!(kept("block_cache=0.1&memstore=0.7", log), Ok(()));
        assert_eq!(kept("block_cache=0", log), Ok(()), "no cache states no size");
        assert!(matches!(
            kept("memstore=0.7", "INFO starting"),
            Err(Missing::Yet(_))
        ));
        let other = kept("block_cache=0.2", log);
        assert!(
            matches!(&other, Err(Missing::ForEver(why)) if why.contains("51.2 MiB where block_cache=0.2 of 512 MiB")),
            "{other:?}"
        );
        assert_eq!(mebibytes_of("1.5 GB, blockSize=64 KB"), Some(1536.0));
        assert_eq!(mebibytes_of("many"), None);
    }
}
