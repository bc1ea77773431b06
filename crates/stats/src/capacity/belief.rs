//! Where the edge may be, and how credible each place is.

use super::ladder::Ladder;
use super::{MOST_SEARCHES, Probe, Role};

/// How far an answer is trusted. Far from the edge answers are better than this, at the edge no better than a coin; a search
/// that trusts too much gets stuck in a lie, one that trusts too little asks twice.
const TRUST: f64 = 0.9;
/// Objectives of the usual kind hold up to about this share of what a closed loop reaches.
const EXPECTED_SHARE: f64 = 0.8;
/// The prior's width: its credibility halves with every such factor of the rate.
const HALVING: f64 = 1.6;
/// The least probability that any place keeps.
const LEAST: f64 = 1e-3;
/// The search ends when neighbouring places hold so much of the credibility...
const ENOUGH: f64 = 0.8;
/// ... and are at most so many.
const NEIGHBOURS: usize = 3;

/// One weight for each place of the edge: place `i` says that the levels below `lowest + i` hold and no others.
pub(super) struct Belief {
    lowest: i32,
    weights: Vec<f64>,
}

impl Belief {
    /// The belief after the search's probes. Those of the confirmation are left out: it must not move its own goal.
    pub(super) fn of(ladder: &Ladder, probes: &[Probe]) -> Self {
        let expected = ladder.levels_of_share(EXPECTED_SHARE);
        let halving = ladder.levels_of_share(HALVING);
        let weights = (ladder.lowest..=ladder.highest + 1)
            .map(|edge| 0.5_f64.powf((f64::from(edge) - expected).abs() / halving) + LEAST)
            .collect();
        let mut belief = Self {
            lowest: ladder.lowest,
            weights,
        };
        for probe in probes.iter().filter(|probe| probe.role == Role::Search) {
            belief.learn(ladder.level(probe.rate), probe.outcome.holds());
        }
        belief
    }

    fn learn(&mut self, level: i32, holds: bool) {
        for (place, weight) in self.weights.iter_mut().enumerate() {
            let would_hold = level < self.lowest + place as i32;
            *weight *= if would_hold == holds { TRUST } else { 1.0 - TRUST };
        }
        let sum: f64 = self.weights.iter().sum();
        self.weights.iter_mut().for_each(|weight| *weight /= sum);
    }

    /// The level to ask next: the one whose answer is most open. `None` when enough is known.
    pub(super) fn open_question(&self, probes: &[Probe]) -> Option<i32> {
        let asked = probes.iter().filter(|probe| probe.role == Role::Search).count();
        let all: f64 = self.weights.iter().sum();
        let known = self
            .weights
            .windows(NEIGHBOURS)
            .any(|places| places.iter().sum::<f64>() >= ENOUGH * all);
        if known || asked >= MOST_SEARCHES {
            return None;
        }
        let mut below = 0.0;
        let halves = self.weights.iter().enumerate().map(|(place, weight)| {
            below += weight / all;
            (place, (below - 0.5).abs())
        });
        // The last place says that every level holds: there is no level above it to ask.
        let (place, _) = halves
            .take(self.weights.len() - 1)
            .min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some(self.lowest + place as i32)
    }

    /// The most credible edge, by the median: the first level that does not hold.
    pub(super) fn edge(&self) -> i32 {
        let all: f64 = self.weights.iter().sum();
        let mut below = 0.0;
        let place = self.weights.iter().position(|weight| {
            below += weight / all;
            below >= 0.5
        });
        self.lowest + place.unwrap_or(0) as i32
    }
}
