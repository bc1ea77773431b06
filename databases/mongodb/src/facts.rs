//! Facts that the live system states about itself.

use std::collections::BTreeMap;

use dbdyno_driver::{Consistency, DbError, Durability, ErrorClass, SystemFacts};
use mongodb::Database;
use mongodb::bson::{Bson, Document, doc};

use crate::connected::is_router;
use crate::deadline::within;
use crate::options::Settings;
use crate::shards::Spread;
use crate::topology::{self, Answers, Majority, Topology};

/// A setting that nobody set.
const DEFAULT: &str = "default";

/// Everything, read back from the databases of the administrators, one for each shard. Shards are alike but for their records: the
/// first one states the settings.
pub(crate) async fn read(admins: &[Database], settings: &Settings) -> Result<SystemFacts, DbError> {
    let mut answers = Vec::new();
    for admin in admins {
        answers.push(of_shard(admin, settings).await?);
    }
    let first = admins
        .first()
        .ok_or_else(|| DbError::new(ErrorClass::Bug, "a driver of MongoDB without a server"))?;
    let build = ask(first, settings, doc! { "buildInfo": 1 }).await?;
    // These need rights that a user of one database may not have.
    let status = ask(first, settings, doc! { "serverStatus": 1 })
        .await
        .unwrap_or_default();
    let options = ask(first, settings, doc! { "getCmdLineOpts": 1 })
        .await
        .unwrap_or_default();
    let topology = topology::topology(&answers, &settings.spread, settings.hosts.split(',').count());
    let journal = settings.durability == Durability::Synced;
    Ok(SystemFacts {
        product: "MongoDB".to_owned(),
        version: build.get_str("version").unwrap_or_default().to_owned(),
        nodes: topology.nodes,
        replicas: topology.replicas,
        durability: settings.durability,
        durability_means: format!("write concern j={journal}"),
        consistency: Some(settings.consistency),
        consistency_means: consistency_means(settings, topology.majority),
        settings: set_up(&status, &options, &topology, settings),
        topology: topology.text,
    })
}

async fn ask(admin: &Database, settings: &Settings, command: Document) -> Result<Document, DbError> {
    within(settings, admin.run_command(command).into_future()).await
}

/// What a shard, server, set or router says about who keeps the records.
async fn of_shard(admin: &Database, settings: &Settings) -> Result<Answers, DbError> {
    let mut answers = Answers {
        hello: ask(admin, settings, doc! { "hello": 1 }).await?,
        ..Answers::default()
    };
    // These need further rights.
    if is_router(&answers.hello) {
        let listed = ask(admin, settings, doc! { "listShards": 1 }).await;
        answers.shards = listed.unwrap_or_default();
        let options = ask(admin, settings, doc! { "getCmdLineOpts": 1 }).await;
        let named = text(&options.unwrap_or_default(), &["parsed", "sharding", "configDB"]);
        answers.config_servers = if named == DEFAULT { String::new() } else { named };
    } else if answers.hello.contains_key("setName") {
        let config = ask(admin, settings, doc! { "replSetGetConfig": 1 }).await;
        let config = config.unwrap_or_default();
        answers.config = config.get_document("config").cloned().unwrap_or_default();
    }
    Ok(answers)
}

fn consistency_means(settings: &Settings, majority: Option<Majority>) -> String {
    let (w, concern) = match settings.consistency {
        Consistency::One => ("1".to_owned(), "local"),
        _ => (
            match majority {
                Some(Majority { of, among }) => {
                    format!("majority ({of} of {among} members that vote and keep data)")
                }
                None => "majority".to_owned(),
            },
            "majority",
        ),
    };
    format!("write concern w={w}, read concern {concern}, read preference primary")
}

/// The settings that matter to a comparison.
fn set_up(
    status: &Document,
    options: &Document,
    topology: &Topology,
    settings: &Settings,
) -> BTreeMap<String, String> {
    let mut all = BTreeMap::from(
        [
            ("storage engine", text(status, &["storageEngine", "name"])),
            (
                "cache",
                format!(
                    "{} bytes",
                    text(status, &["wiredTiger", "cache", "maximum bytes configured"])
                ),
            ),
            (
                "journal commit interval",
                text(options, &["parsed", "storage", "journal", "commitIntervalMs"]),
            ),
            (
                "compression",
                text(
                    options,
                    &[
                        "parsed",
                        "storage",
                        "wiredTiger",
                        "collectionConfig",
                        "blockCompressor",
                    ],
                ),
            ),
        ]
        .map(|(name, value)| (name.to_owned(), value)),
    );
    let mut add = |name: &str, value: String| all.insert(name.to_owned(), value);
    match &settings.spread {
        Spread::Client(partition) => {
            let key = partition.key;
            add(
                "client-side partitioning",
                format!("shard key {}: {}", key.name(), key.means()),
            );
            add("scans", partition.scans().to_owned());
        }
        Spread::Server(Some(key)) => {
            add("shard key", format!("{}: {}", key.name(), key.means()));
        }
        Spread::Server(None) => {}
    }
    if let Some(members) = &topology.members {
        add("members of the set", members.clone());
    }
    all
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
    DEFAULT.to_owned()
}
