//! How fast the disk of the result folder really syncs: a tenth of a second that explains many results.

use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// No new write is begun after this; each of the two parts has half.
const BUDGET: Duration = Duration::from_millis(100);
/// One page of most file systems and stores.
const BLOCK_BYTES: usize = 4096;
/// Enough for a median.
const MOST_SYNCS: usize = 200;
const CHUNK_BYTES: usize = 1 << 20;
/// The page cache of a fast machine could take much in half the budget.
const MOST_CHUNKS: usize = 64;

/// A short measurement of the disk that holds the result folder. A database on another disk has another story.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiskPreflight {
    /// How many blocks of 4096 bytes were appended and synced, one by one.
    pub syncs: u64,
    /// Median time of one such write and sync, nanoseconds. A few microseconds mean that nothing reaches a disk.
    pub sync_median_ns: u64,
    /// The longest one.
    pub sync_max_ns: u64,
    /// Bytes per second of large sequential writes with one sync at their end.
    pub write_bytes_per_second: f64,
}

/// Writes to an unnamed file in the folder for about a tenth of a second (longer only if a single sync takes longer).
///
/// # Errors
/// When the folder cannot be written.
#[expect(
    clippy::disallowed_methods,
    reason = "it times the disk before any trial, not operations of a database"
)]
pub fn measure_disk(folder: &Path) -> io::Result<DiskPreflight> {
    let mut file = tempfile::tempfile_in(folder)?;
    let block = [0x5a_u8; BLOCK_BYTES];
    let mut syncs_ns = Vec::with_capacity(MOST_SYNCS);
    let began = Instant::now();
    while syncs_ns.len() < MOST_SYNCS && (syncs_ns.is_empty() || began.elapsed() < BUDGET / 2) {
        let start = Instant::now();
        file.write_all(&block)?;
        file.sync_data()?;
        syncs_ns.push(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
    }
    syncs_ns.sort_unstable();

    file.seek(SeekFrom::Start(0))?;
    let chunk = vec![0xa5_u8; CHUNK_BYTES];
    let mut chunks = 0;
    let began = Instant::now();
    while chunks < MOST_CHUNKS && (chunks == 0 || began.elapsed() < BUDGET / 2) {
        file.write_all(&chunk)?;
        chunks += 1;
    }
    file.sync_data()?;
    let seconds = began.elapsed().as_secs_f64().max(1e-9);
    Ok(DiskPreflight {
        syncs: syncs_ns.len() as u64,
        sync_median_ns: syncs_ns[syncs_ns.len() / 2],
        sync_max_ns: syncs_ns[syncs_ns.len() - 1],
        write_bytes_per_second: (chunks * CHUNK_BYTES) as f64 / seconds,
    })
}
