//! Files by which a server is configured, wherever they lie: keys that other accounts may read, and settings that they may change.

use std::path::PathBuf;

use dbdyno_record::audit::{AuditFinding, AuditSeverity};

use crate::at_rest::open_to_every_account;
use crate::file_modes::OpenFiles;
use crate::scene::Scene;

const FIX: &str = "chmod o= the files with keys and passwords; chmod o-w the other files of the configuration, and the directories of all of them";

/// The files that a server names as its configuration. They belong here only if they were seen to be the server's own: a server in a
/// container names files of the container, and this machine may have others of these names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigurationFiles {
    /// Those with a key or a password in them: others may neither read nor change them.
    pub secret: Vec<PathBuf>,
    /// The rest: others may read them.
    pub readable: Vec<PathBuf>,
}

impl ConfigurationFiles {
    /// How many there are.
    #[must_use]
    pub const fn count(&self) -> usize {
        self.secret.len() + self.readable.len()
    }
}

/// The finding about a server's files, with what other accounts may do with those of its configuration.
#[must_use]
pub fn with_configuration(
    scene: &mut Scene<'_>,
    finding: AuditFinding,
    files: &ConfigurationFiles,
) -> AuditFinding {
    if files.count() == 0 {
        return finding;
    }
    let secret = OpenFiles::among(&files.secret);
    let all = OpenFiles::among(&[files.secret.as_slice(), files.readable.as_slice()].concat());
    scene.note(
        "files.configuration",
        "the modes of the files that the server names as its configuration, and of their directories",
        format!(
            "{} files, {} of them with secrets: other accounts may read {} of these, and change {} files and directories",
            files.count(),
            files.secret.len(),
            secret.readable,
            all.writable
        ),
    );
    judged(finding, &secret, &all)
}

/// The finding with what others may do: `secret` are the files with secrets, `all` these and the others.
fn judged(finding: AuditFinding, secret: &OpenFiles, all: &OpenFiles) -> AuditFinding {
    let mut what = Vec::new();
    if secret.readable > 0 {
        what.push(format!(
            "read {} of its files with keys or passwords",
            secret.readable
        ));
    }
    if all.writable > 0 {
        what.push(format!(
            "change {} files and directories of its configuration",
            all.writable
        ));
    }
    let example = if all.writable > 0 {
        &all.example
    } else {
        &secret.example
    };
    match example {
        Some(example) if !what.is_empty() => {
            open_to_every_account(finding, &what.join(" and "), example, AuditSeverity::High, FIX)
        }
        _ => finding,
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_record::audit::{Feature, ProtectionLevel, UnknownReason};

    use super::*;

    fn open(readable: usize, writable: usize, example: &str) -> OpenFiles {
        OpenFiles {
            readable,
            writable,
            example: Some((PathBuf::from(example), 0o606)),
        }
    }

    fn finding(level: ProtectionLevel) -> AuditFinding {
        AuditFinding::new(Feature::EncryptionAtRest, level, "Values lie in clear text.")
    }

    #[test]
    fn a_key_that_others_read_and_a_setting_that_they_change_are_grave() {
        let off = ProtectionLevel::SupportedOff;
        let of = |secret: &OpenFiles, all: &OpenFiles| {
            let before = finding(off).mend(AuditSeverity::Low, "encrypt").see("manual");
            let finding = judged(before, secret, all);
            assert_eq!((finding.level, finding.reference.len()), (off, 1), "{finding:?}");
            (finding.severity, finding.summary)
        };
        let (closed, low, high) = (
            OpenFiles::default(),
            Some(AuditSeverity::Low),
            Some(AuditSeverity::High),
        );
        // Anybody may read the settings and the certificates.
        let (severity, summary) = of(&closed, &open(3, 0, "/etc/server.pem"));
        assert_eq!((severity, summary.as_str()), (low, "Values lie in clear text."));
        let (severity, summary) = of(&open(1, 0, "/etc/server.key"), &open(3, 0, "/etc/server.pem"));
        assert_eq!(severity, high);
        let expected = "read 1 of its files with keys or passwords, e.g. /etc/server.key (mode 0606).";
        assert!(summary.ends_with(expected), "{summary}");
        let (severity, summary) = of(&open(1, 0, "/etc/server.key"), &open(3, 1, "/etc/rules"));
        assert_eq!(severity, high);
        let expected = "passwords and change 1 files and directories of its configuration, e.g. /etc/rules";
        assert!(summary.contains(expected), "{summary}");
    }

    #[test]
    fn what_is_open_is_known_whatever_else_is_not() {
        let open = open(1, 0, "/etc/server.key");
        let unseen = AuditFinding::unknown(
            Feature::EncryptionAtRest,
            UnknownReason::NoFileAccess,
            "A file could not be read.",
        );
        for before in [unseen, finding(ProtectionLevel::Enforced)] {
            let found = judged(before, &open, &open);
            assert_eq!(
                (found.level, found.why_not_known),
                (ProtectionLevel::Partial, None)
            );
            assert_eq!(found.fix, FIX);
        }
    }
}
