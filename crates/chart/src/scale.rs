//! From values to places, and which values to write at an axis.

/// A linear or logarithmic axis from `low` to `high`, drawn from `start` to `end`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    low: f64,
    high: f64,
    start: f64,
    end: f64,
    logarithmic: bool,
}

/// From this ratio of the largest to the smallest value on, a linear axis hides the small ones.
const LOG_RATIO: f64 = 25.0;
/// Within this ratio, a logarithmic axis shows nothing that a linear one does not.
const LEAST_LOG_RATIO: f64 = 2.0;

impl Scale {
    /// From zero to a little above the largest value.
    pub fn from_zero(largest: f64, start: f64, end: f64) -> Self {
        let high = if largest > 0.0 { largest * 1.04 } else { 1.0 };
        Self {
            low: 0.0,
            high,
            start,
            end,
            logarithmic: false,
        }
    }

    /// Between the given values, which must not be the same.
    pub fn linear(low: f64, high: f64, start: f64, end: f64) -> Self {
        let high = if high > low { high } else { low + 1.0 };
        Self {
            low,
            high,
            start,
            end,
            logarithmic: false,
        }
    }

    /// Logarithmic, a little wider than the given values. They must be above zero and finite; if not, they are taken as 1.
    pub fn logarithmic(low: f64, high: f64, start: f64, end: f64) -> Self {
        let low = if low > 0.0 && low.is_finite() { low } else { 1.0 };
        let high = if high > low && high.is_finite() {
            high
        } else {
            low * 1.2
        };
        let air = (0.04 * (high.ln() - low.ln())).exp().max(1.02);
        Self {
            low: (low / air).max(f64::MIN_POSITIVE),
            high: (high * air).min(f64::MAX),
            start,
            end,
            logarithmic: true,
        }
    }

