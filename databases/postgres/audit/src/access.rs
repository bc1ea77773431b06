//! Logins: none, wrong, right, and the one that installations are often left with.

use dbdyno_audit::{
    Scene, defaults_not_tried, given_password_is_guessed, idle_connections as judge_idle_connections,
    unseen_login,
};
use dbdyno_driver::remote::{Remote, Secret};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

use crate::client::{SUPERUSER, as_user, database, try_entry, user};
use crate::entry::{Asked, Outcome, Who};
use crate::others::{Others, others, shown};
use crate::protocol::WRONG_PASSWORD;
use crate::stranger::{Stranger, note, stranger};

const CLIENT_AUTHENTICATION: &str = "https://www.postgresql.org/docs/current/auth-pg-hba-conf.html";
const PASSWORDS: &str = "https://www.postgresql.org/docs/current/auth-password.html";
const FIX: &str = "pg_hba.conf: scram-sha-256 in place of trust, in every line";
const FIX_PASSWORD: &str = "ALTER ROLE postgres PASSWORD '...', and scram-sha-256 in pg_hba.conf";

/// None refused, wrong refused, right accepted; and how passwords travel.
pub fn authentication(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::Authentication;
    let finding = match stranger(scene) {
        Stranger::Served => AuditFinding::off(
            feature,
            "Anyone who reaches a server can log in under any name, without a password.",
        )
        .mend(AuditSeverity::Critical, FIX),
        Stranger::Trusted => AuditFinding::off(
            feature,
            "Anyone who reaches a server can log in as the user of the address, without a password; other users are not let in this way.",
        )
        .mend(AuditSeverity::Critical, FIX),
        Stranger::Certified => with_others(
            &others(scene),
            "A certificate that names the user lets it in; another name is refused with it.",
        ),
        Stranger::Unknown(why) => let_in_finding(scene).unwrap_or_else(|| unseen_login(&why)),
        Stranger::Asked(asked) => {
            let wrong = wrong(scene);
            match &wrong {
                Some(wrong) if wrong.severity.is_some() => wrong.clone(),
                // What behaves as open is open, whatever else was not seen.
                _ => {
                    let others = others(scene);
                    others
                        .need_no_login(feature)
                        .or(wrong)
                        .unwrap_or_else(|| right(scene, asked, &others))
                }
            }
        }
    };
    finding.see(CLIENT_AUTHENTICATION)
}

/// The finding where a wrong password is not refused.
fn wrong(scene: &mut Scene<'_>) -> Option<AuditFinding> {
    let password = scene.unused_name().to_owned();
    let who = as_user(scene, user(scene.remote));
    let tried = try_entry(scene, scene.host(), who, Some(&password));
    note(
        scene,
        "postgres.wrong-password",
        "the user of the address, with a wrong password",
        &tried,
    );
    let feature = Feature::Authentication;
    let unknown = |why: String| {
        AuditFinding::unknown(
            feature,
            UnknownReason::Unexpected,
            format!("A missing password is refused; the answer to a wrong one is unknown: {why}."),
        )
    };
    match tried {
        Ok(entrance) => match &entrance.outcome {
            Outcome::In => Some(
                AuditFinding::partial(feature, "The server asks for a password but accepts a wrong one.")
                    .mend(AuditSeverity::Critical, FIX),
            ),
            Outcome::Refused(refusal) if refusal.code == WRONG_PASSWORD => None,
            // The password would go over the wire in clear text, and even a wrong one is not sent.
            Outcome::Stopped if entrance.asked == Some(Asked::ClearText) => None,
            _ => Some(unknown(entrance.shown())),
        },
        Err(error) => Some(unknown(error.to_string())),
    }
}

/// The finding when none and wrong passwords are refused.
fn right(scene: &mut Scene<'_>, asked: Asked, others: &Others) -> AuditFinding {
    let feature = Feature::Authentication;
    let no_login = "A missing and a wrong password are refused; whether the right one is accepted is unknown";
    let remote = scene.known_login();
    let Some(password) = &remote.password else {
        let why = format!("{no_login} without a login.");
        return AuditFinding::unknown(feature, UnknownReason::NoPrivilege, why);
    };
    let tried = try_entry(
        scene,
        scene.host(),
        as_user(scene, user(remote)),
        Some(password.reveal()),
    );
    note(
        scene,
        "postgres.right-password",
        "the login of the address",
        &tried,
    );
    let weak = |severity, how: &str| {
        AuditFinding::partial(
            feature,
            format!("A login is needed, and the server asks for {how}."),
        )
        .mend(
            severity,
            "pg_hba.conf: scram-sha-256; password_encryption = scram-sha-256, and set every password anew",
        )
        .see(PASSWORDS)
    };
    if asked == Asked::ClearText {
        let severity = if scene.remote.tls.is_some() {
            AuditSeverity::Low
        } else {
            AuditSeverity::High
        };
        return weak(severity, "the password in clear text");
    }
    match tried {
        Ok(entrance) if entrance.outcome == Outcome::In => match asked {
            Asked::Md5 => weak(
                AuditSeverity::Medium,
                "MD5 of the password, which an eavesdropper can guess quickly",
            ),
            _ => with_others(
                others,
                &format!(
                    "This user is let in with its right password, and refused without one and with a wrong one; the server asks for {}.",
                    asked.name()
                ),
            ),
        },
        Ok(entrance) => AuditFinding::unknown(
            feature,
            UnknownReason::NoPrivilege,
            format!("{no_login}: {}.", entrance.shown()),
        ),
        Err(error) => AuditFinding::unknown(
            feature,
            UnknownReason::Unreachable,
            format!("{no_login}: {error}."),
        ),
    }
}

