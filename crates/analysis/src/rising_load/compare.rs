//! Systems against each other, by capacity or by knee.

use dbdyno_stats::BAND;

use super::{CapacityAnswer, CapacityWord, Interval, Knee, Reason, RisingLoadComparison, Word};
use crate::MARGIN;

/// Two quantities with intervals of their own. Their ratio lies between what the lower end of one over the upper end of the
/// other says, and the reverse: it leaves the interval only when one of the two intervals fails.
fn by_intervals(a: (&str, &Interval), b: (&str, &Interval), ratio: Option<f64>) -> RisingLoadComparison {
    let interval = Interval {
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
        reason: Reason::Ratio(interval),
    }
}

fn undecided(a: &str, b: &str, ratio: Option<f64>, reason: Reason) -> RisingLoadComparison {
    RisingLoadComparison {
        a: a.to_owned(),
        b: b.to_owned(),
        ratio,
        interval: None,
        word: Word::Undecided,
        reason,
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
    let open = undecided(a.0, b.0, ratio, Reason::NoCapacities);
    // Without two intervals what was shown can still separate them.
    let beyond = |better: (&str, &CapacityAnswer), worse: (&str, &CapacityAnswer)| {
        let (held, missed) = better.1.held.zip(worse.1.missed)?;
        (held > missed * (1.0 + MARGIN)).then(|| Reason::Separated {
            better: better.0.to_owned(),
            held,
            worse: worse.0.to_owned(),
            missed,
        })
    };
    let shown = |answer: &CapacityAnswer| match answer.word {
        CapacityWord::Capacity => answer.interval.is_some(),
        CapacityWord::Unbounded | CapacityWord::None | CapacityWord::NotMeasurableHere => true,
        CapacityWord::Undecided | CapacityWord::Open => false,
    };
    if !shown(a.1) || !shown(b.1) {
        return open;
    }
    let separated = beyond(a, b).map(|reason| (Word::Faster, reason));
    match separated.or_else(|| Some((Word::Slower, beyond(b, a)?))) {
        Some((word, reason)) => RisingLoadComparison { word, reason, ..open },
        None => open,
    }
}

/// Two knees.
pub fn knees(a: (&str, &Knee), b: (&str, &Knee)) -> RisingLoadComparison {
    let (own, other) = (&a.1.throughput, &b.1.throughput);
    let ratio = Some(own.median / other.median);
    match (&own.interval, &other.interval) {
        (Some(own), Some(other)) => by_intervals((a.0, own), (b.0, other), ratio),
        _ => undecided(a.0, b.0, ratio, Reason::NoKnees),
    }
}