    /// Linear from zero when all values can be seen that way, else logarithmic.
    pub fn fitting(values: &[f64], start: f64, end: f64) -> Self {
        let positive = values
            .iter()
            .copied()
            .filter(|value| *value > 0.0 && value.is_finite());
        let (low, high) = positive.fold((f64::INFINITY, 0.0_f64), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        if high > 0.0 && high / low > LOG_RATIO {
            // The smallest mark stays clear of the axis.
            Self::logarithmic(low / 2.0, high, start, end)
        } else {
            Self::from_zero(high, start, end)
        }
    }

    /// The axis of the other kind for these values, at the same place. `None` if they do not fit on it, or would look the same: values
    /// that are not above zero, and values close together.
    pub fn other(&self, values: &[f64]) -> Option<Self> {
        if values.iter().any(|value| !(value.is_finite() && *value > 0.0)) {
            return None;
        }
        let low = values.iter().copied().reduce(f64::min)?;
        let high = values.iter().copied().reduce(f64::max)?;
        if self.logarithmic {
            Some(Self::from_zero(high, self.start, self.end))
        } else {
            (high / low >= LEAST_LOG_RATIO).then(|| Self::logarithmic(low, high, self.start, self.end))
        }
    }

    /// The values at both ends.
    pub fn bounds(&self) -> (f64, f64) {
        (self.low, self.high)
    }

    /// Whether equal distances are equal ratios.
    pub fn is_logarithmic(&self) -> bool {
        self.logarithmic
    }

    /// Where the axis begins.
    pub fn start(&self) -> f64 {
        self.start
    }

    /// Where the axis ends.
    pub fn end(&self) -> f64 {
        self.end
    }

    /// The place of a value; values outside are put at the ends.
    pub fn place(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        let share = if self.logarithmic {
            (value.ln() - self.low.ln()) / (self.high.ln() - self.low.ln())
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.start + share * (self.end - self.start)
    }

    /// Round values to write at the axis, about `wanted` of them.
    pub fn ticks(&self, wanted: usize) -> Vec<f64> {
        if self.logarithmic {
            self.log_ticks(wanted)
        } else {
            self.linear_ticks(wanted)
        }
    }

    /// The same, each with how it is written.
    pub fn marks(&self, wanted: usize, text: impl Fn(f64) -> String) -> Vec<(f64, String)> {
        let ticks = self.ticks(wanted).into_iter();
        ticks.map(|value| (value, text(value))).collect()
    }

    fn linear_ticks(&self, wanted: usize) -> Vec<f64> {
        let rough = (self.high - self.low) / wanted.max(1) as f64;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|factor| factor * power)
            .find(|step| *step >= rough * 0.999)
            .unwrap_or(power * 10.0);
        let first = (self.low / step).ceil() as i64;
        let last = (self.high / step + 1e-9).floor() as i64;
        (first..=last).map(|index| index as f64 * step).collect()
    }

    /// In steps of 1, 2 and 5 where about `wanted` of them suffice, else every decade, or every second or third one,
    /// or fewer on an axis of more decades.
    fn log_ticks(&self, wanted: usize) -> Vec<f64> {
        let decades = self.high.log10() - self.low.log10();
        let fewest = (decades / wanted.max(1) as f64).ceil().max(3.0) as i32;
        let sparser = [
            (&[1.0, 2.0, 5.0][..], 1),
            (&[1.0], 1),
            (&[1.0], 2),
            (&[1.0], fewest),
        ];
        let ticks = sparser.map(|(factors, every)| self.decades(factors, every));
        // A single value would not say how far apart others are.
        if decades < 0.5 || ticks[0].len() < 2 {
            return self.linear_ticks(wanted);
        }
        let few = ticks.iter().position(|ticks| ticks.len() <= wanted + 2);
        ticks.into_iter().nth(few.unwrap_or(3)).unwrap_or_default()
    }

    /// The factors times every so manyth power of ten.
    fn decades(&self, factors: &[f64], every: i32) -> Vec<f64> {
        let first = self.low.log10().floor() as i32;
        let last = self.high.log10().ceil() as i32;
        (first..=last)
            .filter(|exponent| exponent.rem_euclid(every) == 0)
            .flat_map(|exponent| factors.iter().map(move |factor| factor * 10_f64.powi(exponent)))
            .filter(|value| *value >= self.low && *value <= self.high)
            .collect()
    }
}

/// A percentile's place on the scale of nines: p0 at 0, p90 at 1, p99 at 2 ...
pub fn nines(percentile: f64) -> f64 {
    -(1.0 - percentile / 100.0).max(1e-9).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_ticks_are_round_and_inside() {
        assert_eq!(
            Scale::from_zero(123_456.0, 0.0, 100.0).ticks(5),
            [0.0, 50_000.0, 100_000.0]
        );
        assert_eq!(
            Scale::linear(0.0, 10.0, 0.0, 1.0).ticks(5),
            [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
        );
        assert_eq!(Scale::linear(-2.0, 10.0, 0.0, 1.0).ticks(3), [0.0, 5.0, 10.0]);
    }

    #[test]
    fn the_widest_axis_has_few_ticks() {
        for (low, high) in [
            (1e-300, 1e300),
            (0.5, f64::INFINITY),
            (f64::NAN, 5.0),
            (f64::MIN_POSITIVE, 1.0),
        ] {
            let scale = Scale::logarithmic(low, high, 0.0, 1.0);
            let ticks = scale.ticks(5);
            assert!((1..=8).contains(&ticks.len()), "{low} to {high}: {ticks:?}");
            assert!(scale.place(1.0).is_finite());
        }
    }

    #[test]
    fn log_ticks_are_decades_or_parts_of_them() {
        assert_eq!(
            Scale::logarithmic(900.0, 2e6, 0.0, 1.0).ticks(5),
            [1e3, 1e4, 1e5, 1e6]
        );
        assert_eq!(Scale::logarithmic(0.6, 3.0, 0.0, 1.0).ticks(5), [1.0, 2.0]);
        // Of 1, 2 and 5 only one is within.
        assert_eq!(Scale::logarithmic(2.2, 6.6, 0.0, 1.0).ticks(4), [4.0, 6.0]);
        assert!(Scale::logarithmic(1.0, 1e15, 0.0, 1.0).ticks(5).len() <= 9);
    }

    #[test]
    fn places_are_within_the_axis_whatever_the_value() {
        for scale in [
            Scale::from_zero(0.0, 10.0, 20.0),
            Scale::logarithmic(0.0, 0.0, 10.0, 20.0),
            Scale::fitting(&[], 10.0, 20.0),
        ] {
            for value in [0.0, -5.0, 1e300, 0.5] {
                assert!((10.0..=20.0).contains(&scale.place(value)), "{scale:?} {value}");
            }
        }
        assert_eq!(Scale::linear(0.0, 4.0, 100.0, 0.0).place(1.0), 75.0);
    }

    #[test]
    fn a_linear_axis_gives_way_when_small_values_would_vanish() {
        assert!(!Scale::fitting(&[10.0, 200.0], 0.0, 1.0).is_logarithmic());
        assert!(Scale::fitting(&[10.0, 400.0], 0.0, 1.0).is_logarithmic());
    }

    #[test]
    fn the_other_axis_has_the_other_kind_and_needs_values_that_both_show() {
        let linear = Scale::fitting(&[10.0, 200.0], 5.0, 300.0);
        let other = linear.other(&[10.0, 200.0]).unwrap();
        assert!(other.is_logarithmic() && other.bounds().0 < 10.0 && other.bounds().1 > 200.0);
        assert_eq!((other.start(), other.end()), (5.0, 300.0));
        let back = other.other(&[10.0, 200.0]).unwrap();
        assert!(!back.is_logarithmic() && back.bounds().0 == 0.0);
        for values in [
            &[0.0, 200.0][..],
            &[-1.0, 5.0],
            &[f64::NAN, 5.0],
            &[100.0, 150.0],
            &[],
        ] {
            assert_eq!(linear.other(values), None, "{values:?}");
        }
    }

    #[test]
    fn each_nine_is_one_step() {
        assert!((nines(99.9) - 3.0).abs() < 1e-9 && nines(0.0).abs() < 1e-9);
    }
}
