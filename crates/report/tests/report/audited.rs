//! Audits beside the figures of a study: of the systems that were measured, and of others.

use dbdyno_record::audit::{AuditFinding, Catalogue, ProtectionLevel, UnknownReason};
use dbdyno_report::{AuditReport, AuditReports, Render, ReportModel};

use crate::advice_security::{audit, results};

fn report(system: &str) -> AuditReport {
    let mut record = audit(ProtectionLevel::Enforced);
    record.system = system.to_owned();
    let catalogue = Catalogue {
        product: "Redis".to_owned(),
        as_of: "2026-11-23".to_owned(),
        capabilities: Vec::new(),
    };
    AuditReport { record, catalogue }
}

#[test]
fn a_report_has_the_audits_that_it_was_given_and_names_those_of_other_systems() {
    let page = |audits: Vec<AuditReport>| {
        let mut results = results();
        results.audits = audits;
        ReportModel::build(&results).html()
    };
    assert!(!page(Vec::new()).contains("id=\"security\""));
    let own = page(vec![report("redis://h:6379")]);
    assert!(own.contains("id=\"security\"") && own.contains("Security features in three layers"));
    assert!(!own.contains("of systems other than the measured ones"), "{own}");
    let both = page(vec![report("redis://h:6379"), report("redis://h:6379/foreign")]);
    assert!(both.contains("of systems other than the measured ones"));
    assert!(both.contains("redis://h:6379/foreign"));
}

#[test]
fn an_audit_that_was_stopped_is_no_success_to_a_service() {
    let succeeded = |why| {
        let mut report = report("redis://h:6379");
        for finding in &mut report.record.findings {
            (finding.level, finding.severity) = (ProtectionLevel::Unknown, None);
            finding.why_not_known = Some(why);
        }
        let log: serde_json::Value = serde_json::from_str(&AuditReports(vec![report]).sarif()).unwrap();
        log["runs"][0]["invocations"][0]["executionSuccessful"].clone()
    };
    assert_eq!(succeeded(UnknownReason::NotRequested), true);
    assert_eq!(succeeded(UnknownReason::Stopped), false);
}

#[test]
fn what_was_not_observed_is_not_called_sound() {
    const SOUND: &str = "<span class=\"pill\">sound</span>";
    let of = |levels: &[(ProtectionLevel, Option<UnknownReason>)]| {
        let mut report = report("redis://h:6379");
        let known = report.record.findings[0].clone();
        report.record.findings = levels
            .iter()
            .map(|(level, why)| AuditFinding {
                level: *level,
                why_not_known: *why,
                ..known.clone()
            })
            .collect();
        // Beside each other, each has its verdict in a word.
        AuditReports(vec![report.clone(), report]).html()
    };
    let enforced = (ProtectionLevel::Enforced, None);
    let unknown = |why| (ProtectionLevel::Unknown, Some(why));
    assert!(of(&[enforced, unknown(UnknownReason::NotRequested)]).contains(SOUND));
    let with_a_gap = of(&[enforced, unknown(UnknownReason::Unreachable)]);
    assert!(!with_a_gap.contains(SOUND) && with_a_gap.contains("Nothing to fix in what was observed"));
    let nothing = of(&[unknown(UnknownReason::NotRequested)]);
    assert!(
        !nothing.contains(SOUND) && nothing.contains("Nothing was observed"),
        "{nothing}"
    );
}

#[test]
fn audits_are_read_as_they_were_written() {
    for number in [1, 2] {
        let written = AuditReports(vec![report("redis://h:6379"); number]).json();
        let read = AuditReports::read(&written).unwrap();
        assert_eq!(read.0.len(), number);
        assert_eq!(read.json(), written);
    }
    for text in ["", "[]", "{\"format\": \"dbdyno.audits/2\", \"audits\": []}"] {
        assert!(AuditReports::read(text).is_err(), "{text}");
    }
}
