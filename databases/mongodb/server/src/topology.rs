//! The servers that a request asks for: one, a replica set, shards that the client spreads records over, or a sharded cluster.
//! Impossible ones are refused with the option that mends them, before anything starts.

use dbdyno_lab::{LISTEN_OPTION, LabError, LabErrorKind, RecipeOption, ServerRequest};

/// Members of a replica set that vote, at most: the server's own limit.
const MOST_MEMBERS: u32 = 7;
const MOST_SHARDS: u32 = 8;
/// Processes that the lab starts on one machine for one system.
const MOST_SERVERS: u32 = 24;
/// Longest delay of a member: a day.
const LONGEST_DELAY_SECONDS: u32 = 86_400;

/// The options that shape it.
pub(crate) const OPTIONS: [RecipeOption; 10] = [
    RecipeOption::new("nodes", "1, or the members of a replica set, 3 to 7", "1"),
    RecipeOption::new(
        "hidden",
        "how many of these members are hidden: they vote, and never become primary",
        "0",
    ),
    RecipeOption::new(
        "delayed",
        "how many are delayed: hidden, without a vote, `delay` seconds behind",
        "0",
    ),
    RecipeOption::new("delay", "seconds that delayed members are behind", "60"),
    RecipeOption::new(
        "shards",
        "1 to 8 shards; a sharded cluster needs mongos (home=), partition=client does not",
        "",
    ),
    RecipeOption::new(
        "partition",
        "client: client-side partitioning, dbdyno's driver spreads records over the shards; server: mongos does",
        "server",
    ),
    RecipeOption::new("replicas", "members of each shard: 1, or 3 to 7", "1"),
    RecipeOption::new("routers", "mongos processes of a sharded cluster, 1 to 4", "1"),
    RecipeOption::new("config", "config servers of a sharded cluster: 1, or 3 to 7", "1"),
    RecipeOption::new(
        "shard_key",
        "hashed: the hash of _id; ranged: _id; one-shard: a key that all records share",
        "hashed",
    ),
];

/// The servers of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Topology {
    /// One server without a replica set.
    Alone,
    /// One replica set.
    Set(Members),
    /// Shards that the client spreads records over.
    ByClient(Shards),
    /// A sharded cluster.
    Cluster {
        /// Its shards.
        shards: Shards,
        /// Its mongos processes.
        routers: u32,
        /// Members of the set of its config servers.
        config: u32,
    },
}

/// The members of a replica set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Members {
    /// Those that can become primary.
    pub(crate) electable: u32,
    /// Those that vote and cannot.
    pub(crate) hidden: u32,
    /// Those that neither vote nor can.
    pub(crate) delayed: u32,
    /// How far these are behind.
    pub(crate) delay_seconds: u32,
}

/// Shards, and what divides records among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shards {
    pub(crate) count: u32,
    /// Members of each. Each is a replica set, even of one member: that is what a shard of a sharded cluster has to be, and
    /// transactions and read concern `majority` of a set are those that its clients get there. One server without a set would
    /// write no oplog, and be cheaper than the shard it stands for.
    pub(crate) replicas: u32,
    /// As the driver's option says it.
    pub(crate) key: &'static str,
}

