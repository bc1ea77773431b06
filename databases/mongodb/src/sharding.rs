//! A new collection of a sharded cluster: divided by the shard key that the address asks for, before its first record.
//!
//! Facts: MongoDB's manual for `shardCollection`, `split` and `moveChunk`. An empty collection with a hashed key is split over
//! all shards by the cluster; ranges are ours to split and to place.

use dbdyno_driver::DbError;
use mongodb::Database;
use mongodb::bson::{Document, doc};

use crate::deadline::within;
use crate::options::Settings;
use crate::shard_key::{ShardKey, ranged_splits};

/// The field of a key that cannot work: no record has it (shwaysh-2018 sharded by it).
const ABSENT_FIELD: &str = "name";

/// Divides a collection that has just been made.
///
/// # Errors
/// When the cluster refuses, e.g. because the user may not do it.
pub(crate) async fn shard(
    admin: &Database,
    settings: &Settings,
    key: ShardKey,
    table: &str,
) -> Result<(), DbError> {
    let ask = |command: Document| within(settings, admin.run_command(command).into_future());
    let listed = ask(doc! { "listShards": 1 }).await?;
    for command in commands(&settings.database, table, key, &names(&listed)) {
        ask(command).await?;
    }
    Ok(())
}

/// The shards' names, sorted.
fn names(listed: &Document) -> Vec<String> {
    let shards = listed.get_array("shards").into_iter().flatten();
    let name = |shard: &mongodb::bson::Bson| Some(shard.as_document()?.get_str("_id").ok()?.to_owned());
    let mut names: Vec<String> = shards.filter_map(name).collect();
    names.sort();
    names
}

/// What a router is asked, in this order.
fn commands(database: &str, table: &str, key: ShardKey, shards: &[String]) -> Vec<Document> {
    let collection = format!("{database}.{table}");
    let pattern = match key {
        ShardKey::Hashed => doc! { "_id": "hashed" },
        ShardKey::Ranged => doc! { "_id": 1 },
        ShardKey::OneShard => doc! { ABSENT_FIELD: 1 },
    };
    let mut commands = vec![
        doc! { "enableSharding": database },
        doc! { "shardCollection": &collection, "key": pattern },
    ];
    if key == ShardKey::Ranged {
        let splits = ranged_splits(shards.len());
        commands.extend(
            splits
                .iter()
                .map(|split| doc! { "split": &collection, "middle": { "_id": split } }),
        );
        // A range is named by a key in it: its first one, and for the range below all splits the least of all.
        let firsts = std::iter::once("").chain(splits.iter().map(String::as_str));
        commands.extend(
            firsts.zip(shards).map(
                |(first, shard)| doc! { "moveChunk": &collection, "find": { "_id": first }, "to": shard },
            ),
        );
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_collection_is_sharded_by_the_key_asked_for() {
        let shards = ["shard1", "shard2"].map(str::to_owned);
        let of = |key| commands("ycsb", "usertable", key, &shards);
        let enable = doc! { "enableSharding": "ycsb" };
        assert_eq!(
            of(ShardKey::Hashed),
            [
                enable.clone(),
                doc! { "shardCollection": "ycsb.usertable", "key": { "_id": "hashed" } }
            ]
        );
        assert_eq!(
            of(ShardKey::OneShard),
            [
                enable.clone(),
                doc! { "shardCollection": "ycsb.usertable", "key": { "name": 1 } }
            ]
        );
        assert_eq!(
            of(ShardKey::Ranged),
            [
                enable,
                doc! { "shardCollection": "ycsb.usertable", "key": { "_id": 1 } },
                doc! { "split": "ycsb.usertable", "middle": { "_id": "user5499" } },
                doc! { "moveChunk": "ycsb.usertable", "find": { "_id": "" }, "to": "shard1" },
                doc! { "moveChunk": "ycsb.usertable", "find": { "_id": "user5499" }, "to": "shard2" },
            ]
        );
    }

    #[test]
    fn shards_have_names() {
        let listed = doc! { "shards": [{ "_id": "shard2", "host": "shard2/h:2" }, { "_id": "shard1", "host": "shard1/h:1" }] };
        assert_eq!(names(&listed), ["shard1", "shard2"]);
    }
}
