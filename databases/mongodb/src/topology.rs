//! How many servers keep the records, and which of them count for what, from what they say about themselves.

use mongodb::bson::{Bson, Document};

use crate::connected::is_router;
use crate::shards::Spread;

/// One shard, server or set: what it says of itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    /// Of `hello`.
    pub(crate) hello: Document,
    /// `config` of `replSetGetConfig`; empty where the user may not read it, or there is no set.
    pub(crate) config: Document,
    /// Of `listShards`, to a router.
    pub(crate) shards: Document,
    /// The value of `--configdb`, of a router.
    pub(crate) config_servers: String,
}

/// The topology of everything behind an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Topology {
    /// In words.
    pub(crate) text: String,
    /// Servers that keep records; `None` where nobody says.
    pub(crate) nodes: Option<u32>,
    /// Copies of each record.
    pub(crate) replicas: Option<u32>,
    /// The members of its set, in words; `None` where there is none, or its configuration may not be read.
    pub(crate) members: Option<String>,
    /// What a majority is in that set; `None` likewise.
    pub(crate) majority: Option<Majority>,
}

/// How many members acknowledge a write at `w: majority`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Majority {
    /// Acknowledgments that are waited for.
    pub(crate) of: u32,
    /// Members that can give one: they vote and keep data.
    pub(crate) among: u32,
}

/// The members of a set, by what they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Members {
    /// Those that keep records.
    data: u32,
    voting: u32,
    /// Those that vote and keep records.
    voting_data: u32,
    hidden: u32,
    /// The delay of each delayed one, seconds.
    delays: Vec<i64>,
    /// Delayed ones that vote.
    delayed_voting: u32,
}

impl Members {
    /// From the configuration of the set.
    fn of(config: &Document) -> Option<Self> {
        let mut all = Self::default();
        for member in config.get_array("members").ok()? {
            let member = member.as_document()?;
            let is = |name: &str| member.get_bool(name).unwrap_or(false);
            let keeps_data = !is("arbiterOnly");
            let votes = number(member, "votes").unwrap_or(1) > 0;
            // The name before MongoDB 5.0 was `slaveDelay`.
            let delay = number(member, "secondaryDelaySecs").or_else(|| number(member, "slaveDelay"));
            let delay = delay.filter(|delay| *delay > 0);
            all.data += u32::from(keeps_data);
            all.voting += u32::from(votes);
            all.voting_data += u32::from(votes && keeps_data);
            // A delayed member is hidden, too, and counted once.
            all.hidden += u32::from(is("hidden") && delay.is_none());
            all.delayed_voting += u32::from(votes && delay.is_some());
            all.delays.extend(delay);
        }
        Some(all)
    }

    /// The server's own rule: more than half of the voting members, arbiters included, but never more than can acknowledge.
    fn majority(&self) -> Majority {
        Majority {
            of: (self.voting / 2 + 1).min(self.voting_data),
            among: self.voting_data,
        }
    }

    /// What is unusual about some of them: `, 1 hidden, 1 delayed`.
    fn unusual(&self) -> String {
        let mut text = String::new();
        for (count, word) in [(self.hidden, "hidden"), (self.delays.len() as u32, "delayed")] {
            if count > 0 {
                text.push_str(&format!(", {count} {word}"));
            }
        }
        text
    }

    /// All of them, in words.
    fn words(&self) -> String {
        let mut text = format!("{} with data, {} voting", self.data, self.voting);
        if self.hidden > 0 {
            text.push_str(&format!(", {} hidden", self.hidden));
        }
        if let Some(delay) = self.delays.first() {
            let votes = match self.delayed_voting {
                0 => "without a vote",
                _ => "with a vote: it can delay w=majority",
            };
            text.push_str(&format!(", {} delayed by {delay} s {votes}", self.delays.len()));
        }
        text
    }
}

/// The topology behind an address; `routers` are the hosts that it names, if they are routers.
pub(crate) fn topology(answers: &[Answers], spread: &Spread, routers: usize) -> Topology {
    let Some(first) = answers.first() else {
        return of_set(&Answers::default());
    };
    if let Spread::Client(_) = spread {
        return partitioned(answers);
    }
    if is_router(&first.hello) {
        return sharded(first, routers);
    }
    of_set(first)
}

