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
