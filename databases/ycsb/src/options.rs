//! Options that may stand in the address.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dbdyno_driver::{DbError, ErrorClass, Target, options, text_file};
use dbdyno_workload::is_core_property;
use dbdyno_workload::properties::Properties;
use percent_encoding::percent_decode_str;

use crate::info::INFO;
use crate::manifests::Manifests;

/// What dropping a table does, which no binding can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drop {
    /// It is an error.
    Refuse,
    /// Each record is deleted.
    Delete,
    /// Nothing: later inserts go over what is there.
    Keep,
}

/// The address, read and checked.
pub struct Options {
    /// The Java class.
    pub class: String,
    /// As given.
    pub class_path: Option<String>,
    /// The binding's properties.
    pub properties: BTreeMap<String, String>,
    /// The field in which scans give the key.
    pub key_field: Option<String>,
    /// Whether a read that answers `ERROR` found nothing.
    pub error_is_missing: bool,
    /// Whether values that reads find are left where the binding put them.
    pub unread: bool,
    /// What dropping a table does.
    pub drop: Drop,
    /// Longest wait for an instance to get ready.
    pub connect_timeout: Duration,
    /// Longest wait for an operation; zero: as long as the binding likes.
    pub timeout: Duration,
    /// Where manifests are kept.
    pub manifests: Manifests,
}

impl Options {
    pub fn read(target: &Target) -> Result<Self, DbError> {
        options::check(&INFO, target)?;
        options::durability(&INFO, target)?;
        let class = target.place.clone();
        if class.is_empty() || class.contains(['/', ' ']) {
            return Err(refuse(format!(
                "needs the Java class of a binding, not `{class}`; write e.g. `{}`",
                INFO.example
            )));
        }
        let properties = properties(target)?;
        let option = |name: &str| target.options.get(name).cloned();
        let drop = match options::choice(&INFO, target, "drop", &["refuse", "delete", "keep"], "refuse")? {
            "delete" => Drop::Delete,
            "keep" => Drop::Keep,
            _ => Drop::Refuse,
        };
        let key_field = option("key_field").filter(|name| !name.is_empty());
        if drop == Drop::Delete && key_field.is_none() {
            return Err(refuse(
                "can use drop=delete only where scans return the keys of their records; name the field with key_field"
                    .to_owned(),
            ));
        }
        let missing = options::choice(&INFO, target, "missing", &["NOT_FOUND", "ERROR"], "NOT_FOUND")?;
        let values = options::choice(&INFO, target, "values", &["read", "unread"], "read")?;
        let directory = option("manifests").map(PathBuf::from).or_else(default_directory);
        let directory = directory.ok_or_else(|| {
            refuse(
                "finds no home directory for its notes on what was loaded; name one with manifests="
                    .to_owned(),
            )
        })?;
        let own = properties
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .filter(|(name, _)| !is_core_property(name));
        Ok(Self {
            manifests: Manifests::of(&directory, &class, own),
            class,
            class_path: option("class_path"),
            key_field,
            error_is_missing: missing == "ERROR",
            unread: values == "unread",
            drop,
            connect_timeout: options::duration(&INFO, target, "connect_timeout", Duration::from_secs(60))?,
            timeout: options::duration(&INFO, target, "timeout", Duration::ZERO)?,
            properties,
        })
    }
}

/// Those of the file, then those of the address, which win.
fn properties(target: &Target) -> Result<BTreeMap<String, String>, DbError> {
    let mut read = Properties::new();
    if let Some(file) = target.options.get("properties") {
        let text = text_file::read(Path::new(file))
            .map_err(|error| refuse(format!("cannot read properties={file}: {error}")))?;
        read.parse_file(&text, file)
            .map_err(|error| refuse(format!("cannot read properties={file}: {error}")))?;
    }
    let mut properties: BTreeMap<String, String> = read
        .iter()
        .map(|(name, property)| (name.to_owned(), property.value.clone()))
        .collect();
    for (option, value) in &target.options {
        if let Some(name) = option.strip_prefix("p.") {
            // An `&` ends a value of the address.
            let value = percent_decode_str(value).decode_utf8_lossy();
            properties.insert(name.to_owned(), value.into_owned());
        }
    }
    Ok(properties)
}

fn default_directory() -> Option<PathBuf> {
    let named = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    named
        .or_else(|| std::env::home_dir().map(|home| home.join(".local/state")))
        .map(|state| state.join("dbdyno/ycsb"))
}

fn refuse(what: String) -> DbError {
    DbError::new(ErrorClass::Rejected, format!("`ycsb` {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(address: &str) -> Result<Options, DbError> {
        Options::read(&Target::parse(address).unwrap())
    }

    #[test]
    fn the_address_wins_over_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("my.properties");
        std::fs::write(&file, "# notes\nhosts=one\nport : 1\nurl=a\\\n  b\n").unwrap();
        let address = format!(
            "ycsb:a.B?properties={}&p.port=2&p.url.more=h:1/d?w=1%26j=true&drop=keep&missing=ERROR",
            file.display()
        );
        let options = read(&address).unwrap();
        let expected = [
            ("hosts", "one"),
            ("port", "2"),
            ("url", "ab"),
            ("url.more", "h:1/d?w=1&j=true"),
        ];
        let read: Vec<(&str, &str)> = options
            .properties
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        assert_eq!(read, expected);
        assert_eq!((options.drop, options.error_is_missing), (Drop::Keep, true));
        assert_eq!((options.class.as_str(), options.class_path), ("a.B", None));
    }

    #[test]
    fn mistakes_are_named() {
        for (address, expected) in [
            ("ycsb", "`ycsb:site.ycsb.BasicDB"),
            ("ycsb:my.jar/a.B", "`my.jar/a.B`"),
            ("ycsb:a.B?properties=/no/such.file", "/no/such.file"),
            ("ycsb:a.B?drop=delete", "key_field"),
            ("ycsb:a.B?values=none", "`read`, `unread`"),
            ("ycsb:a.B?drop=always", "`refuse`, `delete`, `keep`"),
            ("ycsb:a.B?missing=NONE", "`NOT_FOUND`, `ERROR`"),
            ("ycsb:a.B?classpath=x", "did you mean `class_path`"),
            ("ycsb:a.B?p.=x", "`p.`"),
            ("ycsb:a.B?durability=synced", "it offers `none`"),
        ] {
            let error = read(address).err().expect(address);
            assert_eq!(error.class, ErrorClass::Rejected, "{error}");
            assert!(error.message.contains(expected), "{address}: {error}");
        }
    }
}
