//! Sentences about logins that are the same for every database.

use dbdyno_record::audit::{AuditFinding, Feature, ProtectionLevel, UnknownReason};

/// The finding for a server that refuses a missing and a wrong password. `right` is the outcome of the login of the address;
/// `None` if the address has none.
#[must_use]
pub fn right_login(right: Option<Result<(), String>>) -> AuditFinding {
    let unknown =
        |summary: String| AuditFinding::unknown(Feature::Authentication, UnknownReason::NoPrivilege, summary);
    match right {
        Some(Ok(())) => AuditFinding::new(
            Feature::Authentication,
            ProtectionLevel::Enforced,
            "The right login is accepted; none and a wrong password are refused.",
        ),
        Some(Err(why)) => unknown(format!(
            "None and a wrong password are refused, and so is the login of the address: {why}."
        )),
        None => unknown(
            "None and a wrong password are refused; that a right one is accepted was not seen without a login."
                .to_owned(),
        ),
    }
}

/// The finding for a server that asks for a login and answers a wrong password with neither a refusal nor a success.
#[must_use]
pub fn unexpected_refusal(got: &str) -> AuditFinding {
    AuditFinding::unknown(
        Feature::Authentication,
        UnknownReason::Unexpected,
        format!("Requests without a login are refused; to a wrong password the server answered {got}."),
    )
}

/// The finding for a server that did not show whether it asks for a login.
#[must_use]
pub fn unseen_login(why: &str) -> AuditFinding {
    AuditFinding::unknown(
        Feature::Authentication,
        UnknownReason::Unreachable,
        format!("Whether a login is needed was not seen: {why}."),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_is_enforced_only_if_the_right_one_is_accepted() {
        let levels = [Some(Ok(())), Some(Err("no".to_owned())), None].map(|right| right_login(right).level);
        assert_eq!(
            levels,
            [
                ProtectionLevel::Enforced,
                ProtectionLevel::Unknown,
                ProtectionLevel::Unknown
            ]
        );
    }
}
