//! Directories and files by whose they are.
//!
//! Of the user's own, dbdyno runs, signals or removes what it finds in them. Where every user can write, such as `/var/tmp`, another
//! user can make a directory under the name that dbdyno will use, so owner, type and permissions are checked at each use. What
//! anybody may have put there ([`foreign`]), and what a person names ([`named`]), is only read, with limits.

pub mod foreign;
pub mod named;

use std::fs::{DirBuilder, File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

/// What others than the owner may not do.
const WRITABLE_BY_OTHERS: u32 = 0o022;
/// A group is often the user alone; all are not.
const WRITABLE_BY_ALL: u32 = 0o002;

/// Makes a directory with these permissions, with those above it, or checks that the one which is there is the user's own. Permission
/// for others to write is taken away.
///
/// # Errors
/// When it cannot be made, is a symbolic link or no directory, belongs to another user, or has content and is writable by all.
pub fn directory(path: &Path, mode: u32) -> io::Result<()> {
    if let Some(above) = path.parent() {
        std::fs::create_dir_all(above)?;
    }
    match DirBuilder::new().mode(mode).create(path) {
        // The process's umask may have taken more away.
        Ok(()) => std::fs::set_permissions(path, PermissionsExt::from_mode(mode)),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let found = std::fs::symlink_metadata(path)?;
            check(&found)?;
            if found.mode() & WRITABLE_BY_OTHERS == 0 {
                return Ok(());
            }
            if found.mode() & WRITABLE_BY_ALL != 0 && std::fs::read_dir(path)?.next().is_some() {
                return Err(denied(
                    "every user can write to it, and it is not empty".to_owned(),
                ));
            }
            let kept = found.mode() & 0o7777 & !WRITABLE_BY_OTHERS;
            std::fs::set_permissions(path, PermissionsExt::from_mode(kept))
        }
        Err(error) => Err(error),
    }
}

/// Whether this is a directory of the user's own, and no link to one.
#[must_use]
pub fn is_directory(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|found| check(&found).is_ok())
}

fn check(found: &Metadata) -> io::Result<()> {
    let own = rustix::process::geteuid().as_raw();
    let problem = if found.is_symlink() {
        "it is a symbolic link".to_owned()
    } else if !found.is_dir() {
        "it is not a directory".to_owned()
    } else if found.uid() != own {
        format!("it belongs to the user with number {}, not to you", found.uid())
    } else {
        return Ok(());
    };
    Err(denied(problem))
}

fn denied(problem: String) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, problem)
}

/// Reads a file that belongs to the user, up to this many bytes; never through a symbolic link.
///
/// # Errors
/// When it cannot be opened, is longer, is no regular file, or belongs to another user.
pub fn read(path: &Path, most_bytes: u64) -> io::Result<String> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let found = file.metadata()?;
    if !found.is_file() || found.uid() != rustix::process::geteuid().as_raw() || found.len() > most_bytes {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            "it is not your file, or too long",
        ));
    }
    let mut text = String::new();
    file.take(most_bytes).read_to_string(&mut text)?;
    Ok(text)
}

/// The user's cache: `$XDG_CACHE_HOME`, else `.cache` in the home directory, else, for a user without a home, a checked directory
/// among the temporary files.
///
/// # Errors
/// As [`directory`], for a user without a home.
pub fn cache() -> io::Result<PathBuf> {
    let named = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    // The specification of XDG's base directories has relative paths ignored.
    if let Some(cache) = named.filter(|path| path.is_absolute()) {
        return Ok(cache);
    }
    if let Some(home) = std::env::home_dir().filter(|home| !home.as_os_str().is_empty()) {
        return Ok(home.join(".cache"));
    }
    let user = rustix::process::geteuid().as_raw();
    let path = std::env::temp_dir().join(format!("dbdyno-{user}"));
    directory(&path, 0o711)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().mode() & 0o777
    }

    #[test]
    fn a_directory_is_made_for_its_owner_and_used_again() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("above/own");
        directory(&path, 0o711).unwrap();
        assert_eq!(mode(&path), 0o711);
        directory(&path, 0o711).unwrap();
        assert!(is_directory(&path));
    }

    #[test]
    fn others_lose_the_permission_to_write() {
        let place = tempfile::tempdir().unwrap();
        std::fs::set_permissions(place.path(), PermissionsExt::from_mode(0o777)).unwrap();
        directory(place.path(), 0o711).unwrap();
        assert_eq!(mode(place.path()), 0o755);
        std::fs::write(place.path().join("planted"), "").unwrap();
        std::fs::set_permissions(place.path(), PermissionsExt::from_mode(0o777)).unwrap();
        let error = directory(place.path(), 0o711).unwrap_err();
        assert!(error.to_string().contains("every user can write"), "{error}");
    }

    #[test]
    fn links_files_and_directories_of_others_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let (real, link, file) = (
            place.path().join("real"),
            place.path().join("link"),
            place.path().join("file"),
        );
        directory(&real, 0o711).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        std::fs::write(&file, "").unwrap();
        for refused in [&link, &file] {
            let error = directory(refused, 0o711).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{error}");
            assert!(!is_directory(refused));
        }
        // Somebody else's: root's for a user, a user's for root.
        let others = if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(&real, Some(65_534), None).unwrap();
            real
        } else {
            PathBuf::from("/usr")
        };
        let error = directory(&others, 0o711).unwrap_err();
        assert!(error.to_string().contains("belongs to the user"), "{error}");
    }

    #[test]
    fn a_file_is_read_where_it_lies_and_not_where_a_link_leads() {
        let place = tempfile::tempdir().unwrap();
        let (file, link) = (place.path().join("file"), place.path().join("link"));
        std::fs::write(&file, "text").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(read(&file, 100).unwrap(), "text");
        assert!(read(&file, 3).is_err());
        assert!(read(&link, 100).is_err());
        assert!(read(place.path(), 100).is_err());
    }
}
