//! What the user of the address may do beyond its data, as the server itself lists it (connectionStatus with showPrivileges; the actions
//! are those of the manual's page "Privilege Actions").

use std::collections::BTreeSet;

use bson::{Document, doc};
use dbdyno_audit::{Scene, severity_of_rights};
use dbdyno_record::audit::AuditSeverity;

use crate::client::application;
use crate::message::{Reply, ask};

/// Actions on the whole server that only show how it is doing.
const MONITORING: [&str; 21] = [
    "checkFreeMonitoringStatus",
    "connPoolStats",
    "getDefaultRWConcern",
    "getLog",
    "getParameter",
    "getShardMap",
    "hostInfo",
    "inprog",
    "listClusterCatalog",
    "listDatabases",
    "listSessions",
    "listShards",
    "netstat",
    "operationMetrics",
    "replSetGetConfig",
    "replSetGetStatus",
    "serverStatus",
    "shardingState",
    "top",
    "useUUID",
    "getClusterParameter",
];
/// Those that a sentence names; the others are counted.
const NAMED: usize = 4;
/// Actions on any resource that are judged as those on every database; `backup` may list collections in this way.
const OF_DATABASES: [&str; 13] = [
    "changePassword",
    "collStats",
    "dbHash",
    "dbStats",
    "find",
    "grantRole",
    "insert",
    "listCollections",
    "listIndexes",
    "remove",
    "update",
    "viewRole",
    "viewUser",
];
const WRITES: [&str; 3] = ["insert", "update", "remove"];
/// `find`, and the one that shows every change as it comes.
const READS: [&str; 2] = ["find", "changeStream"];
/// Actions on every database that only show how it is doing, and those that have a sentence of their own.
const TOLD_OR_HARMLESS: [&str; 18] = [
    "changePassword",
    "collStats",
    "dbHash",
    "dbStats",
    "getDatabaseVersion",
    "getShardVersion",
    "grantRole",
    "indexStats",
    "killCursors",
    "listCollections",
    "listIndexes",
    "listSearchIndexes",
    "planCacheIndexFilter",
    "planCacheRead",
    "useUUID",
    "validate",
    "viewRole",
    "viewUser",
];

/// Something that an application does not need.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Excess {
    /// What it may do, as it goes on after "may".
    pub what: String,
    /// How grave that is.
    pub severity: AuditSeverity,
}

/// All of it in one sentence.
pub fn in_words(excess: &[Excess]) -> String {
    let what: Vec<&str> = excess.iter().map(|excess| excess.what.as_str()).collect();
    what.join(", ")
}

/// How grave it is that an application may do this.
pub fn severity_of(excess: &[Excess]) -> AuditSeverity {
    severity_of_rights(excess.iter().any(|excess| excess.severity == AuditSeverity::High))
}

/// What the user of the address may do beyond work with its own data; `None` when it has no login, or it could not be seen.
pub fn too_much(scene: &mut Scene<'_>) -> Option<Vec<Excess>> {
    scene.remote.password.as_ref()?;
    let command = doc! { "connectionStatus": 1, "showPrivileges": true };
    let reply = application(scene).and_then(|mut channel| ask(&mut channel, "admin", command));
    let found = reply
        .as_ref()
        .ok()
        .and_then(|reply| Some(excess_of(&privileges(reply)?)));
    let got = reply.map(|reply| match &found {
        Some(found) if found.is_empty() => "nothing beyond data".to_owned(),
        Some(found) => in_words(found),
        None => reply.shown(),
    });
    scene.note_outcome(
        "mongodb.privileges",
        "connectionStatus with showPrivileges, as the user of the address",
        &got,
    );
    found
}

/// The privileges in an answer; `None` where it holds no list of them, which is empty for a user without a single right.
fn privileges(reply: &Reply) -> Option<Vec<&Document>> {
    if !reply.is_ok() {
        return None;
    }
    let of_login = reply.0.get_document("authInfo").ok()?;
    let listed = of_login.get_array("authenticatedUserPrivileges").ok()?;
    Some(listed.iter().filter_map(bson::Bson::as_document).collect())
}

fn excess_of(privileges: &[&Document]) -> Vec<Excess> {
    let mut found = BTreeSet::new();
    let mut of_server = BTreeSet::new();
    for privilege in privileges {
        let Ok(resource) = privilege.get_document("resource") else {
            continue;
        };
        let actions: BTreeSet<&str> = privilege
            .get_array("actions")
            .into_iter()
            .flatten()
            .filter_map(bson::Bson::as_str)
            .collect();
        let is_any = resource.get_bool("anyResource").unwrap_or(false);
        if is_any && actions.contains("anyAction") {
            found.insert(grave("do anything with anything"));
        } else if is_any {
            let of_databases: BTreeSet<&str> = actions
                .iter()
                .copied()
                .filter(|action| OF_DATABASES.contains(action))
                .collect();
            found.extend(of_database("", "", &of_databases));
            found.extend(of_database("admin", "", &of_databases));
            let others: Vec<&str> = actions
                .into_iter()
                .filter(|action| !OF_DATABASES.contains(action))
                .collect();
            if !others.is_empty() {
                found.insert(grave(&format!(
                    "act on every database and the server ({})",
                    named(&others)
                )));
            }
        } else if resource.get_bool("cluster").unwrap_or(false) {
            of_server.extend(actions.into_iter().filter(|action| !MONITORING.contains(action)));
        } else if let Ok(database) = resource.get_str("db") {
            let collection = resource.get_str("collection").unwrap_or_default();
            found.extend(of_database(database, collection, &actions));
        }
    }
    if !of_server.is_empty() {
        let of_server: Vec<&str> = of_server.into_iter().collect();
        found.insert(medium(&format!("administer the server ({})", named(&of_server))));
    }
    found.into_iter().collect()
}

