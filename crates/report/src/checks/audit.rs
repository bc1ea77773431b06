//! The checks of audits: one for each feature of each system.

use dbdyno_record::audit::{AuditFinding, ProtectionLevel};

use super::{Check, Outcome};
use crate::audit::{AuditReports, Gate};

impl AuditReports {
    /// What the gate refuses has failed. What could not be observed is undecided where nobody has to know it.
    #[must_use]
    pub fn checks(&self, gate: &Gate) -> Vec<Check> {
        let findings = self.0.iter().flat_map(|report| {
            let record = &report.record;
            record.findings.iter().map(move |finding| (record, finding))
        });
        let check = |(record, finding): (&dbdyno_record::audit::AuditRecord, &AuditFinding)| {
            let (outcome, word) = outcome(finding, gate);
            Check {
                subject: record.system.clone(),
                name: finding.feature.id().to_owned(),
                outcome,
                word: word.to_owned(),
                message: message(finding),
                time: None,
            }
        };
        findings.map(check).collect()
    }
}

fn outcome(finding: &AuditFinding, gate: &Gate) -> (Outcome, &'static str) {
    match (finding.severity, finding.level) {
        (Some(severity), _) if gate.refuses(finding) => (Outcome::Failed, severity.name()),
        (None, level) if gate.refuses(finding) => (Outcome::Failed, level.name()),
        (Some(severity), _) => (Outcome::Passed, severity.name()),
        (None, level @ (ProtectionLevel::Unknown | ProtectionLevel::NotApplicable)) => {
            (Outcome::Undecided, level.name())
        }
        (None, level) => (Outcome::Passed, level.name()),
    }
}

/// What was seen, and the setting that mends it.
fn message(finding: &AuditFinding) -> String {
    let severity = finding
        .severity
        .map_or_else(String::new, |severity| format!("{}: ", severity.name()));
    let mut text = format!("{severity}{}", finding.summary);
    if !finding.fix.is_empty() {
        text.push_str(&format!(" Fix: {}", finding.fix));
    }
    text
}
