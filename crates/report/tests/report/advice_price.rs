//! Requirements on security beside the price of what fulfils them, from the trials of one study.

use dbdyno_record::audit::{Feature, ProtectionLevel};
use dbdyno_record::protection::{Connection, ProtectionRecord};
use dbdyno_report::advice::{Advice, Catalogue, RequirementKind};

use crate::common::needs::{goal, need, require, source};
use crate::price::study;

/// The advice about a study of logins and TLS, whose trials saw their logins if `is_seen`.
fn advised(is_seen: bool) -> Advice {
    let mut results = study(true);
    for trial in results.trials.iter_mut().filter(|_| is_seen) {
        let (login, login_seen) = match trial.spec.system.factors["security"].as_str() {
            "auth" => (
                ProtectionLevel::Enforced,
                "The right login is accepted; none and a wrong one are refused.",
            ),
            _ => (ProtectionLevel::SupportedOff, "Anyone is served without a login."),
        };
        trial.system.protection = Some(ProtectionRecord {
            connection: Connection::ClearText,
            asks_for_certificate: None,
            login,
            login_seen: login_seen.to_owned(),
        });
    }
    let mut need = need(vec![goal("updates", "throughput", "a", 1.0)]);
    need.requirements = vec![require(
        "security authentication",
        RequirementKind::Protection(Feature::Authentication),
    )];
    Advice::of(&need, &[source("r", &results)], &Catalogue::default()).unwrap()
}

/// How a system stands to the requirement, and why.
fn stands(advice: &Advice, system: &str) -> (&'static str, String) {
    let rows = &advice.requirements;
    let row = rows
        .iter()
        .find(|row| row.requirement.starts_with("security"))
        .unwrap();
    let cell = row.systems.iter().find(|cell| cell.system == system);
    let cell = cell.unwrap_or_else(|| panic!("{system}: {row:?}"));
    (cell.compliance, cell.why.text.clone())
}

#[test]
fn what_trials_saw_fulfils_a_requirement_and_its_price_stands_beside_it() {
    let advice = advised(true);
    let (word, why) = stands(&advice, "redb security=auth");
    assert_eq!(word, "shown", "{why}");
    assert!(
        why.contains("as observed after every start of its trials"),
        "{why}"
    );
    assert!(
        why.contains("its price, as measured: throughput against redb: 1.0"),
        "{why}"
    );
    let (word, why) = stands(&advice, "redb security=tls");
    assert_eq!(word, "violated", "{why}");
    assert!(
        why.contains("throughput against redb: 1.2") && why.contains("lower (1.2"),
        "{why}"
    );
    let (word, why) = stands(&advice, "redb");
    assert_eq!(word, "violated");
    assert!(!why.contains("price"), "a baseline has no price: {why}");
}

#[test]
fn what_nobody_saw_is_not_shown_by_a_name() {
    let (word, why) = stands(&advised(false), "redb security=auth");
    assert_eq!(word, "not shown", "{why}");
}