/// One server, or one set.
fn of_set(answers: &Answers) -> Topology {
    let listed = |name: &str| answers.hello.get_array(name).map_or(0, Vec::len) as u32;
    let Ok(name) = answers.hello.get_str("setName") else {
        return Topology {
            text: "1 server".to_owned(),
            nodes: Some(1),
            replicas: Some(1),
            members: None,
            majority: None,
        };
    };
    let members = Members::of(&answers.config);
    // Hidden members are in the configuration alone; `hello` lists those that can become primary apart from those that cannot.
    let data = members
        .as_ref()
        .map_or_else(|| listed("hosts") + listed("passives"), |members| members.data);
    let unusual = members.as_ref().map(Members::unusual).unwrap_or_default();
    Topology {
        text: format!("replica set {name} of {data}{unusual}"),
        nodes: Some(data),
        replicas: Some(data),
        majority: members.as_ref().map(Members::majority),
        members: members.map(|members| members.words()),
    }
}

/// Shards that this driver spreads records over.
fn partitioned(answers: &[Answers]) -> Topology {
    let shards: Vec<Topology> = answers.iter().map(of_set).collect();
    let sizes: Vec<u32> = shards.iter().filter_map(|shard| shard.nodes).collect();
    let least = sizes.iter().min().copied();
    Topology {
        text: format!(
            "client-side partitioning over {} shards, {}",
            shards.len(),
            each(&sizes)
        ),
        nodes: (sizes.len() == shards.len()).then(|| sizes.iter().sum()),
        replicas: least,
        members: shards.first().and_then(|shard| shard.members.clone()),
        majority: shards.first().and_then(|shard| shard.majority),
    }
}

/// A cluster whose routers spread the records.
fn sharded(answers: &Answers, routers: usize) -> Topology {
    let shards = answers.shards.get_array("shards").into_iter().flatten();
    let host = |shard: &Bson| Some(shard.as_document()?.get_str("host").ok()?.to_owned());
    let sizes: Vec<u32> = shards.filter_map(host).map(|host| hosts(&host)).collect();
    let routers = counted(routers as u32, "router");
    let unknown = Topology {
        text: format!("sharded cluster, {routers}"),
        nodes: None,
        replicas: None,
        members: None,
        majority: None,
    };
    if sizes.is_empty() {
        return unknown;
    }
    let config = match answers.config_servers.as_str() {
        "" => String::new(),
        servers => format!(", {}", counted(hosts(servers), "config server")),
    };
    Topology {
        text: format!(
            "sharded cluster of {}, {}, {routers}{config}",
            counted(sizes.len() as u32, "shard"),
            each(&sizes)
        ),
        nodes: Some(sizes.iter().sum()),
        replicas: sizes.iter().min().copied(),
        ..unknown
    }
}

/// The members of each shard, in words.
fn each(sizes: &[u32]) -> String {
    match (sizes.iter().min(), sizes.iter().max()) {
        (Some(1), Some(1)) => "1 member each".to_owned(),
        (Some(least), Some(most)) if least == most => format!("{least} members each"),
        (Some(least), Some(most)) => format!("{least} to {most} members each"),
        _ => "unknown members".to_owned(),
    }
}

/// The servers of `NAME/HOST:PORT,HOST:PORT`.
fn hosts(set: &str) -> u32 {
    set.split(',').count() as u32
}

