//! Repeated trials on both sides of the edge that the search found.
//!
//! A level is **held** when so many of its trials hold that a level beyond the edge would show as many at most one time in
//! forty, and **missed** in mirror image: the sign test, one-sided, at 2.5%. For six trials that means all of them. A level
//! whose trials disagree is neither; then the next one is taken, in steps that double, for a search that erred by much.

use statrs::distribution::{Binomial, DiscreteCDF as _};

use super::ladder::Ladder;
use super::{Outcome, Probe, Role, Rules};

/// The error of each side.
const TAIL: f64 = 0.025;
/// How many levels' worth of trials a confirmation may take.
const MOST_LEVELS: usize = 12;
/// Held and missed levels so near each other need nothing between them.
const NEAR: i32 = 2;

/// The most trials of a confirmation.
pub(super) fn most_trials(trials: u32) -> usize {
    MOST_LEVELS * trials as usize
}

/// Trials of one level that may disagree with the others.
pub(super) fn tolerated(trials: u32) -> u32 {
    let Ok(coin) = Binomial::new(0.5, u64::from(trials)) else {
        return 0;
    };
    (0..trials)
        .take_while(|&few| coin.cdf(u64::from(few)) <= TAIL)
        .last()
        .unwrap_or(0)
}

/// The answer of a level's trials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    Open,
    Held,
    Missed,
    Mixed,
}

/// The confirming trials of one level.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) holds: u32,
    pub(super) misses: u32,
    pub(super) client_bound: u32,
    pub(super) disturbed: u32,
    pub(super) holds_disturbed: u32,
}

impl Tally {
    fn trials(self) -> u32 {
        self.holds + self.misses
    }
}

/// The levels and their trials so far.
pub(super) struct Confirmation<'a> {
    rules: &'a Rules,
    ladder: &'a Ladder,
    probes: &'a [Probe],
    edge: i32,
    tolerated: u32,
}

impl<'a> Confirmation<'a> {
    /// `edge` is the first level that should not hold.
    pub(super) fn new(rules: &'a Rules, ladder: &'a Ladder, probes: &'a [Probe], edge: i32) -> Self {
        Self {
            rules,
            ladder,
            probes,
            edge,
            tolerated: tolerated(rules.trials),
        }
    }

    fn confirming(&self) -> impl Iterator<Item = &'a Probe> {
        self.probes.iter().filter(|probe| probe.role == Role::Confirm)
    }

    pub(super) fn tally(&self, level: i32) -> Tally {
        let mut tally = Tally::default();
        for probe in self
            .confirming()
            .filter(|probe| self.ladder.level(probe.rate) == level)
        {
            match probe.outcome {
                Outcome::Holds => tally.holds += 1,
                Outcome::HoldsDisturbed => {
                    tally.holds += 1;
                    tally.holds_disturbed += 1;
                }
                Outcome::Misses => tally.misses += 1,
                Outcome::ClientBound => {
                    tally.misses += 1;
                    tally.client_bound += 1;
                }
                Outcome::Disturbed => {
                    tally.misses += 1;
                    tally.disturbed += 1;
                }
            }
        }
        tally
    }

    fn may_hold(&self, level: i32) -> bool {
        self.tally(level).misses <= self.tolerated
    }

    fn may_miss(&self, level: i32) -> bool {
        self.tally(level).holds <= self.tolerated
    }

    pub(super) fn status(&self, level: i32) -> Status {
        let tally = self.tally(level);
        let needed = self.rules.trials - self.tolerated;
        match () {
            () if tally.holds >= needed && tally.misses <= self.tolerated => Status::Held,
            () if tally.misses >= needed && tally.holds <= self.tolerated => Status::Missed,
            () if tally.holds > self.tolerated && tally.misses > self.tolerated => Status::Mixed,
            () => Status::Open,
        }
    }

    /// The levels that have confirming trials, ascending.
    fn tested(&self) -> Vec<i32> {
        let mut levels: Vec<i32> = self
            .confirming()
            .map(|probe| self.ladder.level(probe.rate))
            .collect();
        levels.sort_unstable();
        levels.dedup();
        levels
    }

    /// The highest level that is held.
    pub(super) fn held(&self) -> Option<i32> {
        self.tested()
            .into_iter()
            .rev()
            .find(|&level| self.status(level) == Status::Held)
    }

    /// The lowest level that is missed.
    pub(super) fn missed(&self) -> Option<i32> {
        self.tested()
            .into_iter()
            .find(|&level| self.status(level) == Status::Missed)
    }

    /// The level to show held; `None` when not even the lowest is. That one is tried to the end, for the answer is
    /// about it then.
    fn lower(&self) -> Option<i32> {
        let mut level = (self.edge - 1).max(self.ladder.lowest);
        let mut stride = 1;
        while !self.may_hold(level) {
            if level == self.ladder.lowest {
                return (self.status(level) == Status::Open).then_some(level);
            }
            level = (level - stride).max(self.ladder.lowest);
            stride *= 2;
        }
        Some(level)
    }

    /// The level to show missed; `None` when not even the highest is.
    fn upper(&self) -> Option<i32> {
        let mut level = self.edge.clamp(self.ladder.lowest, self.ladder.highest);
        let mut stride = 1;
        while !self.may_miss(level) {
            if level == self.ladder.highest {
                return (self.status(level) == Status::Open).then_some(level);
            }
            level = (level + stride).min(self.ladder.highest);
            stride *= 2;
        }
        Some(level)
    }

    /// The level of the next trial; `None` when the answer is as good as it gets.
    pub(super) fn next(&self) -> Option<i32> {
        if self.confirming().count() >= most_trials(self.rules.trials) {
            return None;
        }
        let open = |level: &i32| self.status(*level) == Status::Open;
        let (lower, upper) = (self.lower(), self.upper());
        // Both sides take turns, so that what drifts hits both alike.
        let mut sides: Vec<i32> = lower.into_iter().chain(upper).filter(open).collect();
        sides.sort_by_key(|&level| (self.tally(level).trials(), level));
        if let Some(&level) = sides.first() {
            return Some(level);
        }
        // A wide gap after a search that erred: take the middle of what is still open between.
        let (held, missed) = (self.held()?, self.missed()?);
        if missed - held <= NEAR {
            return None;
        }
        let middle = f64::from(held + missed) / 2.0;
        (held + 1..missed).filter(open).min_by(|a, b| {
            (f64::from(*a) - middle)
                .abs()
                .total_cmp(&(f64::from(*b) - middle).abs())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::tolerated;

    /// `scipy.stats.binom.cdf([0, 1, 2], n, 0.5)`: 6 trials 0.0156 0.1094; 8: 0.0039 0.0352; 9: 0.0020 0.0195 0.0898;
    /// 12: 0.0002 0.0032 0.0193 0.0730.
    #[test]
    fn as_many_may_disagree_as_the_sign_test_allows() {
        let found: Vec<u32> = [1, 3, 5, 6, 8, 9, 11, 12].into_iter().map(tolerated).collect();
        assert_eq!(found, [0, 0, 0, 0, 0, 1, 1, 2]);
    }
}
