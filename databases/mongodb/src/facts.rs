//! Facts that the live system states about itself.

use std::collections::BTreeMap;

use dbdyno_driver::{Consistency, DbError, Durability, SystemFacts};
use mongodb::Database;
use mongodb::bson::{Bson, Document, doc};

use crate::deadline::within;
use crate::options::Settings;

/// Everything, read back from the database of the administrators.
pub(crate) async fn read(admin: &Database, settings: &Settings) -> Result<SystemFacts, DbError> {
    let ask = |command: Document| within(settings, admin.run_command(command).into_future());
    let build = ask(doc! { "buildInfo": 1 }).await?;
    let hello = ask(doc! { "hello": 1 }).await?;
    // These need rights that a user of one database may not have.
    let status = ask(doc! { "serverStatus": 1 }).await.unwrap_or_default();
    let collection = ask(doc! { "getCmdLineOpts": 1 }).await.unwrap_or_default();
    let journal = settings.durability == Durability::Synced;
    let (w, concern) = match settings.consistency {
        Consistency::One => ("1", "local"),
        _ => ("majority", "majority"),
    };
    let (topology, nodes) = topology(&hello);
    Ok(SystemFacts {
        product: "MongoDB".to_owned(),
        version: build.get_str("version").unwrap_or_default().to_owned(),
        topology,
        nodes,
        replicas: nodes,
        durability: settings.durability,
        durability_means: format!("write concern j={journal}"),
        consistency: Some(settings.consistency),
        consistency_means: format!("write concern w={w}, read concern {concern}, read preference primary"),
        settings: BTreeMap::from([
            (
                "storage engine".to_owned(),
                text(&status, &["storageEngine", "name"]),
            ),
            (
                "cache".to_owned(),
                format!(
                    "{} bytes",
                    text(&status, &["wiredTiger", "cache", "maximum bytes configured"])
                ),
            ),
            (
                "journal commit interval".to_owned(),
                text(&collection, &["parsed", "storage", "journal", "commitIntervalMs"]),
            ),
            (
                "compression".to_owned(),
                text(
                    &collection,
                    &[
                        "parsed",
                        "storage",
                        "wiredTiger",
                        "collectionConfig",
                        "blockCompressor",
                    ],
                ),
            ),
        ]),
    })
}

/// The topology in words, and its nodes, each of which has a copy of every record.
fn topology(hello: &Document) -> (String, Option<u32>) {
    if hello.get_str("msg").is_ok_and(|message| message == "isdbgrid") {
        return ("sharded cluster".to_owned(), None);
    }
    match (hello.get_str("setName"), hello.get_array("hosts")) {
        (Ok(name), Ok(hosts)) => (
            format!("replica set {name} of {}", hosts.len()),
            u32::try_from(hosts.len()).ok(),
        ),
        _ => ("1 server".to_owned(), Some(1)),
    }
}

/// The value at a path, as text; `default` where nobody set it.
fn text(document: &Document, path: &[&str]) -> String {
    let mut here = document;
    for (depth, name) in path.iter().enumerate() {
        match here.get(name) {
            Some(Bson::Document(inner)) => here = inner,
            Some(value) if depth + 1 == path.len() => {
                return match value {
                    Bson::String(text) => text.clone(),
                    other => other.to_string(),
                };
            }
            _ => break,
        }
    }
    "default".to_owned()
}
