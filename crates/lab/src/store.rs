//! Fetched software, by product and version: complete or not there.

use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use crate::error::LabError;
use crate::home::LabHome;

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
        let partial = tempfile::Builder::new()
            .prefix(&format!(".{name}-"))
            .tempdir_in(&self.directory)
            .map_err(|error| LabError::files("make a directory in", &self.directory, &error))?;
        // Readable by the users that servers run as.
        set_mode(partial.path(), 0o755)?;
        fetch(partial.path())?;
        let partial = partial.keep();
        std::fs::rename(&partial, &entry).map_err(|error| LabError::files("name", &entry, &error))?;
        Ok(entry)
    }
}

/// Sets a path's permissions.
pub(crate) fn set_mode(path: &Path, mode: u32) -> Result<(), LabError> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
        .map_err(|error| LabError::files("set the permissions of", path, &error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Trouble;

    #[test]
    fn an_entry_is_complete_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::of(&LabHome::at(folder.path()).unwrap());
        let failed = store.entry("thing-1", |directory| {
            std::fs::write(directory.join("half"), "").unwrap();
            Err(LabError::new(Trouble::Software, "the line went dead"))
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
}
