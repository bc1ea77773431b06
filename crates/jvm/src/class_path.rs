//! Jars and directories, as a user names them.

use std::path::{Path, PathBuf};

use crate::JvmError;

/// Jars and directories of classes, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassPath(Vec<PathBuf>);

impl ClassPath {
    /// Reads a class path: entries joined by `:`; a directory, or a directory followed by `/*`, stands for itself and
    /// every jar in it.
    ///
    /// # Errors
    /// When an entry is not there, or nothing is named.
    pub fn parse(text: &str) -> Result<Self, JvmError> {
        let mut entries = Vec::new();
        for entry in text.split(':').filter(|entry| !entry.is_empty()) {
            let path = Path::new(entry.strip_suffix("/*").unwrap_or(entry));
            let refuse = |error| {
                JvmError(format!(
                    "cannot read `{}` of the class path: {error}",
                    path.display()
                ))
            };
            let path = path.canonicalize().map_err(refuse)?;
            if path.is_dir() {
                let mut jars = Vec::new();
                for file in std::fs::read_dir(&path).map_err(refuse)? {
                    let file = file.map_err(refuse)?.path();
                    if file.extension().is_some_and(|extension| extension == "jar") {
                        jars.push(file);
                    }
                }
                // The order of a directory is nobody's choice.
                jars.sort();
                entries.push(path);
                entries.append(&mut jars);
            } else {
                entries.push(path);
            }
        }
        if entries.is_empty() {
            return Err(JvmError(
                "the class path is empty; name jars, or directories of jars, joined by `:`".to_owned(),
            ));
        }
        Ok(Self(entries))
    }

    /// The entries, in order.
    #[must_use]
    pub fn entries(&self) -> &[PathBuf] {
        &self.0
    }

    pub(crate) fn joined(&self) -> String {
        let entries: Vec<String> = self.0.iter().map(|path| path.display().to_string()).collect();
        entries.join(":")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_stands_for_its_jars_in_order() {
        let directory = tempfile::tempdir().unwrap();
        for name in ["b.jar", "a.jar", "notes.txt"] {
            std::fs::write(directory.path().join(name), "").unwrap();
        }
        let root = directory.path().canonicalize().unwrap();
        let expected = [root.clone(), root.join("a.jar"), root.join("b.jar")];
        for text in [root.display().to_string(), format!("{}/*", root.display())] {
            assert_eq!(ClassPath::parse(&text).unwrap().entries(), expected);
        }
        let single = ClassPath::parse(&format!("{}/b.jar:", root.display())).unwrap();
        assert_eq!(single.entries(), [root.join("b.jar")]);
    }

    #[test]
    fn what_is_not_there_is_named() {
        let error = ClassPath::parse("/no/such.jar").unwrap_err();
        assert!(error.to_string().contains("/no/such.jar"), "{error}");
        assert!(ClassPath::parse("").unwrap_err().to_string().contains("empty"));
    }
}
