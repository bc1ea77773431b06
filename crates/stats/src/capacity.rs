//! The highest rate at which an objective holds: a search that may be lied to, then a confirmation that counts.
//!
//! A probe asks a system for a rate once and says whether the objective held. Near the edge the answer is a matter of
//! chance, so one answer decides nothing. [`next`] looks at all probes so far, in any order, and says what to ask next;
//! it knows no clock and no state, so a search that was stopped goes on where it was.
//!
//! Rates lie on a ladder of equal ratios. The search keeps, for every place that the edge may have, how credible it is, and
//! asks where half of the credibility lies on either side (probabilistic bisection: Horstein, "Sequential transmission
//! using noiseless feedback", IEEE Transactions on Information Theory 9, 1963; Waeber, Frazier, Henderson, "Bisection search
//! with noisy responses", SIAM Journal on Control and Optimization 51, 2013). What the search believes is never reported as a
//! result: the confirmation repeats trials on both sides of the edge, and only these make the interval ([`answer`]).

mod answer;
mod belief;
mod confirm;
mod ladder;
mod pilot;
mod survey;

pub use answer::{Doubt, SearchResult, answer};
pub use dbdyno_vocabulary::search::{Outcome, Probe, Role, Seen};
pub use pilot::{MOST_CLIENTS, PILOT_CLIENTS, Pilot, pilot};
pub use survey::{Survey, Task};

use belief::Belief;
use confirm::Confirmation;
use ladder::Ladder;

/// The rate of the next step of the ladder over the present one, minus 1, when nobody says otherwise.
pub const STEP: f64 = 0.05;
/// Trials that confirm a rate, when nobody says otherwise: the fewest from which a 95% interval exists.
pub const TRIALS: u32 = crate::estimate::FEWEST_TRIALS as u32;
/// The lowest rate of the ladder, as a share of the ceiling.
pub const LOWEST_SHARE: f64 = 0.001;
/// The most probes of the search, before the confirmation.
pub const MOST_SEARCHES: usize = 16;

/// The bounds of a search, and its first guess.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// The rate that a closed loop reached, operations per second: the first guess.
    pub ceiling: f64,
    /// The lowest rate that is asked for.
    pub lowest: f64,
    /// Distance of two rates of the ladder, as a share: 0.05 for 5%.
    pub step: f64,
    /// Trials that confirm a rate.
    pub trials: u32,
}

impl Rules {
    /// The usual ones for a ceiling. Below `lowest` trials say too little to be asked; it is no higher than the ceiling.
    #[must_use]
    pub fn new(ceiling: f64, lowest: f64, step: f64, trials: u32) -> Self {
        Self {
            ceiling,
            lowest: lowest.clamp(ceiling * LOWEST_SHARE, ceiling),
            step,
            trials,
        }
    }
}

/// The next step of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Next {
    /// Ask for this rate.
    Probe {
        /// Why.
        role: Role,
        /// Operations per second.
        rate: f64,
    },
    /// Nothing: [`answer`] has the result.
    Done,
}

/// The next step of a search. The order of `probes` does not matter.
#[must_use]
pub fn next(rules: &Rules, probes: &[Probe]) -> Next {
    let ladder = Ladder::new(rules);
    let belief = Belief::of(&ladder, probes);
    let (role, level) = match belief.open_question(probes) {
        Some(level) => (Role::Search, level),
        None => match Confirmation::new(rules, &ladder, probes, belief.edge()).next() {
            Some(level) => (Role::Confirm, level),
            None => return Next::Done,
        },
    };
    Next::Probe {
        role,
        rate: ladder.rate(level),
    }
}

/// The most probes that any search makes, its confirmation included.
#[must_use]
pub fn most_probes(trials: u32) -> usize {
    MOST_SEARCHES + confirm::most_trials(trials)
}
