//! Requirements on security: shown or violated by an audit of that very system, and by no catalogue.

use dbdyno_decide::Compliance;
use dbdyno_record::audit::{Feature, ProtectionLevel};

use super::gather::Candidate;
use super::judged::{Context, Judged};
use super::price::price;
use super::why::Why;
use crate::audit::is_of;

/// A feature that must be enforced; with what the system's protection costs, where its study measured the same system without it.
pub fn protection<'a>(candidate: &Candidate<'a>, feature: Feature, context: &Context<'_, 'a>) -> Judged<'a> {
    let (compliance, mut why) = enforced(candidate, feature, context);
    if let Some(price) = price(candidate, context) {
        why.push_str(&format!("; its price, as measured: {price}"));
    }
    Judged::new(compliance, Why::Words(why), candidate.trials.clone())
}

fn enforced(candidate: &Candidate<'_>, feature: Feature, context: &Context<'_, '_>) -> (Compliance, String) {
    let audits = || context.catalogue.audits.iter();
    let own = audits()
        .filter(|audit| is_of(audit, candidate.system))
        .max_by_key(|audit| &audit.audited_at);
    let Some(audit) = own else {
        if let Some(login) = login_of_trials(candidate).filter(|_| feature == Feature::Authentication) {
            let why = format!(
                "{}, as observed after every start of its trials: {}",
                login.0.name(),
                login.1
            );
            return (compliance(feature, login.0), why.trim_end_matches('.').to_owned());
        }
        let other = audits().find(|audit| audit.database == candidate.system.driver);
        let why = match other {
            Some(other) => format!(
                "the audit is of another system, {}; `dbdyno audit {}` would show it",
                other.system, candidate.system.address
            ),
            None if candidate.system.node_count() == Some(0) => {
                "no probes examine a store inside the process".to_owned()
            }
            None => format!(
                "no audit of it was given; `dbdyno audit {} --format json` would show it",
                candidate.system.address
            ),
        };
        return (Compliance::NotShown, why);
    };
    let Some(finding) = audit.finding(feature) else {
        return (Compliance::NotShown, "its audit did not examine it".to_owned());
    };
    let day = audit.audited_at.split('T').next().unwrap_or_default();
    let why = format!(
        "{}, as observed on {day}: {}",
        finding.level.name(),
        finding.summary
    );
    (
        compliance(feature, finding.level),
        why.trim_end_matches('.').to_owned(),
    )
}

/// What all trials saw of the login; `None` where one did not look, could not see it, or saw something else than the others.
fn login_of_trials(candidate: &Candidate<'_>) -> Option<(ProtectionLevel, String)> {
    let mut seen = candidate.trials.iter().map(|(_, trial)| {
        let protection = trial.system.protection.as_ref()?;
        (protection.login != ProtectionLevel::Unknown)
            .then(|| (protection.login, protection.login_seen.clone()))
    });
    let first = seen.next()??;
    let same = |one: Option<(ProtectionLevel, String)>| one.is_some_and(|(level, _)| level == first.0);
    seen.all(same).then_some(first)
}

/// Only what is enforced fulfils a requirement. That nothing was there to protect (no login, one node, a replica that is away) shows
/// nothing about the day when it is; that a product has no way to act as another user is lasting.
fn compliance(feature: Feature, level: ProtectionLevel) -> Compliance {
    match level {
        ProtectionLevel::Enforced => Compliance::Shown,
        ProtectionLevel::NotApplicable if feature == Feature::ProxyRoles => Compliance::Shown,
        ProtectionLevel::Partial | ProtectionLevel::SupportedOff | ProtectionLevel::Unsupported => {
            Compliance::Violated
        }
        ProtectionLevel::NotApplicable | ProtectionLevel::Unknown => Compliance::NotShown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_nothing_was_to_protect_nothing_is_shown() {
        let of = |feature| compliance(feature, ProtectionLevel::NotApplicable);
        assert_eq!(of(Feature::DefaultCredentials), Compliance::NotShown);
        assert_eq!(of(Feature::NodeToNodeEncryption), Compliance::NotShown);
        assert_eq!(of(Feature::ProxyRoles), Compliance::Shown);
    }
}
