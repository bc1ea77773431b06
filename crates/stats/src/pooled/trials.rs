//! Comparisons without blocks, such as those of two folders: all of one metric lend each other their noise.
//!
//! Ranks of six against six trials cannot go below p = 0.002, so among 24 comparisons none could be significant, however far apart
//! the two sides are. Student's t has no such floor. Middle and variance of each side are those of [`location`], the error of the
//! difference is Welch's ("The Generalization of 'Student's' Problem when Several Different Population Variances are Involved",
//! Biometrika 34, 1947), and its variance is moderated towards that of all comparisons, as within a study.

use super::certainty::Certainty;
use super::location::{Location, distances, location, scatter};
use super::moderation::{Spread, moderate};
use crate::compare::verdict::Evidence;
use crate::compare::{Better, Comparison, Method, Word, no_ratio};
use crate::family::can_decide;
use crate::{CONFIDENCE, Sample, holm, permutation};

/// Two sides of a comparison: the first is judged against the second.
#[derive(Clone, Copy, Debug)]
pub struct Sides<'a> {
    /// The values of the first.
    pub a: &'a Sample,
    /// The values of the second.
    pub b: &'a Sample,
    /// Which direction is good.
    pub better: Better,
}

/// Whether ranks of so many trials on either side can decide among so many comparisons, or have too few orders for it. It is a matter of
/// the design alone, never of the values.
#[must_use]
pub fn ranks_decide(n: (usize, usize), comparisons: usize) -> bool {
    can_decide(permutation::smallest_p(n.0, n.1), comparisons)
}

