//! What an author claims about the numbers: `claim-vs-table`, `value-vs-range`, `not-probed`, `ratio-vs-table` and `clock-resolution`.

use crate::words::number;
use crate::{Certainty, Finding, Printed, Rule};

/// Share by which a value may lie outside of a range that was read off a figure.
const READING: f64 = 0.05;

/// A claim that the author's own numbers contradict.
pub fn claims(printed: &Printed) -> Vec<Finding> {
    let failing = printed.claims.iter().filter(|claim| !claim.against.is_empty());
    failing
        .map(|claim| {
            let arithmetic = format!("against it: {}", claim.against.join("; "));
            let explanation = format!(
                "the author's own numbers contradict the conclusion drawn from them: {}",
                claim.text
            );
            // A number that was read off a figure is no printed one.
            let certainty = if claim.read_off {
                Certainty::Likely
            } else {
                Certainty::Certain
            };
            Finding::new(
                Rule::ClaimVsTable,
                certainty,
                &claim.place,
                arithmetic,
                explanation,
            )
        })
        .collect()
}

/// A value beside the range that is claimed to hold all of its like.
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
        .map(|(range, (place, value))| {
            let arithmetic = format!(
                "{} {} here; {} says {} to {}, and the value is {:+.0}% off its nearer end",
                number(*value),
                range.unit,
                range.place,
                number(range.low),
                number(range.high),
                off(*value, range.low, range.high)
            );
            let explanation = "the author gives two different values for the same thing";
            Finding::new(
                Rule::ValueVsRange,
                Certainty::Likely,
                place,
                arithmetic,
                explanation,
            )
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
        .map(|properties| {
            let arithmetic = format!(
                "{} properties of systems are stated, and {} of them were observed on a running one",
                properties.stated, properties.observed
            );
            let explanation = "what a manual says a product can do is not what an installation does: editions, versions and settings \
                               differ";
            Finding::new(
                Rule::NotProbed,
                Certainty::Notice,
                &properties.place,
                arithmetic,
                explanation,
            )
        })
        .collect()
}

/// A ratio of the text beside the numbers that it is of.
pub fn ratios(printed: &Printed) -> Vec<Finding> {
    let wrong = printed
        .ratios
        .iter()
        .filter(|ratio| !(ratio.of[0] / ratio.of[1]).agrees(ratio.ratio));
    wrong
        .map(|ratio| {
            let [above, below] = ratio.of;
            let quotient = above / below;
            let arithmetic = format!(
                "{} / {} = {}, with the printed digits {} to {}; the text says {}",
                number(above.value()),
                number(below.value()),
                number(quotient.value()),
                number(quotient.low()),
                number(quotient.high()),
                number(ratio.ratio.value())
            );
            let explanation = "the text and the table come from different runs, or one of them is a misprint";
            Finding::new(
                Rule::RatioVsTable,
                Certainty::Certain,
                &ratio.place,
                arithmetic,
                explanation,
            )
        })
        .collect()
}

/// A difference of two readings, each of which is off by up to half a step of the clock.
pub fn clock_resolution(printed: &Printed) -> Vec<Finding> {
    let unseen = printed
        .differences
        .iter()
        .filter(|difference| difference.seconds.abs() <= difference.resolution_s);
    unseen
        .map(|difference| {
            let arithmetic = format!(
                "a difference of {} s between times that are printed in steps of {} s may be anything from {} to {} s",
                number(difference.seconds),
                number(difference.resolution_s),
                number(difference.seconds.abs() - difference.resolution_s),
                number(difference.seconds.abs() + difference.resolution_s)
            );
            let explanation = "the printed clock cannot show so small a difference";
            Finding::new(
                Rule::ClockResolution,
                Certainty::Likely,
                &difference.place,
                arithmetic,
                explanation,
            )
        })
        .collect()
}
