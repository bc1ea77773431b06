//! HBase stores no passwords; its secrets are the keys of principals, in files.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use dbdyno_audit::{Scene, Stranger};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

use crate::access::{SECURITY, stranger};

/// Directories in directories are followed this deep.
const DEEPEST: usize = 4;
/// Files that are looked at.
const MOST: usize = 1_000;
/// Bits of the group and of everybody else.
const OTHERS: u32 = 0o077;

/// Who may read the files with keys.
pub fn storage(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::PasswordStorage;
    let mut found = Vec::new();
    for place in &scene.place.data {
        visit(place, 0, &mut found);
    }
    let of_servers = found.len();
    let named = [Some(scene.target), scene.administrator_target]
        .into_iter()
        .flatten();
    found.extend(
        named
            .filter_map(|target| target.options.get("keytab"))
            .map(PathBuf::from),
    );
    found.sort();
    found.dedup();
    let (mut open, mut unseen) = (Vec::new(), None);
    for path in &found {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let metadata = match path.metadata() {
            Ok(metadata) => metadata,
            Err(error) => {
                unseen = Some(format!("{name}: {error}"));
                continue;
            }
        };
        let mode = metadata.permissions().mode() & 0o777;
        scene.note(
            "files.keytab",
            format!("who may read {name}"),
            format!("mode {mode:o}"),
        );
        if mode & OTHERS != 0 {
            open.push(name);
        }
    }
    let finding = if found.is_empty() && matches!(stranger(scene), Stranger::Served) {
        AuditFinding::not_applicable(feature, "There are no passwords and no keys: nobody logs in.")
    } else {
        judge(&open, of_servers, unseen.as_deref())
    };
    finding.see(SECURITY)
}

/// The finding from the files that others may read, how many files of the servers were found, and one that could not be seen. A
/// client's own file shows nothing about those of the servers.
fn judge(open: &[String], of_servers: usize, unseen: Option<&str>) -> AuditFinding {
    let feature = Feature::PasswordStorage;
    let unknown = |why: &str| {
        let text = format!("HBase stores no passwords; who may read the servers' keytabs is unknown{why}.");
        AuditFinding::unknown(feature, UnknownReason::NoFileAccess, text)
    };
    match (open, of_servers, unseen) {
        ([_, ..], ..) => AuditFinding::partial(
            feature,
            format!(
                "Users other than the owner may read the keys in {} and log in as that principal.",
                open.join(", ")
            ),
        )
        .mend(
            AuditSeverity::High,
            "chmod 600 of every keytab, owned by the user of its process",
        ),
        ([], _, Some(why)) => unknown(&format!(": {why}")),
        ([], 0, None) => unknown(" without their files (--data)"),
        ([], ..) => AuditFinding::enforced(
            feature,
            format!(
                "HBase stores no passwords; only their owner may read the {of_servers} files with the servers' keys."
            ),
        ),
    }
}

/// Collects keytabs. Links are not followed.
fn visit(path: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(metadata) = path.symlink_metadata() else {
        return;
    };
    if metadata.is_dir() && depth < DEEPEST {
        let entries = path.read_dir().into_iter().flatten().flatten();
        for entry in entries {
            visit(&entry.path(), depth + 1, found);
        }
    } else if metadata.is_file()
        && found.len() < MOST
        && path.extension().is_some_and(|extension| extension == "keytab")
    {
        found.push(path.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_record::audit::ProtectionLevel;

    use super::*;

    #[test]
    fn a_key_that_was_not_seen_is_not_protected() {
        use ProtectionLevel::{Enforced, Partial, Unknown};
        let open = ["one.keytab".to_owned()];
        let none = &open[..0];
        for (open, of_servers, unseen, level) in [
            (&open[..], 0, None, Partial),
            (&open[..], 2, Some("two.keytab: gone"), Partial),
            (none, 2, None, Enforced),
            (none, 2, Some("two.keytab: gone"), Unknown),
            // The client's own may be the only one.
            (none, 0, None, Unknown),
        ] {
            assert_eq!(
                judge(open, of_servers, unseen).level,
                level,
                "{of_servers} {unseen:?}"
            );
        }
    }

    #[test]
    fn keytabs_are_found_and_nothing_else() {
        let place = std::env::temp_dir().join(format!("dbdyno-keytabs-{}", std::process::id()));
        std::fs::create_dir_all(place.join("a/b")).unwrap();
        for name in ["a/b/one.keytab", "a/two.keytab", "a/keytab", "three.keytab.old"] {
            std::fs::write(place.join(name), "").unwrap();
        }
        let mut found = Vec::new();
        visit(&place, 0, &mut found);
        found.sort();
        std::fs::remove_dir_all(&place).unwrap();
        assert_eq!(found, [place.join("a/b/one.keytab"), place.join("a/two.keytab")]);
    }
}
