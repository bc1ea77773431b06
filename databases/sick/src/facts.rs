//! What `sick` says about itself: its defects are no secret, else a report would accuse a real database.

use std::collections::BTreeMap;

use dbdyno_driver::{Durability, SystemFacts};

use crate::defects::Defects;

pub fn facts(defects: &Defects) -> SystemFacts {
    let symptoms = defects.symptoms();
    let mut settings: BTreeMap<String, String> = symptoms
        .iter()
        .map(|(name, text)| (format!("planted {name}"), text.clone()))
        .collect();
    if settings.is_empty() {
        settings.insert("planted".to_owned(), "nothing".to_owned());
    }
    SystemFacts {
        product: "sick".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        topology: "embedded".to_owned(),
        nodes: Some(0),
        replicas: Some(1),
        durability: Durability::None,
        durability_means: "records live in this process and end with it".to_owned(),
        consistency: None,
        consistency_means: String::new(),
        settings,
    }
}
