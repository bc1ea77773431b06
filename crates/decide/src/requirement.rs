//! Whether trials show that something is kept: a limit on a latency, say.

use crate::Compliance;

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
#[must_use]
pub fn held(kept: &[bool]) -> Held {
    let trials = kept.len();
    let kept = kept.iter().filter(|kept| **kept).count();
    let shown = |times: usize| at_least(times, trials) <= 0.05;
    let compliance = if shown(kept) {
        Compliance::Shown
    } else if shown(trials - kept) {
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

    fn compliance(kept: usize, trials: usize) -> Compliance {
        let trials: Vec<bool> = (0..trials).map(|trial| trial < kept).collect();
        held(&trials).compliance
    }

    #[test]
    fn it_takes_five_trials() {
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
