//! The servers that a request asks for.

use dbdyno_lab::{LISTEN_OPTION, LabError, LabErrorKind, ServerRequest};

/// The most replicas that one master feeds.
const MOST_REPLICAS: u32 = 4;

/// One server, a master with replicas, or the masters of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Topology {
    masters: u32,
    replicas: u32,
}

impl Topology {
    /// The servers of the options `nodes` and `replicas`.
    ///
    /// # Errors
    /// When there can be no such servers, with the option to change.
    pub(crate) fn of(request: &ServerRequest) -> Result<Self, LabError> {
        let refuse =
            |message: String, help: &str| Err(LabError::new(LabErrorKind::Request, message).help(help));
        let masters = request.number("nodes", 1, 1..=6)?;
        if masters == 2 {
            return refuse(
                "a cluster of Redis has at least three masters".to_owned(),
                "ask for nodes=1 or nodes=3; replicas=1 gives one master a replica",
            );
        }
        let replicas = request.number("replicas", 0, 0..=MOST_REPLICAS)?;
        if replicas > 0 && masters > 1 {
            return refuse(
                format!(
                    "replicas={replicas} of redis needs one master, and nodes={masters} asks for a cluster of {masters}: \
                     no write to a cluster can wait for replicas (WAIT)"
                ),
                "leave out nodes, or replicas",
            );
        }
        if replicas > 0 && request.option(LISTEN_OPTION.name).is_some() {
            return refuse(
                format!("replicas={replicas} of redis cannot be reached from other hosts"),
                "leave out listen, or replicas",
            );
        }
        Ok(Self { masters, replicas })
    }

    /// The servers that keep data: each replica has a copy of all of its master.
    pub(crate) const fn of_data(self) -> dbdyno_lab::Topology {
        dbdyno_lab::Topology {
            nodes: self.servers(),
            copies: 1 + self.replicas,
            shards: 1,
        }
    }

    /// All servers together.
    pub(crate) const fn servers(self) -> u32 {
        self.masters + self.replicas
    }

    /// Replicas of the one master.
    pub(crate) const fn replicas(self) -> u32 {
        self.replicas
    }

    /// Whether the masters share the keys.
    pub(crate) const fn is_cluster(self) -> bool {
        self.masters > 1
    }

    /// The name of a server by its place, from 0. Where servers have different roles, it is the role.
    pub(crate) fn name(self, index: usize) -> String {
        match (self.replicas, index) {
            (0, index) => format!("node{}", index + 1),
            (_, 0) => "master".to_owned(),
            (_, number) => format!("replica{number}"),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail by panicking")]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Topology, LabError> {
        Topology::of(&ServerRequest::parse(text).unwrap())
    }

    #[test]
    fn servers_are_named_by_their_roles() {
        let names = |text: &str| {
            let topology = of(text).unwrap();
            let all = 0..topology.servers() as usize;
            all.map(|index| topology.name(index)).collect::<Vec<_>>()
        };
        assert_eq!(names("redis"), ["node1"]);
        assert_eq!(names("redis?nodes=3"), ["node1", "node2", "node3"]);
        assert_eq!(names("redis?replicas=2"), ["master", "replica1", "replica2"]);
    }

    #[test]
    fn topologies_that_cannot_be_are_refused_with_the_option_that_mends_them() {
        for (text, message, help) in [
            ("redis?nodes=2", "at least three masters", "replicas=1"),
            ("redis?replicas=5", "replicas=5", "from 0 to 4"),
            ("redis?replicas=1&nodes=3", "needs one master", "leave out nodes"),
            (
                "redis?replicas=1&listen=10.0.0.1",
                "other hosts",
                "leave out listen",
            ),
        ] {
            let error = of(text).unwrap_err();
            assert!(error.message.contains(message), "{text}: {error}");
            assert!(error.help.contains(help), "{text}: {}", error.help);
        }
    }
}
