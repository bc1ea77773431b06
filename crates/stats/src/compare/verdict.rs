//! From the figures to a verdict and its sentence.

use dbdyno_vocabulary::number;

use super::{Better, Method, Verdict};
use crate::family::SIGNIFICANCE;
use crate::{CONFIDENCE, Interval, permutation};

/// What a verdict is drawn from.
pub(super) struct Evidence {
    pub ratio: f64,
    pub interval: Option<Interval>,
    pub p_value: f64,
    pub method: Method,
    pub n: (usize, usize),
    pub better: Better,
    pub margin: f64,
}

impl Evidence {
    /// The rule: the whole interval within the margin is equivalent (two one-sided tests: Schuirmann, Journal of
    /// Pharmacokinetics and Biopharmaceutics 15, 1987); a difference that chance would seldom make (the interval excludes
    /// 1, and the test agrees) with a ratio beyond the margin is faster or slower; everything else is undecided.
    pub(super) fn judge(&self) -> (Verdict, String) {
        let Some(interval) = self.interval else {
            return (Verdict::Undecided, self.too_few());
        };
        let (band_low, band_high) = (1.0 / (1.0 + self.margin), 1.0 + self.margin);
        let margin = number::share(self.margin);
        if interval.low >= band_low && interval.high <= band_high {
            let nuance = if excludes_one(interval) {
                ": there is a difference, too small to matter"
            } else {
                ""
            };
            return (
                Verdict::Equivalent,
                format!("the whole interval lies within the margin of {margin}{nuance}"),
            );
        }
        let higher = self.ratio > band_high;
        if excludes_one(interval) && (higher || self.ratio < band_low) {
            if self.p_value > SIGNIFICANCE + 1e-12 {
                return (
                    Verdict::Undecided,
                    "the interval excludes 1 but the test is not significant; more trials would decide"
                        .to_owned(),
                );
            }
            let verdict = if higher == (self.better == Better::Higher) {
                Verdict::Faster
            } else {
                Verdict::Slower
            };
            let how_far = if interval.low > band_high || interval.high < band_low {
                format!("the whole interval lies beyond the margin of {margin}")
            } else {
                format!("there is a difference, and the ratio lies beyond the margin of {margin}")
            };
            return (verdict, how_far);
        }
        let what = if excludes_one(interval) {
            format!("different, but whether by more than the margin of {margin} is open")
        } else if interval.low < band_low && interval.high > band_high {
            format!("the interval reaches beyond the margin of {margin} on both sides")
        } else {
            format!("no difference is shown, nor that it is within the margin of {margin}")
        };
        (
            Verdict::Undecided,
            format!("{what}; more trials would narrow the interval"),
        )
    }

    /// Ratio, interval, p value and number of trials.
    pub(super) fn figures(&self) -> String {
        let Some(interval) = self.interval else {
            return direction(self.ratio);
        };
        let (a, b) = self.n;
        let trials = if self.method == Method::BlockRatios {
            format!("{a} blocks")
        } else {
            format!("{a} against {b} trials")
        };
        // From the end that is nearer to 1, as people read it.
        let (near, far) = if self.ratio >= 1.0 {
            (interval.low, interval.high)
        } else {
            (interval.high, interval.low)
        };
        let near = if (near >= 1.0) == (far >= 1.0) {
            size(near)
        } else {
            direction(near)
        };
        format!(
            "{} (95% interval {near} to {}, p = {}, {trials})",
            direction(self.ratio),
            direction(far),
            p_text(self.p_value)
        )
    }

    fn too_few(&self) -> String {
        let (a, b) = self.n;
        let smallest = permutation::smallest_p(a, b);
        let fewest = permutation::fewest_trials(CONFIDENCE);
        format!(
            "{a} against {b} trials allow no 95% interval: even complete separation would have p = {}; \
             it takes at least {fewest} trials of each",
            p_text(smallest)
        )
    }
}

fn excludes_one(interval: Interval) -> bool {
    interval.low > 1.0 || interval.high < 1.0
}

/// A ratio in the direction that is above one: `1.300x higher`, `38.2x lower`.
fn direction(ratio: f64) -> String {
    let side = if ratio >= 1.0 { "higher" } else { "lower" };
    format!("{} {side}", size(ratio))
}

/// How many times, whichever way; three digits after the point near 1, where they matter most.
fn size(ratio: f64) -> String {
    match ratio.max(1.0 / ratio) {
        times if times >= 100.0 => format!("{times:.0}x"),
        times if times >= 10.0 => format!("{times:.1}x"),
        times => format!("{times:.3}x"),
    }
}

pub(crate) fn p_text(p: f64) -> String {
    if p < 0.001 {
        "below 0.001".to_owned()
    } else {
        format!("{p:.3}")
    }
}
