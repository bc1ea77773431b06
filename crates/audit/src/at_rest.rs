//! From a canary in the files to the level of encryption at rest: the engine's, or the volume's.

use std::time::{Duration, SystemTime};

use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel, Scope, UnknownReason};

use crate::canary::{Canary, search};
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

/// Looks for a stored canary in the files of the servers. `is_flushed`: it was seen that it reached them, so that its absence
/// says something.
pub fn at_rest(
    scene: &mut Scene<'_>,
    canary: &Canary,
    is_flushed: bool,
    fix: &str,
    reference: &str,
) -> AuditFinding {
    let feature = Feature::EncryptionAtRest;
    let seen = search(&scene.place.data, canary.text());
    let volumes: Vec<VolumeProtection> = scene
        .place
        .data
        .iter()
        .map(|path| volume_protection(path))
        .collect();
    let found: Vec<String> = seen.files.iter().take(5).map(|path| file_name(path)).collect();
    scene.note(
        "files.canary",
        "a unique text of 64 letters, stored through the server, looked for in its files",
        format!(
            "{} in {} files ({}); {} bytes read; flush seen: {}",
            if found.is_empty() { "not found" } else { "found" },
            seen.files.len(),
            found.join(", "),
            seen.bytes,
            if is_flushed { "yes" } else { "no" }
        ),
    );
    scene.note(
        "files.volume",
        "what the file system says of the data directories",
        shown(&volumes),
    );
    let encrypted: Vec<&str> = volumes
        .iter()
        .filter_map(|volume| match volume {
            VolumeProtection::Encrypted(by) => Some(by.as_str()),
            VolumeProtection::None | VolumeProtection::Unknown(_) => None,
        })
        .collect();
    let finding = if !volumes.is_empty() && encrypted.len() == volumes.len() && is_recent(seen.changed_at) {
        AuditFinding::new(
            feature,
            ProtectionLevel::Enforced,
            format!(
                "The volume encrypts all data directories ({}); the engine does not have to.",
                encrypted[0]
            ),
        )
        .of(Scope::Volume)
    } else if !found.is_empty() {
        AuditFinding::new(
            feature,
            ProtectionLevel::SupportedOff,
            format!(
                "Values lie in clear text in {}: anyone who gets the disk or a backup can read them.",
                found.join(", ")
            ),
        )
        .mend(AuditSeverity::Low, fix)
    } else if !seen.unread.is_empty() {
        AuditFinding::unknown(
            feature,
            UnknownReason::NoFileAccess,
            format!(
                "{} files could not be read, e.g. {}.",
                seen.unread.len(),
                seen.unread[0]
            ),
        )
    } else if !is_recent(seen.changed_at) {
        AuditFinding::unknown(
            feature,
            UnknownReason::NoFileAccess,
            "Nothing changed in the named directories while a value was written: they are not those of this server.",
        )
    } else if is_flushed {
        AuditFinding::new(
            feature,
            ProtectionLevel::Enforced,
            "A value that was seen to be flushed is in no file in clear text.",
        )
    } else {
        AuditFinding::unknown(
            feature,
            UnknownReason::Unexpected,
            "The value is in no file, and that it was flushed was not seen: its absence shows nothing.",
        )
    };
    finding.see(reference)
}

/// Whether a file was changed while the canary was written and flushed, which takes seconds.
fn is_recent(changed_at: Option<SystemTime>) -> bool {
    const RECENT: Duration = Duration::from_secs(300);
    changed_at.is_some_and(|changed| changed.elapsed().map_or(true, |ago| ago < RECENT))
}

fn file_name(path: &std::path::Path) -> String {
    path.file_name()
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn shown(volumes: &[VolumeProtection]) -> String {
    let each = volumes.iter().map(|volume| match volume {
        VolumeProtection::Encrypted(by) => format!("encrypted ({by})"),
        VolumeProtection::None => "not encrypted".to_owned(),
        VolumeProtection::Unknown(why) => format!("unknown ({why})"),
    });
    each.collect::<Vec<_>>().join(", ")
}
