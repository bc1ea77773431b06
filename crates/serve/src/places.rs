//! The result folders that are served: those below one folder, or that folder itself.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use dbdyno_record::ResultFolder;

/// Result folders by the name that their page has, damaged ones among them: the one that stands in the folder served, so that two links never share one.
#[must_use]
pub fn folders(root: &Path) -> BTreeMap<String, PathBuf> {
    if ResultFolder::is_meant_at(root) {
        return name_of(root)
            .map(|name| (name, root.to_owned()))
            .into_iter()
            .collect();
    }
    let entries = std::fs::read_dir(root).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| ResultFolder::is_meant_at(path))
        .filter_map(|path| Some((name_of(&path)?, path)))
        .collect()
}

/// The result folder of this name. A request names one of [`folders`] or nothing: no path comes from outside.
pub(crate) fn find(root: &Path, name: &str) -> Option<PathBuf> {
    if ResultFolder::is_meant_at(root) {
        return (name_of(root)? == name).then(|| root.to_owned());
    }
    let mut parts = Path::new(name).components();
    let is_name =
        matches!(parts.next(), Some(Component::Normal(part)) if part == name) && parts.next().is_none();
    is_name
        .then(|| root.join(name))
        .filter(|path| ResultFolder::is_meant_at(path))
}

/// The last part of a path; of one that ends in `.` or `..`, that of the folder it leads to.
fn name_of(path: &Path) -> Option<String> {
    if let Some(name) = path.file_name() {
        return Some(name.to_str()?.to_owned());
    }
    let whole = path.canonicalize().ok()?;
    Some(whole.file_name()?.to_str()?.to_owned())
}

/// The address of a study's page.
pub(crate) fn address(name: &str) -> String {
    format!("/studies/{}", escaped(name))
}

/// The address of the page that compares two results, whether or not they are comparable.
pub(crate) fn comparison_address(before: &str, after: &str, is_anyway: bool) -> String {
    let anyway = if is_anyway { "&anyway=1" } else { "" };
    format!(
        "/compare?before={}&after={}{anyway}",
        escaped(before),
        escaped(after)
    )
}

/// A name in an address: everything but the characters that need no escape (RFC 3986, section 2.3) is escaped.
#[must_use]
pub fn escaped(name: &str) -> String {
    let mut escaped = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
    }
    escaped
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
        let damaged = root.path().join("damaged");
        std::fs::create_dir_all(damaged.join("trials/001-redb-a")).unwrap();
        assert_eq!(folders(root.path()).len(), 2);
        std::fs::write(damaged.join("trials/001-redb-a/record.json"), "{}").unwrap();
        assert!(folders(root.path()).contains_key("damaged"));
        std::fs::write(root.path().join("two words/folder.json"), "{").unwrap();
        assert!(folders(root.path()).contains_key("two words"));
        let one: Vec<String> = folders(&root.path().join("one")).into_keys().collect();
        assert_eq!(one, ["one"]);
        assert!(folders(&root.path().join("nowhere")).is_empty());
        assert_eq!(address("two words/.."), "/studies/two%20words%2F..");
        assert_eq!(
            comparison_address("a&b", "c+d", true),
            "/compare?before=a%26b&after=c%2Bd&anyway=1"
        );
    }

    #[test]
    fn links_have_names_of_their_own_whatever_they_lead_to() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("results");
        std::fs::create_dir(&root).unwrap();
        for machine in ["here", "there"] {
            let run = place.path().join(machine).join("run");
            drop(ResultFolder::create(&run, "name = \"x\"\n").unwrap());
            std::os::unix::fs::symlink(&run, root.join(machine)).unwrap();
        }
        let found: Vec<(String, PathBuf)> = folders(&root).into_iter().collect();
        let expected = ["here", "there"].map(|name| (name.to_owned(), root.join(name)));
        assert_eq!(found, expected);
        for (name, path) in expected {
            assert_eq!(find(&root, &name), Some(path));
        }
        let names = |root: &Path| folders(root).into_keys().collect::<Vec<_>>();
        assert_eq!(names(&root.join("here")), ["here"]);
        assert_eq!(names(&root.join("here/.")), ["here"]);
        assert_eq!(names(&place.path().join("there/run")), ["run"]);
    }

    #[test]
    fn a_name_is_no_path() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().join("results");
        for path in ["results/one", "secret"] {
            drop(ResultFolder::create(&place.path().join(path), "name = \"x\"\n").unwrap());
        }
        assert!(find(&root, "one").is_some());
        let secret = place.path().join("secret");
        for name in [
            "",
            ".",
            "..",
            "../secret",
            "one/",
            "./one",
            "one/../../secret",
            "one/trials",
        ] {
            assert_eq!(find(&root, name), None, "{name}");
        }
        assert_eq!(find(&root, secret.to_str().unwrap()), None);
        assert_eq!(find(&secret, "secret"), Some(secret.clone()));
        assert_eq!(find(&secret, "one"), None);
    }
}
