//! Saying that a disk is full.

use std::path::Path;

use crate::{DbError, ErrorClass};

/// Less than this is no room: stores write their journals and files in larger pieces.
const NO_ROOM_BYTES: u64 = 1 << 20;

/// The error of a write to `path` that failed because its disk is full.
#[must_use]
pub fn full_disk(path: &Path) -> DbError {
    DbError::new(
        ErrorClass::Rejected,
        format!(
            "the disk of `{}` is full; make room or name another path",
            path.display()
        ),
    )
}

/// Whether the file system of `path` has no room left for this user. For stores that do not say why a write failed.
#[must_use]
pub fn is_full(path: &Path) -> bool {
    // File systems that are no disk, such as /proc, have no blocks at all.
    rustix::fs::statvfs(path)
        .is_ok_and(|disk| disk.f_blocks > 0 && disk.f_bavail.saturating_mul(disk.f_frsize) < NO_ROOM_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_with_room_is_not_full() {
        assert!(!is_full(&std::env::temp_dir()));
        assert!(!is_full(Path::new("/no/such/path")));
        assert!(!is_full(Path::new("/proc")));
    }
}
