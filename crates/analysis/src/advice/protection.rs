//! Requirements on security: shown or violated by an audit of that very system, and by no catalogue.

use dbdyno_decide::Compliance;
use dbdyno_record::audit::{Feature, ProtectionLevel};

use super::gather::Candidate;
use super::judged::{Context, Judged};
use super::price::price;
use super::why::{Observed, Why};
use crate::audit::is_of;

/// A feature that must be enforced; with what the system's protection costs, where its study measured the same system without it.
pub fn protection<'a>(candidate: &Candidate<'a>, feature: Feature, context: &Context<'_, 'a>) -> Judged<'a> {
    let (compliance, observed) = enforced(candidate, feature, context);
    let why = Why::Protection(observed, price(candidate, context));
    Judged::new(compliance, why, candidate.trials.clone())
}

fn enforced(
    candidate: &Candidate<'_>,
    feature: Feature,
    context: &Context<'_, '_>,
) -> (Compliance, Observed) {
    let audits = || context.catalogue.audits.iter();
    let own = audits()
        .filter(|audit| is_of(audit, candidate.system))
        .max_by_key(|audit| &audit.audited_at);
    let Some(audit) = own else {
        if let Some((level, seen)) = login_of_trials(candidate).filter(|_| feature == Feature::Authentication)
        {
            return (compliance(feature, level), Observed::ByTrials(level, seen));
        }
        let other = audits().find(|audit| audit.database == candidate.system.driver);
        let address = candidate.system.address.clone();
        let observed = match other {
            Some(other) => Observed::OtherSystem {
                audited: other.system.clone(),
                address,
            },
            None if candidate.system.node_count() == Some(0) => Observed::Embedded,
            None => Observed::NoAudit { address },
        };
        return (Compliance::NotShown, observed);
    };
    let Some(finding) = audit.finding(feature) else {
        return (Compliance::NotShown, Observed::NotExamined);
    };
    let day = audit.audited_at.split('T').next().unwrap_or_default();
    let observed = Observed::ByAudit {
        level: finding.level,
        day: day.to_owned(),
        summary: finding.summary.clone(),
    };
    (compliance(feature, finding.level), observed)
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
