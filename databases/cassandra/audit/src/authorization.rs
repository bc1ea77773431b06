//! Rights: a fresh role of the audit's own may do nothing, and the user of the address may not do everything.

use dbdyno_audit::{Canary, ChannelError, Scene, Stranger, rights_without_login};
use dbdyno_record::audit::{AuditFinding, AuditSeverity, Feature, UnknownReason};

use crate::access::{SECURITY, stranger};
use crate::client::{administrator, log_in_as};
use crate::cql::{Answer, UNAUTHORIZED, query};
use crate::password::{Sent, make_role};
use crate::permissions::too_much;

const FIX: &str = "authorizer: CassandraAuthorizer";
const LEAST: &str =
    "give the application a role of its own, without SUPERUSER: GRANT SELECT, MODIFY ON KEYSPACE app TO app";

/// What is not granted is refused.
pub fn authorization(scene: &mut Scene<'_>) -> AuditFinding {
    let feature = Feature::Authorization;
    if matches!(stranger(scene), Stranger::Served) {
        return rights_without_login(format!("{FIX}, with authenticator: PasswordAuthenticator"))
            .see(SECURITY);
    }
    let finding = match fresh_role(scene) {
        Err(finding) => *finding,
        Ok(granted) if granted.is_empty() => match too_much(scene) {
            Some(excess) if !excess.what.is_empty() => AuditFinding::partial(
                feature,
                format!(
                    "Rights are enforced, but the user of the address may {}.",
                    excess.what.join(", ")
                ),
            )
            .mend(excess.severity(), LEAST),
            Some(_) => AuditFinding::enforced(
                feature,
                "What is not granted is refused, to a role of the audit's own and to the user of the address.",
            ),
            None => AuditFinding::unknown(
                feature,
                UnknownReason::NoPrivilege,
                "What is not granted is refused; what the application's user may do is unknown without its login.",
            ),
        },
        Ok(granted) if granted.len() == tries("").len() => AuditFinding::off(
            feature,
            "Anyone who can log in may do anything, without any grant.",
        )
        .mend(AuditSeverity::High, FIX),
        Ok(granted) => AuditFinding::partial(
            feature,
            format!("A role without any grant could: {}.", granted.join(", ")),
        )
        .mend(AuditSeverity::High, FIX),
    };
    finding.see(SECURITY)
}

/// What a role without grants tries. What is made is removed where it is not refused.
fn tries(name: &str) -> [(&'static str, String); 4] {
    [
        (
            "read all users",
            "SELECT role FROM system_auth.roles LIMIT 1".to_owned(),
        ),
        (
            "read the server's settings",
            "SELECT name FROM system_views.settings LIMIT 1".to_owned(),
        ),
        (
            "make a keyspace",
            format!(
                "CREATE KEYSPACE {name} WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': 1}}"
            ),
        ),
        ("make a role", format!("CREATE ROLE {name}_more")),
    ]
}

/// Makes a role that may log in and nothing else. What was not refused to it.
fn fresh_role(scene: &mut Scene<'_>) -> Result<Vec<&'static str>, Box<AuditFinding>> {
    let unknown =
        |why: UnknownReason, what: String| Box::new(AuditFinding::unknown(Feature::Authorization, why, what));
    let mut managing = administrator(scene).map_err(|error| {
        unknown(
            UnknownReason::NoPrivilege,
            format!("No administrator could log in: {error}."),
        )
    })?;
    let name = scene.own_name().to_owned();
    // Nobody can guess it, should the role stay behind after a kill.
    let password = Canary::new();
    let made = make_role(&mut managing, &name, password.text());
    scene.note_outcome(
        "cassandra.fresh-role",
        match made {
            Ok((_, Sent::Hash)) => "CREATE ROLE of a role without grants, by the hash of its password",
            _ => "CREATE ROLE of a role without grants",
        },
        &made.clone().map(|(answer, _)| answer.shown()),
    );
    if let Err(error) = made {
        return Err(unknown(
            UnknownReason::NoPrivilege,
            format!("No role could be made to try rights with: {error}."),
        ));
    }
    let outcome = try_rights(scene, &name, password.text());
    for statement in [
        format!("DROP ROLE IF EXISTS {name}"),
        format!("DROP ROLE IF EXISTS {name}_more"),
        format!("DROP KEYSPACE IF EXISTS {name}"),
    ] {
        query(&mut managing, &statement).ok();
    }
    outcome.map_err(|error| {
        unknown(
            UnknownReason::Unexpected,
            format!("The rights of a fresh role could not be tried: {error}."),
        )
    })
}

fn try_rights(scene: &mut Scene<'_>, name: &str, password: &str) -> Result<Vec<&'static str>, ChannelError> {
    let mut channel = log_in_as(scene, name, password, scene.remote, scene.patience * 4)?;
    let mut granted = Vec::new();
    for (what, statement) in tries(name) {
        let answer = query(&mut channel, &statement)?;
        scene.note("cassandra.fresh-role", what, answer.shown());
        match answer {
            refused if refused.is_error(UNAUTHORIZED) => {}
            Answer::Error { .. } => return Err(ChannelError::Unexpected(answer.shown())),
            _ => granted.push(what),
        }
    }
    Ok(granted)
}