/// The finding where others were seen to be let in.
fn let_in_finding(scene: &mut Scene<'_>) -> Option<AuditFinding> {
    let seen = others(scene);
    matches!(seen, Others::LetIn(_))
        .then(|| seen.need_no_login(Feature::Authentication))
        .flatten()
}

/// The finding from what holds for others, when this user is refused without the right login.
fn with_others(others: &Others, seen: &str) -> AuditFinding {
    let feature = Feature::Authentication;
    if let Others::ClearTextPasswords(rules) = others {
        let summary = format!(
            "This login is checked, but other lines of pg_hba.conf ask for passwords in clear text: {}.",
            shown(rules)
        );
        return AuditFinding::partial(feature, summary)
            .mend(AuditSeverity::High, "pg_hba.conf: hostssl with scram-sha-256");
    }
    others
        .need_no_login(feature)
        .or_else(|| others.unseen(feature, seen))
        .unwrap_or_else(|| {
            let summary = format!("{seen} No line of pg_hba.conf trusts others.");
            AuditFinding::enforced(feature, summary)
        })
}

/// One try with the password that has the name of the superuser.
pub fn default_credentials(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::DefaultCredentials;
    if let Some(finding) = defaults_not_tried(scene, "Logins that installations are often left with") {
        return finding;
    }
    let mut last = None;
    // Rules may admit the user to one database and not to another.
    for place in [SUPERUSER, database(scene)] {
        let who = Who {
            database: place,
            ..as_user(scene, SUPERUSER)
        };
        let tried = try_entry(scene, scene.host(), who, Some(SUPERUSER));
        note(
            scene,
            "postgres.default-login",
            "the user `postgres` with its own name as password",
            &tried,
        );
        let is_about_password = tried
            .as_ref()
            .is_ok_and(|entrance| entrance.outcome == Outcome::In || entrance.is_refused_password());
        last = Some(tried);
        if is_about_password {
            break;
        }
    }
    let is_in = matches!(&last, Some(Ok(entrance)) if entrance.outcome == Outcome::In);
    let fix = "ALTER ROLE ... PASSWORD '...', one that is random";
    let is_accepted = |remote: &Remote| {
        let password = remote.password.as_ref().map(Secret::reveal);
        let tried = try_entry(scene, scene.host(), as_user(scene, user(remote)), password);
        tried.is_ok_and(|entrance| entrance.outcome == Outcome::In)
    };
    let guessed = given_password_is_guessed(scene, (SUPERUSER, SUPERUSER), fix, is_accepted);
    if let Some(finding) = guessed.filter(|_| !is_in) {
        return finding.see(PASSWORDS);
    }
    let finding = match last {
        Some(Ok(entrance)) if entrance.outcome == Outcome::In => {
            let how = if entrance.asked == Some(Asked::Nothing) {
                "without a password"
            } else {
                "with its own name as password"
            };
            AuditFinding::off(feature, format!("The superuser `postgres` is let in {how}."))
                .mend(AuditSeverity::Critical, FIX_PASSWORD)
        }
        Some(Ok(entrance)) if entrance.is_refused_password() => AuditFinding::enforced(
            feature,
            "The user `postgres` with its own name as password is refused.",
        ),
        Some(Ok(entrance)) => AuditFinding::unknown(
            feature,
            UnknownReason::Unexpected,
            format!(
                "Whether the password would be refused was not seen: {}.",
                entrance.shown()
            ),
        ),
        Some(Err(error)) => AuditFinding::not_observed(feature, &error),
        None => AuditFinding::unknown(feature, UnknownReason::Unexpected, "Nothing was tried."),
    };
    finding.see(PASSWORDS)
}

/// Whether clients that connect and say nothing keep others out.
pub fn idle_connections(scene: &mut Scene<'_>) -> AuditFinding {
    let mut is_served = |scene: &mut Scene<'_>| match stranger(scene) {
        Stranger::Unknown(why) => Err(why),
        _ => Ok(()),
    };
    judge_idle_connections(
        scene,
        &mut is_served,
        "a firewall that admits known clients only; authentication_timeout = 10s; a pooler in front, and max_connections above what it needs",
        "https://www.postgresql.org/docs/current/runtime-config-connection.html",
    )
}
