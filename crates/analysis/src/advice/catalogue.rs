//! What is known beside the results: workloads that have names, and what databases offer.

use std::collections::BTreeMap;

use dbdyno_record::audit::AuditRecord;
use dbdyno_trial::{Consistency, Durability};

/// What is known beside the results. An empty one is enough for an answer: a full one knows of more systems that they cannot
/// provide a level, and can write more studies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Catalogue {
    /// The properties of the workloads that a study can name, by name.
    pub workloads: BTreeMap<String, BTreeMap<String, String>>,
    /// What each driver offers, by the name of the driver.
    pub drivers: BTreeMap<String, Offer>,
    /// Security audits of systems.
    pub audits: Vec<AuditRecord>,
}

/// The levels that can be asked of a database, weakest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// Levels of durability.
    pub durabilities: Vec<Durability>,
    /// Levels of consistency; empty where there is one copy and no choice.
    pub consistencies: Vec<Consistency>,
}
