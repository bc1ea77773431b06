//! What the confirming trials say, with its interval.

use std::collections::BTreeMap;

use super::belief::Belief;
use super::confirm::Confirmation;
use super::ladder::Ladder;
use super::{Next, Probe, Rules, next};
use crate::estimate::FEWEST_TRIALS;
use crate::{CONFIDENCE, Interval};

/// From this ratio of the lowest missed rate to the highest held one on, the trials contradict each other.
const TOO_FAR: f64 = 2.0;

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub enum SearchResult {
    /// The search goes on.
    Open,
    /// The edge lies between two rates.
    Capacity {
        /// The rate at which half of all trials would hold.
        estimate: f64,
        /// The highest rate that was shown to hold.
        held: f64,
        /// The lowest rate that was shown to miss.
        missed: f64,
        /// `held` to `missed`; `None` when there are too few trials for 95%.
        interval: Option<Interval>,
        /// Most trials on both sides of the edge were disturbed alike: it is the edge of this system beside the others.
        disturbed: bool,
    },
    /// The objective holds at every rate of the ladder.
    Unbounded {
        /// The highest rate.
        held: f64,
    },
    /// The objective is missed even at the lowest rate.
    None {
        /// That rate.
        lowest: f64,
    },
    /// The trials do not decide it.
    Undecided {
        /// The highest rate that was shown to hold, if one was.
        held: Option<f64>,
        /// The lowest rate that was shown to miss, if one was.
        missed: Option<f64>,
        /// Why.
        doubt: Doubt,
    },
}

/// Why a search has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// The trials disagree.
    Disagreement,
    /// The trials that missed were disturbed, and those that held were not: so the rate need not be what they missed by.
    Disturbance,
    /// In the trials that missed the client was at its own limit: they show nothing either.
    Client,
    /// Trials are so short that none says enough at any rate that the system reaches.
    ShortTrials,
    /// The pilot reached nothing.
    NoThroughput,
}

/// The result of a search from all its probes, in any order.
#[must_use]
pub fn answer(rules: &Rules, probes: &[Probe]) -> SearchResult {
    if next(rules, probes) != Next::Done {
        return SearchResult::Open;
    }
    let ladder = Ladder::new(rules);
    let edge = Belief::of(&ladder, probes).edge();
    let confirmed = Confirmation::new(rules, &ladder, probes, edge);
    let (held, missed) = (confirmed.held(), confirmed.missed());
    let rate = |level: Option<i32>| level.map(|level| ladder.rate(level));
    let tally = missed.map(|level| confirmed.tally(level)).unwrap_or_default();
    let clients_fault = 2 * tally.client_bound > tally.misses;
    let held_tally = held.map(|level| confirmed.tally(level)).unwrap_or_default();
    let missed_disturbed = 2 * tally.disturbed > tally.misses;
    // Both sides take turns. What the lower rate bore as often is no reason why the higher one was missed.
    let both_disturbed =
        missed_disturbed && held.is_some() && 2 * held_tally.holds_disturbed >= held_tally.holds;
    match (held, missed) {
        (held, Some(_)) if missed_disturbed && !both_disturbed => SearchResult::Undecided {
            held: rate(held),
            missed: None,
            doubt: Doubt::Disturbance,
        },
        (None, Some(level)) if level == ladder.lowest && !clients_fault => SearchResult::None {
            lowest: ladder.rate(level),
        },
        (Some(held), Some(missed)) if held > missed => SearchResult::Undecided {
            held: Some(ladder.rate(held)),
            missed: Some(ladder.rate(missed)),
            doubt: Doubt::Disagreement,
        },
        (held, Some(_)) if clients_fault => SearchResult::Undecided {
            held: rate(held),
            missed: None,
            doubt: Doubt::Client,
        },
        (Some(level), None) if level == ladder.highest => SearchResult::Unbounded {
            held: ladder.rate(level),
        },
        (Some(held), Some(missed)) if ladder.rate(missed) / ladder.rate(held) < TOO_FAR => {
            let (low, high) = (ladder.rate(held), ladder.rate(missed));
            SearchResult::Capacity {
                estimate: crossing(&ladder, probes).clamp(low, high),
                held: low,
                missed: high,
                interval: (rules.trials as usize >= FEWEST_TRIALS).then_some(Interval {
                    low,
                    high,
                    confidence: CONFIDENCE,
                }),
                disturbed: both_disturbed,
            }
        }
        _ => SearchResult::Undecided {
            held: rate(held),
            missed: rate(missed),
            doubt: Doubt::Disagreement,
        },
    }
}

/// Where the share of trials that hold falls through a half. The shares are made monotone by pooling neighbours that
/// contradict each other (Ayer et al., "An empirical distribution function for sampling with incomplete information", Annals
/// of Mathematical Statistics 26, 1955), and joined by straight lines on the logarithm of the rate, as Stylianou and
/// Flournoy do for doses ("Dose finding using the biased coin up-and-down design and isotonic regression", Biometrics
/// 58, 2002). All probes count here.
fn crossing(ladder: &Ladder, probes: &[Probe]) -> f64 {
    let mut by_level: BTreeMap<i32, (f64, f64)> = BTreeMap::new();
    for probe in probes {
        let (holds, all) = by_level.entry(ladder.level(probe.rate)).or_default();
        *holds += f64::from(u8::from(probe.outcome.holds()));
        *all += 1.0;
    }
    // Pools of levels: (levels, holds, all), shares falling.
    let mut pools: Vec<(Vec<i32>, f64, f64)> = Vec::new();
    for (level, (holds, all)) in by_level {
        let mut pool = (vec![level], holds, all);
        while let Some(last) = pools.pop_if(|last| last.1 / last.2 <= pool.1 / pool.2) {
            pool = ([last.0, pool.0].concat(), last.1 + pool.1, last.2 + pool.2);
        }
        pools.push(pool);
    }
    let points: Vec<(f64, f64)> = pools
        .iter()
        .flat_map(|(levels, holds, all)| {
            let share = holds / all;
            levels.iter().map(move |&level| (ladder.rate(level).ln(), share))
        })
        .collect();
    let half = 0.5;
    let Some(after) = points.iter().position(|point| point.1 < half) else {
        return points.last().map_or(f64::NAN, |point| point.0.exp());
    };
    // Between the last level with more than a half and the first with less lie those with exactly a half.
    let Some(before) = points.iter().rposition(|point| point.1 > half) else {
        return points[0].0.exp();
    };
    let ((from, above), (to, below)) = (points[before], points[after]);
    let share = (above - half) / (above - below);
    (from + share * (to - from)).exp()
}