/// Analyses a family of comparisons of independent trials, and corrects their p values (Holm). One comparison for each pair of sides,
/// in their order. Swapping the sides of one reverses its verdict and inverts ratio and interval.
#[must_use]
pub fn analyse_trials(family: &[Sides<'_>], margin: f64) -> Vec<Comparison> {
    let logarithms: Vec<Option<[Vec<f64>; 2]>> = family
        .iter()
        .map(|sides| Some([sides.a.logarithms()?, sides.b.logarithms()?]))
        .collect();
    let mut all: Vec<f64> = logarithms
        .iter()
        .flatten()
        .flatten()
        .flat_map(|values| distances(values))
        .collect();
    all.sort_unstable_by(f64::total_cmp);
    let of_family = scatter(&all);
    let measured: Vec<Option<Difference>> = logarithms
        .iter()
        .map(|sides| Some(Difference::of(sides.as_ref()?, of_family)))
        .collect();
    let spreads: Vec<Spread> = measured
        .iter()
        .map(|one| one.map_or(Spread::NONE, |one| one.spread))
        .collect();
    let independent = spreads.iter().map(|spread| spread.freedom).sum();
    let known: Vec<Option<Certainty>> = measured
        .iter()
        .zip(moderate(&spreads, independent))
        .map(|(one, moderated)| {
            let (one, moderated) = ((*one)?, moderated?);
            Some(Certainty {
                estimate: one.estimate,
                error: (moderated.variance / one.trials).sqrt(),
                freedom: moderated.freedom,
                blocks: one.trials.round() as usize,
            })
        })
        .collect();
    let p_values: Vec<f64> = known.iter().flatten().map(Certainty::p_value).collect();
    let mut corrected = holm(&p_values).into_iter();
    let judge = |((sides, measured), known): ((&Sides<'_>, &Option<Difference>), &Option<Certainty>)| {
        let n = (sides.a.len(), sides.b.len());
        let Some(measured) = measured else {
            return no_ratio(n, "there are values of zero or below, which have no ratio");
        };
        let known = known.and_then(|known| Some((known, corrected.next()?)));
        let evidence = Evidence {
            ratio: measured.estimate.exp(),
            // A side of fewer has no interval by itself, and none by what it borrows.
            interval: known
                .filter(|_| n.0.min(n.1) >= permutation::fewest_trials(CONFIDENCE))
                .map(|(known, _)| known.interval()),
            p_value: known.map(|(known, _)| known.p_value()),
            p_adjusted: known.map(|(_, corrected)| corrected),
            comparisons: p_values.len(),
            method: Method::PooledTrials,
            n,
            better: sides.better,
            margin,
        };
        let compared = evidence.compared();
        let open = known.filter(|_| compared.word == Word::Undecided);
        Comparison {
            more_blocks: open.and_then(|(known, _)| known.more_blocks(p_values.len(), margin)),
            ..compared
        }
    };
    family.iter().zip(&measured).zip(&known).map(judge).collect()
}

/// The difference of two middles, as far as its own trials show it.
#[derive(Clone, Copy, Debug)]
struct Difference {
    estimate: f64,
    /// As many trials on either side would be worth as much: the harmonic mean of both numbers.
    trials: f64,
    /// The variance of the difference of one trial of each.
    spread: Spread,
}

impl Difference {
    fn of([a, b]: &[Vec<f64>; 2], of_family: Option<f64>) -> Self {
        let (first, second) = (location(a, of_family), location(b, of_family));
        let trials = 2.0 / (1.0 / a.len() as f64 + 1.0 / b.len() as f64);
        Self {
            estimate: first.estimate - second.estimate,
            trials,
            spread: welch((&first, a.len()), (&second, b.len()), trials).unwrap_or(Spread::NONE),
        }
    }
}

/// Welch's variance and degrees of freedom, for this many trials of each; `None` where a side has a single trial.
fn welch(a: (&Location, usize), b: (&Location, usize), trials: f64) -> Option<Spread> {
    let squared_error = |(side, n): (&Location, usize)| Some(side.variance? / n as f64);
    let (of_a, of_b) = (squared_error(a)?, squared_error(b)?);
    let total = of_a + of_b;
    let shares = of_a.powi(2) / (a.1 - 1) as f64 + of_b.powi(2) / (b.1 - 1) as f64;
    Some(Spread {
        variance: total * trials,
        freedom: total.powi(2) / shares,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use dbdyno_random::SplitMix64;

    const NOISE: f64 = 0.05;
    const MARGIN: f64 = 0.05;

    /// How much trials differ.
    #[derive(Clone, Copy, Debug)]
    enum Trials {
        Normal,
        /// One trial of twenty has half of the speed.
        Wild,
    }

    /// `count` values around `level`, with noise of this size.
    fn values(random: &mut SplitMix64, count: usize, (level, noise): (f64, f64), trials: Trials) -> Sample {
        let values = (0..count).map(|_| {
            let usual = level * (noise * random.normal()).exp();
            match trials {
                Trials::Wild if random.normal() < -1.645 => usual / 2.0,
                _ => usual,
            }
        });
        Sample::new(values.collect()).unwrap()
    }

    /// A family of `tests` in which the `changed` first ones are `ratio` times as high on the first side.
    fn family(
        seed: u64,
        n: (usize, usize),
        tests: usize,
        (changed, ratio): (usize, f64),
    ) -> Vec<(Sample, Sample)> {
        family_of(seed, n, (tests, changed, ratio), Trials::Normal)
    }

    fn family_of(
        seed: u64,
        n: (usize, usize),
        (tests, changed, ratio): (usize, usize, f64),
        trials: Trials,
    ) -> Vec<(Sample, Sample)> {
        let mut random = SplitMix64::new(seed);
        (0..tests)
            .map(|test| {
                let level = if test < changed { ratio } else { 1.0 };
                // Noise differs from test to test by up to a factor of two, and from side to side.
                let noise = |random: &mut SplitMix64| NOISE * (0.35 * random.normal()).exp().clamp(0.7, 1.4);
                let (before, after) = (noise(&mut random), noise(&mut random));
                (
                    values(&mut random, n.0, (level, after), trials),
                    values(&mut random, n.1, (1.0, before), trials),
                )
            })
            .collect()
    }

    fn words(family: &[(Sample, Sample)]) -> Vec<Word> {
        let sides: Vec<Sides<'_>> = family
            .iter()
            .map(|(a, b)| Sides {
                a,
                b,
                better: Better::Higher,
            })
            .collect();
        let compared = analyse_trials(&sides, MARGIN);
        compared.iter().map(|one| one.word).collect()
    }

    #[test]
    fn every_test_of_many_that_is_five_times_slower_is_found() {
        for (tests, trials) in [(25, 6), (88, 6), (25, 4)] {
            let found = words(&family(1, (trials, trials), tests, (tests, 0.2)));
            assert!(found.iter().all(|word| *word == Word::Slower), "{found:?}");
        }
    }

    #[test]
    fn one_of_88_that_is_12_percent_slower_is_found_as_a_rule() {
        let studies = 200;
        let found = (0..studies)
            .filter(|seed| words(&family(*seed, (6, 6), 88, (1, 0.88)))[0] == Word::Slower)
            .count();
        assert!(found * 2 >= studies as usize, "{found} of {studies}");
    }

    #[test]
    fn equal_sides_are_seldom_called_different_in_a_whole_family() {
        let studies = 1000;
        for (n, trials) in [
            ((6, 6), Trials::Normal),
            ((4, 4), Trials::Normal),
            ((12, 5), Trials::Normal),
            ((6, 6), Trials::Wild),
        ] {
            let wrong = (0..studies)
                .filter(|seed| {
                    let found = words(&family_of(1000 + seed, n, (25, 0, 1.0), trials));
                    found.iter().any(|word| word.is_difference())
                })
                .count();
            assert!(
                wrong * 100 <= studies as usize * 6,
                "{wrong} of {studies} with {n:?} {trials:?}"
            );
        }
    }

    #[test]
    fn swapped_sides_swap_the_answer() {
        let family = family(7, (6, 8), 5, (2, 1.4));
        let swapped: Vec<(Sample, Sample)> = family.iter().map(|(a, b)| (b.clone(), a.clone())).collect();
        let reversed: Vec<Word> = words(&swapped).into_iter().map(Word::reversed).collect();
        assert_eq!(words(&family), reversed);
    }

    #[test]
    fn a_single_trial_of_a_side_and_values_of_zero_are_no_evidence() {
        let one = (
            Sample::new(vec![1.0]).unwrap(),
            Sample::new(vec![9.0; 6]).unwrap(),
        );
        let zero = (
            Sample::new(vec![0.0; 6]).unwrap(),
            Sample::new(vec![9.0; 6]).unwrap(),
        );
        let found = words(&[one, zero]);
        assert_eq!(found, [Word::Undecided; 2]);
    }
}
