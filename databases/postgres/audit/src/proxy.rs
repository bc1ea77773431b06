//! One role that acts as another.

use dbdyno_audit::{ChannelError, Scene};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

use crate::attempt::is_refused;
use crate::client::{Session, application};
use crate::definer::or_enforced;
use crate::membership::membership;
use crate::others::others;
use crate::protocol::quoted;
use crate::rights::{LOW, with_low_role};
use crate::stranger::{Stranger, stranger};

const SET_ROLE: &str = "https://www.postgresql.org/docs/current/sql-set-role.html";

/// Acting as another role without being a member of it.
pub fn roles(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::ProxyRoles;
    if stranger(scene) == Stranger::Served {
        return AuditFinding::off(feature, "Anyone may log in as any other user without a password.")
            .mend(
                AuditSeverity::High,
                "pg_hba.conf: scram-sha-256 in place of trust, in every line",
            )
            .see(SET_ROLE);
    }
    let low = with_low_role(scene, |scene, _, session| {
        acts_as_another(scene, session, "postgres.low-role")
    });
    let own = own_way(scene);
    let partial =
        |severity, summary: &str, fix: &str| AuditFinding::partial(feature, summary).mend(severity, fix);
    let finding = match (low, own) {
        (Ok(true), _) => partial(
            AuditSeverity::High,
            "A role that is a member of no other role acts as another.",
            "REVOKE membership of other roles from PUBLIC and from roles that do not need it",
        ),
        (_, Ok(Some(how))) => partial(AuditSeverity::Medium, &format!("The user of the address {how}."), LOW),
        (Ok(false), Ok(None)) => others(scene).need_no_login(feature).unwrap_or_else(|| {
            let seen = "SET ROLE and SET SESSION AUTHORIZATION to the first superuser and to pg_monitor were refused when tried, to a role of the audit's own and to the user of the address, which is a member of no role with rights over the whole server";
            or_enforced(scene, feature, seen)
        }),
        (Err(not_tried), Ok(None)) => not_tried.finding(feature),
        (_, Err(error)) => AuditFinding::unknown(
            feature,
            UnknownReason::NoPrivilege,
            format!("Whether the application's user acts as another is unknown: {error}."),
        ),
    };
    finding.see(SET_ROLE)
}

/// How the user of the address acts as another role.
fn own_way(scene: &mut Scene<'_>) -> Result<Option<String>, ChannelError> {
    if let Some(how) = membership(scene)?.acts_as() {
        return Ok(Some(how));
    }
    let mut session = application(scene)?;
    let acts = acts_as_another(scene, &mut session, "postgres.application")?;
    Ok(acts.then(|| "acts as another role, without its password".to_owned()))
}

/// Tries to become the first superuser, whom every installation has, and a role of the server's own.
fn acts_as_another(scene: &mut Scene<'_>, session: &mut Session, probe: &str) -> Result<bool, ChannelError> {
    let sql = "SELECT rolname FROM pg_catalog.pg_roles WHERE (oid = 10 OR rolname = 'pg_monitor') AND rolname <> current_user ORDER BY oid";
    for role in session.must(sql)?.column() {
        let role = quoted(&role);
        for sql in [
            format!("SET ROLE {role}"),
            format!("SET SESSION AUTHORIZATION {role}"),
        ] {
            let refused = is_refused(scene, session, probe, &sql)?;
            session.must("RESET ROLE; RESET SESSION AUTHORIZATION")?;
            if !refused {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
