//! What operations cost at a system's capacity, or at its knee.

use super::Amount;
use super::cell::scaled_interval;
use super::pricing::operations_per_unit;
use crate::rising_load::compare::{capacities, knees};
use crate::{CapacityAnswer, Knee, RisingLoadComparison};

/// The rate that a system at rising load is known by.
#[derive(Clone, Copy, Debug)]
pub enum Rate<'a> {
    /// The highest that keeps an objective.
    Capacity(&'a CapacityAnswer),
    /// That of its knee.
    Knee(&'a Knee),
    /// The highest step of a sweep at which all trials kept an objective; operations per second.
    Kept(f64),
}

impl Rate<'_> {
    /// Operations per second: for a capacity the highest rate that was shown to keep the objective, where no estimate is known.
    #[must_use]
    pub fn per_second(self) -> Option<Amount> {
        match self {
            Self::Capacity(answer) => {
                let value = answer.estimate.or(answer.held)?;
                Some(Amount {
                    value,
                    interval: answer.interval,
                })
            }
            Self::Knee(knee) => Some(Amount::of(&knee.throughput)),
            Self::Kept(value) => Some(Amount {
                value,
                interval: None,
            }),
        }
    }

    /// Whether it is a lower bound: no rate was shown to miss the objective, or the next step is far.
    #[must_use]
    pub fn is_bound(self) -> bool {
        match self {
            Self::Capacity(answer) => answer.estimate.is_none(),
            Self::Knee(_) => false,
            Self::Kept(_) => true,
        }
    }
}

/// Operations for one unit of money, at a rate and a price of an hour.
#[must_use]
pub fn at(rate: Rate<'_>, per_hour: f64) -> Option<Amount> {
    Some(rate.per_second()?.times(operations_per_unit(1.0, per_hour)))
}

/// Two systems by what one unit of money pays for at their rates, the prices of an hour being known exactly: the ratio of the rates and its
/// interval, times the ratio of the prices.
#[must_use]
pub fn compare(a: (&str, Rate<'_>, f64), b: (&str, Rate<'_>, f64)) -> Option<RisingLoadComparison> {
    match (a.1, b.1) {
        (Rate::Capacity(own), Rate::Capacity(other)) => {
            let (own, other) = (capacity(own, a.2), capacity(other, b.2));
            Some(capacities((a.0, &own), (b.0, &other)))
        }
        (Rate::Knee(own), Rate::Knee(other)) => {
            let (own, other) = (knee(own, a.2), knee(other, b.2));
            Some(knees((a.0, &own), (b.0, &other)))
        }
        _ => None,
    }
}

fn capacity(answer: &CapacityAnswer, per_hour: f64) -> CapacityAnswer {
    let factor = operations_per_unit(1.0, per_hour);
    let times = |rate: Option<f64>| rate.map(|rate| rate * factor);
    CapacityAnswer {
        word: answer.word,
        estimate: times(answer.estimate),
        interval: answer.interval.map(|interval| scaled_interval(interval, factor)),
        held: times(answer.held),
        missed: times(answer.missed),
    }
}

fn knee(knee: &Knee, per_hour: f64) -> Knee {
    let factor = operations_per_unit(1.0, per_hour);
    let mut knee = knee.clone();
    knee.throughput.median *= factor;
    let interval = knee.throughput.interval;
    knee.throughput.interval = interval.map(|interval| scaled_interval(interval, factor));
    knee
}
