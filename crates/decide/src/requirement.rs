//! Whether trials show that something is kept: a limit on a latency, say.

use statrs::distribution::{ContinuousCDF, StudentsT};
use statrs::statistics::Statistics;

use crate::{Compliance, FEWEST_TRIALS};

/// One trial beside a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BesideLimit {
    /// Whether it kept the limit.
    pub is_kept: bool,
    /// How far it was on the side that keeps the limit: the logarithm of the ratio of its value and the limit, negative on the other
    /// side. Not finite where there is no such ratio.
    pub margin: f64,
}

/// What trials show of a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Held {
    /// What they show.
    pub compliance: Compliance,
    /// How many kept it.
    pub kept: usize,
    /// How many there were.
    pub trials: usize,
}

/// What trials show, of which each kept the limit or did not.
///
/// A sign test of the median trial: if it did not keep the limit, each trial would keep it with a chance of one half at
/// most, so that all of n do with 2^-n at most. What has a chance of 5% or less is shown; it takes five trials. Nothing is
/// assumed of how trials are distributed (Hollander, Wolfe, Chicken, *Nonparametric Statistical Methods*, 3.4).
///
/// Four trials can show nothing by their signs. They do if all are on one side, and so far from the limit that the 95% interval of their
/// geometric mean (Student's t) is on that side, too.
#[must_use]
pub fn held(beside: &[BesideLimit]) -> Held {
    let trials = beside.len();
    let kept = beside.iter().filter(|trial| trial.is_kept).count();
    let shown = |times: usize| at_least(times, trials) <= 0.05;
    let compliance = if shown(kept) || (kept == trials && is_far(beside, 1.0)) {
        Compliance::Shown
    } else if shown(trials - kept) || (kept == 0 && is_far(beside, -1.0)) {
        Compliance::Violated
    } else {
        Compliance::NotShown
    };
    Held {
        compliance,
        kept,
        trials,
    }
}

/// Whether as few trials as decide anything are all far on this side of the limit.
fn is_far(beside: &[BesideLimit], side: f64) -> bool {
    if beside.len() < FEWEST_TRIALS {
        return false;
    }
    let margins: Vec<f64> = beside.iter().map(|trial| trial.margin * side).collect();
    let many = margins.len() as f64;
    let Ok(student) = StudentsT::new(0.0, 1.0, many - 1.0) else {
        return false;
    };
    let half_width = student.inverse_cdf(0.975) * margins.iter().std_dev() / many.sqrt();
    margins.iter().mean() > half_width
}

/// The chance of at least this many heads among so many tosses of a fair coin.
fn at_least(heads: usize, tosses: usize) -> f64 {
    if heads == 0 {
        return 1.0;
    }
    let mut ways = 0.5_f64.powi(i32::try_from(tosses).unwrap_or(i32::MAX));
    let mut below = 0.0;
    for count in 0..heads {
        below += ways;
        ways *= (tosses - count) as f64 / (count + 1) as f64;
    }
    1.0 - below
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Trials that lie now nearer, now further from the limit.
    fn beside(kept: usize, trials: usize, margins: [f64; 2]) -> Vec<BesideLimit> {
        let one = |trial: usize| {
            let is_kept = trial < kept;
            BesideLimit {
                is_kept,
                margin: margins[trial % 2] * if is_kept { 1.0 } else { -1.0 },
            }
        };
        (0..trials).map(one).collect()
    }

    fn compliance(kept: usize, trials: usize) -> Compliance {
        held(&beside(kept, trials, [0.01, 1.0])).compliance
    }

    #[test]
    fn four_trials_show_what_is_far_from_the_limit() {
        let of = |kept, margins| held(&beside(kept, 4, margins)).compliance;
        assert_eq!(of(0, [3.4, 3.5]), Compliance::Violated);
        assert_eq!(of(4, [3.4, 3.5]), Compliance::Shown);
        assert_eq!(of(3, [3.4, 3.5]), Compliance::NotShown);
        assert_eq!(of(0, [f64::NAN, 3.5]), Compliance::NotShown);
        assert_eq!(held(&beside(0, 3, [3.4, 3.5])).compliance, Compliance::NotShown);
        // Failed trials are beyond no limit by their numbers.
        let mut failed = beside(4, 4, [3.4, 3.5]);
        failed.iter_mut().for_each(|trial| trial.is_kept = false);
        assert_eq!(held(&failed).compliance, Compliance::NotShown);
    }

    #[test]
    fn signs_alone_take_five_trials() {
        assert_eq!(compliance(4, 4), Compliance::NotShown);
        assert_eq!(compliance(5, 5), Compliance::Shown);
        assert_eq!(compliance(0, 5), Compliance::Violated);
        assert_eq!(compliance(0, 0), Compliance::NotShown);
    }

    #[test]
    fn chances_are_those_of_scipy() {
        // scipy.stats.binomtest(k, n, alternative="greater").pvalue
        for (heads, tosses, chance) in [
            (5, 5, 0.03125),
            (7, 8, 0.035_156_25),
            (8, 10, 0.054_687_5),
            (9, 10, 0.010_742_187_5),
            (15, 20, 0.020_694_732_666_015_625),
        ] {
            assert!(
                (at_least(heads, tosses) - chance).abs() < 1e-12,
                "{heads} of {tosses}"
            );
        }
        assert_eq!(compliance(8, 10), Compliance::NotShown);
        assert_eq!(compliance(9, 10), Compliance::Shown);
    }
}
