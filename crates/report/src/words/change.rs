//! How much something changed, in words: `12% lower (9 to 15)`.

use dbdyno_analysis::Undecided;

use crate::number::{self, Quantity};

/// From this ratio on, in either direction, times are clearer than percentages.
const TIMES: f64 = 2.0;

/// From this ratio on, a signed percentage would have three digits before the point.
const FACTOR: f64 = 3.0;

/// How far a ratio is from 1, with the interval: `12% lower (9 to 15)`, `1.2% higher (0.4% lower to 2.8% higher)`, `3.40x higher (3.10x to
/// 3.70x)`.
pub fn change(ratio: f64, interval: Option<(f64, f64)>) -> String {
    if !(ratio > 0.0 && ratio.is_finite()) {
        return "–".to_owned();
    }
    if ratio.max(1.0 / ratio) >= TIMES {
        return number::times(ratio, interval, Quantity::Level);
    }
    let Some((low, high)) = interval.filter(|(low, high)| *low > 0.0 && high.is_finite()) else {
        return direction(ratio);
    };
    // From the end that is nearer to 1.
    let (near, far) = if ratio >= 1.0 { (low, high) } else { (high, low) };
    if (near >= 1.0) == (far >= 1.0) && ratio != 1.0 {
        let [near, far] = [near, far].map(|end| percent(end).trim_end_matches('%').to_owned());
        return format!("{} ({near} to {far})", direction(ratio));
    }
    format!("{} ({} to {})", direction(ratio), direction(near), direction(far))
}

/// A change in few characters: `−12% (−15 to −9)`, `+1.2% (−0.4 to +2.8)`, `3.40x (3.10x to 3.70x)`.
pub fn signed(ratio: f64, interval: Option<(f64, f64)>) -> String {
    if !(ratio > 0.0 && ratio.is_finite()) {
        return "–".to_owned();
    }
    let is_factor = ratio >= FACTOR;
    let end = |ratio: f64| match is_factor {
        true => format!("{}x", number::ratio_digits(ratio)),
        false => signed_percent(ratio),
    };
    let inner = |ratio: f64| end(ratio).trim_end_matches('%').to_owned();
    let ends = interval.filter(|(low, high)| *low > 0.0 && high.is_finite());
    let ends = ends.map_or_else(String::new, |(low, high)| {
        format!(" ({} to {})", inner(low), inner(high))
    });
    format!("{}{ends}", end(ratio))
}

/// `−12%`, `0%`, `+3.4%`.
fn signed_percent(ratio: f64) -> String {
    match (percent(ratio).as_str(), ratio < 1.0) {
        ("0%", _) => "0%".to_owned(),
        (percent, true) => format!("−{percent}"),
        (percent, false) => format!("+{percent}"),
    }
}

/// `12% lower`, `no change`.
fn direction(ratio: f64) -> String {
    match (percent(ratio).as_str(), ratio < 1.0) {
        ("0%", _) => "no change".to_owned(),
        (percent, true) => format!("{percent} lower"),
        (percent, false) => format!("{percent} higher"),
    }
}

/// How far a ratio is from 1 in percent, whole from ten on.
fn percent(ratio: f64) -> String {
    let percent = (ratio - 1.0).abs() * 100.0;
    let text = if percent >= 9.95 {
        format!("{percent:.0}")
    } else {
        format!("{percent:.1}")
    };
    format!("{}%", text.strip_suffix(".0").unwrap_or(&text))
}

/// Why comparisons are undecided, after their number: `3 with too few trials`.
pub const fn undecided(why: Undecided) -> &'static str {
    match why {
        Undecided::TooFewTrials => "with too few trials",
        Undecided::Noise => "with too much noise",
        Undecided::ManyTests => "with too few trials for so many tests",
        Undecided::NearMargin => "with a change near the margin",
        Undecided::Invalid => "with invalid trials",
        Undecided::NoAnswers => "with operations that had no answer",
        Undecided::NeverSteady => "without a steady state",
        Undecided::OtherCores => "with the CPUs in another mode",
        Undecided::NoRatio => "with values of zero",
        Undecided::SameTrials => "with trials of both sides",
    }
}

/// Why a comparison is undecided, alone in a cell of a table.
pub const fn undecided_alone(why: Undecided) -> &'static str {
    match why {
        Undecided::TooFewTrials => "too few trials",
        Undecided::Noise => "too much noise",
        Undecided::ManyTests => "too few trials for so many tests",
        Undecided::NearMargin => "a change near the margin",
        Undecided::Invalid => "invalid trials",
        Undecided::NoAnswers => "operations had no answer",
        Undecided::NeverSteady => "no steady state",
        Undecided::OtherCores => "CPUs in another mode",
        Undecided::NoRatio => "values of zero",
        Undecided::SameTrials => "same trials",
    }
}

#[cfg(test)]
mod tests {
    use super::{change, signed};

    #[test]
    fn in_tables_the_sign_says_the_direction() {
        for (ratio, interval, expected) in [
            (0.88, Some((0.85, 0.91)), "−12% (−15 to −9)"),
            (1.012, Some((0.996, 1.028)), "+1.2% (−0.4 to +2.8)"),
            (1.0, Some((1.0, 1.0)), "0% (0 to 0)"),
            (3.4, Some((3.1, 3.7)), "3.40x (3.10x to 3.70x)"),
            (0.05, None, "−95%"),
            (0.0, None, "–"),
        ] {
            assert_eq!(signed(ratio, interval), expected);
        }
    }

    #[test]
    fn a_change_is_a_percentage_and_a_large_one_a_factor() {
        for (ratio, interval, expected) in [
            (0.88, Some((0.85, 0.91)), "12% lower (9 to 15)"),
            (1.05, Some((1.012, 1.2)), "5% higher (1.2 to 20)"),
            (0.97, Some((0.92, 1.02)), "3% lower (2% higher to 8% lower)"),
            (1.0, Some((1.0, 1.0)), "no change (no change to no change)"),
            (1.0001, None, "no change"),
            (3.4, Some((3.1, 3.7)), "3.40x higher (3.10x to 3.70x)"),
            (0.25, None, "4.00x lower"),
            (f64::NAN, None, "–"),
        ] {
            assert_eq!(change(ratio, interval), expected);
        }
    }
}
