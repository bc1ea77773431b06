//! Removes what audits have left: users, databases and collections of audits that no longer live.

use bson::{Document, doc};
use dbdyno_audit::{Channel, PREFIX, Scene};

use crate::client::{administrator, database};
use crate::message::{Reply, ask};

/// What could not be removed, with why.
pub fn clean(scene: &Scene<'_>) -> Vec<String> {
    let mut channel = match administrator(scene) {
        Ok(channel) => channel,
        Err(error) => {
            let unseen = scene.not_looked_for("users, databases and collections", &error);
            return unseen.into_iter().collect();
        }
    };
    let mut left = Vec::new();
    users(scene, &mut channel, &mut left);
    databases(scene, &mut channel, &mut left);
    collections(scene, &mut channel, &database(scene), &mut left);
    left
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
            let user = Leftover {
                kind: "user",
                name,
                database: place,
            };
            user.remove(channel, doc! { "dropUser": name }, left);
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
            let database = Leftover {
                kind: "database",
                name,
                database: name,
            };
            database.remove(channel, doc! { "dropDatabase": 1 }, left);
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
            let collection = Leftover {
                kind: "collection",
                name,
                database,
            };
            collection.remove(channel, doc! { "drop": name }, left);
        }
    }
}

/// The answer to a question; `None` when this login may not ask it: then it made nothing of the kind either. Where there is no answer,
/// the list says so if something was made.
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
            left.extend(scene.not_looked_for(what, &error));
            None
        }
    }
}

/// Something that an earlier audit made.
struct Leftover<'a> {
    kind: &'static str,
    name: &'a str,
    /// The database whose command removes it.
    database: &'a str,
}

impl Leftover<'_> {
    /// Removes it by this command; where that fails, `left` says so.
    fn remove(&self, channel: &mut Channel, command: Document, left: &mut Vec<String>) {
        let Self { kind, name, database } = self;
        match ask(channel, database, command) {
            Ok(reply) if reply.is_ok() => {}
            Ok(reply) => left.push(format!("{kind} {name}: {}", reply.shown())),
            Err(error) => left.push(format!("{kind} {name}: {error}")),
        }
    }
}
