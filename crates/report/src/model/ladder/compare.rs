//! Systems against each other, by capacity or by knee.

use std::collections::BTreeMap;

use dbdyno_stats::blocks::align;
use dbdyno_stats::{Better, Pairing, Verdict, compare};

use super::{Bounds, CapacityAnswer, LadderComparison, Word};
use crate::model::MARGIN;
use crate::number;

/// Two capacities. Their ratio lies between what the lower end of one over the upper end of the other says, and the reverse:
/// it leaves the interval only when one of the two intervals fails.
pub fn capacities(a: (&str, &CapacityAnswer), b: (&str, &CapacityAnswer)) -> LadderComparison {
    let told = |ratio, interval, word, reason: String| LadderComparison {
        a: a.0.to_owned(),
        b: b.0.to_owned(),
        ratio,
        interval,
        word,
        reason,
    };
    let ratio = match (a.1.estimate, b.1.estimate) {
        (Some(first), Some(second)) => Some(first / second),
        _ => None,
    };
    if let (Some(own), Some(other)) = (&a.1.interval, &b.1.interval) {
        let interval = Bounds {
            low: own.low / other.high,
            high: own.high / other.low,
            confidence: own.confidence,
        };
        let (band_low, band_high) = (1.0 / (1.0 + MARGIN), 1.0 + MARGIN);
        let word = match () {
            () if interval.low > band_high => Word::Faster,
            () if interval.high < band_low => Word::Slower,
            () if interval.low >= band_low && interval.high <= band_high => Word::Equivalent,
            () => Word::Undecided,
        };
        let reason = format!(
            "ratio {} to {}, margin {}",
            number::ratio_digits(interval.low),
            number::ratio_digits(interval.high),
            number::share(MARGIN)
        );
        return told(ratio, Some(interval), word, reason);
    }
    // Without two intervals what was shown can still separate them.
    let beyond = |held: Option<f64>, missed: Option<f64>| {
        held.zip(missed)
            .is_some_and(|(held, missed)| held > missed * (1.0 + MARGIN))
    };
    let shown = |answer: &CapacityAnswer| ["capacity", "unbounded", "none"].contains(&answer.word);
    let exact = |answer: &CapacityAnswer| answer.word != "capacity" || answer.interval.is_some();
    if shown(a.1) && shown(b.1) && exact(a.1) && exact(b.1) {
        if beyond(a.1.held, b.1.missed) {
            return told(
                ratio,
                None,
                Word::Faster,
                shown_by(a.1.held, a.0, b.1.missed, b.0),
            );
        }
        if beyond(b.1.held, a.1.missed) {
            return told(
                ratio,
                None,
                Word::Slower,
                shown_by(b.1.held, b.0, a.1.missed, a.0),
            );
        }
    }
    told(
        ratio,
        None,
        Word::Undecided,
        "not both have a capacity with an interval".to_owned(),
    )
}

fn shown_by(held: Option<f64>, better: &str, missed: Option<f64>, worse: &str) -> String {
    format!(
        "{better} keeps the objective at {}, {worse} misses it at {}",
        number::rate(held.unwrap_or(f64::NAN)),
        number::rate(missed.unwrap_or(f64::NAN))
    )
}

/// Two systems by the knees of their blocks.
pub fn knees(a: (&str, &BTreeMap<u32, f64>), b: (&str, &BTreeMap<u32, f64>)) -> Option<LadderComparison> {
    let aligned = align(a.1, b.1).ok()?;
    let compared = compare(&aligned.a, &aligned.b, Better::Higher, MARGIN, Pairing::Blocks);
    Some(LadderComparison {
        a: a.0.to_owned(),
        b: b.0.to_owned(),
        ratio: Some(compared.ratio),
        interval: compared.interval.map(Bounds::from),
        word: match compared.verdict {
            Verdict::Faster => Word::Faster,
            Verdict::Slower => Word::Slower,
            Verdict::Equivalent => Word::Equivalent,
            Verdict::Undecided => Word::Undecided,
        },
        reason: compared.reason,
    })
}