impl Topology {
    /// What a request asks for.
    ///
    /// # Errors
    /// When it cannot be, with the option that mends it.
    pub(crate) fn of(request: &ServerRequest) -> Result<Self, LabError> {
        let has = |name: &str| request.option(name).is_some();
        let by_client = request.choice("partition", &["server", "client"])? == "client";
        if !has("shards") {
            for (name, why) in [
                ("partition", "there is nothing to spread records over"),
                ("replicas", "replicas are the members of a shard"),
                ("routers", "a router is for shards"),
                ("config", "config servers are for shards"),
                ("shard_key", "a shard key is for shards"),
            ] {
                if has(name) {
                    let help = match name {
                        "replicas" => "add shards=4, or write nodes=3 for one replica set",
                        "partition" if by_client => "say how many: partition=client&shards=4",
                        _ => "add shards=4",
                    };
                    return Err(refused(
                        format!("{} needs shards: {why}", shown(request, name)),
                        help,
                    ));
                }
            }
            return Self::of_one_set(request);
        }
        for (name, help) in [
            (
                "nodes",
                "write replicas=3 for the members of each shard, and leave nodes out",
            ),
            (
                "hidden",
                "leave hidden out, or ask for one replica set: nodes=4&hidden=1",
            ),
            (
                "delayed",
                "leave delayed out, or ask for one replica set: nodes=4&delayed=1",
            ),
            (
                "delay",
                "leave delay out, or ask for one replica set: nodes=4&delayed=1",
            ),
            (
                LISTEN_OPTION.name,
                "leave listen out: shards name each other's loopback addresses",
            ),
        ] {
            if has(name) {
                let what = format!("{} and shards cannot be combined", shown(request, name));
                return Err(refused(what, help));
            }
        }
        let shards = Shards {
            count: request.number("shards", 1, 1..=MOST_SHARDS)?,
            replicas: members(request, "replicas", 1)?,
            key: request.choice("shard_key", &["hashed", "ranged", "one-shard"])?,
        };
        let topology = if by_client {
            for name in ["routers", "config"] {
                if has(name) {
                    return Err(refused(
                        format!(
                            "{} and partition=client cannot be combined: with client-side partitioning there is no \
                             mongos",
                            shown(request, name)
                        ),
                        format!(
                            "leave {name} out, or leave partition=client out for a sharded cluster, which needs mongos"
                        ),
                    ));
                }
            }
            if shards.count < 2 {
                return Err(refused(
                    "partition=client over shards=1 spreads nothing",
                    "ask for shards=2 or more, or for lab:mongodb",
                ));
            }
            Self::ByClient(shards)
        } else {
            Self::Cluster {
                shards,
                routers: request.number("routers", 1, 1..=4)?,
                config: members(request, "config", 1)?,
            }
        };
        let servers = topology.servers();
        if servers > MOST_SERVERS {
            return Err(refused(
                format!(
                    "the topology has {servers} servers, and the lab starts at most {MOST_SERVERS} on one machine"
                ),
                "use fewer shards or replicas",
            ));
        }
        Ok(topology)
    }

    /// One server or one replica set.
    fn of_one_set(request: &ServerRequest) -> Result<Self, LabError> {
        let hidden = request.number("hidden", 0, 0..=MOST_MEMBERS)?;
        let delayed = request.number("delayed", 0, 0..=MOST_MEMBERS)?;
        let unusual = hidden + delayed;
        let nodes = match unusual {
            0 => members(request, "nodes", 1)?,
            _ => request.number("nodes", 1, 1..=MOST_MEMBERS)?,
        };
        if delayed == 0 && request.option("delay").is_some() {
            return Err(refused(
                "delay is for delayed members, and there are none",
                "add delayed=1, or leave delay out",
            ));
        }
        if nodes == 1 {
            if unusual > 0 {
                let name = if hidden > 0 { "hidden" } else { "delayed" };
                return Err(refused(
                    format!("{} needs a replica set, and nodes is 1", shown(request, name)),
                    enough_for(hidden, delayed),
                ));
            }
            return Ok(Self::Alone);
        }
        if !elects_without_one(nodes, hidden, delayed) {
            let voting = nodes.saturating_sub(delayed);
            let electable = nodes.saturating_sub(unusual);
            return Err(refused(
                format!(
                    "of {nodes} members, {hidden} hidden and {delayed} delayed leave {electable} that can become \
                     primary, and {voting} that vote: without one of them there may be no primary"
                ),
                enough_for(hidden, delayed),
            ));
        }
        let delay_seconds = match delayed {
            0 => 0,
            _ => request.number("delay", 60, 1..=LONGEST_DELAY_SECONDS)?,
        };
        Ok(Self::Set(Members {
            electable: nodes - unusual,
            hidden,
            delayed,
            delay_seconds,
        }))
    }

    /// How many processes it has.
    pub(crate) fn servers(&self) -> u32 {
        self.mongods() + self.routers()
    }

