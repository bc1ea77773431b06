//! From a canary in the files to the level of encryption at rest: the engine's, or the volume's.

use std::path::{Path, PathBuf};

use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel, Scope, UnknownReason};

use crate::canary::{Canary, Sightings, search};
use crate::channel::ChannelError;
use crate::file_modes::OpenFiles;
use crate::scene::Scene;
use crate::volume::{VolumeProtection, volume_protection};

/// The finding where the servers' files were not given; `None` where they were.
#[must_use]
pub fn without_files(scene: &Scene<'_>) -> Option<AuditFinding> {
    scene.place.data.is_empty().then(|| {
        AuditFinding::unknown(
            Feature::EncryptionAtRest,
            UnknownReason::NoFileAccess,
            "The servers' files were not given; name their data directories with --data.",
        )
    })
}

/// The finding where no canary could be stored.
#[must_use]
pub fn not_stored(error: &dyn std::fmt::Display) -> AuditFinding {
    AuditFinding::unknown(
        Feature::EncryptionAtRest,
        UnknownReason::NoPrivilege,
        format!("No canary could be stored: {error}."),
    )
}

/// Who stores the canary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// The user of the address, who writes where the application does.
    Application,
    /// The administrator, where that user may not write such a name.
    Administrator,
}

/// Stores something as the user of the address, and where that is refused as the administrator, if there is one.
///
/// # Errors
/// The last refusal.
pub fn stored<T>(
    scene: &mut Scene<'_>,
    mut store: impl FnMut(&Scene<'_>, Writer) -> Result<T, ChannelError>,
) -> Result<T, ChannelError> {
    match store(scene, Writer::Application) {
        Err(error) if scene.administrator.is_some() => {
            let got = format!("the administrator stores it, for the user of the address got: {error}");
            scene.note("files.writer", "the text, stored as the user of the address", got);
            store(scene, Writer::Administrator)
        }
        stored => stored,
    }
}

/// The way of a probe's canary to the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traces {
    /// The server said, or one of its files showed, that the canary was flushed.
    pub is_flushed: bool,
    /// Something of this server alone was seen in the named directories. In those of others, a canary's absence shows nothing.
    pub is_own: bool,
}

/// Looks for a stored canary in the files of the servers.
pub fn at_rest(
    scene: &mut Scene<'_>,
    canary: &Canary,
    traces: Traces,
    fix: &str,
    reference: &str,
) -> AuditFinding {
    let seen = search(&scene.place.data, canary.text());
    let volumes: Vec<Volume> = seen
        .roots
        .iter()
        .map(|root| (root.as_path(), volume_protection(root)))
        .collect();
    let yes_or_no = |is_so: bool| if is_so { "yes" } else { "no" };
    scene.note(
        "files.canary",
        "a unique text of 64 hexadecimal digits, stored through the server, looked for in its files",
        format!(
            "{} in {} files ({}); {} bytes read; flush seen: {}; other trace of this server seen: {}",
            if seen.files.is_empty() {
                "not found"
            } else {
                "found"
            },
            seen.files.len(),
            first_names(&seen),
            seen.bytes,
            yes_or_no(traces.is_flushed),
            yes_or_no(traces.is_own)
        ),
    );
    scene.note(
        "files.volume",
        "what the file system says of the data directories, and of all that they lead to",
        volumes.iter().map(shown).collect::<Vec<_>>().join(", "),
    );
    let open = OpenFiles::below(&scene.place.data);
    scene.note(
        "files.modes",
        "the modes of the files, and of the directories that lead to them",
        format!(
            "other accounts may read {} files and change {} files and directories{}",
            open.readable,
            open.writable,
            open.example
                .as_ref()
                .map_or_else(String::new, |example| format!(", e.g. {}", with_mode(example)))
        ),
    );
    let finding = judged(&seen, &volumes, traces, fix);
    open_to_others(finding, &open, traces.is_own || !seen.files.is_empty()).see(reference)
}

/// The finding with what other accounts of this machine may do: the disk need not leave it.
fn open_to_others(finding: AuditFinding, open: &OpenFiles, is_own: bool) -> AuditFinding {
    let Some(example) = open.example.as_ref().filter(|_| is_own) else {
        return finding;
    };
    let engine_encrypts = finding.level == ProtectionLevel::Enforced && finding.scope == Scope::Engine;
    let (what, severity) = match open.writable {
        0 if engine_encrypts => return finding,
        0 => (
            format!("read {} of its files", open.readable),
            AuditSeverity::Medium,
        ),
        writable => (
            format!("change {writable} of its files and directories"),
            AuditSeverity::High,
        ),
    };
    open_to_every_account(
        finding,
        &what,
        example,
        severity,
        "chmod -R o= the data directories",
    )
}

