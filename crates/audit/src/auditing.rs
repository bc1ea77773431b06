//! Findings about audit logs that are the same for every database.

use dbdyno_record::audit::{AuditFinding, Feature, UnknownReason};

use crate::scene::Scene;

/// The finding where the servers' logs were not given; `None` where they were.
#[must_use]
pub fn without_logs(scene: &Scene<'_>) -> Option<AuditFinding> {
    scene.place.logs.is_empty().then(|| {
        AuditFinding::unknown(
            Feature::Auditing,
            UnknownReason::NoFileAccess,
            "The servers' logs were not given; name them with --log.",
        )
    })
}
