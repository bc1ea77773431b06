//! Findings about logins that are the same for every database.

use dbdyno_driver::remote::Remote;
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

use crate::scene::Scene;

/// The finding for a server that serves clients without a login.
#[must_use]
pub fn served_without_login(fix: &str) -> AuditFinding {
    AuditFinding::off(
        Feature::Authentication,
        "Anyone who reaches the server is served without a login.",
    )
    .mend(AuditSeverity::Critical, fix)
}

/// The finding about rights for a server that serves clients without a login.
#[must_use]
pub fn rights_without_login(fix: impl Into<String>) -> AuditFinding {
    AuditFinding::off(
        Feature::Authorization,
        "Anyone may do anything: no login is needed.",
    )
    .mend(AuditSeverity::High, fix)
}

/// The finding about the time to revoke for a server that serves clients without a login.
#[must_use]
pub fn nothing_to_revoke() -> AuditFinding {
    AuditFinding::not_applicable(
        Feature::AuthenticationCaching,
        "No login is needed, so there is nothing to withdraw.",
    )
}

/// The finding for a server that asks for a login and checks no password.
#[must_use]
pub fn wrong_password_accepted(fix: &str) -> AuditFinding {
    AuditFinding::partial(
        Feature::Authentication,
        "The server asks for a login but accepts a wrong password.",
    )
    .mend(AuditSeverity::Critical, fix)
}

/// The finding about logins that `what` describes, where the user did not ask to try them; `None` where they did.
#[must_use]
pub fn defaults_not_tried(scene: &Scene<'_>, what: &str) -> Option<AuditFinding> {
    (!scene.tries_defaults).then(|| {
        AuditFinding::unknown(
            Feature::DefaultCredentials,
            UnknownReason::NotRequested,
            format!("{what} were not tried; --try-defaults tries them."),
        )
    })
}

/// How grave it is that an application may do more than work with its data: `takes_over` where it may give itself every right, as
/// superusers may. One rule for all products.
#[must_use]
pub const fn severity_of_rights(takes_over: bool) -> AuditSeverity {
    if takes_over {
        AuditSeverity::High
    } else {
        AuditSeverity::Medium
    }
}

/// Passwords that whoever guesses tries first, beside the name of the user and that of the product.
const GUESSED_FIRST: [&str; 13] = [
    "password", "admin", "secret", "123456", "12345678", "changeme", "test", "root", "guest", "letmein",
    "qwerty", "example", // The one in Redis's own configuration file.
    "foobared",
];

/// Whether a user's password is one of those that are tried first. Nothing is sent.
#[must_use]
pub fn is_guessed_first(password: &str, user: &str, product: &str) -> bool {
    [user, product].contains(&password) || GUESSED_FIRST.contains(&password)
}

/// Passwords that are tried first for a user, to compare with a stored hash.
pub fn guessed_first<'a>(user: &'a str, product: &'a str) -> impl Iterator<Item = &'a str> {
    GUESSED_FIRST.into_iter().chain([user, product])
}

/// The finding for a login of the audit's own whose password is one of those that are tried first, and which the server accepts; `None`
/// where none is. A user without a name is `default`.
#[must_use]
pub fn given_password_is_guessed(
    scene: &Scene<'_>,
    (product, default): (&str, &str),
    fix: &str,
    is_accepted: impl Fn(&Remote) -> bool,
) -> Option<AuditFinding> {
    let mut given = std::iter::once(scene.remote).chain(scene.administrator);
    let user = given.find_map(|remote| {
        let user = remote
            .user
            .as_deref()
            .filter(|user| !user.is_empty())
            .unwrap_or(default);
        let password = remote.password.as_ref()?.reveal();
        let is_found = is_guessed_first(password, user, product) && is_accepted(remote);
        is_found.then_some(user)
    })?;
    let summary =
        format!("The password of `{user}`, which the audit was given, is one of those that are tried first.");
    Some(AuditFinding::off(Feature::DefaultCredentials, summary).mend(AuditSeverity::Critical, fix))
}

/// The finding for a server that refuses a missing and a wrong password. `right` is the outcome of the login of the address;
/// `None` if the address has none.
#[must_use]
pub fn right_login(right: Option<Result<(), String>>) -> AuditFinding {
    let unknown =
        |summary: String| AuditFinding::unknown(Feature::Authentication, UnknownReason::NoPrivilege, summary);
    match right {
        Some(Ok(())) => AuditFinding::enforced(
            Feature::Authentication,
            "The right login is accepted; a missing login and a wrong password are refused.",
        ),
        Some(Err(why)) => unknown(format!(
            "A missing login and a wrong password are refused, and so is the login of the address: {why}."
        )),
        None => unknown(
            "A missing login and a wrong password are refused; whether the right one is accepted is unknown without a login."
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
        format!("Whether a login is needed is unknown: {why}."),
    )
}

#[cfg(test)]
mod tests {
    use dbdyno_driver::remote::Secret;

    use dbdyno_record::audit::ProtectionLevel;

    use super::*;
    use crate::scene::in_scene;

    /// The finding about an application's login of MongoDB, and that of an administrator where there is one.
    fn given(application: (&str, &str), administrator: Option<(&str, &str)>) -> Option<AuditFinding> {
        in_scene(Vec::new(), |scene| {
            let of = |(user, password): (&str, &str)| Remote {
                user: Some(user.to_owned()),
                password: Some(Secret::new(password)),
                ..scene.remote.clone()
            };
            let (application, administrator) = (of(application), administrator.map(of));
            let mut scene = scene.with_remote(&application);
            scene.administrator = administrator.as_ref();
            let is_accepted = |remote: &Remote| remote.user.as_deref() != Some("refused");
            given_password_is_guessed(&scene, ("mongodb", "default"), "choose another one", is_accepted)
        })
    }

    #[test]
    fn a_given_password_that_is_tried_first_is_found() {
        const RANDOM: &str = "fV3-x9Qq-71mT";
        for (application, administrator, whose) in [
            (("mongodb", "mongodb"), None, "`mongodb`"),
            (("app", "app"), None, "`app`"),
            (("app", "mongodb"), None, "`app`"),
            (("", "default"), None, "`default`"),
            (("app", RANDOM), Some(("boss", "changeme")), "`boss`"),
            (("app", "app"), Some(("boss", "changeme")), "`app`"),
        ] {
            let found = given(application, administrator).expect(whose);
            assert_eq!(found.feature, Feature::DefaultCredentials);
            assert_eq!(found.level, ProtectionLevel::SupportedOff, "{whose}");
            assert_eq!(found.severity, Some(AuditSeverity::Critical), "{whose}");
            assert!(found.summary.contains(whose), "{}", found.summary);
        }
        assert_eq!(
            given(("refused", "changeme"), None),
            None,
            "it is not the password"
        );
        assert_eq!(given(("mongodb", RANDOM), None), None);
        assert_eq!(given(("app", RANDOM), Some(("boss", "another-fV3"))), None);
    }

    #[test]
    fn names_and_a_few_words_are_guessed_first() {
        for (password, user, is_guessed) in [
            ("dbdyno", "dbdyno", true),
            ("mongodb", "app", true),
            ("changeme", "app", true),
            ("app1", "app", false),
            ("", "app", false),
        ] {
            assert_eq!(
                is_guessed_first(password, user, "mongodb"),
                is_guessed,
                "{password}"
            );
            let tried = guessed_first(user, "mongodb").any(|tried| tried == password);
            assert_eq!(tried, is_guessed, "{password}");
        }
    }

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
