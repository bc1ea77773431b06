//! Two systems side by side: how many times one is the other, how sure that is, and what it means.

pub(crate) mod verdict;

use verdict::Evidence;

use serde::Serialize;

use crate::{CONFIDENCE, Interval, Sample, estimate::FEWEST_TRIALS, family, permutation, signed_rank};

/// Which direction is good.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// More is better: throughput.
    Higher,
    /// Less is better: latency, memory.
    Lower,
}

/// How the trials of the two systems belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairing {
    /// Value i of both samples comes from the same block (see [`crate::blocks::align`]).
    Blocks,
    /// They have nothing to do with each other.
    Independent,
}

/// How ratio, interval and p value were made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// At least six blocks, and few enough comparisons for their signs to decide. Ratio, interval and p value: exact sign-flip permutation of held-down signed ranks of the
    /// logarithms of the ratios within blocks (see [`signed_rank`]).
    BlockRatios,
    /// Fewer blocks, no blocks, or more comparisons than signs can decide. Ratio: the median of the ratios of every trial of one to every trial of the other
    /// (Hodges and Lehmann); interval and p value: exact two-sample permutation of ranks of the logarithms.
    AllRatios,
    /// All comparisons of a study at once. Ratio: Huber's M-estimate of the ratios within blocks; interval and p value: Student's t,
    /// with the noise of the study (see [`crate::pooled`]).
    Pooled,
    /// All comparisons of two sets of trials at once, too many for ranks to decide. Ratio: of Huber's M-estimates of both sides; interval
    /// and p value: Welch's t, with the noise of all comparisons (see [`crate::pooled::analyse_trials`]).
    PooledTrials,
    /// Values of zero or below have no ratio: nothing was computed.
    None,
}

impl Method {
    /// For people: what the figures are.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::BlockRatios => {
                "middle of the ratios within blocks, interval and p value by exact sign-flip permutation of signed ranks"
            }
            Self::AllRatios => {
                "median of all ratios between trials (Hodges-Lehmann), interval and p value by exact permutation of ranks"
            }
            Self::Pooled => {
                "middle of the ratios within blocks (Huber), interval and p value by Student's t with the noise pooled over the study"
            }
            Self::PooledTrials => {
                "ratio of the middles of both sides (Huber), interval and p value by Welch's t with the noise pooled over all comparisons"
            }
            Self::None => "no ratio: there are values of zero or below",
        }
    }
}

/// The word of a verdict, about the first of two systems against the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Word {
    /// There is a difference, and the ratio lies beyond the margin on the good side.
    Faster,
    /// There is a difference, and the ratio lies beyond the margin on the bad side.
    Slower,
    /// The whole interval lies within the margin: whatever difference there is does not matter in practice.
    Equivalent,
    /// The interval shows no difference that matters, and none larger than [`BAND`](crate::BAND): neither is more than so many times the
    /// other (see [`Comparison::bound`]).
    Bounded,
    /// Anything else: the interval leaves more open; the reason says what is missing.
    Undecided,
    /// Refused by who knows where the values come from: they rank nothing. No sample gives it.
    NotComparable,
}

impl Word {
    /// The word in every output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Equivalent => "equivalent",
            Self::Bounded => "bounded",
            Self::Undecided => "undecided",
            Self::NotComparable => "not comparable",
        }
    }

    /// Its name as a class of pages.
    #[must_use]
    pub const fn class(self) -> &'static str {
        match self {
            Self::NotComparable => "not-comparable",
            word => word.name(),
        }
    }

    /// Whether it says which of the two is better.
    #[must_use]
    pub const fn is_difference(self) -> bool {
        matches!(self, Self::Faster | Self::Slower)
    }

    /// Whether it shows that neither of the two is much better.
    #[must_use]
    pub const fn is_close(self) -> bool {
        matches!(self, Self::Equivalent | Self::Bounded)
    }

    /// Whether it is no answer for the better of the two: open, or against the order in which they stand.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Self::Undecided | Self::Slower | Self::NotComparable)
    }

    /// The word about the second system against the first.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::Faster => Self::Slower,
            Self::Slower => Self::Faster,
            same => same,
        }
    }
}

/// One system relative to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// How many times the second system's value the first one's is; the method says how it was made from the trials. It
    /// may differ a little from the ratio of the two medians. NaN with [`Method::None`].
    pub ratio: f64,
    /// The interval of the ratio; `None` when there are too few trials for one.
    pub interval: Option<Interval>,
    /// Chance of a difference at least this large if there were none, two-sided, not corrected for other comparisons.
    pub p_value: Option<f64>,
    /// The p value, corrected (Holm) for all comparisons of the family that it was analysed with; `None` where it was analysed alone.
    pub p_adjusted: Option<f64>,
    /// How these figures were made.
    pub method: Method,
    /// Trials of the first and of the second system.
    pub n: (usize, usize),
    /// The answer.
    pub word: Word,
    /// One plain sentence with the figures that led to it.
    pub reason: String,
    /// The reason without its figures, short enough to stand beside the verdict.
    pub why: String,
    /// About how many more blocks would give an answer, where the study's noise is known and the verdict is undecided.
    pub more_blocks: Option<usize>,
}

impl Comparison {
    /// How many times one is the other at most, whichever it is: the end of the interval that is farther from 1. `None` without an
    /// interval.
    #[must_use]
    pub fn bound(&self) -> Option<f64> {
        self.interval.as_ref().map(Interval::reach)
    }

    /// The ratio in the direction that is above one.
    #[must_use]
    pub fn lead(&self) -> f64 {
        self.ratio.max(1.0 / self.ratio)
    }

