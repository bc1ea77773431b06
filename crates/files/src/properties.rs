//! A table of texts and numbers whose names nobody knows beforehand: properties of a workload, options of a system.

use std::fmt;

use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toml::Spanned;

use crate::Placed;
use crate::mistake;

const WANTED: &str = "a table such as { fieldcount = 5 }";
const VALUE: &str = "a text, a number, `true` or `false`";

/// A key and its value, each with its place.
pub type Entry = (Placed<String>, Placed<String>);

/// Names and their values, in the order of the names.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Properties(pub Vec<Entry>);

impl Properties {
    /// These names and values.
    pub fn of<'a>(entries: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let entry = |(name, value): (&str, &str)| (name.to_owned().into(), value.to_owned().into());
        Self(entries.into_iter().map(entry).collect())
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A value, or the rest of a dotted name (`hdrhistogram.percentiles = ..`), which is a table to TOML and one name to YCSB.
enum Node {
    Value(String),
    Names(Vec<(Spanned<String>, Spanned<Node>)>),
}

struct NodeVisitor {
    wanted: &'static str,
}

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.wanted)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Value(text.to_owned()))
    }

    fn visit_bool<E: Error>(self, switch: bool) -> Result<Node, E> {
        Ok(Node::Value(switch.to_string()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Node, E> {
        Ok(Node::Value(number.to_string()))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Node, E> {
        Ok(Node::Value(number.to_string()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Node, E> {
        // `1.0` stays `1.0`.
        Ok(Node::Value(format!("{number:?}")))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Node, A::Error> {
        Err(A::Error::custom(mistake::wrong_type(self.wanted)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Node, A::Error> {
        let mut names = Vec::new();
        while let Some(entry) = map.next_entry()? {
            names.push(entry);
        }
        Ok(Node::Names(names))
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor { wanted: VALUE })
    }
}

impl<'de> Deserialize<'de> for Properties {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_any(NodeVisitor { wanted: WANTED })? {
            Node::Value(_) => Err(D::Error::custom(mistake::wrong_type(WANTED))),
            Node::Names(names) => {
                let mut entries = Vec::new();
                collect(&mut entries, "", names);
                Ok(Self(entries))
            }
        }
    }
}

fn collect(entries: &mut Vec<Entry>, prefix: &str, names: Vec<(Spanned<String>, Spanned<Node>)>) {
    for (key, node) in names {
        let name = Placed {
            span: key.span(),
            value: format!("{prefix}{}", key.get_ref()),
        };
        let span = node.span();
        match node.into_inner() {
            Node::Value(value) => entries.push((name, Placed { span, value })),
            Node::Names(inner) => collect(entries, &format!("{}.", name.value), inner),
        }
    }
}

impl Serialize for Properties {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (&name.value, &value.value)))
    }
}
