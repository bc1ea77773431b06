//! The shares of each server's heap that hold records: the cache of blocks that were read, and what was written and is in no file
//! yet. They are read back from the server's log.

use dbdyno_lab::{LabError, ServerRequest};

use crate::refused;

/// A region server ends at its start where both shares take more of the heap (`HeapMemorySizeUtil` of HBase 2.6).
const MOST_OF_BOTH_SHARES: f64 = 0.8;
/// HBase's own choice for each of the shares (`hbase-default.xml`).
const USUAL_SHARE: f64 = 0.4;

/// The shares that a request names.
///
/// # Errors
/// When one of them is not a share, or both take more of the heap than HBase lets them.
pub fn of(request: &ServerRequest) -> Result<Shares, LabError> {
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
/// Logs round.
const ROUNDING: f64 = 0.01;
/// What a collector other than G1 may keep from HBase, of which shares are no share: the survivor spaces that lie idle.
const MOST_KEPT_BACK: f64 = 0.25;

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

    /// Whether the request names one of them.
    pub fn is_named(self) -> bool {
        self.blocks.is_some() || self.written.is_some()
    }

    /// Whether a region server states its shares in this log. It states that of the memstore last.
    pub fn are_stated(log: &str) -> bool {
        let [_, (_, last)] = STATED;
        log.contains(last)
    }

    /// Compares the shares with those that a region server with this heap states in its log. A collector that the request
    /// names may keep a part of the heap back; G1, the lab's own choice, keeps nothing.
    ///
    /// # Errors
    /// When they are others.
    pub fn check(self, log: &str, heap_mebibytes: u32, names_collector: bool) -> Result<(), LabError> {
        let kept_back = if names_collector { MOST_KEPT_BACK } else { 0.0 };
        for ((option, stated), share) in STATED.into_iter().zip([self.blocks, self.written]) {
            let Some(share) = share else {
                continue;
            };
            // Without a cache there is nothing to state.
            let size = log.split_once(stated).map(|(_, after)| mebibytes_of(after));
            let size = size.unwrap_or(Some(0.0));
            let asked = share * f64::from(heap_mebibytes);
            let may_be = asked * (1.0 - kept_back - ROUNDING)..=asked * (1.0 + ROUNDING);
            if !size.is_some_and(|size| may_be.contains(&size)) {
                let size = size.map_or_else(|| "another size".to_owned(), |size| format!("{size:.1} MiB"));
                return Err(refused(
                    &format!(
                        "hbase was asked for {option}={share} of a heap of {heap_mebibytes} MiB and started with {size}"
                    ),
                    &format!(
                        "`settings` or `java_options` sets another size: remove it there, or remove {option}"
                    ),
                ));
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

#[cfg(test)]
mod tests {
    use super::*;

    fn request(options: &str) -> ServerRequest {
        ServerRequest::parse(&format!("hbase?{options}")).unwrap()
    }

    #[test]
    fn shares_of_the_heap_are_those_that_hbase_starts_with() {
        let settings = |options: &str| of(&request(options)).map(Shares::settings);
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
        let check = |options: &str, log: &str| of(&request(options)).unwrap().check(log, 512, false);
        check("block_cache=0.1&memstore=0.7", log).unwrap();
        let (_, without_cache) = log.split_once('\n').unwrap();
        check("block_cache=0", without_cache).expect("no cache states no size");
        check("block_cache=0", log).unwrap_err();
        // The parallel collector keeps a survivor space back.
        let parallel = log.replace("51.20", "45.55").replace("358.4", "318.9");
        let both = of(&request("block_cache=0.1&memstore=0.7")).unwrap();
        both.check(&parallel, 512, true).unwrap();
        both.check(&parallel, 512, false).unwrap_err();
        let other = check("block_cache=0.2", log).unwrap_err();
        assert!(
            other
                .message
                .contains("block_cache=0.2 of a heap of 512 MiB and started with 51.2 MiB"),
            "{other}"
        );
        assert!(Shares::are_stated(log));
        assert!(!Shares::are_stated("INFO starting"));
        assert_eq!(mebibytes_of("1.5 GB, blockSize=64 KB"), Some(1536.0));
        assert_eq!(mebibytes_of("many"), None);
    }
}
