//! The shards that an address names: for client-side partitioning, its hosts shard by shard.

use dbdyno_driver::remote::{HostPort, Remote};
use dbdyno_driver::{DbError, ErrorClass, Target, options};

use crate::info::INFO;
use crate::shard_key::{Partition, ShardKey};

/// Who spreads records over shards, and how.
#[derive(Clone, Debug)]
pub(crate) enum Spread {
    /// MongoDB itself, or nobody. The shard key is for new collections of a sharded cluster.
    Server(Option<ShardKey>),
    /// This driver.
    Client(Partition),
}

impl Spread {
    /// Where a session finds each record.
    pub(crate) fn partition(&self) -> Partition {
        match self {
            Self::Server(_) => Partition::whole(),
            Self::Client(partition) => partition.clone(),
        }
    }
}

/// The hosts of each shard, and who spreads records over them; one entry with all hosts unless the client does.
///
/// # Errors
/// `Rejected`, where options contradict each other or the hosts, with the option that mends it.
pub(crate) fn read(target: &Target, remote: &Remote) -> Result<(Vec<Vec<HostPort>>, Spread), DbError> {
    let has = |name: &str| target.options.contains_key(name);
    let by_client = options::choice(&INFO, target, "partition", &["server", "client"], "server")? == "client";
    let key = ShardKey::read(&INFO, target)?;
    if !by_client {
        if has("replicas") {
            return Err(refused(
                "has `replicas`, the members of each shard, and no partition=client; leave it out, or add partition=client",
            ));
        }
        let key = has("shard_key").then_some(key);
        return Ok((vec![remote.hosts.clone()], Spread::Server(key)));
    }
    for (name, why) in [
        ("replicaSet", "each shard is a server or a set of its own"),
        ("directConnection", "each shard is found by its own hosts"),
    ] {
        if has(name) {
            return Err(refused(format!(
                "cannot have `{name}` and partition=client: {why}; leave {name} out"
            )));
        }
    }
    let replicas = replicas(target)?;
    let hosts = &remote.hosts;
    if !hosts.len().is_multiple_of(replicas) {
        return Err(refused(format!(
            "has {} hosts, which do not divide into shards of replicas={replicas}; list the hosts of all shards, shard by shard",
            hosts.len()
        )));
    }
    let shards: Vec<Vec<HostPort>> = hosts.chunks(replicas).map(<[HostPort]>::to_vec).collect();
    if shards.len() < 2 {
        return Err(refused(
            "has partition=client and one shard; list the hosts of two shards or more (`//h1,h2/ycsb`, with replicas=N \
             the N members of each shard one after the other), or leave partition=client out",
        ));
    }
    let partition = Partition::new(key, shards.len());
    Ok((shards, Spread::Client(partition)))
}

/// Members of each shard.
fn replicas(target: &Target) -> Result<usize, DbError> {
    let Some(text) = target.options.get("replicas") else {
        return Ok(1);
    };
    let number = text.parse().ok().filter(|number| (1..=50).contains(number));
    number.ok_or_else(|| {
        refused(format!(
            "cannot use option `replicas={text}`; it is the number of members of each shard, 1 to 50"
        ))
    })
}

fn refused(what: impl std::fmt::Display) -> DbError {
    DbError::new(ErrorClass::Rejected, format!("`{}` {what}", INFO.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(address: &str) -> Result<(Vec<Vec<HostPort>>, Spread), DbError> {
        let target = Target::parse(address).unwrap();
        read(&target, &Remote::read(&INFO, &target).unwrap())
    }

    #[test]
    fn hosts_are_shards_or_the_members_of_shards() {
        let sizes = |address: &str| -> Vec<usize> {
            let (shards, _) = of(address).unwrap();
            shards.iter().map(Vec::len).collect()
        };
        assert_eq!(sizes("mongodb://a,b,c/x"), [3]);
        assert_eq!(sizes("mongodb://a,b,c/x?partition=client"), [1, 1, 1]);
        assert_eq!(
            sizes("mongodb://a,b,c,d,e,f/x?partition=client&replicas=3"),
            [3, 3]
        );
        let (_, spread) = of("mongodb://a,b/x?partition=client&shard_key=ranged").unwrap();
        assert_eq!(
            (spread.partition().key, spread.partition().shards),
            (ShardKey::Ranged, 2)
        );
        let (_, spread) = of("mongodb://router/x?shard_key=ranged").unwrap();
        assert!(matches!(spread, Spread::Server(Some(ShardKey::Ranged))));
        assert_eq!(spread.partition().shards, 1);
    }

    #[test]
    fn what_cannot_be_is_refused_with_what_mends_it() {
        for (address, expected) in [
            ("mongodb://a?partition=client", "list the hosts of two shards"),
            ("mongodb://a,b?replicas=2", "add partition=client"),
            ("mongodb://a,b,c?partition=client&replicas=2", "3 hosts"),
            ("mongodb://a,b?partition=client&replicas=0", "replicas=0"),
            (
                "mongodb://a,b?partition=client&replicaSet=s",
                "leave replicaSet out",
            ),
            (
                "mongodb://a,b?partition=client&directConnection=true",
                "leave directConnection out",
            ),
            ("mongodb://a,b?partition=mongos", "`server`, `client`"),
            (
                "mongodb://a,b?partition=client&shard_key=name",
                "`hashed`, `ranged`, `one-shard`",
            ),
        ] {
            let error = of(address).unwrap_err();
            assert_eq!(error.class, ErrorClass::Rejected);
            assert!(error.message.contains(expected), "{address}: {error}");
        }
    }
}
