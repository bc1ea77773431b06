//! What other accounts of the machine may do with the servers' files.

use std::collections::{BTreeSet, HashMap};
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::walk::walk;

/// Bits of a mode that are about accounts which neither own a file nor are in its group (inode(7)).
const OTHERS_READ: u32 = 0o004;
const OTHERS_WRITE: u32 = 0o002;
/// Of a directory: whether they may use what is in it.
const OTHERS_ENTER: u32 = 0o001;
/// Others may add files to such a directory, and remove their own alone.
const STICKY: u32 = 0o1000;

/// Files that accounts may use which neither own them nor are in their group. Access lists beyond the mode are not looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OpenFiles {
    /// How many they may read.
    pub readable: usize,
    /// How many files and directories they may change.
    pub writable: usize,
    /// One of them, with its mode; of those that may be changed, if there are any.
    pub example: Option<(PathBuf, u32)>,
}

impl OpenFiles {
    /// Those below some directories. What lies in a directory that others may not enter is closed to them, whatever its own mode.
    pub fn below(places: &[PathBuf]) -> Self {
        let mut open = Self::default();
        let mut entered = HashMap::new();
        walk(places, &mut |path, metadata| {
            if path.parent().is_none_or(|parent| may_enter(parent, &mut entered)) {
                open.note(path, metadata);
            }
        });
        open.note_all(&above(places), &mut entered);
        open
    }

    /// Those among some files, and among the directories that lead to them: who may write there may put another file in their place.
    pub fn among(files: &[PathBuf]) -> Self {
        let mut paths = above(files);
        paths.extend(files.iter().filter_map(|file| file.canonicalize().ok()));
        let mut open = Self::default();
        open.note_all(&paths, &mut HashMap::new());
        open
    }

    fn note_all(&mut self, paths: &BTreeSet<PathBuf>, entered: &mut HashMap<PathBuf, bool>) {
        for path in paths {
            if let Ok(metadata) = path.metadata()
                && path.parent().is_none_or(|parent| may_enter(parent, entered))
            {
                self.note(path, &metadata);
            }
        }
    }

    fn note(&mut self, path: &Path, metadata: &Metadata) {
        let mode = metadata.mode();
        let is_writable = mode & OTHERS_WRITE != 0 && !(metadata.is_dir() && mode & STICKY != 0);
        let is_readable = metadata.is_file() && mode & OTHERS_READ != 0;
        if is_readable || is_writable {
            let is_first = if is_writable {
                self.writable == 0
            } else {
                self.example.is_none()
            };
            if is_first {
                self.example = Some((path.to_owned(), mode & 0o7777));
            }
        }
        self.readable += usize::from(is_readable);
        self.writable += usize::from(is_writable);
    }
}

/// The directories above some paths: as they are named, and where links lead.
fn above(paths: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut directories = BTreeSet::new();
    for path in paths {
        let ways = [std::path::absolute(path), path.canonicalize()];
        for way in ways.into_iter().flatten() {
            directories.extend(way.ancestors().skip(1).map(Path::to_owned));
        }
    }
    directories
}

/// Whether others may enter a directory and all above it.
fn may_enter(directory: &Path, known: &mut HashMap<PathBuf, bool>) -> bool {
    if let Some(known) = known.get(directory) {
        return *known;
    }
    let is_open = directory
        .metadata()
        .is_ok_and(|metadata| metadata.mode() & OTHERS_ENTER != 0);
    let may = is_open && directory.parent().is_none_or(|parent| may_enter(parent, known));
    known.insert(directory.to_owned(), may);
    may
}

#[cfg(test)]
mod tests {
    use std::fs::{Permissions, set_permissions, write};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn what_others_may_use_is_counted_behind_open_directories_only() {
        let place = tempfile::tempdir().unwrap();
        let set = |path: &Path, mode| set_permissions(path, Permissions::from_mode(mode)).unwrap();
        let inner = place.path().join("base");
        std::fs::create_dir(&inner).unwrap();
        for (name, mode) in [("closed", 0o640), ("open", 0o644), ("loose", 0o666)] {
            let path = inner.join(name);
            write(&path, "x").unwrap();
            set(&path, mode);
        }
        set(&inner, 0o755);
        let below = || OpenFiles::below(&[place.path().to_owned()]);
        set(place.path(), 0o700);
        assert_eq!(below(), OpenFiles::default());
        set(place.path(), 0o711);
        let open = below();
        assert_eq!((open.readable, open.writable), (2, 1));
        assert_eq!(
            open.example,
            Some((inner.canonicalize().unwrap().join("loose"), 0o666))
        );
        // Whoever may write into a directory may replace what is in it, but for that of others where it is sticky.
        set(&inner.join("loose"), 0o644);
        set(&inner, 0o1777);
        assert_eq!(below().writable, 0);
        set(&inner, 0o777);
        assert_eq!((below().readable, below().writable), (2, 1));
    }

    #[test]
    fn a_file_that_is_named_is_as_open_as_its_directory() {
        let place = tempfile::tempdir().unwrap();
        let set = |path: &Path, mode| set_permissions(path, Permissions::from_mode(mode)).unwrap();
        let key = place.path().join("server.key");
        for path in [&key, &place.path().join("of-others")] {
            write(path, "x").unwrap();
            set(path, 0o666);
        }
        let among = || {
            let open = OpenFiles::among(&[key.clone(), place.path().join("gone")]);
            (open.readable, open.writable)
        };
        set(place.path(), 0o700);
        assert_eq!(among(), (0, 0));
        set(place.path(), 0o711);
        assert_eq!(among(), (1, 1));
        set(&key, 0o604);
        assert_eq!(among(), (1, 0));
        set(&key, 0o600);
        assert_eq!(among(), (0, 0));
        set(place.path(), 0o733);
        assert_eq!(among(), (0, 1));
        set(place.path(), 0o1733);
        assert_eq!(among(), (0, 0));
    }
    #[test]
    fn who_may_replace_a_directory_above_may_replace_all_below() {
        let place = tempfile::tempdir().unwrap();
        let set = |path: &Path, mode| set_permissions(path, Permissions::from_mode(mode)).unwrap();
        let (upper, inner) = (place.path().join("upper"), place.path().join("upper/inner"));
        std::fs::create_dir_all(&inner).unwrap();
        let key = inner.join("server.key");
        write(&key, "x").unwrap();
        set(&key, 0o600);
        let linked = place.path().join("links");
        std::fs::create_dir(&linked).unwrap();
        std::os::unix::fs::symlink(&key, linked.join("key")).unwrap();
        for path in [place.path(), &upper, &inner, &linked] {
            set(path, 0o755);
        }
        let among = |path: &Path| OpenFiles::among(&[path.to_owned()]).writable;
        let below = || OpenFiles::below(std::slice::from_ref(&inner)).writable;
        assert_eq!((among(&key), among(&linked.join("key")), below()), (0, 0, 0));
        set(&upper, 0o777);
        assert_eq!((among(&key), among(&linked.join("key")), below()), (1, 1, 1));
        set(&upper, 0o755);
        set(&linked, 0o777);
        assert_eq!((among(&key), among(&linked.join("key")), below()), (0, 1, 0));
    }
}
