//! Removes what audits have left: users, databases and collections of audits that no longer live.

use bson::{Document, doc};
use dbdyno_audit::{Channel, ChannelError, PREFIX, Scene};

use crate::client::{administrator, database};
use crate::message::{Reply, ask};

/// What could not be removed, with why.
pub fn clean(scene: &Scene<'_>) -> Vec<String> {
    let mut channel = match administrator(scene) {
        Ok(channel) => channel,
        Err(error) => return not_looked_for(scene, &error),
    };
    let mut left = Vec::new();
    users(scene, &mut channel, &mut left);
    databases(scene, &mut channel, &mut left);
    collections(scene, &mut channel, &database(scene), &mut left);
    left
}

/// What may be left where nobody could log in to look. Without a login nothing was made on a server that refuses strangers, and whether
/// this one does is not seen when it is gone.
fn not_looked_for(scene: &Scene<'_>, error: &ChannelError) -> Vec<String> {
    let is_gone = matches!(error, ChannelError::Unreachable(_));
    if has_login(scene) || is_gone {
        vec![unseen(scene, "users, databases and collections", error)]
    } else {
        Vec::new()
    }
}

fn has_login(scene: &Scene<'_>) -> bool {
    scene.administrator.is_some() || scene.remote.password.is_some()
}

fn unseen(scene: &Scene<'_>, what: &str, error: &ChannelError) -> String {
    let own = &scene.own_name;
    format!("{what} named {own} could not be looked for: {error}")
}

fn users(scene: &Scene<'_>, channel: &mut Channel, left: &mut Vec<String>) {
    let Some(reply) = listed(
        scene,
        ("users", left),
        channel,
        "admin",
        doc! { "usersInfo": { "forAllDBs": true } },
    ) else {
        return;
    };
    for user in reply.list("users") {
        let (Ok(name), Ok(place)) = (user.get_str("user"), user.get_str("db")) else {
            continue;
        };
        if scene.may_remove(name) {
            remove(channel, place, "user", doc! { "dropUser": name }, name, left);
        }
    }
}

fn databases(scene: &Scene<'_>, channel: &mut Channel, left: &mut Vec<String>) {
    let Some(reply) = listed(
        scene,
        ("databases", left),
        channel,
        "admin",
        doc! { "listDatabases": 1, "nameOnly": true },
    ) else {
        return;
    };
    for one in reply.list("databases") {
        let Ok(name) = one.get_str("name") else { continue };
        if scene.may_remove(name) {
            remove(channel, name, "database", doc! { "dropDatabase": 1 }, name, left);
        }
    }
}

fn collections(scene: &Scene<'_>, channel: &mut Channel, database: &str, left: &mut Vec<String>) {
    let filter = doc! { "name": { "$regex": format!("^{PREFIX}") } };
    let command = doc! {
        "listCollections": 1, "nameOnly": true, "filter": filter, "cursor": { "batchSize": 1000 },
    };
    let Some(reply) = listed(scene, ("collections", left), channel, database, command) else {
        return;
    };
    for one in reply.batch() {
        let Ok(name) = one.get_str("name") else { continue };
        if scene.may_remove(name) {
            remove(channel, database, "collection", doc! { "drop": name }, name, left);
        }
    }
}

/// The answer to a question; `None` when this login may not ask it: then it made nothing of the kind either. Where there is no answer,
/// the list says so, because this login may have made something.
fn listed(
    scene: &Scene<'_>,
    (what, left): (&str, &mut Vec<String>),
    channel: &mut Channel,
    database: &str,
    command: Document,
) -> Option<Reply> {
    match ask(channel, database, command) {
        Ok(reply) => reply.is_ok().then_some(reply),
        Err(error) => {
            if has_login(scene) {
                left.push(unseen(scene, what, &error));
            }
            None
        }
    }
}

fn remove(
    channel: &mut Channel,
    database: &str,
    kind: &str,
    command: Document,
    name: &str,
    left: &mut Vec<String>,
) {
    match ask(channel, database, command) {
        Ok(reply) if reply.is_ok() => {}
        Ok(reply) => left.push(format!("{kind} {name}: {}", reply.shown())),
        Err(error) => left.push(format!("{kind} {name}: {error}")),
    }
}
