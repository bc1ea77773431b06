//! How close two systems are shown to be: what the interval of their ratio rules out.

use crate::number::Quantity;

/// A bound as it is written: rounded up, so that no ratio within it lies beyond what is written.
pub fn at_most(bound: f64) -> String {
    let hundredths = bound * 100.0;
    // What a bound misses its hundredth by is an error of floating point, not of the measurement.
    let whole = hundredths.round();
    let up = if (hundredths - whole).abs() < 1e-6 {
        whole
    } else {
        hundredths.ceil()
    };
    format!("{:.2}x", up / 100.0)
}

/// `neither is more than 1.12x as fast as the other`.
pub fn neither(bound: f64, quantity: Quantity) -> String {
    let how = match quantity {
        Quantity::Speed => "fast",
        Quantity::Level => "high",
    };
    format!("neither is more than {} as {how} as the other", at_most(bound))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_written_so_that_it_holds() {
        assert_eq!(at_most(1.1101), "1.12x");
        assert_eq!(at_most(1.11), "1.11x");
        assert_eq!(at_most(1.0 / 0.8), "1.25x");
        assert_eq!(
            neither(1.119, Quantity::Speed),
            "neither is more than 1.12x as fast as the other"
        );
    }
}
