//! Steps of equal ratio, which a logarithmic axis shows as equally wide.

/// No step is a smaller ratio than this: smaller ones would show the digits of the values as gaps.
const FINEST: f64 = 1.05;

/// Neighbouring steps of one ratio.
pub struct Bins {
    /// The logarithm of the lowest edge.
    from: f64,
    /// The logarithm of the ratio of a step.
    step: f64,
    count: usize,
}

impl Bins {
    /// At most `most` steps around all of the values, which are taken as 1 where they are below; `None` without a value.
    pub fn around(values: impl IntoIterator<Item = f64>, most: usize) -> Option<Self> {
        let (low, high) = values
            .into_iter()
            .filter(|value| value.is_finite())
            .map(logarithm)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        if low > high {
            return None;
        }
        let finest = FINEST.ln();
        let count = (((high - low) / finest).ceil() as usize).clamp(1, most.max(1));
        let step = ((high - low) / count as f64).max(finest);
        Some(Self {
            from: f64::midpoint(low, high) - step * count as f64 / 2.0,
            step,
            count,
        })
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The lower edge of a step; that of the step after the last one is the upper end.
    pub fn edge(&self, index: usize) -> f64 {
        (self.from + self.step * index as f64).exp()
    }

    /// How many values are in each step. Values outside belong to the nearest one.
    pub fn filled(&self, counts: &[(f64, u64)]) -> Vec<u64> {
        let mut filled = vec![0_u64; self.count];
        for &(value, count) in counts {
            let step = ((logarithm(value) - self.from) / self.step).floor().max(0.0) as usize;
            let here = &mut filled[step.min(self.count - 1)];
            *here = here.saturating_add(count);
        }
        filled
    }
}

fn logarithm(value: f64) -> f64 {
    value.max(1.0).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_in_a_step_and_steps_are_of_one_ratio() {
        let values = [0.0, 1.0, 30.0, 1e3, 1e12, 1e300];
        let bins = Bins::around(values, 40).unwrap();
        assert_eq!(bins.count(), 40);
        let ratio = |index: usize| bins.edge(index + 1) / bins.edge(index);
        assert!((ratio(0) / ratio(39) - 1.0).abs() < 1e-9);
        let filled = bins.filled(&values.map(|value| (value, 2)));
        assert_eq!(filled.iter().sum::<u64>(), 12);
        assert_eq!((filled[0], filled[1], filled[39]), (8, 2, 2));
        assert_eq!(bins.filled(&[(f64::INFINITY, 1)])[39], 1);
    }

    #[test]
    fn few_different_values_have_few_steps() {
        let one = Bins::around([500.0, 500.0], 40).unwrap();
        assert_eq!(one.count(), 1);
        assert!(one.edge(0) < 500.0 && one.edge(1) > 500.0);
        assert_eq!(Bins::around([100.0, 110.0], 40).unwrap().count(), 2);
        assert!(Bins::around([], 40).is_none());
        assert!(Bins::around([f64::NAN], 40).is_none());
    }
}