/// The finding where every account of this machine can do that as well, with what ends it.
pub(crate) fn open_to_every_account(
    mut finding: AuditFinding,
    what: &str,
    example: &(PathBuf, u32),
    severity: AuditSeverity,
    close: &str,
) -> AuditFinding {
    finding.summary.push_str(&format!(
        " Every account of this machine can {what}, e.g. {}.",
        with_mode(example)
    ));
    finding.fix = match finding.fix.as_str() {
        "" => close.to_owned(),
        fix => format!("{close}; {fix}"),
    };
    finding.severity = finding.severity.max(Some(severity));
    if !matches!(
        finding.level,
        ProtectionLevel::SupportedOff | ProtectionLevel::Unsupported
    ) {
        finding.level = ProtectionLevel::Partial;
        finding.why_not_known = None;
    }
    finding
}

fn with_mode((path, mode): &(PathBuf, u32)) -> String {
    format!("{} (mode {mode:04o})", path.display())
}

/// One path on a volume, and the volume's protection.
type Volume<'a> = (&'a Path, VolumeProtection);

/// The level, from what was seen.
fn judged(seen: &Sightings, volumes: &[Volume<'_>], traces: Traces, fix: &str) -> AuditFinding {
    let feature = Feature::EncryptionAtRest;
    let unknown = |reason, summary: &str| AuditFinding::unknown(feature, reason, summary);
    let enforced = |summary: &str| AuditFinding::enforced(feature, summary);
    // Nothing shows better that files belong to this server than the canary in them.
    let is_own = traces.is_own || !seen.files.is_empty();
    if let Some(by) = encrypted_by(volumes).filter(|_| is_own) {
        if seen.has_gaps {
            return unknown(
                UnknownReason::NoFileAccess,
                &format!(
                    "The volume encrypts everything that could be entered ({by}), but not everything could, e.g. {}.",
                    seen.unread.last().map_or("", String::as_str)
                ),
            );
        }
        return enforced(&format!(
            "The volume encrypts all data directories ({by}); the engine does not have to."
        ))
        .of(Scope::Volume);
    }
    if !seen.files.is_empty() {
        let summary = format!(
            "Values lie in clear text in {}: anyone who gets the disk or a backup can read them.{}",
            first_names(seen),
            left_out(volumes)
        );
        return AuditFinding::off(feature, summary).mend(AuditSeverity::Low, fix);
    }
    if let Some(unread) = seen.unread.first() {
        return unknown(
            UnknownReason::NoFileAccess,
            &format!(
                "{} files or directories could not be read, e.g. {unread}.",
                seen.unread.len()
            ),
        );
    }
    match (is_own, traces.is_flushed) {
        (false, _) => unknown(
            UnknownReason::NoFileAccess,
            "It was not seen that the named directories belong to this server, so the value's absence from them shows nothing.",
        ),
        (true, true) if seen.bytes == 0 => unknown(
            UnknownReason::NoFileAccess,
            "The named directories contain nothing to read, so the value's absence from them shows nothing.",
        ),
        (true, true) => {
            enforced("No file contains the value in clear text, although its flush was observed.")
        }
        (true, false) => unknown(
            UnknownReason::Unexpected,
            "No file contains the value, but its flush was not observed, so its absence shows nothing.",
        ),
    }
}

/// What encrypts the first volume, if every one is encrypted.
fn encrypted_by<'a>(volumes: &'a [Volume<'_>]) -> Option<&'a str> {
    let each = volumes.iter().map(|(_, protection)| match protection {
        VolumeProtection::Encrypted(by) => Some(by.as_str()),
        VolumeProtection::None | VolumeProtection::Unknown(_) => None,
    });
    each.collect::<Option<Vec<_>>>()?.first().copied()
}

/// Where a volume is encrypted and another is not: which is not. An encrypted data directory leads people to believe that it is all.
fn left_out(volumes: &[Volume<'_>]) -> String {
    let is_encrypted = |(_, protection): &&Volume<'_>| matches!(protection, VolumeProtection::Encrypted(_));
    match volumes.iter().find(|volume| !is_encrypted(volume)) {
        Some((path, _)) if volumes.iter().any(|volume| is_encrypted(&volume)) => {
            format!(
                " A volume encrypts part of the files, but not {}.",
                path.display()
            )
        }
        _ => String::new(),
    }
}

/// The names of the first files with the canary.
fn first_names(seen: &Sightings) -> String {
    let names: Vec<String> = seen.files.iter().take(5).map(|path| file_name(path)).collect();
    names.join(", ")
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn shown((path, protection): &Volume<'_>) -> String {
    let path = path.display();
    match protection {
        VolumeProtection::Encrypted(by) => format!("{path}: encrypted ({by})"),
        VolumeProtection::None => format!("{path}: not encrypted"),
        VolumeProtection::Unknown(why) => format!("{path}: unknown ({why})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEEN: Traces = Traces {
        is_flushed: true,
        is_own: true,
    };

    fn encrypted(path: &str) -> Volume<'_> {
        (
            Path::new(path),
            VolumeProtection::Encrypted("dm-crypt".to_owned()),
        )
    }

    fn in_clear_text() -> Sightings {
        Sightings {
            files: vec![PathBuf::from("/data/base/5/1")],
            ..Sightings::default()
        }
    }

    #[test]
    fn a_busy_directory_of_others_is_not_called_encrypted() {
        let foreign = tempfile::tempdir().unwrap();
        std::fs::write(foreign.path().join("busy"), "changed right now").unwrap();
        let seen = search(&[foreign.path().to_owned()], Canary::new().text());
        assert!(seen.bytes > 0);
        let strange = Traces {
            is_flushed: true,
            is_own: false,
        };
        for volumes in [
            vec![encrypted("/data")],
            vec![(foreign.path(), VolumeProtection::None)],
        ] {
            let finding = judged(&seen, &volumes, strange, "");
            assert_eq!(finding.level, ProtectionLevel::Unknown, "{finding:?}");
            assert!(finding.summary.contains("belong to this server"), "{finding:?}");
        }
        let finding = judged(&seen, &[], SEEN, "");
        assert_eq!(finding.level, ProtectionLevel::Enforced);
        let unflushed = Traces {
            is_flushed: false,
            is_own: true,
        };
        let finding = judged(&seen, &[], unflushed, "");
        assert_eq!(finding.level, ProtectionLevel::Unknown);
    }

    #[test]
    fn every_volume_must_be_encrypted() {
        let finding = judged(&in_clear_text(), &[encrypted("/data")], SEEN, "");
        assert_eq!(
            (finding.level, finding.scope),
            (ProtectionLevel::Enforced, Scope::Volume)
        );
        let volumes = [
            encrypted("/data"),
            (Path::new("/plain/pg_wal"), VolumeProtection::None),
        ];
        let finding = judged(&in_clear_text(), &volumes, SEEN, "");
        assert_eq!(finding.level, ProtectionLevel::SupportedOff);
        assert!(finding.summary.contains("not /plain/pg_wal"), "{finding:?}");
        let gap = Sightings {
            unread: vec!["/data/pg_wal: the link leads to nothing".to_owned()],
            has_gaps: true,
            ..in_clear_text()
        };
        let finding = judged(&gap, &[encrypted("/data")], SEEN, "");
        assert_eq!(finding.level, ProtectionLevel::Unknown);
        assert!(finding.summary.contains("/data/pg_wal"), "{finding:?}");
    }

    #[test]
    fn files_that_other_accounts_may_use_are_found_where_they_show_something() {
        let open = |readable, writable| OpenFiles {
            readable,
            writable,
            example: Some((PathBuf::from("/data/base/1"), 0o644)),
        };
        let of = |volumes: &[Volume<'_>], seen: &Sightings, open: &OpenFiles, is_own| {
            let finding = open_to_others(judged(seen, volumes, SEEN, "encrypt"), open, is_own);
            (finding.level, finding.severity)
        };
        let nowhere = Sightings {
            bytes: 4096,
            ..Sightings::default()
        };
        let (off, partial) = (ProtectionLevel::SupportedOff, ProtectionLevel::Partial);
        let (low, medium, high) = (AuditSeverity::Low, AuditSeverity::Medium, AuditSeverity::High);
        let clear = in_clear_text();
        assert_eq!(of(&[], &clear, &OpenFiles::default(), true), (off, Some(low)));
        assert_eq!(of(&[], &clear, &open(3, 0), true), (off, Some(medium)));
        assert_eq!(of(&[], &clear, &open(3, 1), true), (off, Some(high)));
        // The volume is open while it is mounted; what the engine encrypts, nobody reads.
        let volume = [encrypted("/data")];
        assert_eq!(of(&volume, &clear, &open(3, 0), true), (partial, Some(medium)));
        assert_eq!(
            of(&[], &nowhere, &open(3, 0), true),
            (ProtectionLevel::Enforced, None)
        );
        assert_eq!(of(&[], &nowhere, &open(3, 1), true), (partial, Some(high)));
        // Another server's directory.
        assert_eq!(
            of(&[], &nowhere, &open(3, 1), false),
            (ProtectionLevel::Enforced, None)
        );
    }

    #[test]
    fn directories_with_nothing_to_read_show_nothing() {
        let finding = judged(&Sightings::default(), &[], SEEN, "encrypt");
        assert_eq!(finding.level, ProtectionLevel::Unknown, "{finding:?}");
    }

    #[test]
    fn no_volume_is_not_an_encrypted_one() {
        assert_eq!(encrypted_by(&[]), None);
    }
}
