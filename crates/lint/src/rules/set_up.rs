//! `over-commit`, `unequal-guarantees` and `missing-protocol`: what the set-up alone tells.

use crate::words::{list, number};
use crate::{Certainty, Finding, Printed, Rule};

pub fn over_commit(printed: &Printed) -> Vec<Finding> {
    let too_much = printed
        .protocol
        .memory
        .iter()
        .filter(|memory| memory.servers * memory.each_gb >= memory.host_gb);
    too_much
        .map(|memory| Finding {
            rule: Rule::OverCommit,
            place: memory.place.clone(),
            certainty: Certainty::Likely,
            arithmetic: format!(
                "{} servers x {} GB = {} GB on a host of {} GB, which needs some for itself",
                number(memory.servers),
                number(memory.each_gb),
                number(memory.servers * memory.each_gb),
                number(memory.host_gb)
            ),
            explanation: "the host swaps or ends a server; what was measured is its disk".to_owned(),
        })
        .collect()
}

pub fn unequal_guarantees(printed: &Printed) -> Vec<Finding> {
    let unequal = printed.protocol.copies.iter().filter(|copies| {
        let numbers = || copies.systems.iter().map(|(_, number)| *number);
        numbers().fold(f64::MIN, f64::max) > numbers().fold(f64::MAX, f64::min)
    });
    unequal
        .map(|copies| {
            let systems: Vec<String> = copies
                .systems
                .iter()
                .map(|(system, copies)| format!("{system} keeps {}", number(*copies)))
                .collect();
            Finding {
                rule: Rule::UnequalGuarantees,
                place: copies.place.clone(),
                certainty: Certainty::Notice,
                arithmetic: format!("copies of each record: {}", list(&systems)),
                explanation: "systems that promise different things are compared; the one that promises less does less work"
                    .to_owned(),
            }
        })
        .collect()
}

pub fn missing_protocol(printed: &Printed) -> Vec<Finding> {
    let missing = &printed.protocol.missing;
    if missing.is_empty() {
        return Vec::new();
    }
    vec![Finding {
        rule: Rule::MissingProtocol,
        place: "protocol".to_owned(),
        certainty: Certainty::Notice,
        arithmetic: format!("not stated: {}", missing.join(", ")),
        explanation: "nobody can repeat it without guessing".to_owned(),
    }]
}