    /// How many of them keep records or the cluster's configuration.
    pub(crate) fn mongods(&self) -> u32 {
        match self {
            Self::Alone => 1,
            Self::Set(members) => members.electable + members.hidden + members.delayed,
            Self::ByClient(shards) => shards.count * shards.replicas,
            Self::Cluster { shards, config, .. } => shards.count * shards.replicas + config,
        }
    }

    /// The servers that keep records, without those of a cluster's configuration.
    pub(crate) fn of_data(&self) -> dbdyno_lab::Topology {
        let (copies, shards) = match self {
            Self::Alone => (1, 1),
            Self::Set(members) => (members.electable + members.hidden + members.delayed, 1),
            Self::ByClient(shards) | Self::Cluster { shards, .. } => (shards.replicas, shards.count),
        };
        dbdyno_lab::Topology {
            nodes: copies * shards,
            copies,
            shards,
        }
    }

    /// How many are routers.
    pub(crate) fn routers(&self) -> u32 {
        match self {
            Self::Cluster { routers, .. } => *routers,
            _ => 0,
        }
    }

    /// In words, for lists; `None` where the request says it already.
    pub(crate) fn words(&self) -> Option<String> {
        let each = |shards: &Shards| match shards.replicas {
            1 => format!("{} shards of 1 member", shards.count),
            replicas => format!("{} shards of {replicas} members", shards.count),
        };
        match self {
            Self::Alone | Self::Set(_) => None,
            Self::ByClient(shards) => Some(format!(
                "client-side partitioning over {}, shard key {}",
                each(shards),
                shards.key
            )),
            Self::Cluster {
                shards,
                routers,
                config,
            } => Some(format!(
                "sharded cluster of {}, shard key {}; mongos: {routers}, config servers: {config}",
                each(shards),
                shards.key
            )),
        }
    }
}

/// A number of members of which a majority is left when one is down.
fn members(request: &ServerRequest, name: &str, default: u32) -> Result<u32, LabError> {
    let count = request.number(name, default, 1..=MOST_MEMBERS)?;
    if count == 2 {
        return Err(refused(
            "a replica set of two has no majority when one is down",
            format!("ask for {name}=1 or {name}=3"),
        ));
    }
    Ok(count)
}

/// An option as it stands in the request.
fn shown(request: &ServerRequest, name: &str) -> String {
    format!("{name}={}", request.option(name).unwrap_or_default())
}

/// Whether a set of so many members has a primary when any one of them is lost: were those that can become primary fewer than a majority,
/// it might elect none.
const fn elects_without_one(nodes: u32, hidden: u32, delayed: u32) -> bool {
    let voting = nodes.saturating_sub(delayed);
    let electable = voting.saturating_sub(hidden);
    electable >= 2 && electable > voting / 2 && voting >= 3
}

/// The smallest set with these members, where the lab starts one.
fn enough_for(hidden: u32, delayed: u32) -> String {
    let unusual: String = [("hidden", hidden), ("delayed", delayed)]
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| format!("&{name}={count}"))
        .collect();
    match (2..=MOST_MEMBERS).find(|nodes| elects_without_one(*nodes, hidden, delayed)) {
        Some(nodes) => format!("ask for more nodes: nodes={nodes}{unusual}"),
        None => format!("ask for fewer of them: a set has at most {MOST_MEMBERS} members"),
    }
}

