//! What was run: the system with its settings, the work, and what dbdyno took itself.

use dbdyno_document::{Block, Section, Text};
use dbdyno_record::TrialRecord;

use super::overhead;
use crate::model::single_parts as parts;
use crate::number;
use crate::readable::readable;

/// System and work, from the record alone.
pub fn of_run(trial: &TrialRecord) -> Section {
    let system = &trial.system;
    let with_means = |level: String, means: &str| match (level.is_empty(), means.is_empty()) {
        (false, false) => format!("{level}: {}", readable(means)),
        _ => level,
    };
    let mut facts = Facts::default();
    facts.add("address", system.address.clone());
    facts.add("driver", system.driver.clone());
    facts.add("topology", system.topology.clone());
    let durability = system.durability.name().to_owned();
    facts.add("durability", with_means(durability, &system.durability_means));
    let consistency = system.consistency.name().to_owned();
    facts.add("consistency", with_means(consistency, &system.consistency_means));
    facts.add("scan order", system.scan_order.name().to_owned());
    let at_rest = system.at_rest.as_ref();
    facts.add(
        "encryption at rest",
        at_rest.map_or(String::new(), ToString::to_string),
    );
    let resources = system.resources.as_ref();
    facts.add("limits", resources.map_or(String::new(), ToString::to_string));
    for (name, value) in &system.settings {
        facts.add(name, readable(value));
    }
    facts.add("requests", parts::asked(&[trial]));
    if trial.threads > 0 {
        facts.add("client threads", trial.threads.to_string());
    }
    facts.add("seed", trial.seed.to_string());
    facts.add("skew of the keys", parts::skew(&[trial]));
    if let Some(load) = trial.load.as_ref().filter(|_| trial.measure.is_some()) {
        let rate = load.throughput_per_second().map_or(String::new(), number::rate);
        let records = number::count(load.inserts.ok);
        facts.add("load", format!("{records} records, {rate}"));
    }
    if let Some(overhead) = overhead(trial) {
        facts.add(
            "overhead of dbdyno",
            format!("{overhead}; no result can be better"),
        );
    }
    let started = trial.started_at.get(..19).unwrap_or_default();
    facts.add("started (UTC)", started.replace('T', " "));
    Section::new("settings", "Settings", vec![Block::Facts(facts.0)])
}

#[derive(Default)]
struct Facts(Vec<(Text, Text)>);

impl Facts {
    /// Adds a fact, unless nothing is known of it.
    fn add(&mut self, label: &str, value: String) {
        if !value.is_empty() {
            self.0.push((label.to_owned().into(), value.into()));
        }
    }
}