fn named(actions: &[&str]) -> String {
    let shown = actions[..actions.len().min(NAMED)].join(", ");
    match actions.len().saturating_sub(NAMED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// What is too much of the actions on a database; an empty name means every one, and an empty collection all that are no system's.
fn of_database(database: &str, collection: &str, actions: &BTreeSet<&str>) -> Vec<Excess> {
    let mut found = Vec::new();
    let reads = READS.iter().any(|action| actions.contains(action));
    let writes = WRITES.iter().any(|action| actions.contains(action));
    let is_everywhere = database.is_empty();
    // Whoever may give roles in `admin` may give itself every one; in its own database it lets others in.
    if actions.contains("grantRole") {
        found.push(if is_everywhere || database == "admin" {
            grave("give any role to any user, itself included")
        } else {
            medium("give roles in its own database to other users")
        });
    }
    if is_everywhere || database == "admin" {
        if actions.contains("changePassword") {
            found.push(grave("change the passwords of other users"));
        }
        if actions.contains("viewUser") {
            found.push(medium("list users"));
        }
        // A role over all collections does not reach those of the system, unless it is in `admin` itself.
        let holds_passwords = collection == "system.users" || (collection.is_empty() && database == "admin");
        if holds_passwords && reads {
            found.push(medium("read where passwords are stored"));
        }
        if holds_passwords && writes {
            found.push(grave("write where passwords are stored"));
        }
        if collection == "system.roles" && writes {
            found.push(grave("write where roles are stored"));
        }
    }
    if database == "local" && reads && (collection.is_empty() || collection.starts_with("oplog")) {
        found.push(medium("read every change of every database (local.oplog.rs)"));
    }
    if is_everywhere && collection.is_empty() {
        if reads {
            found.push(medium("read every database"));
        }
        if writes {
            found.push(medium("write every database"));
        }
        let others: Vec<&str> = actions
            .iter()
            .copied()
            .filter(|action| !TOLD_OR_HARMLESS.contains(action) && !READS.contains(action))
            .collect();
        // Whoever writes every database has no need to drop it.
        if !writes && !others.is_empty() {
            found.push(medium(&format!("act on every database ({})", named(&others))));
        }
    }
    if writes && collection.is_empty() && ["config", "local"].contains(&database) {
        found.push(grave("write the server's own databases"));
    }
    found
}

fn medium(what: &str) -> Excess {
    Excess {
        what: what.to_owned(),
        severity: AuditSeverity::Medium,
    }
}

fn grave(what: &str) -> Excess {
    Excess {
        what: what.to_owned(),
        severity: AuditSeverity::High,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(resource: Document, actions: &[&str]) -> Vec<Excess> {
        let actions: Vec<&str> = actions.to_vec();
        excess_of(&[&doc! { "resource": resource, "actions": actions }])
    }

    #[test]
    fn work_with_its_own_data_is_what_an_application_needs() {
        let own = doc! { "db": "app", "collection": "" };
        assert_eq!(
            of(own, &["find", "insert", "update", "remove", "dropCollection"]),
            []
        );
        assert_eq!(
            of(doc! { "cluster": true }, &["listDatabases", "serverStatus"]),
            []
        );
    }

    #[test]
    fn what_is_more_is_named() {
        for (resource, actions, expected) in [
            (
                doc! { "cluster": true },
                &["shutdown", "killop", "serverStatus"][..],
                medium("administer the server (killop, shutdown)"),
            ),
            (
                doc! { "cluster": true },
                &["a", "b", "c", "d", "e"],
                medium("administer the server (a, b, c, d and 1 more)"),
            ),
            (
                doc! { "db": "", "collection": "" },
                &["find"],
                medium("read every database"),
            ),
            (
                doc! { "db": "", "collection": "" },
                &["collMod", "dropDatabase", "listCollections"],
                medium("act on every database (collMod, dropDatabase)"),
            ),
            (
                doc! { "db": "local", "collection": "" },
                &["find", "listCollections"],
                medium("read every change of every database (local.oplog.rs)"),
            ),
            (
                doc! { "db": "admin", "collection": "system.roles" },
                &["insert"],
                grave("write where roles are stored"),
            ),
            (
                doc! { "db": "admin", "collection": "" },
                &["grantRole"],
                grave("give any role to any user, itself included"),
            ),
            (
                doc! { "db": "app", "collection": "" },
                &["grantRole"],
                medium("give roles in its own database to other users"),
            ),
            (
                doc! { "db": "admin", "collection": "system.users" },
                &["find"],
                medium("read where passwords are stored"),
            ),
            (
                doc! { "anyResource": true },
                &["anyAction"],
                grave("do anything with anything"),
            ),
            (
                doc! { "anyResource": true },
                &["changePassword", "listCollections"],
                grave("change the passwords of other users"),
            ),
            (
                doc! { "anyResource": true },
                &["listCollections", "shutdown"],
                grave("act on every database and the server (shutdown)"),
            ),
        ] {
            assert_eq!(of(resource.clone(), actions), [expected], "{resource}");
        }
    }

    #[test]
    fn an_answer_without_a_list_shows_nothing() {
        let reply = |document: Document| privileges(&Reply(document)).map(|list| list.len());
        assert_eq!(reply(doc! { "ok": 1 }), None);
        assert_eq!(reply(doc! { "ok": 0, "code": 59 }), None);
        let empty: Vec<bson::Bson> = Vec::new();
        assert_eq!(
            reply(doc! { "ok": 1, "authInfo": { "authenticatedUserPrivileges": empty } }),
            Some(0)
        );
    }
}
