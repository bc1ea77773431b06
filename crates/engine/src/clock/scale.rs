//! From ticks of a counter to nanoseconds by one multiplication and a shift.

/// A linear map from a tick count to nanoseconds since the count `base`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    base: u64,
    /// Nanoseconds per tick, times 2^32. The map's own error is below 1e-9 for counters above 250 MHz.
    multiplier: u64,
}

const SHIFT: u32 = 32;

impl Scale {
    /// The map of a counter that went through `ticks` in `nanoseconds`; `None` when that is no plausible clock
    /// (below 100 MHz, above 100 GHz).
    pub(super) fn new(base: u64, ticks: u64, nanoseconds: u64) -> Option<Self> {
        if ticks == 0 || nanoseconds == 0 {
            return None;
        }
        let multiplier = (u128::from(nanoseconds) << SHIFT) / u128::from(ticks);
        let plausible = (1_u128 << SHIFT) / 100..=(1_u128 << SHIFT) * 10;
        plausible.contains(&multiplier).then_some(Self {
            base,
            multiplier: multiplier as u64,
        })
    }

    /// Nanoseconds from the base to this count; 0 before it.
    #[inline(always)]
    pub(super) fn nanoseconds(self, count: u64) -> u64 {
        let ticks = count.saturating_sub(self.base);
        ((u128::from(ticks) * u128::from(self.multiplier)) >> SHIFT) as u64
    }

    /// Nanoseconds of so many ticks.
    pub(super) fn duration_ns(self, ticks: u64) -> u64 {
        self.nanoseconds(self.base.saturating_add(ticks))
    }

    /// A map that runs this many times as fast.
    #[cfg(test)]
    pub(super) fn times(self, factor: f64) -> Self {
        Self {
            multiplier: (self.multiplier as f64 * factor) as u64,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_years_are_ten_years() {
        // A 2.1 GHz counter, calibrated over 5 ms.
        let scale = Scale::new(1_000, 10_500_000, 5_000_000).unwrap();
        let ten_years_ns: u64 = 10 * 365 * 86_400 * 1_000_000_000;
        let ticks = u128::from(ten_years_ns) * 21 / 10;
        let error = scale.nanoseconds(1_000 + ticks as u64).abs_diff(ten_years_ns);
        assert!((error as f64) < ten_years_ns as f64 * 1e-9, "{error} ns off");
        assert_eq!(scale.nanoseconds(0), 0);
    }

    #[test]
    fn implausible_counters_are_refused() {
        assert!(Scale::new(0, 0, 5_000_000).is_none());
        assert!(Scale::new(0, 10_000, 5_000_000).is_none(), "2 MHz");
        assert!(Scale::new(0, 5_000_000, 0).is_none());
    }
}
