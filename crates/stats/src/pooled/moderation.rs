//! Variances that lend each other strength: an empirical Bayes estimate of each.
//!
//! The true variances of pairs are taken as drawn from a scaled inverse chi-squared distribution, with `d0` degrees of freedom around a
//! common value. Both are found from how far the observed variances differ, beyond what their own degrees of freedom explain (Smyth, "Linear
//! Models and Empirical Bayes Methods for Assessing Differential Expression in Microarray Experiments", Statistical Applications in
//! Genetics and Molecular Biology 3, 2004). Each pair's variance is then its own and the common one, weighted by their degrees of freedom.
//! A pair that is noisier than this distribution allows borrows less (Phipson et al., "Robust Hyperparameter
//! Estimation Protects against Hypervariable Genes and Improves Power to Detect Differential Expression", Annals of Applied Statistics 10, 2016).
//!
//! Studies have a few pairs where those papers have thousands of genes. So the common value is no better known than the other pairs know
//! it, and three figures, chosen by simulation, hold the borrowing back: pairs are believed to differ some, however alike they look
//! ([`USUAL_FREEDOM`], [`USUAL_WEIGHT`]); what is borrowed has a limit ([`MOST_BORROWED`]); and degrees of freedom that rest on
//! borrowing count for nine tenths ([`BORROWED_SHARE`]).

use statrs::distribution::{ContinuousCDF as _, FisherSnedecor};
use statrs::function::gamma::digamma;

use super::trigamma::{inverse, trigamma};

/// The degrees of freedom of the common variance where nothing is known: standard deviations that differ by a factor of 1.5 from pair to pair.
const USUAL_FREEDOM: f64 = 4.0;
/// As many pairs as this belief counts for.
const USUAL_WEIGHT: f64 = 8.0;
/// The most degrees of freedom that a pair borrows.
const MOST_BORROWED: f64 = 10.0;
/// What a degree of freedom is worth where some are borrowed: true variances are not drawn from the distribution that the method takes them from.
const BORROWED_SHARE: f64 = 0.9;

/// The variance of one pair, as its trials show it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Its variance.
    pub variance: f64,
    /// Degrees of freedom; 0 where nothing is known.
    pub freedom: f64,
}

impl Spread {
    /// Nothing.
    pub const NONE: Self = Self {
        variance: 0.0,
        freedom: 0.0,
    };
}

/// A variance with what it borrowed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moderated {
    /// The variance.
    pub variance: f64,
    /// Degrees of freedom, its own and borrowed ones.
    pub freedom: f64,
}

/// The distribution that the variances of a study share.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Common {
    variance: f64,
    freedom: f64,
}

/// Moderates the variances of all pairs. `independent` are the degrees of freedom of all together: no pair has more. `None` where a
/// pair has neither own degrees of freedom nor others to borrow from.
pub fn moderate(spreads: &[Spread], independent: f64) -> Vec<Option<Moderated>> {
    let own: Vec<Spread> = spreads
        .iter()
        .copied()
        .filter(|spread| spread.freedom > 0.0)
        .collect();
    let Some(common) = common(&own) else {
        let alone = |spread: &Spread| {
            (spread.freedom > 0.0).then_some(Moderated {
                variance: spread.variance,
                freedom: spread.freedom,
            })
        };
        return spreads.iter().map(alone).collect();
    };
    let tails = Tails::of(&own, common);
    spreads
        .iter()
        .map(|spread| {
            let lent = lent(common.freedom, independent - spread.freedom);
            let borrowed = lent * tails.believed(*spread);
            let freedom = borrowed + spread.freedom;
            (freedom > 0.0).then(|| Moderated {
                variance: (borrowed * common.variance + spread.freedom * spread.variance) / freedom,
                freedom: (BORROWED_SHARE * freedom).min(independent),
            })
        })
        .collect()
}

/// The common variance and its degrees of freedom; `None` with fewer than two pairs.
fn common(own: &[Spread]) -> Option<Common> {
    if own.len() < 2 {
        return None;
    }
    let pairs = own.len() as f64;
    let half = |spread: &Spread| spread.freedom / 2.0;
    // The logarithm of each variance without what its degrees of freedom make of it.
    let logarithms: Vec<f64> = own
        .iter()
        .map(|spread| spread.variance.ln() - digamma(half(spread)) + half(spread).ln())
        .collect();
    let mean = logarithms.iter().sum::<f64>() / pairs;
    let squares: f64 = logarithms.iter().map(|value| (value - mean).powi(2)).sum();
    let explained = own.iter().map(|spread| trigamma(half(spread))).sum::<f64>() / pairs;
    let freedom = freedom_of_common(squares - (pairs - 1.0) * explained, pairs);
    Some(Common {
        variance: (mean + digamma(freedom / 2.0) - (freedom / 2.0).ln()).exp(),
        freedom,
    })
}

/// The degrees of freedom of the common variance, from the sum of squares of the logarithms beyond what their own degrees of freedom explain.
fn freedom_of_common(excess: f64, pairs: f64) -> f64 {
    let usual = trigamma(USUAL_FREEDOM / 2.0);
    let between = (excess + USUAL_WEIGHT * usual) / (pairs - 1.0 + USUAL_WEIGHT);
    let least = trigamma(MOST_BORROWED / 2.0);
    2.0 * inverse(between.max(least))
}

/// The degrees of freedom that a pair gets: a true variance scatters around the common one as one with `common` degrees of freedom, and
/// the estimate of the common one as one with those of all other pairs.
fn lent(common: f64, others: f64) -> f64 {
    if others > 0.0 {
        1.0 / (1.0 / common + 1.0 / others)
    } else {
        0.0
    }
}

/// The degrees of freedom of each of so many pairs that are equally noisy, with so many of their own.
pub fn freedom_of_alike(pairs: usize, own: f64, independent: f64) -> f64 {
    if pairs < 2 {
        return own;
    }
    let borrowed = lent(freedom_of_common(0.0, pairs as f64), independent - own);
    (BORROWED_SHARE * (borrowed + own)).min(independent)
}

/// How surprising each variance is among the others.
struct Tails {
    common: Common,
    /// The chances of so large a variance, ascending.
    chances: Vec<f64>,
}

impl Tails {
    fn of(own: &[Spread], common: Common) -> Self {
        let mut tails = Self {
            common,
            chances: Vec::new(),
        };
        let mut chances: Vec<f64> = own.iter().map(|spread| tails.chance(*spread)).collect();
        chances.sort_unstable_by(f64::total_cmp);
        tails.chances = chances;
        tails
    }

    /// The chance that a variance of this distribution is at least as large.
    fn chance(&self, spread: Spread) -> f64 {
        FisherSnedecor::new(spread.freedom, self.common.freedom)
            .map_or(1.0, |f| f.sf(spread.variance / self.common.variance))
    }

    /// How far a variance is believed to be of this distribution, 0 to 1: its chance over the chance that is expected at its rank.
    fn believed(&self, spread: Spread) -> f64 {
        if spread.freedom <= 0.0 {
            return 1.0;
        }
        let chance = self.chance(spread);
        let below = self.chances.partition_point(|&one| one < chance);
        let through = self.chances.partition_point(|&one| one <= chance);
        // The mean rank of equal ones, from a half.
        let expected = f64::midpoint(below as f64, through as f64) / self.chances.len() as f64;
        (chance / expected).min(1.0)
    }
}
