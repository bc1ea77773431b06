//! An audit as SARIF 2.1.0 (OASIS standard, 2020), which code scanning services read.
//!
//! Results are what needs fixing, and nothing else: GitHub shows every result as an alert, whatever its kind. All other features
//! are notifications of the run, which the standard keeps for what a tool has to say besides its results. The system has no file,
//! so a result names a path that stands for it.

use dbdyno_record::audit::{
    AuditFinding, AuditRecord, AuditSeverity, Feature, ProtectionLevel, UnknownReason,
};
use dbdyno_vocabulary::visible;
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
    let mut results = Vec::new();
    let mut notifications = Vec::new();
    for finding in &record.findings {
        match finding.severity {
            Some(severity) => results.push(result(record, finding, severity)),
            None => notifications.push(notification(finding)),
        }
    }
    // A service closes its alerts about what a run that succeeded does not show.
    let is_stopped = record
        .findings
        .iter()
        .any(|finding| finding.why_not_known == Some(UnknownReason::Stopped));
    json!({
        "tool": { "driver": { "name": "dbdyno", "version": record.dbdyno, "rules": rules } },
        "invocations": [{
            "executionSuccessful": !is_stopped,
            "toolExecutionNotifications": notifications,
        }],
        "results": results,
    })
}

fn rule(feature: Feature) -> Value {
    json!({ "id": feature.id(), "shortDescription": { "text": feature.title() } })
}

/// Where a feature stands among the rules.
fn index(feature: Feature) -> Option<usize> {
    Feature::ALL.iter().position(|known| *known == feature)
}

/// A feature with nothing to fix: it is enforced, does not apply, or could not be observed.
fn notification(finding: &AuditFinding) -> Value {
    let level = match finding.level {
        ProtectionLevel::Unknown => "note",
        _ => "none",
    };
    json!({
        "associatedRule": { "id": finding.feature.id(), "index": index(finding.feature) },
        "level": level,
        "message": { "text": plain(&format!("{}: {}", finding.level.name(), finding.summary)) },
        "properties": { "observed": finding.level, "evidence": finding.evidence },
    })
}

/// A message in which a server's words are no link (SARIF 2.1.0, 3.11.6), and nothing is that nobody sees.
fn plain(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    for letter in visible::text(message).chars() {
        if ['\\', '[', ']'].contains(&letter) {
            text.push('\\');
        }
        text.push(letter);
    }
    text
}

/// The name of a system as a part of a path: two servers of one database have two.
fn path_of(system: &str) -> String {
    let kept = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let path: String = system
        .chars()
        .map(|letter| if kept(letter) { letter } else { '-' })
        .collect();
    path.trim_matches('-').to_owned()
}

fn result(record: &AuditRecord, finding: &AuditFinding, severity: AuditSeverity) -> Value {
    let level = match severity {
        AuditSeverity::High | AuditSeverity::Critical => "error",
        AuditSeverity::Medium => "warning",
        AuditSeverity::Low => "note",
    };
    let mut message = finding.summary.clone();
    if !finding.fix.is_empty() {
        message.push_str(&format!(" Fix: {}", finding.fix));
    }
    let place = format!("audit/{}/{}", record.database, path_of(&record.system));
    json!({
        "ruleId": finding.feature.id(),
        "ruleIndex": index(finding.feature),
        "kind": "fail",
        "level": level,
        "message": { "text": plain(&message) },
        // By this a service knows the same finding of another day: its words change with what was seen.
        "partialFingerprints": { "dbdyno/v1": format!("{place}/{}", finding.feature.id()) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": place },
                "region": { "startLine": 1 },
            },
            "logicalLocations": [{ "fullyQualifiedName": record.system, "kind": "resource" }],
        }],
        "properties": {
            "observed": finding.level,
            "severity": severity,
            "evidence": finding.evidence,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn a_servers_words_are_no_link_and_hide_nothing() {
        assert_eq!(
            plain("version [6](https://example.org) \\ \u{202e}"),
            "version \\[6\\](https://example.org) \\\\ \\\\u202e"
        );
        assert_eq!(plain("as it is: `a` (b), 'c'"), "as it is: `a` (b), 'c'");
    }
}
