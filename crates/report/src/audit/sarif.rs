//! An audit as SARIF 2.1.0 (OASIS standard, 2020), which code scanning services read.
//!
//! A result has a kind: `pass`, `fail`, `open` for what is unknown, `notApplicable`, or `informational`. Only a failure has
//! a level. The system has no file, so a result names a path that stands for it.

use dbdyno_record::audit::{AuditFinding, AuditRecord, AuditSeverity, Feature, ProtectionLevel};
use serde_json::{Value, json};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The log with one run for each audit.
pub(super) fn log<'a>(records: impl Iterator<Item = &'a AuditRecord>) -> Value {
    let runs: Vec<Value> = records.map(run).collect();
    json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": runs })
}

fn run(record: &AuditRecord) -> Value {
    let rules: Vec<Value> = Feature::ALL.into_iter().map(rule).collect();
    let results: Vec<Value> = record
        .findings
        .iter()
        .map(|finding| result(record, finding))
        .collect();
    json!({
        "tool": { "driver": { "name": "dbdyno", "version": record.dbdyno, "rules": rules } },
        "results": results,
    })
}

fn rule(feature: Feature) -> Value {
    json!({ "id": feature.id(), "shortDescription": { "text": feature.title() } })
}

fn result(record: &AuditRecord, finding: &AuditFinding) -> Value {
    let (kind, level) = match (finding.severity, finding.level) {
        (Some(AuditSeverity::High | AuditSeverity::Critical), _) => ("fail", "error"),
        (Some(AuditSeverity::Medium), _) => ("fail", "warning"),
        (Some(AuditSeverity::Low), _) => ("fail", "note"),
        (None, ProtectionLevel::Enforced) => ("pass", "none"),
        (None, ProtectionLevel::Unknown) => ("open", "none"),
        (None, ProtectionLevel::NotApplicable) => ("notApplicable", "none"),
        (None, _) => ("informational", "none"),
    };
    let mut message = finding.summary.clone();
    if !finding.fix.is_empty() {
        message.push_str(&format!(" Fix: {}", finding.fix));
    }
    json!({
        "ruleId": finding.feature.id(),
        "ruleIndex": Feature::ALL.iter().position(|feature| *feature == finding.feature),
        "kind": kind,
        "level": level,
        "message": { "text": message },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": format!("audit/{}", record.database) },
                "region": { "startLine": 1 },
            },
            "logicalLocations": [{ "fullyQualifiedName": record.system, "kind": "resource" }],
        }],
        "properties": {
            "observed": finding.level,
            "severity": finding.severity,
            "evidence": finding.evidence,
        },
    })
}
