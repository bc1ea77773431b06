//! Writes an interval log with known content to the given path, for other readers to check: see
//! `xtask/java/hdr-check`, which knows the same numbers.

use std::path::Path;
use std::time::Duration;

use dbdyno_record::{IntervalLogWriter, Latency};

fn main() -> std::io::Result<()> {
    let path = std::env::args()
        .nth(1)
        .ok_or_else(|| std::io::Error::other("give the path of the log to write"))?;
    let started_at = "2026-01-02T03:04:05.500Z"
        .parse()
        .map_err(std::io::Error::other)?;
    let mut log = IntervalLogWriter::create(Path::new(&path), started_at, "dbdyno: a log for other readers")?;
    let second = Duration::from_secs(1);
    for interval in 0..10_u32 {
        // Reads: 1 to 1000 microseconds. Updates: one of two hours every other second, else none.
        let mut reads = Latency::new();
        (1..=1000).for_each(|microseconds| reads.record(microseconds * 1_000));
        log.write("measure.read", second * interval, second, &reads)?;
        let mut updates = Latency::new();
        if interval % 2 == 0 {
            updates.record(7_200_000_000_000);
        }
        log.write("measure.update", second * interval, second, &updates)?;
    }
    log.finish()
}
