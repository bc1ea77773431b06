//! Facts that `memory` states about itself.

use std::collections::BTreeMap;

use dbdyno_driver::{Durability, SystemFacts};

pub fn facts() -> SystemFacts {
    SystemFacts {
        product: "memory".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        topology: "embedded".to_owned(),
        nodes: Some(0),
        replicas: Some(1),
        durability: Durability::None,
        durability_means: "records live in this process and end with it".to_owned(),
        consistency: None,
        consistency_means: String::new(),
        settings: BTreeMap::from([
            ("cache".to_owned(), "none: everything is in memory".to_owned()),
            ("compression".to_owned(), "none".to_owned()),
            (
                "structure".to_owned(),
                "16 B-trees, each behind a read-write lock".to_owned(),
            ),
        ]),
    }
}
