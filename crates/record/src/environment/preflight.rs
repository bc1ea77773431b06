//! How fast the disk of the result folder really syncs: a tenth of a second that explains many results.

use serde::{Deserialize, Serialize};

/// Short measurements of one disk differ by up to this factor.
const SAME_DISK: f64 = 2.0;

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

impl DiskPreflight {
    /// What became of the disk since `self`, in words, when it is another one by now: its syncs or its large writes differ by
    /// more than a factor of `SAME_DISK`.
    #[must_use]
    pub fn change(&self, later: &Self) -> Option<String> {
        let beyond = |ratio: f64| ratio.is_finite() && !(1.0 / SAME_DISK..=SAME_DISK).contains(&ratio);
        let syncs = later.sync_median_ns as f64 / self.sync_median_ns as f64;
        if beyond(syncs) {
            return Some(format!(
                "a synced write took {:.2} ms before and {:.2} ms after",
                self.sync_median_ns as f64 / 1e6,
                later.sync_median_ns as f64 / 1e6
            ));
        }
        beyond(later.write_bytes_per_second / self.write_bytes_per_second).then(|| {
            format!(
                "large writes went at {:.0} MB/s before and at {:.0} MB/s after",
                self.write_bytes_per_second / 1e6,
                later.write_bytes_per_second / 1e6
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_the_disk_is_described() {
        let disk = |sync_median_ns, write_bytes_per_second| DiskPreflight {
            syncs: 100,
            sync_median_ns,
            sync_max_ns: 9_000_000,
            write_bytes_per_second,
        };
        let before = disk(200_000, 500e6);
        assert_eq!(before.change(&disk(350_000, 300e6)), None);
        assert_eq!(
            before.change(&disk(1_100_000, 500e6)).unwrap(),
            "a synced write took 0.20 ms before and 1.10 ms after"
        );
        assert!(
            before
                .change(&disk(200_000, 90e6))
                .unwrap()
                .contains("500 MB/s before and at 90 MB/s")
        );
        assert_eq!(before.change(&disk(200_000, f64::INFINITY)), None);
    }
}
