//! What is to be decided: candidates, criteria, weights.

use dbdyno_stats::Better;

/// What is to be decided.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The candidates.
    pub candidates: Vec<Candidate>,
    /// What counts, and how much.
    pub criteria: Vec<Criterion>,
    /// The smallest advantage that matters, as a share: 0.05 is 5%.
    pub margin: f64,
    /// How many times as good as its equal a system may seem, as systems that were measured twice show; 1 where none was.
    pub noise: f64,
    /// How far the weights may be from what was stated: the standard deviation of a weight of one half. 0 takes them as
    /// exact.
    pub weight_spread: f64,
    /// The share of all stated weights, 0 to 1, that belongs to criteria which could not be judged and are not in
    /// [`Problem::criteria`].
    pub unjudged: f64,
    /// How often measurements and weights are drawn.
    pub draws: usize,
    /// Everything random follows from it.
    pub seed: u64,
}

/// One that may be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Whether it meets all that it must.
    pub compliance: Compliance,
    /// What was measured, criterion by criterion in the order of [`Problem::criteria`]; empty where nothing was.
    pub evidence: Vec<Vec<Observation>>,
    /// Within which shares of the measured number the true one may lie, criterion by criterion in the same order; 1 to 1 where more is
    /// not known to be in doubt.
    pub levels: Vec<LevelRange>,
}

/// Shares of a measured number, within which the true one may lie, as all trials missed it in the same direction: of a system that never
/// settled, its slowest and its fastest level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelRange {
    /// The least, above 0.
    pub low: f64,
    /// The most.
    pub high: f64,
}

impl LevelRange {
    /// The number is what was measured.
    pub const SETTLED: Self = Self { low: 1.0, high: 1.0 };
}

/// How a candidate stands to a requirement, or to all of them. Ordered: the worst of several is their maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Compliance {
    /// It was shown to meet it.
    Shown,
    /// Neither was shown: it is neither in nor out.
    NotShown,
    /// It was shown not to meet it: it is out.
    Violated,
}

/// What one trial gave for one criterion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// Which series of blocks the trial belongs to (a study): blocks of one series are drawn together.
    pub series: u64,
    /// Which block of the series.
    pub block: u32,
    /// The number.
    pub value: f64,
    /// Whether the trial was good enough to show how far such numbers scatter. Other trials count for the median, and make
    /// it no surer.
    pub sound: bool,
    /// Whether it is known how far it may be from the truth: it is sound, or [`levels`](Candidate::levels) say it.
    pub bounded: bool,
}

/// One thing that counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Criterion {
    /// How much it counts, against the weights of the others; not negative.
    pub weight: f64,
    /// Which direction is good.
    pub better: Better,
    /// What a value is worth.
    pub utility: Utility,
}

/// What a value is worth. The unit is a doubling: a utility of 1 more is as good as being twice as good.
///
/// Nothing here depends on the other candidates, so that adding one cannot turn round the order of the others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Utility {
    /// The binary logarithm of the ratio to a reference. What the reference is moves all candidates alike and changes no
    /// order.
    Ratio {
        /// The reference, above 0.
        reference: f64,
    },
    /// The binary logarithm of the ratio to a reference, at most 0: a value better than the reference is worth no more than it.
    Enough {
        /// What is enough, above 0.
        reference: f64,
    },
    /// Met or missed.
    Objective {
        /// What must be kept: at least this where higher is better, at most this where lower is.
        limit: f64,
        /// What meeting it is worth: 1 is as good as being twice as good.
        worth: f64,
    },
}

impl Criterion {
    /// What a value is worth.
    #[must_use]
    pub fn utility(&self, value: f64) -> f64 {
        let ratio = |reference: f64| match self.better {
            Better::Higher => (value / reference).log2(),
            Better::Lower => (reference / value).log2(),
        };
        match self.utility {
            Utility::Ratio { reference } => ratio(reference),
            Utility::Enough { reference } => ratio(reference).min(0.0),
            Utility::Objective { limit, worth } => {
                if self.keeps(value, limit) {
                    worth
                } else {
                    0.0
                }
            }
        }
    }

    /// Whether a value is on the good side of a limit, or on it.
    #[must_use]
    pub fn keeps(&self, value: f64, limit: f64) -> bool {
        match self.better {
            Better::Higher => value >= limit,
            Better::Lower => value <= limit,
        }
    }
}

impl Candidate {
    /// The criteria of which this candidate has nothing that can be judged: no trial, or a value without a ratio.
    #[must_use]
    pub fn unmeasured(&self, criteria: &[Criterion]) -> Vec<usize> {
        let measured = |(observations, criterion): (&Vec<Observation>, &Criterion)| {
            let ratio = !matches!(criterion.utility, Utility::Objective { .. });
            !observations.is_empty()
                && observations
                    .iter()
                    .all(|one| one.value.is_finite() && (!ratio || one.value > 0.0))
        };
        self.evidence
            .iter()
            .zip(criteria)
            .enumerate()
            .filter(|(_, both)| !measured(*both))
            .map(|(index, _)| index)
            .collect()
    }
}

/// The weights, as shares of 1; equal ones when none is positive.
#[must_use]
pub(crate) fn shares(criteria: &[Criterion]) -> Vec<f64> {
    let total: f64 = criteria.iter().map(|criterion| criterion.weight).sum();
    let each = 1.0 / criteria.len().max(1) as f64;
    let share = |criterion: &Criterion| {
        if total > 0.0 {
            criterion.weight / total
        } else {
            each
        }
    };
    criteria.iter().map(share).collect()
}
