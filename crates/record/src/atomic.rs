//! Files that are there whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

const TEMPORARY_PREFIX: &str = ".dbdyno-";
const TEMPORARY_SUFFIX: &str = ".tmp";

/// Writes a file so that at any moment, power cuts included, it holds either what it held before or all of `bytes`: a
/// temporary file in the same folder, synced, renamed over the target, and the folder synced so that the rename lasts.
///
/// # Errors
/// When the folder or the disk does not allow it.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // The parent of a mere file name is an empty path.
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY_PREFIX).suffix(TEMPORARY_SUFFIX);
    #[cfg(unix)]
    {
        // Temporary files are private by default; results are as readable as the user's umask says.
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    sync_folder(folder)
}

/// Makes the names in a folder last.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(folder)?.sync_all()?;
    Ok(())
}

/// Removes temporary files of a writer that was killed. Only for the one that holds the folder's lock.
pub(crate) fn remove_leftovers(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(TEMPORARY_PREFIX)
            && name.ends_with(TEMPORARY_SUFFIX)
            && entry.file_type()?.is_file()
        {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_whole_files_and_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.json");
        write(&path, b"first").unwrap();
        write(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn only_its_own_leftovers_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        for name in [".dbdyno-x1.tmp", "mine.tmp", ".dbdyno-notes"] {
            fs::write(folder.path().join(name), "x").unwrap();
        }
        remove_leftovers(folder.path()).unwrap();
        let mut left: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        left.sort();
        assert_eq!(left, [".dbdyno-notes", "mine.tmp"]);
    }
}
