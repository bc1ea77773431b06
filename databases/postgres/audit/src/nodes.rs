//! Encryption between a primary and its replicas.

use dbdyno_audit::{ClearText, Scene};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

use crate::client::{administrator, as_user};
use crate::entry::{Who, enter};
use crate::others::shown;
use crate::rules::rules;
use crate::stranger::note;
use crate::wire::of_entrance;

const REPLICATION: &str =
    "https://www.postgresql.org/docs/current/warm-standby.html#STREAMING-REPLICATION-AUTHENTICATION";
const FIX: &str =
    "hostssl replication in pg_hba.conf, and sslmode=verify-full in primary_conninfo of every replica";

const STREAMS: &str = "SELECT pg_is_in_recovery(), count(r.pid), count(r.pid) FILTER (WHERE s.ssl), \
     coalesce(min(r.usename), ''), pg_catalog.pg_has_role(current_user, 'pg_read_all_stats', 'USAGE') \
     FROM pg_catalog.pg_stat_replication r LEFT JOIN pg_catalog.pg_stat_ssl s ON s.pid = r.pid";

/// Every stream to a replica is encrypted, and one in clear text is refused.
pub fn encryption(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::NodeToNodeEncryption;
    let asked = administrator(scene).and_then(|mut session| {
        let answer = session.must(STREAMS)?;
        Ok((session, answer))
    });
    let got = asked
        .as_ref()
        .map(|(_, answer)| answer.shown())
        .map_err(Clone::clone);
    scene.note_outcome(
        "postgres.streams",
        "pg_stat_replication with pg_stat_ssl: is a replica, streams, encrypted, user, may see",
        &got,
    );
    let unknown = |why: UnknownReason, what: String| AuditFinding::unknown(feature, why, what);
    let (session, answer) = match asked {
        Ok(asked) => asked,
        Err(error) => {
            let what = format!("Whether there are replicas is unknown: {error}.");
            return unknown(UnknownReason::NoPrivilege, what);
        }
    };
    let row = answer.first().unwrap_or_default();
    let [in_recovery, streams, encrypted, user, may_see] = row.as_slice() else {
        let what = "The server's answer about its replicas could not be understood.".to_owned();
        return unknown(UnknownReason::Unexpected, what);
    };
    if in_recovery == "t" {
        let what =
            "This server is a replica itself; its primary knows how the stream is encrypted.".to_owned();
        return unknown(UnknownReason::Unexpected, what);
    }
    if streams == "0" {
        return AuditFinding::not_applicable(
            feature,
            "No replica follows this server: no other server receives data.",
        );
    }
    if may_see != "t" {
        let what = "How streams to replicas are encrypted may be seen by members of pg_read_all_stats only.";
        return unknown(UnknownReason::NoPrivilege, what.to_owned());
    }
    let finding = if encrypted == "0" {
        AuditFinding::off(
            feature,
            format!(
                "Every stream to a replica is in clear text ({streams} seen): anyone on the network path can read all data."
            ),
        )
        .mend(AuditSeverity::Medium, FIX)
    } else if streams != encrypted {
        AuditFinding::partial(
            feature,
            format!("Of {streams} streams to replicas, {encrypted} are encrypted."),
        )
        .mend(AuditSeverity::Medium, FIX)
    } else {
        with_negative(scene, &session.host, user, streams)
    };
    finding.see(REPLICATION)
}

/// Asks for a stream in clear text.
fn with_negative(
    scene: &mut Scene<'_>,
    host: &dbdyno_driver::remote::HostPort,
    user: &str,
    streams: &str,
) -> AuditFinding {
    let feature = Feature::NodeToNodeEncryption;
    let who = Who {
        replicates: true,
        ..as_user(scene, user)
    };
    let tried = scene
        .open_to(host)
        .and_then(|mut channel| enter(&mut channel, who, None));
    note(
        scene,
        "postgres.stream-in-clear-text",
        "the user of the replicas asks for a stream in clear text, no password sent",
        &tried,
    );
    let seen = format!("Every stream to a replica is encrypted ({streams} seen)");
    let accepted =
        |what: &str| AuditFinding::partial(feature, format!("{seen}, {what}.")).mend(AuditSeverity::Low, FIX);
    match of_entrance(&tried) {
        ClearText::Refused => {}
        ClearText::Accepted => return accepted("and one in clear text would be accepted"),
        ClearText::Unknown(why) => {
            let what = format!("{seen}; whether one in clear text is refused is unknown: {why}.");
            return AuditFinding::unknown(feature, UnknownReason::Unreachable, what);
        }
    }
    // A refusal may only mean that replicas come from other addresses than this audit: their rules decide.
    match rules(scene) {
        Ok(rules) => match rules.streams_in_clear_text() {
            lines if lines.is_empty() => {
                AuditFinding::enforced(feature, format!("{seen}, and one in clear text is refused."))
            }
            lines => accepted(&format!(
                "but lines of pg_hba.conf let replicas in without TLS: {}",
                shown(&lines)
            )),
        },
        Err((reason, why)) => AuditFinding::unknown(
            feature,
            reason,
            format!(
                "{seen}, and one in clear text is refused from here. The rules of replicas at other addresses are unknown: {why}."
            ),
        ),
    }
}
