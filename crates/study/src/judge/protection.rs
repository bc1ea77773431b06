//! Whether the servers of a trial were protected as a factor of their system says.

use dbdyno_record::at_rest::{self, AT_REST_FACTOR};
use dbdyno_record::finding::ProtectionDiffers;
use dbdyno_record::protection::SECURITY_FACTOR;
use dbdyno_record::{Finding, TrialRecord};

/// The findings about a trial whose declared levels are not what was seen of its servers, which the lab started.
#[must_use]
pub fn findings(record: &TrialRecord) -> Vec<Finding> {
    let Some(protection) = &record.system.protection else {
        return Vec::new();
    };
    let level = |factor: &str| record.spec.system.factors.get(factor);
    let security =
        level(SECURITY_FACTOR).map(|level| (SECURITY_FACTOR, level, protection.contradictions(level)));
    let at_rest = level(AT_REST_FACTOR).map(|level| {
        let seen = at_rest::contradiction(record.system.at_rest.as_ref(), level);
        (AT_REST_FACTOR, level, seen.into_iter().collect())
    });
    security
        .into_iter()
        .chain(at_rest)
        .filter(|(_, _, seen)| !seen.is_empty())
        .map(|(factor, level, seen)| finding(&record.system.name, factor, level, seen))
        .collect()
}

fn finding(system: &str, factor: &str, level: &str, seen: Vec<String>) -> Finding {
    Finding::invalid(ProtectionDiffers {
        system: system.to_owned(),
        factor: factor.to_owned(),
        level: level.to_owned(),
        seen,
    })
}

#[cfg(test)]
mod tests {
    use dbdyno_record::Severity;
    use dbdyno_record::audit::ProtectionLevel;
    use dbdyno_record::protection::{Connection, ProtectionRecord};
    use dbdyno_trial::{SystemSpec, TrialSpec};

    use super::*;
    use crate::test_record::completed;

    fn trial(level: &str, connection: Connection) -> TrialRecord {
        let mut record = completed("001", 1000);
        let system = SystemSpec {
            factors: [(SECURITY_FACTOR.to_owned(), level.to_owned())].into(),
            ..SystemSpec::default()
        };
        record.spec = TrialSpec::new(system, "a", 1);
        record.system.protection = Some(ProtectionRecord {
            connection,
            asks_for_certificate: None,
            login: ProtectionLevel::SupportedOff,
            login_seen: String::new(),
        });
        record
    }

    #[test]
    fn a_level_that_was_not_in_force_makes_the_trial_invalid() {
        let found = findings(&trial("tls", Connection::ClearText)).remove(0);
        assert_eq!(found.severity, Severity::Invalid);
        assert_eq!(
            found.message(),
            "the study calls memory security tls, but its clients spoke clear text"
        );
        let both = findings(&trial("hardened", Connection::ClearText))
            .remove(0)
            .message();
        assert!(
            both.ends_with("its clients spoke clear text and its servers asked for no login"),
            "{both}"
        );
    }

    #[test]
    fn a_level_that_was_in_force_or_that_nobody_saw_is_no_finding() {
        let tls = Connection::Tls {
            version: "TLS 1.3".to_owned(),
            cipher: "TLS13_AES_256_GCM_SHA384".to_owned(),
        };
        assert_eq!(findings(&trial("tls", tls)), []);
        assert_eq!(findings(&trial("none", Connection::ClearText)), []);
        let mut unseen = trial("tls", Connection::ClearText);
        unseen.system.protection = None;
        assert_eq!(findings(&unseen), []);
    }

    #[test]
    fn files_that_were_not_encrypted_make_the_trial_invalid() {
        let mut plain = trial("none", Connection::ClearText);
        let factors = &mut plain.spec.system.factors;
        factors.insert(AT_REST_FACTOR.to_owned(), "volume".to_owned());
        let found = findings(&plain);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(
            found[0].message(),
            "the study calls memory at_rest volume, but its files lay in a plain directory"
        );
    }
}
