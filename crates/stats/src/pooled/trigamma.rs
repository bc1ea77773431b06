//! The trigamma function and its inverse: the variance of the logarithm of a chi-squared variable.

/// The derivative of the digamma function at a positive number, by recurrence and its asymptotic series (Abramowitz and Stegun, Handbook of
/// Mathematical Functions, 6.4.6 and 6.4.12).
pub fn trigamma(x: f64) -> f64 {
    let (mut x, mut sum) = (x, 0.0);
    while x < 15.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = y * (1.0 / 6.0 - y * (1.0 / 30.0 - y * (1.0 / 42.0 - y * (1.0 / 30.0 - y * (5.0 / 66.0)))));
    sum + 1.0 / x * (1.0 + 0.5 / x + series)
}

/// The number whose trigamma is this positive one. Newton's method on the reciprocal, which is nearly a straight line (Smyth 2004, appendix).
pub fn inverse(y: f64) -> f64 {
    let derivative = |x: f64| {
        let step = 1e-5 * x;
        (trigamma(x + step) - trigamma(x - step)) / (2.0 * step)
    };
    let mut x = 0.5 + 1.0 / y;
    for _ in 0..50 {
        let value = trigamma(x);
        let change = value * (1.0 - value / y) / derivative(x);
        x += change;
        if change.abs() < 1e-10 * x {
            break;
        }
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        let squared = std::f64::consts::PI.powi(2);
        assert!((trigamma(1.0) - squared / 6.0).abs() < 1e-12);
        assert!((trigamma(0.5) - squared / 2.0).abs() < 1e-12);
        assert!((trigamma(100.0) - 0.010_050_166_663_333_57).abs() < 1e-15);
    }

    #[test]
    fn the_inverse_undoes_it() {
        for x in [0.05, 0.3, 1.0, 2.5, 4.0, 30.0, 1e4] {
            let found = inverse(trigamma(x));
            assert!((found / x - 1.0).abs() < 1e-7, "{x} {found}");
        }
    }
}
