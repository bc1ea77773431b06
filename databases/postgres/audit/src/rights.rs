//! What users may do with the data of others.

use dbdyno_audit::{ChannelError, Scene, severity_of_rights};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

use crate::attempt::is_refused;
use crate::client::{Session, administrator, application};
use crate::definer::or_enforced;
use crate::grants::granted;
use crate::low_role::LowRole;
use crate::membership::membership;
use crate::others::others;
use crate::protocol::quoted;
use crate::stranger::{Stranger, stranger};

const PRIVILEGES: &str = "https://www.postgresql.org/docs/current/ddl-priv.html";
const ATTRIBUTES: &str = "https://www.postgresql.org/docs/current/role-attributes.html";
/// What mends an application that may too much.
pub const LOW: &str = "give the application a role of its own: CREATE ROLE app LOGIN NOSUPERUSER NOCREATEROLE NOREPLICATION, owner of its database only";

/// Why rights could not be tried.
pub enum NotTried {
    /// No login may make a role.
    NoRole(String),
    /// The role was made, and then something else happened than a yes or a no.
    Broken(String),
}

impl NotTried {
    pub fn finding(self, feature: Feature) -> AuditFinding {
        match self {
            Self::NoRole(why) => AuditFinding::unknown(
                feature,
                UnknownReason::NoPrivilege,
                format!("No role could be made to try rights with: {why}."),
            ),
            Self::Broken(why) => AuditFinding::unknown(
                feature,
                UnknownReason::Unexpected,
                format!("The rights of a role with few rights could not be tried: {why}."),
            ),
        }
    }
}

/// Makes a low role, lets it try something, and removes it.
pub fn with_low_role<T>(
    scene: &mut Scene<'_>,
    attempt: impl FnOnce(&mut Scene<'_>, &LowRole, &mut Session) -> Result<T, ChannelError>,
) -> Result<T, NotTried> {
    let made = administrator(scene).and_then(|mut managing| {
        let role = LowRole::make(scene, &mut managing)?;
        Ok((managing, role))
    });
    let got = made.as_ref().map(|_| "made".to_owned()).map_err(Clone::clone);
    scene.note_outcome(
        "postgres.low-role",
        "CREATE ROLE of one that may read one table",
        &got,
    );
    let (mut managing, role) = made.map_err(|error| NotTried::NoRole(error.to_string()))?;
    let outcome = role
        .session(scene, &managing)
        .and_then(|mut session| attempt(scene, &role, &mut session));
    let removed = role.remove(&mut managing).or_else(|_| {
        // The deadline of a connection may have passed meanwhile.
        administrator(scene).and_then(|mut managing| role.remove(&mut managing))
    });
    outcome
        .and_then(|value| removed.map(|()| value))
        .map_err(|error| NotTried::Broken(error.to_string()))
}

/// A low role of the audit's own may do only what was granted; and the user of the address may not do everything.
pub fn authorization(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::Authorization;
    if stranger(scene) == Stranger::Served {
        return AuditFinding::off(
            feature,
            "Anyone may act as any user, the superuser included: rights protect nothing.",
        )
        .mend(
            AuditSeverity::High,
            "pg_hba.conf: scram-sha-256 in place of trust, in every line",
        )
        .see(PRIVILEGES);
    }
    let partial =
        |severity, summary: String, fix: &str| AuditFinding::partial(feature, summary).mend(severity, fix);
    let finding = match with_low_role(scene, try_rights) {
        Err(not_tried) => not_tried.finding(feature),
        Ok(Some(Excess::Foreign(what))) => partial(
            AuditSeverity::High,
            format!("A role without the right could {what}."),
            "REVOKE ALL ON ... FROM PUBLIC; what is not granted must be refused",
        ),
        Ok(Some(Excess::Public)) => partial(
            AuditSeverity::Medium,
            "Every role may make tables and functions in the schema `public`, which others then use unaware."
                .to_owned(),
            "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
        ),
        Ok(None) => match powers(scene) {
            Some((powers, _)) if powers.is_empty() => {
                others(scene).need_no_login(feature).unwrap_or_else(|| {
                    let seen = "A role of the audit's own was refused what is not granted when it tried, and the user of the address has no rights over the whole server";
                    or_enforced(scene, feature, seen)
                })
            }
            Some((powers, takes_over)) => partial(
                severity_of_rights(takes_over),
                format!(
                    "Rights are enforced, but the user of the address {}.",
                    powers.join(", ")
                ),
                LOW,
            ),
            None => AuditFinding::unknown(
                feature,
                UnknownReason::NoPrivilege,
                "What is not granted is refused; what the application's user may do is unknown without its login.",
            ),
        },
    };
    finding.see(PRIVILEGES).see(ATTRIBUTES)
}

/// What a low role could do that it may not.
enum Excess {
    Foreign(&'static str),
    Public,
}

fn try_rights(
    scene: &mut Scene<'_>,
    role: &LowRole,
    session: &mut Session,
) -> Result<Option<Excess>, ChannelError> {
    let (probe, name) = ("postgres.low-role", quoted(&role.name));
    // What was granted works, so that a refusal says something.
    session.must(&format!("SELECT count(*) FROM {name}.granted"))?;
    let tries = [
        (
            "read a table of others",
            format!("SELECT count(*) FROM {name}.secret"),
        ),
        ("write a table of others", format!("DELETE FROM {name}.secret")),
        (
            "read the hashes of passwords",
            "SELECT count(*) FROM pg_catalog.pg_authid".to_owned(),
        ),
    ];
    for (what, sql) in tries {
        if !is_refused(scene, session, probe, &sql)? {
            return Ok(Some(Excess::Foreign(what)));
        }
    }
    let made = format!("CREATE TABLE public.{name} (v int)");
    if is_refused(scene, session, probe, &made)? {
        return Ok(None);
    }
    session.must(&format!("DROP TABLE public.{name}"))?;
    Ok(Some(Excess::Public))
}

/// What the user of the address may do beyond its data, and whether it may give itself every right; `None` when it could not be seen.
fn powers(scene: &mut Scene<'_>) -> Option<(Vec<String>, bool)> {
    let membership = membership(scene).ok()?;
    let mut powers = membership.rights();
    let mut session = application(scene).ok()?;
    let kept = [
        (
            "reads the hashes of passwords",
            "SELECT count(*) FROM pg_catalog.pg_authid",
        ),
        (
            "reads the hashes of passwords in pg_shadow",
            "SELECT passwd FROM pg_catalog.pg_shadow LIMIT 0",
        ),
        (
            "reads the logins of foreign servers",
            "SELECT umoptions FROM pg_catalog.pg_user_mapping LIMIT 0",
        ),
    ];
    for (what, sql) in kept {
        if !is_refused(scene, &mut session, "postgres.application", sql).ok()? {
            powers.push(what.to_owned());
        }
    }
    // Of a superuser, who may do everything, its name says all.
    if !membership.is_superuser() {
        powers.extend(granted(scene).ok()?.sentences());
    }
    Some((
        powers,
        membership.is_superuser() || membership.makes_itself_powerful,
    ))
}
