//! The processes of a topology, in the order of their start, with their arguments and the commands that join them: functions of
//! the request, so that what needs a mongos is tested without one.
//!
//! Facts: MongoDB's manual for `mongod`, `mongos`, replica set configuration and `addShard`.

use std::path::Path;

use bson::{Bson, Document, doc};

use crate::topology::{Members, Shards, Topology};

/// Name of the one replica set.
const SET: &str = "rs0";
/// Name of the set of the config servers.
const CONFIG_SET: &str = "config";

/// What a set is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Records, for clients.
    Records,
    /// Records, for routers.
    Shard,
    /// The configuration of a sharded cluster.
    Config,
}

/// What a member of a set does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It votes, and can become primary.
    Electable,
    /// It votes; clients do not see it.
    Hidden,
    /// It neither votes nor is seen, and is so many seconds behind.
    Delayed(u32),
}

/// One mongod.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// Name of its server in the lab.
    pub(crate) name: String,
    pub(crate) port: u16,
    pub(crate) role: Role,
}

/// Servers that keep the same records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// Name of their replica set; `None`: one server without a set.
    pub(crate) set: Option<String>,
    pub(crate) purpose: Purpose,
    pub(crate) members: Vec<Member>,
}

/// One mongos.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Router {
    /// Name of its server in the lab.
    pub(crate) name: String,
    pub(crate) port: u16,
}

/// All processes, in the order of their start: config servers, shards, routers. A router that starts earlier would wait for
/// the config servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Servers {
    pub(crate) groups: Vec<Group>,
    pub(crate) routers: Vec<Router>,
}

impl Servers {
    /// The processes of a topology; `port` gives a free one each time.
    ///
    /// # Errors
    /// Those of `port`.
    pub(crate) fn of<E>(topology: &Topology, mut port: impl FnMut() -> Result<u16, E>) -> Result<Self, E> {
        let mut groups = Vec::new();
        let mut routers = Vec::new();
        match topology {
            Topology::Alone => groups.push(Group {
                set: None,
                purpose: Purpose::Records,
                members: plain(1, "node", &mut port)?,
            }),
            Topology::Set(members) => groups.push(one_set(*members, &mut port)?),
            Topology::ByClient(shards) => shard_sets(shards, Purpose::Records, &mut groups, &mut port)?,
            Topology::Cluster {
                shards,
                routers: count,
                config,
            } => {
                groups.push(Group {
                    set: Some(CONFIG_SET.to_owned()),
                    purpose: Purpose::Config,
                    members: plain(*config, "config", &mut port)?,
                });
                shard_sets(shards, Purpose::Shard, &mut groups, &mut port)?;
                for number in 1..=*count {
                    routers.push(Router {
                        name: format!("router{number}"),
                        port: port()?,
                    });
                }
            }
        }
        Ok(Self { groups, routers })
    }

    /// The hosts of the address for clients: routers where there are some, else the members that clients may see.
    pub(crate) fn hosts(&self) -> String {
        let hosts: Vec<String> = if self.routers.is_empty() {
            let members = self.groups.iter().flat_map(|group| &group.members);
            members
                .filter(|member| member.role == Role::Electable)
                .map(|member| host(member.port))
                .collect()
        } else {
            self.routers.iter().map(|router| host(router.port)).collect()
        };
        hosts.join(",")
    }

    /// The value of `--configdb`.
    pub(crate) fn config_servers(&self) -> Option<String> {
        let group = self
            .groups
            .iter()
            .find(|group| group.purpose == Purpose::Config)?;
        Some(group.connection())
    }

    /// The commands that make the shards known to a router, in this order.
    pub(crate) fn add_shards(&self) -> Vec<Document> {
        let shards = self.groups.iter().filter(|group| group.purpose == Purpose::Shard);
        shards
            .map(|group| {
                doc! { "addShard": group.connection(), "name": group.set.clone().unwrap_or_default() }
            })
            .collect()
    }
}

impl Group {
    /// `SET/HOST:PORT,HOST:PORT`.
    fn connection(&self) -> String {
        let hosts: Vec<String> = self.members.iter().map(|member| host(member.port)).collect();
        format!("{}/{}", self.set.as_deref().unwrap_or_default(), hosts.join(","))
    }

