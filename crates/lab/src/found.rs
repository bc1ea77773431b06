//! Whether a recipe's software is there already, for lists: nothing is installed or fetched.

use std::path::PathBuf;

use crate::home::LabHome;
use crate::recipe_info::Software;
use crate::source::on_path;

/// Where the software is, for people; `None` where it has to be installed or fetched.
#[must_use]
pub fn found(software: &Software, home: &LabHome) -> Option<String> {
    let named = std::env::var_os(software.home).filter(|named| !named.is_empty());
    if let Some(named) = named {
        let path = PathBuf::from(named);
        return Some(format!("${}: {}", software.home, path.display()));
    }
    let program = software
        .program
        .and_then(|program| on_path(program, software.further));
    if let Some(path) = program {
        return Some(format!("installed: {}", path.display()));
    }
    let prefix = software.fetched?;
    let entries = std::fs::read_dir(home.cache()).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut versions: Vec<String> = names
        .filter_map(|name| name.strip_prefix(prefix).map(str::to_owned))
        .filter(|version| version.starts_with(|first: char| first.is_ascii_digit()))
        .collect();
    versions.sort();
    (!versions.is_empty()).then(|| format!("fetched: {}", versions.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_fetched_is_found_by_its_version() {
        let directory = tempfile::tempdir().unwrap();
        let home = LabHome::at(directory.path()).unwrap();
        let software = Software {
            home: "DBDYNO_NO_SUCH_HOME",
            program: Some("dbdyno-no-such-program"),
            further: &[],
            fetched: Some("store-"),
            otherwise: "fetched",
        };
        assert_eq!(found(&software, &home), None);
        for name in ["store-2.1", "store-client-2.1", ".store-3.lock"] {
            std::fs::create_dir(home.cache().join(name)).unwrap();
        }
        assert_eq!(found(&software, &home).as_deref(), Some("fetched: 2.1"));
        let shell = Software {
            program: Some("sh"),
            ..software
        };
        assert!(found(&shell, &home).unwrap().starts_with("installed: /"));
    }
}
