//! How many servers keep the data of a system, and how often.

/// Servers that keep data, and copies of each record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topology {
    /// Servers that keep data.
    pub nodes: u32,
    /// Copies of each record.
    pub copies: u32,
    /// Parts that the keys are divided into, each kept by servers of its own; 1 where every server may keep every key, or where
    /// the product divides them among all its nodes by itself.
    pub shards: u32,
}