    /// The arguments of its mongods that say what they are members of.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        if let Some(set) = &self.set {
            arguments.extend(["--replSet".to_owned(), set.clone()]);
        }
        match self.purpose {
            Purpose::Records => {}
            Purpose::Shard => arguments.push("--shardsvr".to_owned()),
            Purpose::Config => arguments.push("--configsvr".to_owned()),
        }
        arguments
    }

    /// The configuration of its set.
    pub(crate) fn configuration(&self) -> Document {
        let members: Vec<Bson> = self
            .members
            .iter()
            .enumerate()
            .map(|(id, member)| Bson::Document(configured(id as i32, member)))
            .collect();
        let mut configuration = doc! {
            "_id": self.set.clone().unwrap_or_default(),
            "members": members,
            // A new primary within seconds, for tests of failure.
            "settings": { "electionTimeoutMillis": 2000, "heartbeatIntervalMillis": 500 },
        };
        if self.purpose == Purpose::Config {
            configuration.insert("configsvr", true);
        }
        configuration
    }
}

/// One member, as the configuration of its set names it.
fn configured(id: i32, member: &Member) -> Document {
    let mut document = doc! { "_id": id, "host": host(member.port) };
    if member.role != Role::Electable {
        document.extend(doc! { "priority": 0, "hidden": true });
    }
    if let Role::Delayed(seconds) = member.role {
        // With a vote, it would count among those whose acknowledgment makes a majority, and hold writes back for its delay
        // as soon as another member is down. MongoDB's manual asks for hidden delayed members without a vote.
        document.extend(doc! { "secondaryDelaySecs": i64::from(seconds), "votes": 0 });
    }
    document
}

/// The arguments of a mongos.
pub(crate) fn router_arguments(config_servers: &str, router: &Router, bind: &str) -> Vec<String> {
    [
        "--configdb",
        config_servers,
        "--bind_ip",
        bind,
        "--nounixsocket",
        "--port",
        &router.port.to_string(),
    ]
    .map(str::to_owned)
    .to_vec()
}

/// The mongos beside a mongod, if there is one.
pub(crate) fn beside(mongod: &Path) -> Option<std::path::PathBuf> {
    let beside = mongod.with_file_name("mongos");
    beside.is_file().then_some(beside)
}

fn host(port: u16) -> String {
    format!("127.0.0.1:{port}")
}

fn plain<E>(count: u32, name: &str, port: &mut impl FnMut() -> Result<u16, E>) -> Result<Vec<Member>, E> {
    (1..=count)
        .map(|number| {
            Ok(Member {
                name: format!("{name}{number}"),
                port: port()?,
                role: Role::Electable,
            })
        })
        .collect()
}

/// Members that can become primary first: their numbers are those of the address.
fn one_set<E>(members: Members, port: &mut impl FnMut() -> Result<u16, E>) -> Result<Group, E> {
    let mut all = plain(members.electable, "node", port)?;
    for (count, name, role) in [
        (members.hidden, "hidden", Role::Hidden),
        (members.delayed, "delayed", Role::Delayed(members.delay_seconds)),
    ] {
        for mut member in plain(count, name, port)? {
            member.role = role;
            all.push(member);
        }
    }
    Ok(Group {
        set: Some(SET.to_owned()),
        purpose: Purpose::Records,
        members: all,
    })
}

