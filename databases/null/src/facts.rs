//! Facts that `null` states about itself.

use std::collections::BTreeMap;

use dbdyno_driver::{Durability, SystemFacts};

pub fn facts() -> SystemFacts {
    SystemFacts {
        product: "null".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        topology: "embedded".to_owned(),
        nodes: Some(0),
        replicas: Some(1),
        durability: Durability::None,
        durability_means: "nothing is kept".to_owned(),
        consistency: None,
        consistency_means: String::new(),
        settings: BTreeMap::new(),
    }
}