fn refused(what: impl std::fmt::Display, help: impl Into<String>) -> LabError {
    LabError::new(LabErrorKind::Request, format!("mongodb: {what}")).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(options: &str) -> Result<Topology, LabError> {
        Topology::of(&ServerRequest::parse(&format!("mongodb?{options}")).unwrap())
    }

    #[test]
    fn options_make_a_topology() {
        assert_eq!(of("cache=1G").unwrap(), Topology::Alone);
        let plain = Members {
            electable: 3,
            hidden: 0,
            delayed: 0,
            delay_seconds: 0,
        };
        assert_eq!(of("nodes=3").unwrap(), Topology::Set(plain));
        let members = Members {
            electable: 3,
            hidden: 1,
            delayed: 1,
            delay_seconds: 30,
        };
        assert_eq!(
            of("nodes=5&hidden=1&delayed=1&delay=30").unwrap(),
            Topology::Set(members)
        );
        let shards = |count, replicas, key| Shards { count, replicas, key };
        assert_eq!(
            of("partition=client&shards=4").unwrap(),
            Topology::ByClient(shards(4, 1, "hashed"))
        );
        let cluster = of("shards=4&replicas=3&routers=2&config=3&shard_key=one-shard").unwrap();
        assert_eq!(
            cluster,
            Topology::Cluster {
                shards: shards(4, 3, "one-shard"),
                routers: 2,
                config: 3
            }
        );
        assert_eq!((cluster.servers(), cluster.mongods()), (17, 15));
    }

    #[test]
    fn impossible_topologies_name_the_option_that_mends_them() {
        for (options, what, help) in [
            ("routers=2", "routers=2 needs shards", "add shards=4"),
            ("config=1", "config=1 needs shards", "add shards=4"),
            ("replicas=3", "replicas=3 needs shards", "nodes=3"),
            (
                "shard_key=ranged",
                "shard_key=ranged needs shards",
                "add shards=4",
            ),
            ("partition=client", "needs shards", "partition=client&shards=4"),
            ("partition=client&shards=1", "spreads nothing", "shards=2"),
            (
                "partition=client&shards=2&routers=1",
                "there is no mongos",
                "leave routers out",
            ),
            (
                "partition=client&shards=2&config=3",
                "there is no mongos",
                "leave config out",
            ),
            ("shards=2&nodes=3", "nodes=3 and shards", "replicas=3"),
            ("shards=2&hidden=1", "hidden=1 and shards", "nodes=4&hidden=1"),
            (
                "shards=2&listen=10.0.0.1",
                "listen=10.0.0.1 and shards",
                "leave listen out",
            ),
            ("shards=2&replicas=2", "no majority", "replicas=1 or replicas=3"),
            ("shards=8&replicas=7", "58 servers", "fewer shards or replicas"),
            ("shards=9", "shards=9", "1 to 8"),
            (
                "shards=2&shard_key=name",
                "shard_key=name",
                "hashed, ranged, one-shard",
            ),
            ("partition=mongos&shards=2", "partition=mongos", "server, client"),
            ("nodes=2", "no majority", "nodes=1 or nodes=3"),
            ("hidden=1", "needs a replica set", "nodes=3&hidden=1"),
            ("delayed=1", "needs a replica set", "nodes=4&delayed=1"),
            (
                "nodes=2&hidden=2",
                "leave 0 that can become primary",
                "nodes=5&hidden=2",
            ),
            (
                "nodes=2&delayed=6",
                "leave 0 that can become primary",
                "fewer of them",
            ),
            ("nodes=3&delay=5", "there are none", "delayed=1"),
            (
                "nodes=3&hidden=2",
                "leave 1 that can become primary",
                "nodes=5&hidden=2",
            ),
            ("nodes=3&delayed=1", "2 that vote", "nodes=4&delayed=1"),
            (
                "nodes=4&hidden=2",
                "leave 2 that can become primary",
                "more nodes",
            ),
            (
                "nodes=3&hidden=2&delayed=2",
                "leave 0 that can become primary",
                "more nodes",
            ),
        ] {
            let error = of(options).unwrap_err();
            assert_eq!(error.kind, LabErrorKind::Request, "{options}");
            let said = error.to_string() + &format!("{error:?}");
            assert!(said.contains(what) && said.contains(help), "{options}: {said}");
        }
    }

    #[test]
    fn only_a_cluster_with_routers_is_called_a_sharded_cluster() {
        let by_client = of("partition=client&shards=2").unwrap().words().unwrap();
        assert_eq!(
            by_client,
            "client-side partitioning over 2 shards of 1 member, shard key hashed"
        );
        let cluster = of("shards=2&replicas=3&routers=2").unwrap().words().unwrap();
        assert!(
            cluster.starts_with("sharded cluster of 2 shards of 3 members"),
            "{cluster}"
        );
        assert_eq!(of("nodes=3").unwrap().words(), None);
    }
}