fn shard_sets<E>(
    shards: &Shards,
    purpose: Purpose,
    groups: &mut Vec<Group>,
    port: &mut impl FnMut() -> Result<u16, E>,
) -> Result<(), E> {
    for number in 1..=shards.count {
        let set = format!("shard{number}");
        let mut members = plain(shards.replicas, &format!("{set}-node"), port)?;
        if let [only] = members.as_mut_slice() {
            only.name.clone_from(&set);
        }
        groups.push(Group {
            set: Some(set),
            purpose,
            members,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_lab::ServerRequest;

    fn of(options: &str) -> Servers {
        let request = ServerRequest::parse(&format!("mongodb?{options}")).unwrap();
        let mut last = 10_000;
        Servers::of(&Topology::of(&request).unwrap(), || {
            last += 1;
            Ok::<u16, ()>(last)
        })
        .unwrap()
    }

    fn names(servers: &Servers) -> Vec<&str> {
        let members = servers.groups.iter().flat_map(|group| &group.members);
        let names = members.map(|member| member.name.as_str());
        names
            .chain(servers.routers.iter().map(|router| router.name.as_str()))
            .collect()
    }

    #[test]
    fn a_sharded_cluster_starts_with_its_config_servers_and_ends_with_its_routers() {
        let servers = of("shards=2&replicas=3&routers=2&config=1");
        assert_eq!(
            names(&servers),
            [
                "config1",
                "shard1-node1",
                "shard1-node2",
                "shard1-node3",
                "shard2-node1",
                "shard2-node2",
                "shard2-node3",
                "router1",
                "router2"
            ]
        );
        let arguments: Vec<String> = servers
            .groups
            .iter()
            .map(|group| group.arguments().join(" "))
            .collect();
        assert_eq!(
            arguments,
            [
                "--replSet config --configsvr",
                "--replSet shard1 --shardsvr",
                "--replSet shard2 --shardsvr"
            ]
        );
        assert!(servers.groups[0].configuration().get_bool("configsvr").unwrap());
        assert!(!servers.groups[1].configuration().contains_key("configsvr"));
        let config = servers.config_servers().unwrap();
        assert_eq!(config, "config/127.0.0.1:10001");
        assert_eq!(
            router_arguments(&config, &servers.routers[0], "127.0.0.1").join(" "),
            "--configdb config/127.0.0.1:10001 --bind_ip 127.0.0.1 --nounixsocket --port 10008"
        );
        assert_eq!(
            servers.add_shards(),
            [
                doc! { "addShard": "shard1/127.0.0.1:10002,127.0.0.1:10003,127.0.0.1:10004", "name": "shard1" },
                doc! { "addShard": "shard2/127.0.0.1:10005,127.0.0.1:10006,127.0.0.1:10007", "name": "shard2" },
            ]
        );
        assert_eq!(servers.hosts(), "127.0.0.1:10008,127.0.0.1:10009");
    }

    #[test]
    fn shards_of_the_client_are_sets_that_know_of_no_cluster() {
        let servers = of("partition=client&shards=2");
        assert_eq!(names(&servers), ["shard1", "shard2"]);
        assert_eq!(servers.groups[1].arguments(), ["--replSet", "shard2"]);
        assert_eq!(servers.hosts(), "127.0.0.1:10001,127.0.0.1:10002");
        assert_eq!((servers.config_servers(), servers.add_shards().len()), (None, 0));
        let servers = of("partition=client&shards=2&replicas=3");
        assert_eq!(servers.hosts().split(',').count(), 6);
    }

    #[test]
    fn one_server_and_a_plain_set_are_as_ever() {
        let alone = of("cache=256M");
        assert_eq!(
            (names(&alone), alone.groups[0].arguments()),
            (vec!["node1"], vec![])
        );
        let set = of("nodes=3");
        assert_eq!(names(&set), ["node1", "node2", "node3"]);
        let configuration = set.groups[0].configuration();
        assert_eq!(
            configuration.get_array("members").unwrap()[2],
            Bson::Document(doc! { "_id": 2, "host": "127.0.0.1:10003" })
        );
    }

    #[test]
    fn hidden_members_vote_delayed_ones_do_not_and_clients_see_neither() {
        let servers = of("nodes=5&hidden=1&delayed=1&delay=30");
        assert_eq!(
            names(&servers),
            ["node1", "node2", "node3", "hidden1", "delayed1"]
        );
        let configuration = servers.groups[0].configuration();
        let members = configuration.get_array("members").unwrap();
        assert_eq!(
            members[3],
            Bson::Document(doc! { "_id": 3, "host": "127.0.0.1:10004", "priority": 0, "hidden": true })
        );
        assert_eq!(
            members[4],
            Bson::Document(doc! {
                "_id": 4, "host": "127.0.0.1:10005", "priority": 0, "hidden": true,
                "secondaryDelaySecs": 30_i64, "votes": 0,
            })
        );
        assert_eq!(servers.hosts(), "127.0.0.1:10001,127.0.0.1:10002,127.0.0.1:10003");
    }
}
