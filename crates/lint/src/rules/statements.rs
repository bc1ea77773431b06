//! What an author says of the numbers: `claim-vs-table`, `value-vs-range` and `not-probed`.

use crate::words::number;
use crate::{Certainty, Finding, Printed, Rule};

/// Share by which a value may lie outside of a range that was read off a figure.
const READING: f64 = 0.05;

/// A claim that the author's own numbers contradict.
pub fn claims(printed: &Printed) -> Vec<Finding> {
    let failing = printed.claims.iter().filter(|claim| !claim.against.is_empty());
    failing
        .map(|claim| Finding {
            rule: Rule::ClaimVsTable,
            place: claim.place.clone(),
            certainty: Certainty::Certain,
            arithmetic: format!("against it: {}", claim.against.join("; ")),
            explanation: format!(
                "the author's own numbers contradict what is concluded from them: {}",
                claim.text
            ),
        })
        .collect()
}

/// A value beside the range that is said to hold all of its like.
pub fn ranges(printed: &Printed) -> Vec<Finding> {
    let outside = printed.ranges.iter().flat_map(|range| {
        let (low, high) = (range.low * (1.0 - READING), range.high * (1.0 + READING));
        let outside = range
            .values
            .iter()
            .filter(move |(_, value)| !(low..=high).contains(value));
        outside.map(move |value| (range, value))
    });
    outside
        .map(|(range, (place, value))| Finding {
            rule: Rule::ValueVsRange,
            place: place.clone(),
            certainty: Certainty::Likely,
            arithmetic: format!(
                "{} {} here; {} says {} to {}, and the value is {:+.0}% off its nearer end",
                number(*value),
                range.unit,
                range.place,
                number(range.low),
                number(range.high),
                off(*value, range.low, range.high)
            ),
            explanation: "the same thing is told twice, and differently".to_owned(),
        })
        .collect()
}

fn off(value: f64, low: f64, high: f64) -> f64 {
    let end = if value < low { low } else { high };
    (value / end - 1.0) * 100.0
}

/// Properties that were read somewhere, not seen.
pub fn not_probed(printed: &Printed) -> Vec<Finding> {
    let unseen = printed
        .properties
        .iter()
        .filter(|properties| properties.observed < properties.stated);
    unseen
        .map(|properties| Finding {
            rule: Rule::NotProbed,
            place: properties.place.clone(),
            certainty: Certainty::Notice,
            arithmetic: format!(
                "{} properties of systems are stated, and {} of them were observed on a running one",
                properties.stated, properties.observed
            ),
            explanation: "what a manual says a product can do is not what an installation does: editions, versions and settings \
                          differ"
                .to_owned(),
        })
        .collect()
}
