//! Logins and passwords.

use dbdyno_audit::{
    ChannelError, Scene, Stranger, defaults_not_tried, given_password_is_guessed,
    idle_connections as judge_idle_connections, is_own, right_login, served_without_login,
    unexpected_refusal, unseen_login, wrong_password_accepted,
};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

use crate::client::{administrator, log_in, open, try_login};
use crate::cql::{Answer, BAD_CREDENTIALS, query, start, text_of};

pub const SECURITY: &str =
    "https://cassandra.apache.org/doc/latest/cassandra/managing/operating/security.html";
const FIX: &str = "authenticator: PasswordAuthenticator, then another superuser than `cassandra`";
/// The least cost of bcrypt that is advised today (OWASP, "Password Storage Cheat Sheet"): 2^10 rounds.
const LEAST_COST: u32 = 10;

pub fn stranger(scene: &mut Scene<'_>) -> Stranger {
    let answer = open(scene, scene.remote).and_then(|mut channel| start(&mut channel));
    scene.note_outcome(
        "cassandra.startup-without-login",
        "STARTUP, without a login",
        &answer.clone().map(|answer| answer.shown()),
    );
    match answer {
        Ok(Answer::Ready) => Stranger::Served,
        Ok(Answer::Authenticate(_)) => Stranger::Refused,
        Ok(answer) => Stranger::Unknown(answer.shown()),
        Err(error) => Stranger::Unknown(error.to_string()),
    }
}

/// None asked for a login, wrong refused, right accepted.
pub fn authentication(scene: &mut Scene<'_>) -> AuditFinding {
    let finding = match stranger(scene) {
        Stranger::Served => served_without_login(FIX),
        Stranger::Unknown(why) => unseen_login(&why),
        Stranger::Refused => asked(scene),
    };
    finding.see(SECURITY)
}

fn asked(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::Authentication;
    let unread = query_without_login(scene);
    let named = scene.remote.user.clone().filter(|user| !user.is_empty());
    let user = named.unwrap_or_else(|| "cassandra".to_owned());
    let wrong = try_login(scene, &user, "no-password-of-anybody");
    scene.note_outcome(
        "cassandra.wrong-password",
        "AUTH_RESPONSE with a wrong password",
        &wrong.clone().map(shown),
    );
    match (unread, wrong) {
        (Ok(Answer::Rows(_)), _) => AuditFinding::partial(
            feature,
            "The server asks for a login but answers queries without one.",
        )
        .mend(AuditSeverity::Critical, FIX),
        (_, Ok(Some(Answer::LoggedIn))) => wrong_password_accepted(FIX),
        (Err(error), _) if !error.is_from_server() => AuditFinding::unknown(
            feature,
            UnknownReason::Unreachable,
            format!("A login is asked for; whether queries are refused without it is unknown: {error}."),
        ),
        (_, Ok(Some(answer))) if answer.is_error(BAD_CREDENTIALS) => {
            right_login(right(scene).map(|outcome| outcome.map_err(|error| error.to_string())))
        }
        (_, wrong) => unexpected_refusal(&wrong.map_or_else(|error| error.to_string(), shown)),
    }
}

fn shown(answer: Option<Answer>) -> String {
    answer.map_or_else(|| "no login is asked for".to_owned(), |answer| answer.shown())
}

/// A query in place of the login that was asked for.
fn query_without_login(scene: &mut Scene<'_>) -> Result<Answer, ChannelError> {
    let answer = open(scene, scene.remote).and_then(|mut channel| {
        start(&mut channel)?;
        query(&mut channel, "SELECT release_version FROM system.local")
    });
    scene.note_outcome(
        "cassandra.query-without-login",
        "QUERY in place of the login",
        &answer.clone().map(|answer| answer.shown()),
    );
    answer
}

/// Whether the login of the address is accepted; `None` without one.
fn right(scene: &mut Scene<'_>) -> Option<Result<(), ChannelError>> {
    let remote = scene.known_login();
    remote.password.as_ref()?;
    let outcome = log_in(scene, remote).map(drop);
    scene.note_outcome(
        "cassandra.right-password",
        "AUTH_RESPONSE with the login of the address",
        &outcome.clone().map(|()| "AUTH_SUCCESS".to_owned()),
    );
    Some(outcome)
}

/// The product ships with a superuser `cassandra` whose password is its name.
pub fn default_credentials(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::DefaultCredentials;
    if let Some(finding) = defaults_not_tried(scene, "Logins that the product ships with") {
        return finding;
    }
    let answer = try_login(scene, "cassandra", "cassandra");
    scene.note_outcome(
        "cassandra.default-login",
        "the login that the product ships with, once",
        &answer.clone().map(shown),
    );
    let is_in = matches!(answer, Ok(None | Some(Answer::LoggedIn)));
    let fix = "ALTER ROLE ... WITH PASSWORD = '...', one that is random";
    let guessed = given_password_is_guessed(scene, ("cassandra", "cassandra"), fix, |remote| {
        log_in(scene, remote).is_ok()
    });
    if let Some(finding) = guessed.filter(|_| !is_in) {
        return finding.see(SECURITY);
    }
    let finding = match answer {
        Ok(None) => AuditFinding::not_applicable(
            feature,
            "No login is asked for, so none of the product's is needed.",
        ),
        Ok(Some(Answer::LoggedIn)) => AuditFinding::off(
            feature,
            "The user `cassandra` logs in with the password that every new cluster has.",
        )
        .mend(
            AuditSeverity::Critical,
            "ALTER ROLE cassandra WITH PASSWORD = '...' AND LOGIN = false AND SUPERUSER = false, as another superuser",
        ),
        Ok(Some(answer)) if answer.is_error(BAD_CREDENTIALS) => AuditFinding::enforced(
            feature,
            "The login that every new cluster begins with is refused.",
        ),
        Ok(Some(answer)) => AuditFinding::unknown(
            feature,
            UnknownReason::Unexpected,
            format!("It was answered with {}.", answer.shown()),
        ),
        Err(error) => AuditFinding::not_observed(feature, &error),
    };
    finding.see(SECURITY)
}

