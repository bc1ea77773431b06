//! What the user of the address may do beyond its data, as the server itself lists it (LIST ALL PERMISSIONS, inherited ones included).
//!
//! Source: "CQL: Database Roles, Data Control" of Apache Cassandra's documentation, for permissions and the resources that they are of.

use std::collections::{BTreeMap, BTreeSet};

use dbdyno_audit::{ChannelError, Scene, severity_of_rights};
use dbdyno_record::audit::AuditSeverity;

use crate::client::log_in;
use crate::cql::{Answer, UNAUTHORIZED, query, text_of};

/// Columns of the answer: role, username, resource, permission.
const RESOURCE: usize = 2;
const PERMISSION: usize = 3;
/// Permissions with which a role gives itself every other one.
const TAKES_OVER: [&str; 2] = ["AUTHORIZE", "ALTER"];
/// The keyspaces of the server itself. Of some of their tables every role may read.
const OF_THE_SERVER: [&str; 3] = ["system_auth", "system_distributed", "system_traces"];

/// What an application does not need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excess {
    /// What it may do, as it goes on after "may".
    pub what: Vec<String>,
    /// Whether it may give itself every right.
    pub takes_over: bool,
}

impl Excess {
    /// How grave that is.
    pub fn severity(&self) -> AuditSeverity {
        severity_of_rights(self.takes_over)
    }
}

/// What the user of the address may do beyond work with its own data; `None` when it has no login, or it could not be seen.
pub fn too_much(scene: &mut Scene<'_>) -> Option<Excess> {
    scene.remote.password.as_ref()?;
    let mut excess = listed(scene)?;
    // No permission of a superuser is listed.
    if reads_all_users(scene)? {
        excess
            .what
            .insert(0, "administer the server (it may read all users)".to_owned());
        excess.takes_over = true;
    }
    Some(excess)
}

fn listed(scene: &mut Scene<'_>) -> Option<Excess> {
    let user = scene.remote.user.clone().unwrap_or_default();
    let statement = format!("LIST ALL PERMISSIONS OF \"{}\"", user.replace('"', "\"\""));
    let answer = log_in(scene, scene.remote).and_then(|mut channel| query(&mut channel, &statement));
    let excess = answer.as_ref().ok().and_then(|answer| of_answer(answer, &user));
    let got: Result<String, ChannelError> = answer.map(|answer| match &excess {
        Some(excess) if excess.what.is_empty() => format!("{}, none beyond data", answer.shown()),
        Some(excess) => excess.what.join(", "),
        None => answer.shown(),
    });
    scene.note_outcome(
        "cassandra.application-permissions",
        "LIST ALL PERMISSIONS of the user of the address, as that user",
        &got,
    );
    excess
}

/// What is too much in an answer; `None` where it is no list.
fn of_answer(answer: &Answer, user: &str) -> Option<Excess> {
    let rows = match answer {
        Answer::Rows(rows) => rows.as_slice(),
        // Of a role without a single permission.
        Answer::Done => &[],
        _ => return None,
    };
    let mut by_resource: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for row in rows {
        let (resource, permission) = (text_of(row, RESOURCE)?, text_of(row, PERMISSION)?);
        by_resource.entry(resource).or_default().insert(permission);
    }
    let mut excess = Excess::default();
    for (resource, permissions) in &by_resource {
        let name = resource.trim_start_matches('<').trim_end_matches('>');
        let is_own = name == format!("role {user}");
        if is_own || !is_beyond_data(name) {
            continue;
        }
        let is_of_roles = name == "all roles" || name.starts_with("role ");
        let is_everywhere = name == "all keyspaces" || name.contains("system_auth");
        excess.takes_over |= (is_of_roles || is_everywhere)
            && permissions
                .iter()
                .any(|permission| TAKES_OVER.contains(&permission.as_str()));
        // The tables of roles and their permissions can be written, too.
        excess.takes_over |= is_everywhere && permissions.contains("MODIFY");
        let permissions: Vec<&str> = permissions.iter().map(String::as_str).collect();
        excess.what.push(format!("{} {name}", permissions.join(", ")));
    }
    Some(excess)
}

/// Whether a resource is more than keyspaces and tables of applications and their functions.
fn is_beyond_data(name: &str) -> bool {
    let is_general = ["all keyspaces", "all roles", "all functions", "all mbeans"].contains(&name);
    let is_of_the_server = OF_THE_SERVER
        .iter()
        .any(|keyspace| name.contains(&format!(" {keyspace}")));
    is_general || is_of_the_server || name.starts_with("role ") || name.starts_with("mbean ")
}

/// Whether it may read all users with the hashes of their passwords, as superusers may; `None` when that could not be seen.
fn reads_all_users(scene: &mut Scene<'_>) -> Option<bool> {
    let answer = log_in(scene, scene.remote)
        .and_then(|mut channel| query(&mut channel, "SELECT role FROM system_auth.roles"));
    scene.note_outcome(
        "cassandra.application-rights",
        "SELECT role FROM system_auth.roles, as the user of the address",
        &answer.clone().map(|answer| answer.shown()),
    );
    match answer.ok()? {
        Answer::Rows(_) => Some(true),
        refused if refused.is_error(UNAUTHORIZED) => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[(&str, &str)]) -> Excess {
        let cell = |text: &str| Some(text.as_bytes().to_vec());
        let rows = rows
            .iter()
            .map(|(resource, permission)| vec![cell("app"), cell("app"), cell(resource), cell(permission)]);
        of_answer(&Answer::Rows(rows.collect()), "app").unwrap()
    }

    #[test]
    fn rights_to_data_are_what_an_application_needs() {
        let excess = of(&[
            ("<keyspace app>", "CREATE"),
            ("<table app.users>", "MODIFY"),
            ("<all tables in app>", "SELECT"),
            ("<table system_views.settings>", "SELECT"),
            ("<all functions in app>", "EXECUTE"),
            ("<role app>", "ALTER"),
        ]);
        assert_eq!(excess, Excess::default());
        assert_eq!(of_answer(&Answer::Done, "app"), Some(Excess::default()));
        assert_eq!(of_answer(&Answer::Ready, "app"), None);
    }

    #[test]
    fn what_is_more_is_named() {
        for (resource, permission, what, takes_over) in [
            ("<all roles>", "CREATE", "CREATE all roles", false),
            ("<all roles>", "ALTER", "ALTER all roles", true),
            ("<role other>", "AUTHORIZE", "AUTHORIZE role other", true),
            ("<all keyspaces>", "DROP", "DROP all keyspaces", false),
            ("<all keyspaces>", "AUTHORIZE", "AUTHORIZE all keyspaces", true),
            ("<all keyspaces>", "MODIFY", "MODIFY all keyspaces", true),
            ("<all roles>", "DROP", "DROP all roles", false),
            ("<all roles>", "AUTHORIZE", "AUTHORIZE all roles", true),
            (
                "<table system_auth.roles>",
                "MODIFY",
                "MODIFY table system_auth.roles",
                true,
            ),
            (
                "<keyspace system_auth>",
                "SELECT",
                "SELECT keyspace system_auth",
                false,
            ),
            ("<all mbeans>", "EXECUTE", "EXECUTE all mbeans", false),
        ] {
            let excess = of(&[(resource, permission)]);
            let expected = Excess {
                what: vec![what.to_owned()],
                takes_over,
            };
            assert_eq!(excess, expected, "{resource} {permission}");
        }
    }
}
