//! What a live system says about itself.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{Consistency, Durability, ScanOrder};

/// Product, version and the settings that matter to a comparison, read back from the live system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SystemFacts {
    /// e.g. `SQLite`.
    pub product: String,
    /// e.g. `3.50.2`.
    pub version: String,
    /// e.g. `embedded` or `3 nodes, rf 3`.
    pub topology: String,
    /// Nodes that keep the data: 0 for a store inside this process, `None` where nothing says how many there are.
    pub nodes: Option<u32>,
    /// Copies of each record; `None` where nothing says how many there are.
    pub replicas: Option<u32>,
    /// The level in force.
    pub durability: Durability,
    /// How the database provides that level, in its own words, e.g. `journal_mode=WAL, synchronous=NORMAL`.
    pub durability_means: String,
    /// The level in force; `None` where there is one copy and no choice (embedded stores).
    pub consistency: Option<Consistency>,
    /// How the database provides it, e.g. `writeConcern w=majority, readConcern majority`; empty without a level.
    pub consistency_means: String,
    /// Other settings that matter: cache sizes, compression, page size...
    pub settings: BTreeMap<String, String>,
}

/// Facts about a table that is there, as the live system states them beside [`SystemFacts`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableFacts {
    /// The order of its scans; `None`: that of the driver's constant facts.
    pub scan_order: Option<ScanOrder>,
    /// Settings of the table that matter: compression, caching.
    pub settings: BTreeMap<String, String>,
}
