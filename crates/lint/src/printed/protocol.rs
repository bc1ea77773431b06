//! How it was measured.

use crate::Place;

/// How it was measured, as far as it is stated.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Protocol {
    /// Clients that waited for one answer before they asked the next.
    pub clients: Option<Clients>,
    /// Runs that each printed mean is of.
    pub runs: Option<u32>,
    /// Operations of the runs.
    pub operations: Vec<f64>,
    /// Records of the tables.
    pub records: Vec<f64>,
    /// What a reader needs to repeat it and is not stated.
    pub missing: Vec<String>,
    /// Copies of each record, by set-up.
    pub copies: Vec<Copies>,
    /// Memory of servers that share a host.
    pub memory: Vec<Memory>,
    /// Instances of a set-up, and the machines that they ran on.
    pub placements: Vec<Placement>,
    /// Workloads that are defined, and of which nothing is reported.
    pub unreported: Vec<String>,
}

/// The number of clients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clients {
    /// How many.
    pub number: f64,
    /// Whether the author says so; else it was worked out from the numbers.
    pub stated: bool,
}

/// Copies of each record that the systems of one set-up keep.
#[derive(Clone, Debug, PartialEq)]
pub struct Copies {
    /// The set-up.
    pub place: Place,
    /// Systems, with the number of copies that they are asked to keep.
    pub systems: Vec<(String, f64)>,
    /// Nodes, of which each can keep one copy; `None` where it is not stated.
    pub nodes: Option<f64>,
}

/// Instances on machines.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// The set-up.
    pub place: Place,
    /// Processes of the database.
    pub instances: f64,
    /// Machines that they share.
    pub machines: f64,
}

/// Servers on one host.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// The set-up.
    pub place: Place,
    /// How many servers.
    pub servers: f64,
    /// Memory that each is given, GB.
    pub each_gb: f64,
    /// Memory of the host, GB.
    pub host_gb: f64,
}
