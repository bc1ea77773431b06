//! Whether the servers behind an address are what it says: shards that are different, and no router where the client spreads
//! records.

use dbdyno_driver::{DbError, ErrorClass};
use mongodb::Database;
use mongodb::bson::{Document, doc};

use crate::deadline::within;
use crate::options::Settings;
use crate::shards::Spread;

/// Asks each shard who it is.
///
/// # Errors
/// `Rejected`, when it is not what the address says; other classes when it does not answer.
pub(crate) async fn check(admins: &[Database], settings: &Settings) -> Result<(), DbError> {
    let mut hellos = Vec::new();
    for admin in admins {
        hellos.push(within(settings, admin.run_command(doc! { "hello": 1 }).into_future()).await?);
    }
    judge(&hellos, &settings.spread).map_err(|what| {
        DbError::new(
            ErrorClass::Rejected,
            format!("MongoDB at {}: {what}", settings.hosts),
        )
    })
}

/// Whether a server is a router of a sharded cluster.
pub(crate) fn is_router(hello: &Document) -> bool {
    hello.get_str("msg").is_ok_and(|message| message == "isdbgrid")
}

/// A name that two shards cannot share: that of the primary in its set, or the process's own.
fn identity(hello: &Document) -> Option<String> {
    if let (Ok(set), Ok(primary)) = (hello.get_str("setName"), hello.get_str("primary")) {
        return Some(format!("{primary} of the set {set}"));
    }
    let process = hello.get_document("topologyVersion").ok()?.get("processId")?;
    Some(format!("process {process}"))
}

fn judge(hellos: &[Document], spread: &Spread) -> Result<(), String> {
    match spread {
        Spread::Server(None) => Ok(()),
        Spread::Server(Some(_)) => match hellos.iter().all(is_router) {
            true => Ok(()),
            false => Err(
                "shard_key is for a sharded cluster, and no mongos answered; leave shard_key out, or add partition=client for \
                 client-side partitioning"
                    .to_owned(),
            ),
        },
        Spread::Client(_) => {
            let mut seen: Vec<(usize, String)> = Vec::new();
            for (number, hello) in (1..).zip(hellos) {
                if is_router(hello) {
                    return Err(format!(
                        "shard {number} is a mongos, which spreads records itself; leave partition=client out"
                    ));
                }
                let Some(own) = identity(hello) else { continue };
                if let Some((earlier, _)) = seen.iter().find(|(_, other)| *other == own) {
                    return Err(format!(
                        "shards {earlier} and {number} are one server ({own}); list the hosts of different servers or sets, \
                         with replicas=N the N members of each set one after the other"
                    ));
                }
                seen.push((number, own));
            }
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shard_key::{Partition, ShardKey};

    #[test]
    fn two_members_of_one_set_are_no_two_shards() {
        let by_client = Spread::Client(Partition::new(ShardKey::Hashed, 2));
        let member = |set: &str, primary: &str| doc! { "setName": set, "primary": primary };
        judge(&[member("a", "h:1"), member("b", "h:2")], &by_client).unwrap();
        let why = judge(&[member("a", "h:1"), member("a", "h:1")], &by_client).unwrap_err();
        assert!(
            why.contains("shards 1 and 2 are one server (h:1 of the set a)"),
            "{why}"
        );
        let alone = |process: &str| doc! { "topologyVersion": { "processId": process } };
        judge(&[alone("x"), alone("y")], &by_client).unwrap();
        judge(&[alone("x"), alone("x")], &by_client).unwrap_err();
        // Servers before 4.4 do not name their process.
        judge(&[doc! {}, doc! {}], &by_client).unwrap();
    }

    #[test]
    fn only_routers_have_a_shard_key_and_no_router_is_a_shard() {
        let router = doc! { "msg": "isdbgrid" };
        let by_client = Spread::Client(Partition::new(ShardKey::Hashed, 2));
        let why = judge(&[router.clone(), doc! {}], &by_client).unwrap_err();
        assert!(why.contains("leave partition=client out"), "{why}");
        let by_server = Spread::Server(Some(ShardKey::Ranged));
        judge(std::slice::from_ref(&router), &by_server).unwrap();
        let why = judge(&[doc! {}], &by_server).unwrap_err();
        assert!(why.contains("no mongos answered"), "{why}");
        judge(&[doc! {}], &Spread::Server(None)).unwrap();
    }
}
