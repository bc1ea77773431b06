//! What was loaded, kept in files of ours: a binding has no place for it.

use std::io::Write;
use std::path::{Path, PathBuf};

use dbdyno_driver::{DbError, ErrorClass};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

/// The manifests of one database: the directory is named for the class and for the properties that lead to the data.
pub struct Manifests(PathBuf);

impl Manifests {
    /// Those of a class with these properties of its own. Properties of YCSB's core (`recordcount`) are not given here:
    /// they differ between the load and the runs on what it loaded.
    pub fn of<'a>(
        directory: &Path,
        class: &str,
        properties: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        // FNV-1a: the same in every release, which the standard library's hasher does not promise.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for (name, value) in properties {
            for byte in name.bytes().chain([0]).chain(value.bytes()).chain([0]) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
        Self(directory.join(format!("{class}-{hash:016x}")))
    }

    fn file(&self, table: &str) -> PathBuf {
        self.0
            .join(format!("{}.json", utf8_percent_encode(table, NON_ALPHANUMERIC)))
    }

    /// The manifest of a table.
    pub fn load(&self, table: &str) -> Result<Option<String>, DbError> {
        let file = self.file(table);
        match std::fs::read_to_string(&file) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed("read", &file, &error)),
        }
    }

    /// Replaces it, in one step and for good.
    pub fn store(&self, table: &str, text: &str) -> Result<(), DbError> {
        let file = self.file(table);
        let stored = std::fs::create_dir_all(&self.0).and_then(|()| {
            let mut partial = tempfile::NamedTempFile::new_in(&self.0)?;
            partial.write_all(text.as_bytes())?;
            partial.as_file().sync_all()?;
            partial.persist(&file).map_err(|error| error.error)?;
            std::fs::File::open(&self.0)?.sync_all()
        });
        stored.map_err(|error| failed("write", &file, &error))
    }

    /// Removes it, if it is there.
    pub fn remove(&self, table: &str) -> Result<(), DbError> {
        let file = self.file(table);
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(failed("remove", &file, &error))
            }
            _ => Ok(()),
        }
    }
}

fn failed(what: &str, file: &Path, error: &std::io::Error) -> DbError {
    DbError::new(
        ErrorClass::Rejected,
        format!(
            "`ycsb` cannot {what} its note on what was loaded, {}: {error}; name another directory with manifests=",
            file.display()
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn databases_and_tables_are_apart() {
        let folder = tempfile::tempdir().unwrap();
        let of = |class, host| Manifests::of(folder.path(), class, [("host", host)].into_iter());
        of("a.B", "one").store("t/1", "first").unwrap();
        of("a.B", "two").store("t/1", "second").unwrap();
        assert_eq!(of("a.B", "one").load("t/1").unwrap().as_deref(), Some("first"));
        assert_eq!(of("a.B", "two").load("t/1").unwrap().as_deref(), Some("second"));
        assert_eq!(of("a.C", "one").load("t/1").unwrap(), None);
        assert_eq!(of("a.B", "one").load("t").unwrap(), None);
        of("a.B", "one").remove("t/1").unwrap();
        of("a.B", "one").remove("t/1").unwrap();
        assert_eq!(of("a.B", "one").load("t/1").unwrap(), None);
    }

    #[test]
    fn a_directory_that_cannot_be_had_is_named() {
        let manifests = Manifests::of(Path::new("/dev/null/x"), "a.B", std::iter::empty());
        let error = manifests.store("t", "text").unwrap_err();
        assert!(
            error.message.contains("/dev/null/x") && error.message.contains("manifests="),
            "{error}"
        );
    }
}
