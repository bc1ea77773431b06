//! The result folders that are served: those below one folder, or that folder itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use dbdyno_record::ResultFolder;

/// Result folders by the name that their page has. A request names one of these or nothing: no path comes from outside.
pub(crate) fn folders(root: &Path) -> BTreeMap<String, PathBuf> {
    if ResultFolder::open(root).is_ok() {
        return name_of(root)
            .map(|name| (name, root.to_owned()))
            .into_iter()
            .collect();
    }
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| ResultFolder::open(path).is_ok())
        .filter_map(|path| Some((name_of(&path)?, path)))
        .collect()
}

fn name_of(path: &Path) -> Option<String> {
    let whole = path.canonicalize().ok()?;
    Some(whole.file_name()?.to_str()?.to_owned())
}

/// The address of a study's page: everything but the characters that need no escape (RFC 3986, section 2.3) is escaped.
pub(crate) fn address(name: &str) -> String {
    let mut address = "/studies/".to_owned();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            address.push(char::from(byte));
        } else {
            address.push_str(&format!("%{byte:02X}"));
        }
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_result_folders_have_a_page() {
        let root = tempfile::tempdir().unwrap();
        for name in ["one", "two words"] {
            drop(ResultFolder::create(&root.path().join(name), "name = \"x\"\n").unwrap());
        }
        std::fs::create_dir(root.path().join("something else")).unwrap();
        let found: Vec<String> = folders(root.path()).into_keys().collect();
        assert_eq!(found, ["one", "two words"]);
        let one: Vec<String> = folders(&root.path().join("one")).into_keys().collect();
        assert_eq!(one, ["one"]);
        assert!(folders(&root.path().join("nowhere")).is_empty());
        assert_eq!(address("two words/.."), "/studies/two%20words%2F..");
    }
}
