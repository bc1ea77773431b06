//! `over-commit`, `unequal-guarantees`, `placement`, `unreported` and `missing-protocol`: errors that the set-up alone shows.

use crate::words::{list, number, plural};
use crate::{Certainty, Finding, Place, Printed, Rule};

pub fn over_commit(printed: &Printed) -> Vec<Finding> {
    let too_much = printed
        .protocol
        .memory
        .iter()
        .filter(|memory| memory.servers * memory.each_gb >= memory.host_gb);
    too_much
        .map(|memory| {
            let arithmetic = format!(
                "{} servers x {} GB = {} GB on a host of {} GB, which needs some for itself",
                number(memory.servers),
                number(memory.each_gb),
                number(memory.servers * memory.each_gb),
                number(memory.host_gb)
            );
            let explanation = "the host swaps, or kills a server; the run measured its disk";
            Finding::new(
                Rule::OverCommit,
                Certainty::Likely,
                &memory.place,
                arithmetic,
                explanation,
            )
        })
        .collect()
}

/// A node keeps one copy of a record, however many it is asked for.
fn kept(copies: f64, nodes: Option<f64>) -> f64 {
    nodes.map_or(copies, |nodes| copies.min(nodes))
}

pub fn unequal_guarantees(printed: &Printed) -> Vec<Finding> {
    let unequal = printed.protocol.copies.iter().filter(|copies| {
        let numbers = || {
            copies
                .systems
                .iter()
                .map(|(_, number)| kept(*number, copies.nodes))
        };
        numbers().fold(f64::MIN, f64::max) > numbers().fold(f64::MAX, f64::min)
    });
    unequal
        .map(|copies| {
            let systems: Vec<String> = copies
                .systems
                .iter()
                .map(|(system, number_of)| {
                    format!("{system} keeps {}", number(kept(*number_of, copies.nodes)))
                })
                .collect();
            let arithmetic = format!("copies of each record: {}", list(&systems));
            let explanation =
                "the compared systems give different guarantees; the one that guarantees less does less work";
            Finding::new(
                Rule::UnequalGuarantees,
                Certainty::Notice,
                &copies.place,
                arithmetic,
                explanation,
            )
        })
        .collect()
}

/// Instances that share machines, and copies that can be on no node of their own.
pub fn placement(printed: &Printed) -> Vec<Finding> {
    let protocol = &printed.protocol;
    let crowded = protocol
        .placements
        .iter()
        .filter(|placement| placement.instances > placement.machines);
    let instances = crowded.map(|placement| {
        let arithmetic = format!(
            "{} instances on {}",
            number(placement.instances),
            plural(placement.machines as u64, "machine", "machines")
        );
        let explanation = "instances that share a machine compete for it: adding them does not show what adding machines would give";
        Finding::new(
            Rule::Placement,
            Certainty::Notice,
            &placement.place,
            arithmetic,
            explanation,
        )
    });
    let copies = protocol.copies.iter().flat_map(|copies| {
        let nodes = copies.nodes.unwrap_or(f64::INFINITY);
        let too_many = copies.systems.iter().filter(move |(_, number)| *number > nodes);
        too_many.map(move |(system, copies_asked)| {
            let arithmetic = format!(
                "{system} is asked for {} copies on {}",
                number(*copies_asked),
                plural(nodes as u64, "node", "nodes")
            );
            let explanation =
                "a node keeps one copy of a record: the others do not exist, and their cost was not measured";
            Finding::new(
                Rule::Placement,
                Certainty::Notice,
                &copies.place,
                arithmetic,
                explanation,
            )
        })
    });
    instances.chain(copies).collect()
}

/// Workloads without a result.
pub fn unreported(printed: &Printed) -> Vec<Finding> {
    let unreported = &printed.protocol.unreported;
    if unreported.is_empty() {
        return Vec::new();
    }
    let arithmetic = format!(
        "defined, but in no table, figure or conclusion: workload {}",
        list(unreported)
    );
    let explanation = "the omitted results may be the ones that did not fit; no reader can know";
    vec![Finding::new(
        Rule::Unreported,
        Certainty::Notice,
        &Place::all("workloads"),
        arithmetic,
        explanation,
    )]
}

pub fn missing_protocol(printed: &Printed) -> Vec<Finding> {
    let missing = &printed.protocol.missing;
    if missing.is_empty() {
        return Vec::new();
    }
    vec![Finding::new(
        Rule::MissingProtocol,
        Certainty::Notice,
        &Place::all("protocol"),
        format!("not stated: {}", missing.join(", ")),
        "nobody can repeat it without guessing",
    )]
}