    /// Makes it undecided although it shows a difference by itself.
    pub(crate) fn reopen(&mut self, why: String) {
        let reason = format!("{}, but {why}", self.reason);
        self.take_back(why);
        self.reason = reason;
    }

    /// Takes its verdict away; its values stay, and belong to no family of tests.
    pub fn refuse(&mut self) {
        self.word = Word::NotComparable;
        self.p_value = None;
        self.p_adjusted = None;
    }

    /// Makes it undecided, for this reason. No further blocks are known to help.
    pub fn take_back(&mut self, reason: String) {
        self.word = Word::Undecided;
        self.more_blocks = None;
        self.why.clone_from(&reason);
        self.reason = reason;
    }
}

/// How two samples are compared, by the design of the study alone: their sizes, their pairing and the number of comparisons
/// in the family. Never by their values: who takes the test that the numbers like best has no p value.
///
/// Signs of n blocks cannot go below p = 2 / 2^n. Where that, times the number of comparisons, is above 0.05, no verdict could
/// come of them; ranks of all trials reach much smaller p values.
#[must_use]
pub fn method(n: (usize, usize), pairing: Pairing, comparisons: usize) -> Method {
    let in_blocks = pairing == Pairing::Blocks && n.0 == n.1 && n.0 >= FEWEST_TRIALS;
    let reaches = |smallest_p: f64| family::can_decide(smallest_p, comparisons);
    if in_blocks && (reaches(signed_rank::smallest_p(n.0)) || !reaches(permutation::smallest_p(n.0, n.1))) {
        Method::BlockRatios
    } else {
        Method::AllRatios
    }
}

/// Compares `a` with `b`, and nothing else: see [`compare_among`].
#[must_use]
pub fn compare(a: &Sample, b: &Sample, better: Better, margin: f64, pairing: Pairing) -> Comparison {
    let question = PairQuestion {
        better,
        margin,
        pairing,
        comparisons: 1,
    };
    compare_among(a, b, question)
}

/// How two samples are to be compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairQuestion {
    /// Which values are better.
    pub better: Better,
    /// The smallest difference that matters in practice, as a share: 0.05 means ratios from 1 / 1.05 to 1.05 are as good as
    /// equal.
    pub margin: f64,
    /// How the values belong together.
    pub pairing: Pairing,
    /// How many comparisons there are in the family of this one.
    pub comparisons: usize,
}

/// Compares `a` with `b`, as one comparison of a family. The p value and the verdict are those of this comparison alone;
/// [`correct`](crate::correction::correct) corrects them when all are known.
///
/// Swapping the samples reverses the verdict and inverts ratio and interval. Blocks of unequal number cannot be paired
/// and are compared as independent samples.
#[must_use]
pub fn compare_among(a: &Sample, b: &Sample, question: PairQuestion) -> Comparison {
    let PairQuestion {
        better,
        margin,
        pairing,
        comparisons,
    } = question;
    let n = (a.len(), b.len());
    let (Some(log_a), Some(log_b)) = (a.logarithms(), b.logarithms()) else {
        return no_ratio(n, "there are values of zero or below, which have no ratio");
    };
    let (method, shift, interval, p_value) = match method(n, pairing, comparisons) {
        Method::BlockRatios => within_blocks(&log_a, &log_b),
        _ => between_all(&log_a, &log_b),
    };
    let evidence = Evidence {
        ratio: shift.exp(),
        interval: interval.map(|(low, high)| Interval {
            low: low.exp(),
            high: high.exp(),
            confidence: CONFIDENCE,
        }),
        p_value: Some(p_value),
        p_adjusted: None,
        comparisons,
        method,
        n,
        better,
        margin,
    };
    evidence.compared()
}

type Figures = (Method, f64, Option<(f64, f64)>, f64);

fn within_blocks(log_a: &[f64], log_b: &[f64]) -> Figures {
    let mut differences: Vec<f64> = log_a.iter().zip(log_b).map(|(a, b)| a - b).collect();
    differences.sort_unstable_by(f64::total_cmp);
    let largest_score = signed_rank::largest_score(differences.len());
    let shift = signed_rank::shift(&differences, largest_score, CONFIDENCE);
    let p_value = signed_rank::p_value(&differences, largest_score);
    (Method::BlockRatios, shift.estimate, shift.interval, p_value)
}

fn between_all(log_a: &[f64], log_b: &[f64]) -> Figures {
    let shift = permutation::shift(log_a, log_b, CONFIDENCE);
    (
        Method::AllRatios,
        shift.estimate,
        shift.interval,
        permutation::rank_sum(log_a, log_b),
    )
}

/// A comparison that cannot be made, with the reason.
pub(crate) fn no_ratio(n: (usize, usize), why: &str) -> Comparison {
    Comparison {
        ratio: f64::NAN,
        interval: None,
        p_value: None,
        p_adjusted: None,
        method: Method::None,
        n,
        word: Word::Undecided,
        reason: why.to_owned(),
        why: why.to_owned(),
        more_blocks: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_design_chooses_the_test_that_can_decide() {
        let of = |blocks, comparisons| method((blocks, blocks), Pairing::Blocks, comparisons);
        assert_eq!(of(6, 1), Method::BlockRatios);
        assert_eq!(of(6, 2), Method::AllRatios, "2 / 2^6 x 2 is above 0.05");
        assert_eq!(of(6, 23), Method::AllRatios);
        assert_eq!(
            of(6, 24),
            Method::BlockRatios,
            "nothing can decide: the narrower intervals"
        );
        assert_eq!(of(10, 21), Method::BlockRatios);
        assert_eq!(of(5, 1), Method::AllRatios);
        assert_eq!(method((10, 10), Pairing::Independent, 1), Method::AllRatios);
    }
}
