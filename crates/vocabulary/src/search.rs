//! What the search of a capacity asks of a system, and what it sees: records state it, statistics go on from it.

/// Why a probe was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// To find the edge; its answer may be wrong.
    Search,
    /// To confirm one side of it.
    Confirm,
}

/// The answer of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The objective held.
    Holds,
    /// It held although others took what the system needed.
    HoldsDisturbed,
    /// It did not.
    Misses,
    /// It did not, and the client was at its own limit: this says nothing good or bad about the system.
    ClientBound,
    /// It did not, and others took what the system needed: this says nothing good or bad about it either.
    Disturbed,
}

impl Outcome {
    /// Whether the objective held.
    #[must_use]
    pub fn holds(self) -> bool {
        matches!(self, Self::Holds | Self::HoldsDisturbed)
    }
}

/// One question and its answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// Why it was asked.
    pub role: Role,
    /// Operations per second asked for.
    pub rate: f64,
    /// The answer.
    pub outcome: Outcome,
}

/// All that was seen of one system so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// The lowest rate at which a trial says enough, operations per second; 0 when any does.
    pub lowest: f64,
    /// Closed loops of the pilot: clients, operations per second.
    pub pilots: Vec<(u32, f64)>,
    /// The probes at rates, in any order.
    pub probes: Vec<Probe>,
}
