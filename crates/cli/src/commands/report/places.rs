//! Where result folders are, and the way from one place to another.

use std::path::{Component, Path, PathBuf};

use dbdyno_record::ResultFolder;
use dbdyno_serve::escaped;

/// How deep below a folder result folders are looked for.
const DEEPEST: usize = 4;

/// Whether a folder is no result folder itself, but holds some.
pub fn holds_folders(path: &Path) -> bool {
    ResultFolder::open(path).is_err() && !below(path).is_empty()
}

/// The result folders below a folder, by name; those that cannot be opened are among them.
pub fn below(path: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    search(path, 0, &mut found);
    found
}

fn search(path: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(path) else {
        return;
    };
    let mut folders: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    for folder in folders {
        if ResultFolder::is_meant_at(&folder) {
            found.push(folder);
        } else if depth < DEEPEST {
            search(&folder, depth + 1, found);
        }
    }
}

/// The way from one existing folder to an existing file as a link: with slashes and what a link needs escaped.
pub fn link(from: &Path, to: &Path) -> std::io::Result<String> {
    let (from, to) = (from.canonicalize()?, to.canonicalize()?);
    let common = from
        .components()
        .zip(to.components())
        .take_while(|(a, b)| a == b)
        .count();
    let up = from.components().skip(common).map(|_| "..".to_owned());
    let down = to
        .components()
        .skip(common)
        .filter_map(|component| match component {
            Component::Normal(name) => Some(escaped(&name.to_string_lossy())),
            _ => None,
        });
    Ok(up.chain(down).collect::<Vec<_>>().join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_up_and_down_and_are_escaped() {
        let place = tempfile::tempdir().unwrap();
        let (from, to) = (place.path().join("pages"), place.path().join("a b/c#1"));
        std::fs::create_dir_all(&from).unwrap();
        std::fs::create_dir_all(&to).unwrap();
        assert_eq!(link(&from, &to).unwrap(), "../a%20b/c%231");
        assert_eq!(link(place.path(), &to).unwrap(), "a%20b/c%231");
        assert!(link(&from, &place.path().join("missing")).is_err());
    }
}
