//! How much room a path has.

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// A file system and what is free on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// The number of its device: paths with the same number share the room.
    pub device: u64,
    /// Bytes that this user may still write.
    pub free_bytes: u64,
}

/// The room of a path, or of the nearest folder above it that is there; `None` where nothing says so.
#[must_use]
pub fn room(path: &Path) -> Option<Room> {
    let absolute = std::path::absolute(path).ok()?;
    let there = absolute.ancestors().find(|path| path.exists())?;
    let space = rustix::fs::statvfs(there).ok()?;
    // File systems that are no disk, such as /proc, have no blocks at all.
    let free_bytes = space
        .f_bavail
        .checked_mul(space.f_frsize)
        .filter(|_| space.f_blocks > 0)?;
    Some(Room {
        device: there.metadata().ok()?.dev(),
        free_bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_is_not_there_yet_has_the_room_of_its_folder() {
        let folder = std::env::temp_dir();
        let there = room(&folder).unwrap();
        let later = room(&folder.join("dbdyno-no-such/data.redb")).unwrap();
        assert_eq!(later.device, there.device);
        assert!(there.free_bytes > 0);
        assert_eq!(room(Path::new("/proc/self")), None);
    }
}
