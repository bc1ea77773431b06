//! The rates that can be asked for: equal ratios, in both directions from the ceiling.

use super::Rules;

/// How far above the ceiling the ladder reaches: a server may become twice as fast after the pilot, and a pilot be unlucky.
const HEADROOM: f64 = 4.0;

/// Steps below this could not be distinguished with four digits.
const LEAST_STEP: f64 = 0.005;

/// Levels and their rates; level 0 is the ceiling.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ladder {
    ceiling: f64,
    ln_step: f64,
    /// The lowest level.
    pub(super) lowest: i32,
    /// The highest level.
    pub(super) highest: i32,
}

impl Ladder {
    pub(super) fn new(rules: &Rules) -> Self {
        let ln_step = rules.step.clamp(LEAST_STEP, 1.0).ln_1p();
        let levels = |ratio: f64| ratio.ln() / ln_step;
        Self {
            ceiling: rules.ceiling,
            ln_step,
            lowest: levels(rules.lowest / rules.ceiling).ceil() as i32,
            highest: levels(HEADROOM).ceil() as i32,
        }
    }

    /// Operations per second, with four significant digits: what is asked for can be read and typed.
    pub(super) fn rate(&self, level: i32) -> f64 {
        let rate = self.ceiling * (self.ln_step * f64::from(level)).exp();
        let digit = 10_f64.powf(rate.log10().floor() - 3.0);
        // A division by a power of ten gives the nearest number to what is written; a multiplication may not.
        if digit < 1.0 {
            (rate / digit).round() / (1.0 / digit).round()
        } else {
            (rate / digit).round() * digit
        }
    }

    /// The level whose rate is nearest.
    pub(super) fn level(&self, rate: f64) -> i32 {
        (self.relative(rate) / self.ln_step).round() as i32
    }

    /// The logarithm of a share of the ceiling, in levels.
    pub(super) fn levels_of_share(&self, share: f64) -> f64 {
        share.ln() / self.ln_step
    }

    fn relative(&self, rate: f64) -> f64 {
        (rate / self.ceiling).ln()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_is_found_again_from_its_rate() {
        for (ceiling, step) in [(7.3, 0.05), (412_345.6, 0.02), (1e9 / 3.0, 0.1)] {
            let ladder = Ladder::new(&Rules::new(ceiling, 0.0, step, 6));
            for level in ladder.lowest..=ladder.highest {
                assert_eq!(ladder.level(ladder.rate(level)), level, "{ceiling} {step}");
            }
            assert!(ladder.rate(ladder.lowest) >= ceiling * 0.000_99);
        }
    }

    #[test]
    fn rates_are_short() {
        let ladder = Ladder::new(&Rules::new(41_234.567, 0.0, 0.05, 6));
        assert_eq!(ladder.rate(0), 41_230.0);
        assert_eq!(ladder.rate(0).to_string(), "41230");
        let slow = Ladder::new(&Rules::new(12.345_67, 0.0, 0.05, 6));
        assert_eq!(slow.rate(0).to_string(), "12.35");
    }
}
