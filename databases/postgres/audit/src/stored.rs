//! How passwords are stored.

use dbdyno_audit::Scene;
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

use crate::client::administrator;
use crate::protocol::Answer;
use crate::stranger::{Stranger, stranger};

const PG_AUTHID: &str = "https://www.postgresql.org/docs/current/catalog-pg-authid.html";
const FIX: &str =
    "password_encryption = scram-sha-256, and set every password anew: ALTER ROLE NAME PASSWORD '...'";
/// What PostgreSQL has by itself (`scram_iterations`), and the least that RFC 7677 allows.
const LEAST_ROUNDS: u32 = 4096;

/// Counts only: the hashes themselves are no evidence that anybody else should have.
const COUNTS: &str = "SELECT count(*) FILTER (WHERE rolpassword LIKE 'md5%'), \
     count(*) FILTER (WHERE rolpassword LIKE 'SCRAM-SHA-256$%'), \
     count(*) FILTER (WHERE rolcanlogin AND rolpassword IS NULL), \
     coalesce(min(substring(rolpassword FROM '^SCRAM-SHA-256\\$(\\d+):')::bigint), 0), \
     count(*) FILTER (WHERE rolpassword NOT LIKE 'md5%' AND rolpassword NOT LIKE 'SCRAM-SHA-256$%') \
     FROM pg_catalog.pg_authid";

/// MD5 or SCRAM, and how many rounds.
pub fn passwords(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::PasswordStorage;
    let answer = administrator(scene).and_then(|mut session| session.ask(COUNTS));
    let counts = match &answer {
        Ok(answer) => numbers(answer),
        Err(_) => None,
    };
    let Some([md5, scram, without, rounds, others]) = counts else {
        let why = answer.map_or_else(|error| error.to_string(), |answer| answer.shown());
        return AuditFinding::unknown(
            feature,
            UnknownReason::NoPrivilege,
            format!("The stored passwords may be seen by superusers only: {why}."),
        );
    };
    scene.note(
        "postgres.stored-passwords",
        "counts of pg_authid, no hash",
        format!("{md5} with MD5, {scram} with SCRAM of {rounds} rounds or more, otherwise: {others}, roles that log in and have none: {without}"),
    );
    let partial = |summary: String| AuditFinding::partial(feature, summary);
    let finding = if without > 0 && stranger(scene) == Stranger::Served {
        AuditFinding::off(
            feature,
            format!("The server asks for no password, and roles that log in have none ({without})."),
        )
        .mend(
            AuditSeverity::High,
            "ALTER ROLE NAME PASSWORD '...', and scram-sha-256 in pg_hba.conf",
        )
    } else if others > 0 {
        let why = format!(
            "{others} passwords are stored in a form that this probe does not know: in clear text, as before version 10, or as another product's hash."
        );
        AuditFinding::unknown(feature, UnknownReason::Unexpected, why)
    } else if md5 == 0 && scram == 0 {
        AuditFinding::not_applicable(
            feature,
            "No role has a stored password: logins are checked elsewhere.",
        )
    } else if md5 > 0 {
        partial(format!(
            "Passwords are kept as MD5 ({md5}) with the user's name as salt: the hash itself logs in, and short ones are guessed quickly."
        ))
        .mend(AuditSeverity::Medium, FIX)
    } else if scram > 0 && rounds < u64::from(LEAST_ROUNDS) {
        partial(format!(
            "Passwords are kept as SCRAM-SHA-256 of only {rounds} rounds."
        ))
        .mend(
            AuditSeverity::Low,
            "scram_iterations = 4096 or more, and set every password anew",
        )
    } else {
        AuditFinding::enforced(
            feature,
            format!(
                "All passwords ({scram}) are kept as SCRAM-SHA-256 with salt and {rounds} rounds or more."
            ),
        )
    };
    finding.see(PG_AUTHID)
}

fn numbers(answer: &Answer) -> Option<[u64; 5]> {
    let numbers: Vec<u64> = answer
        .first()?
        .iter()
        .filter_map(|text| text.parse().ok())
        .collect();
    numbers.try_into().ok()
}
