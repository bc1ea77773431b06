//! Where an embedded store keeps its data: the path in the address, or a temporary directory.

use std::io;
use std::path::{Path, PathBuf};

use super::temporary::Temporary;
use crate::{DbError, DriverInfo, ErrorClass, Target};

/// A file or directory for a store. A temporary one is removed with everything in it when this is dropped, so
/// whatever holds the store open must be dropped first.
#[derive(Debug)]
pub struct Place {
    path: PathBuf,
    temporary: Option<Temporary>,
}

impl Place {
    /// The file the address names, or `data.<name>` in a temporary directory when it names none. The file itself is
    /// the store's to create.
    ///
    /// # Errors
    /// One clear error when the path is a directory, its parent is missing, or no temporary directory can be made.
    pub fn file(info: &DriverInfo, target: &Target) -> Result<Self, DbError> {
        if target.place.is_empty() {
            let directory = temporary(info)?;
            return Ok(Self {
                path: directory.path().join(format!("data.{}", info.name)),
                temporary: Some(directory),
            });
        }
        let path = PathBuf::from(&target.place);
        if path.is_dir() {
            return Err(rejected(
                info,
                &path,
                "is a directory, and the database is a file; name a file in it",
            ));
        }
        check_parent(info, &path)?;
        Ok(Self {
            path,
            temporary: None,
        })
    }

    /// The directory the address names, created if it is missing, or a temporary one when it names none. A directory
    /// that holds other things and not `marker` (a file every store of this kind has) is refused.
    ///
    /// # Errors
    /// One clear error when the path is a file, is somebody else's directory, its parent is missing, or it cannot be
    /// created.
    pub fn directory(info: &DriverInfo, target: &Target, marker: &str) -> Result<Self, DbError> {
        if target.place.is_empty() {
            let directory = temporary(info)?;
            return Ok(Self {
                path: directory.path().join(info.name),
                temporary: Some(directory),
            });
        }
        let path = PathBuf::from(&target.place);
        if path.is_file() {
            return Err(rejected(
                info,
                &path,
                "is a file, and the database is a directory; name a directory",
            ));
        }
        if path.is_dir() {
            let mut entries = std::fs::read_dir(&path).map_err(|error| open_error(info, &path, error))?;
            if entries.next().is_some() && !path.join(marker).exists() {
                return Err(rejected(
                    info,
                    &path,
                    &format!(
                        "contains other files and no {} database; choose an empty or new directory",
                        info.name
                    ),
                ));
            }
        } else {
            check_parent(info, &path)?;
            std::fs::create_dir(&path).map_err(|error| open_error(info, &path, error))?;
        }
        Ok(Self {
            path,
            temporary: None,
        })
    }

    /// The store's file or directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it vanishes with the driver.
    #[must_use]
    pub fn is_temporary(&self) -> bool {
        self.temporary.is_some()
    }

    /// What [`SystemFacts::settings`](crate::SystemFacts::settings) says under `place`: `temporary` (in which
    /// directory) or `given`, and the kind of file system, since syncing to a `tmpfs` costs nothing and means nothing.
    #[must_use]
    pub fn describe(&self) -> String {
        let kind = if self.is_temporary() { "temporary" } else { "given" };
        match file_system(&self.path) {
            Some(file_system) => format!("{kind}, on {file_system}"),
            None => kind.to_owned(),
        }
    }
}

/// The error for a path that the operating system would not let us use.
#[must_use]
pub fn open_error(info: &DriverInfo, path: &Path, error: io::Error) -> DbError {
    let advice = match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "is not writable for this user; change its permissions or name another path"
        }
        io::ErrorKind::NotFound => "does not exist and could not be created; name another path",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "is on a full disk; make room or name another path"
        }
        _ => "cannot be used; name another path",
    };
    let reason = error.to_string();
    rejected(info, path, &format!("{advice} ({reason})")).with_source(error)
}

/// Refuses table names that not every embedded store can keep, or that drivers use themselves: empty, longer than 128
/// bytes, with control characters, or starting with `_dbdyno`.
///
/// # Errors
/// `Rejected`, naming the property that mends it.
pub fn table_name(name: &str) -> Result<(), DbError> {
    let reason = if name.is_empty() {
        "is empty"
    } else if name.len() > 128 {
        "is longer than 128 bytes"
    } else if name.chars().any(char::is_control) {
        "has control characters"
    } else if name.starts_with("_dbdyno") {
        "starts with `_dbdyno`, which is reserved for dbdyno's own tables"
    } else {
        return Ok(());
    };
    Err(DbError::new(
        ErrorClass::Rejected,
        format!(
            "the table name `{}` {reason}; set the property `table` to another name",
            name.escape_debug()
        ),
    ))
}

