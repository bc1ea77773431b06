//! Fetched software, by product and version: complete or not there.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use crate::error::LabError;
use crate::home::LabHome;

/// Letters at the end of the name of an entry that is being fetched.
const RANDOM_LETTERS: usize = 6;

/// The cache of fetched software.
#[derive(Clone, Debug)]
pub struct Store {
    directory: PathBuf,
}

impl Store {
    /// The store of a home.
    #[must_use]
    pub fn of(home: &LabHome) -> Self {
        Self {
            directory: home.cache().to_owned(),
        }
    }

    /// The entry of that name (`cassandra-5.0.9`). `fetch` fills an empty directory when the entry is not there yet; it
    /// appears under its name only when `fetch` succeeded. A second process that wants the same waits for the first.
    ///
    /// # Errors
    /// That of `fetch`, or of the files.
    pub fn entry(
        &self,
        name: &str,
        fetch: impl FnOnce(&Path) -> Result<(), LabError>,
    ) -> Result<PathBuf, LabError> {
        let entry = self.directory.join(name);
        if entry.is_dir() {
            return Ok(entry);
        }
        let lock_path = self.directory.join(format!(".{name}.lock"));
        let lock = std::fs::File::create(&lock_path)
            .map_err(|error| LabError::files("make the lock", &lock_path, &error))?;
        flock(&lock, FlockOperation::LockExclusive)
            .map_err(|error| LabError::files("lock", &lock_path, &error.into()))?;
        if entry.is_dir() {
            return Ok(entry);
        }
        self.remove_leftovers(name);
        let partial = tempfile::Builder::new()
            .prefix(&format!(".{name}-"))
            .rand_bytes(RANDOM_LETTERS)
            .tempdir_in(&self.directory)
            .map_err(|error| LabError::files("make a directory in", &self.directory, &error))?;
        fetch(partial.path())?;
        make_readable(partial.path())?;
        let partial = partial.keep();
        std::fs::rename(&partial, &entry).map_err(|error| LabError::files("name", &entry, &error))?;
        Ok(entry)
    }

    /// Removes what processes that were killed had fetched of an entry; its lock is held, so no other fetches it now. One that stays
    /// only takes room.
    fn remove_leftovers(&self, name: &str) {
        let prefix = format!(".{name}-");
        let is_left = |file_name: &str| {
            let random = file_name.strip_prefix(&prefix);
            random.is_some_and(|random| {
                random.len() == RANDOM_LETTERS && random.bytes().all(|byte| byte.is_ascii_alphanumeric())
            })
        };
        for entry in std::fs::read_dir(&self.directory).into_iter().flatten().flatten() {
            if entry.file_name().to_str().is_some_and(is_left) {
                std::fs::remove_dir_all(entry.path()).ok();
            }
        }
    }
}

/// Lets every user read what was fetched, whatever this process's umask is: servers may run as another user. Nobody but the
/// owner can write there.
fn make_readable(path: &Path) -> Result<(), LabError> {
    let found = std::fs::symlink_metadata(path).map_err(|error| LabError::files("read", path, &error))?;
    if found.is_symlink() {
        return Ok(());
    }
    let mode = found.permissions().mode();
    if !found.is_dir() {
        let run = if mode & 0o100 == 0 { 0 } else { 0o111 };
        return set_mode(path, mode & !0o7022 | 0o444 | run);
    }
    for entry in std::fs::read_dir(path).map_err(|error| LabError::files("read", path, &error))? {
        make_readable(
            &entry
                .map_err(|error| LabError::files("read", path, &error))?
                .path(),
        )?;
    }
    set_mode(path, 0o755)
}

/// Sets a path's permissions.
pub(crate) fn set_mode(path: &Path, mode: u32) -> Result<(), LabError> {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
        .map_err(|error| LabError::files("set the permissions of", path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::LabErrorKind;

    #[test]
    fn an_entry_is_complete_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::of(&LabHome::at(folder.path()).unwrap());
        let failed = store.entry("thing-1", |directory| {
            std::fs::write(directory.join("half"), "").unwrap();
            Err(LabError::new(LabErrorKind::Software, "the line went dead"))
        });
        assert_eq!(failed.unwrap_err().message, "the line went dead");
        let entry = store
            .entry("thing-1", |directory| {
                std::fs::write(directory.join("whole"), "").unwrap();
                Ok(())
            })
            .unwrap();
        assert!(entry.join("whole").exists() && !entry.join("half").exists());
        let again = store.entry("thing-1", |_| panic!("it is there")).unwrap();
        assert_eq!(entry, again);
    }

    #[test]
    fn what_a_killed_process_fetched_is_removed_by_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let home = LabHome::at(folder.path()).unwrap();
        let of = |name: &str| home.cache().join(name);
        for name in [".thing-1-aB3dEf", ".thing-1-more-aB3dEf", "thing-2"] {
            std::fs::create_dir(of(name)).unwrap();
        }
        Store::of(&home).entry("thing-1", |_| Ok(())).unwrap();
        assert!(!of(".thing-1-aB3dEf").exists());
        assert!(of(".thing-1-more-aB3dEf").exists() && of("thing-2").exists());
    }

    #[test]
    fn every_user_can_read_an_entry_and_only_its_owner_can_write() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::of(&LabHome::at(folder.path()).unwrap());
        let files = [
            ("data", 0o600, 0o644),
            ("program", 0o700, 0o755),
            ("open", 0o666, 0o644),
        ];
        let entry = store.entry("thing-1", |directory| {
            let inside = directory.join("inside");
            std::fs::create_dir(&inside).unwrap();
            for (name, mode, _) in files {
                std::fs::write(inside.join(name), "").unwrap();
                set_mode(&inside.join(name), mode)?;
            }
            set_mode(&inside, 0o700)
        });
        let inside = entry.unwrap().join("inside");
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(&inside), 0o755);
        for (name, _, expected) in files {
            assert_eq!(mode(&inside.join(name)), expected, "{name}");
        }
    }
}
