//! Why a candidate stands to a requirement as it does.

/// Why a candidate stands to a requirement as it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Why {
    /// All its trials are invalid.
    AllInvalid,
    /// No record holds it.
    NotRecorded {
        /// What would show it.
        shown_by: String,
    },
    /// It is no product of this name.
    OtherProduct(String),
    /// It has this version, as read back.
    Version(String),
    /// It has this version, perhaps an empty one, which cannot be compared.
    OpaqueVersion(String),
    /// No valid trial counts operations.
    NoOperations,
    /// So many operations of its trials failed.
    Failed {
        /// Those that failed.
        failed: u64,
        /// All of them.
        operations: u64,
        /// The trials that they are of.
        trials: usize,
    },
    /// Its durability was not read back.
    NoDurability,
    /// It keeps one copy, which every operation meets.
    OneCopy,
    /// It was measured at this level.
    Level {
        /// The level, as read back.
        level: String,
        /// What it means, in the product's words; may be empty.
        means: String,
        /// What is known of the level that is wanted, where that is another one.
        beyond: Option<Beyond>,
    },
    /// Its topology, perhaps an empty one, does not state how many nodes there are.
    UnknownNodes(String),
    /// It was measured with this topology.
    Nodes {
        /// The topology, as read back.
        topology: String,
        /// What is known of the number that is wanted, where that is another one.
        beyond: Option<Beyond>,
    },
    /// Whatever else it is, in words.
    Words(String),
}

/// What is known of a level beyond the one that was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// Another candidate of the same product was measured there.
    Reached {
        /// The other candidate.
        by: String,
        /// The level that is wanted.
        wanted: String,
    },
    /// The product does not offer it.
    NotOffered,
    /// It was not measured there.
    NotMeasured {
        /// The level that is wanted.
        wanted: String,
    },
}