fn temporary(info: &DriverInfo) -> Result<Temporary, DbError> {
    Temporary::new(info.name).map_err(|error| {
        DbError::new(
            ErrorClass::Rejected,
            format!(
                "`{}` cannot make a temporary directory in `{}`: {error}; set TMPDIR to a directory that is \
                 writable, or name a path: `{}`",
                info.name,
                std::env::temp_dir().display(),
                info.example
            ),
        )
        .with_source(error)
    })
}

fn check_parent(info: &DriverInfo, path: &Path) -> Result<(), DbError> {
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => return Ok(()),
    };
    if parent.is_dir() {
        return Ok(());
    }
    let tilde = if path.starts_with("~") {
        " (a shell leaves `~` as it is after the colon; write $HOME)"
    } else {
        ""
    };
    Err(DbError::new(
        ErrorClass::Rejected,
        format!(
            "`{}` cannot use `{}`: the directory `{}` does not exist{tilde}; create it, or name no path for a \
             temporary database",
            info.name,
            path.display(),
            parent.display()
        ),
    ))
}

fn rejected(info: &DriverInfo, path: &Path, what: &str) -> DbError {
    DbError::new(
        ErrorClass::Rejected,
        format!("`{}` cannot use `{}`: it {what}", info.name, path.display()),
    )
}

/// The type of the file system that holds `path`, from the kernel's table of mounts: that of the longest mount point
/// above it. `None` where there is no such table.
fn file_system(path: &Path) -> Option<String> {
    let path = std::fs::canonicalize(path).ok()?;
    let mounts = std::fs::read_to_string("/proc/self/mounts").ok()?;
    mounts
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ').skip(1);
            Some((words.next()?, words.next()?))
        })
        .filter(|(mount_point, _)| path.starts_with(mount_point))
        // Of two mounts on one point the later one covers the earlier.
        .max_by_key(|(mount_point, _)| mount_point.len())
        .map(|(_, kind)| kind.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Capabilities, Durability, Execution, ScanOrder, Values};

    const INFO: DriverInfo = DriverInfo {
        name: "store",
        summary: "a store",
        schemes: &["store"],
        example: "store:FILE",
        options: &[],
        remote: false,
        default_port: None,
        execution: Execution::Blocking,
        capabilities: Capabilities {
            scan: ScanOrder::Key,
            persistent: true,
            stores_records: true,
            durabilities: &[Durability::None],
            consistencies: &[],
            values: Values::Bytes,
        },
    };

    fn target(place: &Path) -> Target {
        Target::parse(&format!("store:{}", place.display())).unwrap()
    }

    #[test]
    fn a_temporary_place_vanishes_with_its_content() {
        let place = Place::directory(&INFO, &Target::parse("store").unwrap(), "version").unwrap();
        let root = place.path().parent().unwrap().to_owned();
        std::fs::create_dir(place.path()).unwrap();
        std::fs::write(place.path().join("data"), "x").unwrap();
        assert!(place.is_temporary() && place.describe().starts_with("temporary"));
        drop(place);
        assert!(!root.exists());
    }

    #[test]
    fn a_given_place_stays() {
        let folder = tempfile::tempdir().unwrap();
        let place = Place::directory(&INFO, &target(&folder.path().join("new")), "version").unwrap();
        let path = place.path().to_owned();
        drop(place);
        assert!(path.is_dir());
    }

    #[test]
    fn each_wrong_path_has_one_clear_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("notes.txt");
        std::fs::write(&file, "mine").unwrap();
        let message = |result: Result<Place, DbError>| {
            let error = result.unwrap_err();
            assert_eq!(error.class, ErrorClass::Rejected);
            error.message
        };
        let missing = folder.path().join("no/such/data");
        for (message, expected) in [
            (
                message(Place::file(&INFO, &target(folder.path()))),
                "name a file in it",
            ),
            (
                message(Place::file(&INFO, &target(&missing))),
                "no/such` does not exist; create it",
            ),
            (
                message(Place::directory(&INFO, &target(&file), "version")),
                "is a file",
            ),
            (
                message(Place::directory(&INFO, &target(folder.path()), "version")),
                "no store database",
            ),
            (
                message(Place::directory(&INFO, &target(&missing), "version")),
                "does not exist; create it",
            ),
            (
                message(Place::file(&INFO, &target(Path::new("~/none/x")))),
                "write $HOME",
            ),
            (
                open_error(&INFO, &file, io::ErrorKind::PermissionDenied.into()).message,
                "not writable for this user; change its permissions",
            ),
        ] {
            assert!(message.contains(expected), "{message}");
        }
        std::fs::write(folder.path().join("version"), "1").unwrap();
        assert!(Place::directory(&INFO, &target(folder.path()), "version").is_ok());
    }

    #[test]
    fn table_names_that_some_store_cannot_keep_are_refused() {
        assert!(table_name("usertable").is_ok());
        for name in ["", "a\0b", "_dbdyno_manifest", &"x".repeat(129)] {
            assert!(table_name(name).unwrap_err().message.contains("property `table`"));
        }
    }
}
