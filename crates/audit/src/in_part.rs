//! Findings about a part of what there is.

use dbdyno_record::audit::{AuditFinding, ProtectionLevel, UnknownReason};

/// The finding where only a part was seen; `seen` says which, e.g. `12 of 40 nodes were asked`. That a part is protected, or has nothing
/// to protect, shows nothing about the rest; that it is not is a finding all the same.
#[must_use]
pub fn in_part(finding: AuditFinding, seen: &str) -> AuditFinding {
    let finding = AuditFinding {
        summary: format!("{} Only {seen}; the others are unknown.", finding.summary),
        ..finding
    };
    match finding.level {
        ProtectionLevel::Enforced | ProtectionLevel::NotApplicable => AuditFinding {
            level: ProtectionLevel::Unknown,
            why_not_known: Some(UnknownReason::Unexpected),
            ..finding
        },
        _ => finding,
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_record::audit::{AuditSeverity, Feature};

    use super::*;

    #[test]
    fn a_part_that_is_protected_shows_nothing_about_the_rest() {
        let finding = |level| AuditFinding::new(Feature::NodeToNodeEncryption, level, "They speak TLS.");
        let seen = "12 of 40 nodes were asked";
        let empty = in_part(finding(ProtectionLevel::NotApplicable), seen);
        assert_eq!(empty.level, ProtectionLevel::Unknown);
        let sound = in_part(finding(ProtectionLevel::Enforced), seen);
        assert_eq!(
            (sound.level, sound.why_not_known),
            (ProtectionLevel::Unknown, Some(UnknownReason::Unexpected))
        );
        assert_eq!(
            sound.summary,
            "They speak TLS. Only 12 of 40 nodes were asked; the others are unknown."
        );
        let weak = finding(ProtectionLevel::SupportedOff).mend(AuditSeverity::Medium, "mend it");
        let weak = in_part(weak, seen);
        assert_eq!(
            (weak.level, weak.severity),
            (ProtectionLevel::SupportedOff, Some(AuditSeverity::Medium))
        );
        assert!(weak.summary.contains(seen));
    }
}
