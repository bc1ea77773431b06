//! How many nodes a paper's set-ups had, and how many copies of each record: as printed, and in what a repetition differs from it.

use std::collections::BTreeMap;
use std::fmt;

use serde::Deserialize;
use toml::Value;

/// A set-up: what its systems have in common, and what one of them has for itself.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Topology {
    /// Its name in sentences; the name of its table where it has none.
    pub name: Option<String>,
    /// What the paper states of all of its systems.
    #[serde(flatten)]
    pub common: Deployment,
    /// What it states of one system, by the system's id.
    #[serde(default)]
    pub system: BTreeMap<String, Deployment>,
}

/// Servers of a system and the copies that they keep, as far as the paper states them.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Deployment {
    /// Servers that keep data.
    pub nodes: Option<u32>,
    /// Copies of each record that were asked for.
    pub copies: Option<u32>,
    /// Parts that the keys are divided into, each kept by servers of its own.
    pub shards: Option<u32>,
    /// Whatever else the paper states.
    #[serde(flatten)]
    pub other: BTreeMap<String, Value>,
}

/// One of the numbers that make up a topology.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extent {
    /// Servers that keep data.
    Nodes,
    /// Copies of each record.
    Copies,
    /// Parts that the keys are divided into.
    Shards,
}

/// In what a repetition differs from the paper.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum Differs {
    /// A difference of the topologies.
    Topology(TopologyDiffers),
    /// Anything else, one sentence.
    Otherwise(String),
}

/// Another number of nodes, copies or shards than in the paper.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TopologyDiffers {
    /// Which number.
    pub of: Extent,
    /// The systems, by their ids in the repetition.
    pub systems: Vec<String>,
    /// The paper's number.
    pub paper: u32,
    /// The repetition's number.
    pub here: u32,
    /// Why, as the end of a sentence.
    pub why: String,
}

impl Extent {
    /// Every number.
    pub const ALL: [Self; 3] = [Self::Nodes, Self::Copies, Self::Shards];

    /// Its name, also that of the assumption for a paper that does not state it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Copies => "copies",
            Self::Shards => "shards",
        }
    }

    fn counted(self, number: u32) -> String {
        let one = number == 1;
        match self {
            Self::Nodes => format!("{number} {}", if one { "node" } else { "nodes" }),
            Self::Copies => format!("{number} {} of each record", if one { "copy" } else { "copies" }),
            Self::Shards => format!("{number} {}", if one { "shard" } else { "shards" }),
        }
    }
}

impl fmt::Display for Differs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Otherwise(sentence) => formatter.write_str(sentence),
            Self::Topology(differs) => write!(
                formatter,
                "Topology: {} for {}, in place of {}: {}.",
                differs.of.counted(differs.here),
                differs.systems.join(", "),
                differs.paper,
                differs.why
            ),
        }
    }
}

impl Deployment {
    /// A number of it as printed. One node keeps one copy where the paper states no other.
    #[must_use]
    pub fn extent(&self, extent: Extent) -> Option<u32> {
        match extent {
            Extent::Nodes => self.nodes,
            Extent::Copies => self.copies.or(self.nodes.filter(|nodes| *nodes == 1)),
            Extent::Shards => self.shards,
        }
    }
}

impl Topology {
    /// What the paper states of one system.
    #[must_use]
    pub fn of(&self, system: &str) -> Deployment {
        let own = self.system.get(system).cloned().unwrap_or_default();
        Deployment {
            nodes: own.nodes.or(self.common.nodes),
            copies: own.copies.or(self.common.copies),
            shards: own.shards.or(self.common.shards),
            other: own.other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stated_of_one_system_goes_before_what_is_stated_of_all() {
        let text = "nodes = 4\nnote = \"x\"\n[system.a]\ncopies = 3\n[system.b]\nnodes = 1\n";
        let topology: Topology = toml::from_str(text).unwrap();
        let of = |system: &str| Extent::ALL.map(|extent| topology.of(system).extent(extent));
        assert_eq!(of("a"), [Some(4), Some(3), None]);
        assert_eq!(of("b"), [Some(1), Some(1), None], "one node keeps one copy");
        assert_eq!(of("c"), [Some(4), None, None]);
        assert_eq!(topology.common.other["note"].as_str(), Some("x"));
    }

    #[test]
    fn a_difference_is_a_sentence_with_both_numbers() {
        let entry = "differs = [{ of = \"copies\", systems = [\"a\", \"b\"], paper = 3, here = 1, why = \"w\" }, \"S.\"]";
        let mut table: BTreeMap<String, Vec<Differs>> = toml::from_str(entry).unwrap();
        let sentences: Vec<String> = table
            .remove("differs")
            .unwrap()
            .iter()
            .map(Differs::to_string)
            .collect();
        assert_eq!(
            sentences,
            [
                "Topology: 1 copy of each record for a, b, in place of 3: w.",
                "S."
            ]
        );
    }
}
