//! How fast the disk of the result folder really syncs: a tenth of a second that explains many results.

use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use dbdyno_record::environment::DiskPreflight;

/// No new write is begun after this; each of the two parts has half.
const BUDGET: Duration = Duration::from_millis(100);
/// One page of most file systems and stores.
const BLOCK_BYTES: usize = 4096;
/// Enough for a median.
const MOST_SYNCS: usize = 200;
const CHUNK_BYTES: usize = 1 << 20;
/// The page cache of a fast machine could take much in half the budget.
const MOST_CHUNKS: usize = 64;

/// Writes to an unnamed file in the folder for about a tenth of a second (longer only if a single sync takes longer).
///
/// # Errors
/// When the folder cannot be written.
pub fn measure_disk(folder: &Path) -> io::Result<DiskPreflight> {
    let (syncs_ns, write_bytes_per_second) = one_writer(folder)?;
    Ok(summarised(syncs_ns, write_bytes_per_second))
}

/// Measures the disk by several writers at a time, each with a file of its own, as the nodes of a cluster on one disk are. Large
/// writes are those of all writers together.
///
/// # Errors
/// When the folder cannot be written.
pub fn measure_disk_by(folder: &Path, writers: usize) -> io::Result<DiskPreflight> {
    let measured: Vec<io::Result<(Vec<u64>, f64)>> = std::thread::scope(|scope| {
        let started: Vec<_> = (0..writers.max(1))
            .map(|_| scope.spawn(|| one_writer(folder)))
            .collect();
        let gone = |_| Err(io::Error::other("a writer panicked"));
        started
            .into_iter()
            .map(|writer| writer.join().unwrap_or_else(gone))
            .collect()
    });
    let (mut syncs_ns, mut write_bytes_per_second) = (Vec::new(), 0.0);
    for writer in measured {
        let (syncs, rate) = writer?;
        syncs_ns.extend(syncs);
        write_bytes_per_second += rate;
    }
    Ok(summarised(syncs_ns, write_bytes_per_second))
}

fn summarised(mut syncs_ns: Vec<u64>, write_bytes_per_second: f64) -> DiskPreflight {
    syncs_ns.sort_unstable();
    DiskPreflight {
        syncs: syncs_ns.len() as u64,
        sync_median_ns: syncs_ns[syncs_ns.len() / 2],
        sync_max_ns: syncs_ns[syncs_ns.len() - 1],
        write_bytes_per_second,
    }
}

/// The time of each sync, at least one, and bytes per second of large writes.
#[expect(
    clippy::disallowed_methods,
    reason = "it times the disk before any trial, not operations of a database"
)]
fn one_writer(folder: &Path) -> io::Result<(Vec<u64>, f64)> {
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
    Ok((syncs_ns, (chunks * CHUNK_BYTES) as f64 / seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_writers_measure_together() {
        let folder = tempfile::tempdir().unwrap();
        let three = measure_disk_by(folder.path(), 3).unwrap();
        assert!(three.syncs >= 3 && three.sync_max_ns >= three.sync_median_ns);
        assert!(three.write_bytes_per_second > 0.0);
        assert!(measure_disk_by(&folder.path().join("absent"), 2).is_err());
    }
}
