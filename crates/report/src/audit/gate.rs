//! What an audit has to show to pass, for continuous integration.

use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, ProtectionLevel};

/// Without these a server is open, so that not to know about them is no pass.
pub const MUST_BE_KNOWN: [Feature; 3] = [
    Feature::Authentication,
    Feature::Authorization,
    Feature::ClientToNodeEncryption,
];

/// What fails an audit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gate {
    /// Findings that are at least as severe; `None`: of no severity.
    pub limit: Option<AuditSeverity>,
    /// Features of which something must be known.
    pub known: Vec<Feature>,
}

impl Gate {
    /// Whether a finding fails the audit.
    #[must_use]
    pub fn refuses(&self, finding: &AuditFinding) -> bool {
        let is_severe = self
            .limit
            .is_some_and(|limit| finding.severity.is_some_and(|severity| severity >= limit));
        is_severe || (finding.level == ProtectionLevel::Unknown && self.known.contains(&finding.feature))
    }
}

#[cfg(test)]
mod tests {
    use dbdyno_record::audit::UnknownReason;

    use super::*;

    #[test]
    fn who_may_enter_do_what_and_who_listens_must_be_known() {
        let gate = Gate {
            limit: Some(AuditSeverity::Critical),
            known: MUST_BE_KNOWN.to_vec(),
        };
        let is_refused = |feature: &Feature| {
            gate.refuses(&AuditFinding::unknown(*feature, UnknownReason::NoPrivilege, ""))
        };
        for feature in &Feature::ALL {
            let must_be_known = matches!(
                feature,
                Feature::Authentication | Feature::Authorization | Feature::ClientToNodeEncryption
            );
            assert_eq!(is_refused(feature), must_be_known, "{feature:?}");
        }
    }
}