fn counted(count: u32, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A number of whichever of its types MongoDB sends.
fn number(document: &Document, name: &str) -> Option<i64> {
    match document.get(name)? {
        Bson::Int32(number) => Some(i64::from(*number)),
        Bson::Int64(number) => Some(*number),
        Bson::Double(number) => Some(*number as i64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shard_key::{Partition, ShardKey};
    use mongodb::bson::doc;

    fn set(hosts: &[&str], config: Document) -> Answers {
        Answers {
            hello: doc! { "setName": "rs0", "hosts": hosts },
            config,
            ..Answers::default()
        }
    }

    fn member(unlike: Document) -> Document {
        let mut member =
            doc! { "votes": 1, "hidden": false, "arbiterOnly": false, "secondaryDelaySecs": 0_i64 };
        member.extend(unlike);
        member
    }

    #[test]
    fn one_server_and_a_set_are_named_as_ever() {
        let whole = Spread::Server(None);
        let alone = topology(&[Answers::default()], &whole, 1);
        assert_eq!((alone.text.as_str(), alone.nodes), ("1 server", Some(1)));
        // A user who may not read the configuration sees what `hello` lists.
        let unread = topology(&[set(&["a", "b", "c"], doc! {})], &whole, 3);
        assert_eq!(
            (unread.text.as_str(), unread.nodes, unread.majority),
            ("replica set rs0 of 3", Some(3), None)
        );
    }

    #[test]
    fn hidden_members_count_for_a_majority_and_delayed_ones_without_a_vote_do_not() {
        let hidden = member(doc! { "hidden": true });
        let delayed = member(doc! { "hidden": true, "secondaryDelaySecs": 60_i64, "votes": 0 });
        let plain = || member(doc! {});
        let config = doc! { "members": [plain(), plain(), plain(), hidden, delayed.clone()] };
        let seen = topology(&[set(&["a", "b", "c"], config)], &Spread::Server(None), 3);
        assert_eq!(seen.text, "replica set rs0 of 5, 1 hidden, 1 delayed");
        assert_eq!((seen.nodes, seen.replicas), (Some(5), Some(5)));
        assert_eq!(
            seen.members.as_deref(),
            Some("5 with data, 4 voting, 1 hidden, 1 delayed by 60 s without a vote")
        );
        assert_eq!(seen.majority, Some(Majority { of: 3, among: 4 }));

        // An arbiter votes and acknowledges nothing; a delayed member that votes can hold a majority back.
        let mut voting = delayed;
        voting.insert("votes", 1);
        let arbiter = member(doc! { "arbiterOnly": true });
        let config = doc! { "members": [plain(), arbiter, voting] };
        let seen = topology(&[set(&["a"], config)], &Spread::Server(None), 1);
        assert_eq!(seen.majority, Some(Majority { of: 2, among: 2 }));
        assert!(
            seen.members
                .unwrap()
                .ends_with("with a vote: it can delay w=majority"),
            "a delayed voter is named"
        );
    }

    #[test]
    fn shards_of_the_client_are_no_sharded_cluster() {
        let by_client = Spread::Client(Partition::new(ShardKey::Hashed, 2));
        let seen = topology(&[set(&["a"], doc! {}), set(&["b"], doc! {})], &by_client, 2);
        assert_eq!(
            (seen.text.as_str(), seen.nodes, seen.replicas),
            (
                "client-side partitioning over 2 shards, 1 member each",
                Some(2),
                Some(1)
            )
        );
        let three = set(&["a", "b", "c"], doc! {});
        let seen = topology(&[three.clone(), three], &by_client, 6);
        assert_eq!(
            (seen.text.as_str(), seen.nodes, seen.replicas),
            (
                "client-side partitioning over 2 shards, 3 members each",
                Some(6),
                Some(3)
            )
        );
        assert!(!seen.text.contains("sharded cluster"));
    }

    #[test]
    fn a_router_names_the_shards_and_the_config_servers() {
        let router = Answers {
            hello: doc! { "msg": "isdbgrid" },
            shards: doc! { "shards": [
                { "_id": "shard1", "host": "shard1/h:1,h:2,h:3" },
                { "_id": "shard2", "host": "shard2/h:4,h:5,h:6" },
            ] },
            config_servers: "cfg/h:7".to_owned(),
            ..Answers::default()
        };
        let seen = topology(&[router], &Spread::Server(Some(ShardKey::Hashed)), 2);
        assert_eq!(
            seen.text,
            "sharded cluster of 2 shards, 3 members each, 2 routers, 1 config server"
        );
        assert_eq!((seen.nodes, seen.replicas), (Some(6), Some(3)));
        let silent = Answers {
            hello: doc! { "msg": "isdbgrid" },
            ..Answers::default()
        };
        let seen = topology(&[silent], &Spread::Server(None), 1);
        assert_eq!(
            (seen.text.as_str(), seen.nodes),
            ("sharded cluster, 1 router", None)
        );
    }
}
