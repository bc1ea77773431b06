//! Systems against each other, by capacity or by knee.

use super::{Bounds, CapacityAnswer, Knee, RisingLoadComparison, Word};
use dbdyno_stats::BAND;

use crate::MARGIN;
use crate::number;

/// Two quantities with intervals of their own. Their ratio lies between what the lower end of one over the upper end of the
/// other says, and the reverse: it leaves the interval only when one of the two intervals fails.
fn by_intervals(a: (&str, &Bounds), b: (&str, &Bounds), ratio: Option<f64>) -> RisingLoadComparison {
    let interval = Bounds {
        low: a.1.low / b.1.high,
        high: a.1.high / b.1.low,
        confidence: a.1.confidence,
    };
    let (band_low, band_high) = (1.0 / (1.0 + MARGIN), 1.0 + MARGIN);
    let close = 1.0 + BAND;
    let word = match () {
        () if interval.low > band_high => Word::Faster,
        () if interval.high < band_low => Word::Slower,
        () if interval.low >= band_low && interval.high <= band_high => Word::Equivalent,
        () if interval.reach() <= close => Word::Bounded,
        () => Word::Undecided,
    };
    RisingLoadComparison {
        a: a.0.to_owned(),
        b: b.0.to_owned(),
        ratio,
        interval: Some(interval),
        word,
        reason: format!(
            "ratio {} to {}, margin {}",
            number::ratio_digits(interval.low),
            number::ratio_digits(interval.high),
            number::share(MARGIN)
        ),
    }
}

fn undecided(a: &str, b: &str, ratio: Option<f64>, reason: &str) -> RisingLoadComparison {
    RisingLoadComparison {
        a: a.to_owned(),
        b: b.to_owned(),
        ratio,
        interval: None,
        word: Word::Undecided,
        reason: reason.to_owned(),
    }
}

/// Two capacities.
pub fn capacities(a: (&str, &CapacityAnswer), b: (&str, &CapacityAnswer)) -> RisingLoadComparison {
    let ratio = match (a.1.estimate, b.1.estimate) {
        (Some(first), Some(second)) => Some(first / second),
        _ => None,
    };
    if let (Some(own), Some(other)) = (&a.1.interval, &b.1.interval) {
        return by_intervals((a.0, own), (b.0, other), ratio);
    }
    let open = undecided(a.0, b.0, ratio, "not both have a capacity with an interval");
    // Without two intervals what was shown can still separate them.
    let beyond = |held: Option<f64>, missed: Option<f64>| {
        held.zip(missed)
            .is_some_and(|(held, missed)| held > missed * (1.0 + MARGIN))
    };
    let shown = |answer: &CapacityAnswer| {
        ["capacity", "unbounded", "none", "not measurable here"].contains(&answer.word)
    };
    let exact = |answer: &CapacityAnswer| answer.word != "capacity" || answer.interval.is_some();
    if shown(a.1) && shown(b.1) && exact(a.1) && exact(b.1) {
        let reported = |word, reason| RisingLoadComparison {
            word,
            reason,
            ..open.clone()
        };
        if beyond(a.1.held, b.1.missed) {
            return reported(Word::Faster, shown_by(a.1.held, a.0, b.1.missed, b.0));
        }
        if beyond(b.1.held, a.1.missed) {
            return reported(Word::Slower, shown_by(b.1.held, b.0, a.1.missed, a.0));
        }
    }
    open
}

fn shown_by(held: Option<f64>, better: &str, missed: Option<f64>, worse: &str) -> String {
    format!(
        "{better} keeps the objective at {}, {worse} misses it at {}",
        number::rate(held.unwrap_or(f64::NAN)),
        number::rate(missed.unwrap_or(f64::NAN))
    )
}

/// Two knees.
pub fn knees(a: (&str, &Knee), b: (&str, &Knee)) -> RisingLoadComparison {
    let (own, other) = (&a.1.throughput, &b.1.throughput);
    let ratio = Some(own.median / other.median);
    match (&own.interval, &other.interval) {
        (Some(own), Some(other)) => by_intervals((a.0, own), (b.0, other), ratio),
        _ => undecided(a.0, b.0, ratio, "not both have a knee with an interval"),
    }
}
