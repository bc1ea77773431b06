//! Directories that vanish with the process: at its end, or, when it was killed, when the next one needs such a directory.
//!
//! A file in the directory is locked as long as its process lives. A directory of the user's own whose lock is free has
//! nobody any more. Numbers of processes would not tell: two containers may share the directory, and not see each other's.

use std::fs::File;
use std::io;
use std::path::Path;

use tempfile::TempDir;

/// Names that nothing else has: what has both is removed.
pub const PREFIX: &str = "dbdyno-temporary-";
const LOCK: &str = ".dbdyno-temporary";

/// A directory of this process.
#[derive(Debug)]
pub(super) struct Temporary {
    directory: TempDir,
    /// Held, not used.
    _lock: File,
}

impl Temporary {
    /// Makes one, and removes those that killed processes left.
    pub(super) fn new(name: &str) -> io::Result<Self> {
        let parent = std::env::temp_dir();
        remove_left(&parent);
        Self::new_in(&parent, name)
    }

    fn new_in(parent: &Path, name: &str) -> io::Result<Self> {
        let directory = tempfile::Builder::new()
            .prefix(&format!("{PREFIX}{name}-"))
            .tempdir_in(parent)?;
        // Locked before it has its name: nobody else can find it free. Where files cannot be locked, nobody removes it.
        let unnamed = directory.path().join(".locking");
        let lock = File::create(&unnamed)?;
        lock.lock().ok();
        std::fs::rename(&unnamed, directory.path().join(LOCK))?;
        Ok(Self {
            directory,
            _lock: lock,
        })
    }

    pub(super) fn path(&self) -> &Path {
        self.directory.path()
    }
}

/// What cannot be removed stays: it is in nobody's way.
fn remove_left(parent: &Path) {
    let Ok(entries) = std::fs::read_dir(parent) else {
        return;
    };
    let ours = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(PREFIX)) && dbdyno_owned::is_directory(path)
    };
    for path in entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| ours(path))
    {
        if let Ok(lock) = File::open(path.join(LOCK))
            && lock.try_lock().is_ok()
        {
            std::fs::remove_dir_all(&path).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_is_in_use_stays() {
        let parent = tempfile::tempdir().unwrap();
        let used = Temporary::new_in(parent.path(), "store").unwrap();
        let left = parent.path().join("dbdyno-temporary-store-left");
        let (by_hand, results) = (
            parent.path().join("dbdyno-temporary-by-hand"),
            parent.path().join("dbdyno-results"),
        );
        for (directory, file) in [(&left, LOCK), (&by_hand, ".lock"), (&results, LOCK)] {
            std::fs::create_dir(directory).unwrap();
            std::fs::write(directory.join(file), "").unwrap();
        }
        std::fs::write(left.join("data"), "x").unwrap();
        remove_left(parent.path());
        assert!(used.path().exists() && !left.exists() && by_hand.exists() && results.exists());
        drop(used);
        remove_left(parent.path());
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 2);
    }
}