/// Passwords are hashed with bcrypt; its cost is seen.
pub fn password_storage(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::PasswordStorage;
    let answer = administrator(scene)
        .and_then(|mut channel| query(&mut channel, "SELECT role, salted_hash FROM system_auth.roles"));
    let sent = "SELECT role, salted_hash FROM system_auth.roles";
    let rows = match answer {
        Ok(Answer::Rows(rows)) => rows,
        Ok(other) => {
            scene.note("cassandra.password-hashes", sent, other.shown());
            return AuditFinding::unknown(
                feature,
                UnknownReason::NoPrivilege,
                "This login may not read the list of users.",
            );
        }
        Err(error) => {
            return AuditFinding::unknown(
                feature,
                UnknownReason::NoPrivilege,
                format!("No login could read the list of users: {error}."),
            );
        }
    };
    let hashes = hashes_of_others(&rows);
    let costs: Vec<Option<u32>> = hashes.iter().map(|hash| cost(hash)).collect();
    let least = costs.iter().flatten().min().copied();
    let others = costs.iter().filter(|cost| cost.is_none()).count();
    // The hashes themselves are no evidence that anybody else should have.
    scene.note(
        "cassandra.password-hashes",
        sent,
        format!(
            "{} hashes, least cost of bcrypt {}, {others} of another kind",
            hashes.len(),
            least.map_or_else(|| "none".to_owned(), |cost| cost.to_string())
        ),
    );
    of_costs(least, others).see(SECURITY)
}

/// The hashes of all roles but those of audits, whose passwords are random and hashed with the fewest rounds: a slow node, or another
/// audit, may still have one.
fn hashes_of_others(rows: &[Vec<Option<Vec<u8>>>]) -> Vec<String> {
    let of_audit = |row: &[Option<Vec<u8>>]| text_of(row, 0).is_some_and(|role| is_own(&role));
    let others = rows.iter().filter(|row| !of_audit(row));
    others.filter_map(|row| text_of(row, 1)).collect()
}

fn of_costs(least: Option<u32>, others: usize) -> AuditFinding {
    let feature = Feature::PasswordStorage;
    let fix = "-Dcassandra.auth_bcrypt_gensalt_log2_rounds=10 or more, then set every password again";
    match least {
        None if others == 0 => AuditFinding::not_applicable(
            feature,
            "The server keeps no password.",
        ),
        Some(least) if least >= LEAST_COST && others == 0 => AuditFinding::enforced(
            feature,
            format!("Passwords are kept as bcrypt hashes with salt, of cost {least} or more."),
        ),
        Some(least) if others == 0 => AuditFinding::partial(
            feature,
            format!(
                "Passwords are kept as bcrypt hashes of cost {least}: anyone who reads them can guess quickly."
            ),
        )
        .mend(AuditSeverity::Medium, fix),
        _ => AuditFinding::unknown(
            feature,
            UnknownReason::Version,
            format!("{others} hashes are of a kind that the probe does not know."),
        ),
    }
}

/// The cost in a hash of bcrypt: `$2a$10$...`.
fn cost(hash: &str) -> Option<u32> {
    let mut parts = hash.split('$');
    let kind = (parts.next()?, parts.next()?);
    if kind.0.is_empty() && kind.1.starts_with('2') {
        return parts.next()?.parse().ok();
    }
    None
}

/// Whether clients that connect and say nothing keep others out.
pub fn idle_connections(scene: &mut Scene<'_>) -> AuditFinding {
    judge_idle_connections(
        scene,
        &mut |scene| stranger(scene).answered(),
        "native_transport_max_concurrent_connections_per_ip, and a firewall that admits known clients only",
        "https://cassandra.apache.org/doc/latest/cassandra/managing/configuration/cass_yaml_file.html",
    )
}

#[cfg(test)]
mod tests {
    use dbdyno_record::audit::ProtectionLevel;

    use super::*;

    #[test]
    fn the_cost_is_read_and_decides() {
        assert_eq!(cost("$2a$10$abc"), Some(10));
        assert_eq!(
            (cost("5f4dcc3b5aa765d6"), cost("$6$10$abc"), cost("")),
            (None, None, None)
        );
        let level = |least, others| of_costs(least, others).level;
        assert_eq!(level(Some(10), 0), ProtectionLevel::Enforced);
        assert_eq!(level(Some(4), 0), ProtectionLevel::Partial);
        assert_eq!(level(Some(12), 1), ProtectionLevel::Unknown);
        assert_eq!(level(None, 0), ProtectionLevel::NotApplicable);
    }

    #[test]
    fn a_role_that_an_audit_made_says_nothing_about_the_others() {
        let row = |role: &str, hash: Option<&str>| {
            let bytes = |text: &str| text.as_bytes().to_vec();
            vec![Some(bytes(role)), hash.map(bytes)]
        };
        let rows = [
            row("cassandra", Some("$2a$10$abc")),
            row("dbdyno_audit_0123456789ab", Some("$2a$04$abc")),
            row("dbdyno_audit_mine", Some("$2a$12$abc")),
            row("nobody", None),
        ];
        assert_eq!(hashes_of_others(&rows), ["$2a$10$abc", "$2a$12$abc"]);
    }
}
