//! From the figures to a verdict and its sentence.

use dbdyno_vocabulary::number;

use super::{Better, Comparison, Method, Word};
use crate::family::is_significant;
use crate::{BAND, CONFIDENCE, FEWEST_BLOCKS, Interval, permutation};

/// Everything that a verdict is drawn from.
pub(crate) struct Evidence {
    pub ratio: f64,
    pub interval: Option<Interval>,
    pub p_value: Option<f64>,
    /// Corrected for the family; `None` where that is done later.
    pub p_adjusted: Option<f64>,
    /// The size of the family.
    pub comparisons: usize,
    pub method: Method,
    pub n: (usize, usize),
    pub better: Better,
    pub margin: f64,
}

impl Evidence {
    /// The figures with their verdict.
    pub(crate) fn compared(self) -> Comparison {
        let (word, why) = self.judge();
        Comparison {
            ratio: self.ratio,
            interval: self.interval,
            p_value: self.p_value,
            p_adjusted: self.p_adjusted,
            method: self.method,
            n: self.n,
            word,
            reason: format!("{}: {why}", self.figures()),
            why,
            more_blocks: None,
        }
    }

    /// The rule: the whole interval within the margin is equivalent (two one-sided tests: Schuirmann, Journal of
    /// Pharmacokinetics and Biopharmaceutics 15, 1987); a difference that chance would seldom make (the interval excludes
    /// 1, and the test agrees) with a ratio beyond the margin is faster or slower; the whole interval within the band is bounded;
    /// everything else is undecided.
    fn judge(&self) -> (Word, String) {
        let Some(interval) = self.interval.filter(|_| self.has_enough_blocks()) else {
            return (Word::Undecided, self.too_few());
        };
        let (band_low, band_high) = (1.0 / (1.0 + self.margin), 1.0 + self.margin);
        let margin = number::share(self.margin);
        let differs = interval.excludes_one() && self.is_significant();
        if interval.low >= band_low && interval.high <= band_high {
            let nuance = if differs && self.stays_significant() {
                ": there is a difference, too small to matter"
            } else {
                ""
            };
            return (
                Word::Equivalent,
                format!("the whole interval lies within the margin of {margin}{nuance}"),
            );
        }
        let higher = self.ratio > band_high;
        if differs && (higher || self.ratio < band_low) {
            let word = if higher == (self.better == Better::Higher) {
                Word::Faster
            } else {
                Word::Slower
            };
            let how_far = if interval.low > band_high || interval.high < band_low {
                format!("the whole interval lies beyond the margin of {margin}")
            } else {
                format!("there is a difference, and the ratio lies beyond the margin of {margin}")
            };
            return (word, how_far);
        }
        let bound = interval.reach();
        if bound <= 1.0 + BAND {
            return (Word::Bounded, self.bounded(interval, bound));
        }
        (Word::Undecided, self.open(interval))
    }

    /// Bounded from above; a difference that is shown has a lower bound, too.
    fn bounded(&self, interval: Interval, bound: f64) -> String {
        let bound = rounded(bound, f64::ceil);
        if !interval.excludes_one() {
            return format!("neither is more than {bound} the other");
        }
        if self.stays_significant() {
            let least = rounded(interval.low.max(1.0 / interval.high), f64::floor);
            return format!(
                "there is a difference of {least} to {bound}; whether it exceeds the margin of {} is open",
                number::share(self.margin)
            );
        }
        match self.p_adjusted {
            Some(p) => format!(
                "neither is more than {bound} the other, and no difference is shown among {} comparisons (corrected p = {})",
                self.comparisons,
                p_text(p)
            ),
            None => format!("neither is more than {bound} the other"),
        }
    }

    /// Why nothing is shown.
    fn open(&self, interval: Interval) -> String {
        let more = "more trials would narrow the interval";
        let margin = number::share(self.margin);
        let (band_low, band_high) = (1.0 / (1.0 + self.margin), 1.0 + self.margin);
        if interval.excludes_one() {
            return match self.p_adjusted {
                Some(p) if !self.is_significant() => {
                    format!(
                        "not significant among {} comparisons (corrected p = {})",
                        self.comparisons,
                        p_text(p)
                    )
                }
                _ if !self.is_significant() => {
                    "the interval excludes 1 but the test is not significant; more trials would decide"
                        .to_owned()
                }
                _ => format!("different, but whether by more than the margin of {margin} is open; {more}"),
            };
        }
        if interval.low < band_low && interval.high > band_high {
            format!("the interval reaches beyond the margin of {margin} on both sides; {more}")
        } else {
            format!("no difference is shown, nor that it is within the margin of {margin}; {more}")
        }
    }

    /// Whether chance would seldom make such a difference, among all comparisons of the family where they are known.
    fn is_significant(&self) -> bool {
        self.p_adjusted.or(self.p_value).is_some_and(is_significant)
    }

    /// Whether it is significant in its family, even if the correction is made later.
    fn stays_significant(&self) -> bool {
        let corrected = self
            .p_adjusted
            .or(self.p_value.map(|p| p * self.comparisons.max(1) as f64));
        corrected.is_some_and(is_significant)
    }

    fn has_enough_blocks(&self) -> bool {
        self.method != Method::Pooled || self.n.0 >= FEWEST_BLOCKS
    }

    /// Ratio, interval, p value and number of trials.
    fn figures(&self) -> String {
        let (Some(interval), Some(p_value)) = (self.interval, self.p_value) else {
            return direction(self.ratio);
        };
        let (a, b) = self.n;
        let trials = match self.method {
            Method::BlockRatios | Method::Pooled => format!("{a} blocks"),
            _ => format!("{a} against {b} trials"),
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
            p_text(p_value)
        )
    }

    fn too_few(&self) -> String {
        let (a, b) = self.n;
        if self.method == Method::Pooled {
            return format!(
                "{a} blocks show too little of these systems' noise; a verdict takes at least {FEWEST_BLOCKS}"
            );
        }
        let smallest = permutation::smallest_p(a, b);
        let fewest = permutation::fewest_trials(CONFIDENCE);
        format!(
            "{a} against {b} trials allow no 95% interval: even complete separation would have p = {}; \
             it takes at least {fewest} trials of each",
            p_text(smallest)
        )
    }
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

/// A ratio above one with two digits after the point, rounded to the side on which the statement stays true: `1.12x`.
fn rounded(ratio: f64, round: fn(f64) -> f64) -> String {
    format!("{:.2}x", round(ratio * 100.0) / 100.0)
}

pub(crate) fn p_text(p: f64) -> String {
    if p < 0.001 {
        "below 0.001".to_owned()
    } else {
        format!("{p:.3}")
    }
}
