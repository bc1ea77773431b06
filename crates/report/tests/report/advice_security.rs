//! Requirements on security: an audit of that very system shows or violates them, and nothing else does.

use dbdyno_record::audit::{
    AUDIT_FORMAT, AuditFinding, AuditRecord, Feature, ProtectionLevel, UnknownReason,
};
use dbdyno_report::StudyResults;
use dbdyno_report::advice::{Advice, Catalogue, RequirementKind, Word};

use crate::common::needs::{goal, need, require, source};
use crate::common::{FJALL, REDB, WORKLOADS, study};

const ADDRESS: &str = "redis://me:***@h:6379?timeout=1s";

pub fn results() -> StudyResults {
    let mut results = study("small", &[FJALL, REDB], &WORKLOADS[..1], 6, 10);
    for trial in &mut results.trials {
        let system = &mut trial.system;
        system.driver = "redis".to_owned();
        system.nodes = Some(1);
        system.topology = "1 server".to_owned();
        system.address = match system.name.as_str() {
            "fjall" => ADDRESS.to_owned(),
            _ => "redis://other".to_owned(),
        };
    }
    results
}

pub fn audit(level: ProtectionLevel) -> AuditRecord {
    let feature = Feature::Authentication;
    let finding = match level {
        ProtectionLevel::Unknown => AuditFinding::unknown(feature, UnknownReason::NoPrivilege, "Not seen."),
        level => AuditFinding::new(feature, level, "Seen."),
    };
    AuditRecord {
        format: AUDIT_FORMAT.to_owned(),
        dbdyno: String::new(),
        system: "redis://h:6379".to_owned(),
        database: "redis".to_owned(),
        product: "Redis".to_owned(),
        version: FJALL.version.to_owned(),
        audited_at: "2026-11-23T01:02:03Z".to_owned(),
        access: Vec::new(),
        from: Vec::new(),
        findings: vec![finding],
        left_behind: Vec::new(),
    }
}

fn advised(audits: Vec<AuditRecord>) -> Advice {
    let mut need = need(vec![goal("updates", "throughput", "a", 1.0)]);
    need.requirements = vec![require(
        "security authentication",
        RequirementKind::Protection(Feature::Authentication),
    )];
    let catalogue = Catalogue {
        audits,
        ..Catalogue::default()
    };
    let results = results();
    Advice::of(&need, &[source("r", &results)], &catalogue).unwrap()
}

/// How both systems stand to the requirement, and why.
fn row(advice: &Advice) -> [(&'static str, String); 2] {
    let row = &advice
        .requirements
        .iter()
        .find(|row| row.requirement.starts_with("security"));
    let cells = &row.unwrap().systems;
    [&cells[0], &cells[1]].map(|cell| (cell.compliance, cell.why.text.clone()))
}

#[test]
fn what_was_observed_of_a_system_counts_for_it_alone() {
    for (level, expected) in [
        (ProtectionLevel::Enforced, "shown"),
        (ProtectionLevel::NotApplicable, "not shown"),
        (ProtectionLevel::Partial, "violated"),
        (ProtectionLevel::SupportedOff, "violated"),
        (ProtectionLevel::Unsupported, "violated"),
        (ProtectionLevel::Unknown, "not shown"),
    ] {
        let [own, other] = row(&advised(vec![audit(level)]));
        assert_eq!(own.0, expected, "{level:?}: {}", own.1);
        assert!(
            own.1.contains("2026-11-23") && own.1.contains(level.name()),
            "{}",
            own.1
        );
        assert_eq!(other.0, "not shown");
        assert!(other.1.contains("redis://h:6379"), "{}", other.1);
    }
}

#[test]
fn without_an_audit_nothing_is_shown_and_the_command_is_named() {
    let advice = advised(Vec::new());
    for (compliance, why) in row(&advice) {
        assert_eq!(compliance, "not shown");
        // Quoted where a shell would read more than a word.
        let is_named =
            why.contains("dbdyno audit redis://other ") || why.contains("dbdyno audit 'redis://me:");
        assert!(is_named, "{why}");
    }
    assert_ne!(advice.word, Word::Recommend);
}

#[test]
fn who_violates_is_out_and_who_is_shown_is_recommended() {
    let advice = advised(vec![audit(ProtectionLevel::SupportedOff)]);
    assert!(advice.ranking.iter().all(|row| row.system != "fjall"));
    let mut other = audit(ProtectionLevel::Enforced);
    other.system = "redis://other".to_owned();
    other.version = String::new();
    let advice = advised(vec![audit(ProtectionLevel::Enforced), other]);
    assert_eq!(advice.word, Word::Recommend, "{:?}", advice.why);
}

#[test]
fn the_audit_of_another_version_shows_nothing() {
    let mut older = audit(ProtectionLevel::Enforced);
    older.version = "0.0.1".to_owned();
    assert_eq!(row(&advised(vec![older]))[0].0, "not shown");
}
