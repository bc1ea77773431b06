//! Findings about audit logs that are the same for every database.

use dbdyno_record::audit::{AuditFinding, Feature, UnknownReason};

use crate::channel::ChannelError;
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

/// The finding where a login that must be refused had this outcome instead, so that no log can hold its refusal.
#[must_use]
pub fn login_not_refused(outcome: &Result<String, ChannelError>) -> AuditFinding {
    let unknown = |reason, why: String| AuditFinding::unknown(Feature::Auditing, reason, why);
    match outcome {
        Ok(answer) => unknown(
            UnknownReason::Unexpected,
            format!(
                "A login that must be refused was answered with {answer}; whether refused logins are logged is unknown."
            ),
        ),
        Err(error) => unknown(
            UnknownReason::Unreachable,
            format!("No login could be tried, so whether refused ones are logged is unknown: {error}."),
        ),
    }
}
