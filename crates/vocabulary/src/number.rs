//! Measured figures for people: three significant digits, units always.

use crate::{Text, text};

/// `value` with three significant digits and no exponent, e.g. `4.10`, `41.0`, `410`.
fn three_digits(value: f64) -> String {
    let magnitude = value.abs();
    let decimals = if magnitude >= 99.95 || magnitude == 0.0 {
        0
    } else if magnitude >= 9.995 {
        1
    } else if magnitude >= 0.9995 {
        2
    } else {
        3
    };
    format!("{value:.decimals$}")
}

/// Scales `value` by the largest step it reaches after rounding. `steps` ascend; the first one is the base unit.
fn scaled(value: f64, steps: &[(f64, &'static str)]) -> (f64, &'static str) {
    let mut chosen = steps[0];
    for &step in steps {
        if value.abs() >= step.0 * 0.9995 {
            chosen = step;
        }
    }
    (value / chosen.0, chosen.1)
}

const THOUSANDS: [(f64, &str); 5] = [(1.0, ""), (1e3, "k"), (1e6, "M"), (1e9, "G"), (1e12, "T")];

/// A quantity without a unit, e.g. `12.3k`, `1.00M`, `850`; whole numbers below 1000 stay whole.
#[must_use]
pub fn quantity(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value.fract() == 0.0 && value.abs() < 1000.0 {
        return format!("{value:.0}");
    }
    let (value, unit) = scaled(value, &THOUSANDS);
    format!("{}{unit}", three_digits(value))
}

/// Operations per second, e.g. `12.3k/s`.
#[must_use]
pub fn rate(per_second: f64) -> String {
    format!("{}/s", quantity(per_second))
}

/// A duration given in nanoseconds, e.g. `850 ns`, `4.10 µs`, `12.3 ms`, `2.00 s`, `3.5 min`.
#[must_use]
pub fn duration_ns(nanoseconds: f64) -> String {
    if !nanoseconds.is_finite() {
        return "–".to_owned();
    }
    if nanoseconds.abs() >= 120e9 {
        return format!("{:.1} min", nanoseconds / 60e9);
    }
    let steps = [(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")];
    let (value, unit) = scaled(nanoseconds, &steps);
    if unit == "ns" && value.fract() == 0.0 {
        return format!("{value:.0} ns");
    }
    format!("{} {unit}", three_digits(value))
}

/// A figure of which only a lower bound is known.
#[must_use]
pub fn at_least(bound: &str) -> String {
    format!(">= {bound}")
}

/// A value in words, as a lower bound where only that is known.
pub fn bounded(value: String, is_bound: bool) -> String {
    if is_bound { at_least(&value) } else { value }
}

/// A latency, of which only a lower bound may be known; a dash where there is none.
#[must_use]
pub fn latency(latency_ns: Option<u64>, bound: bool) -> String {
    match latency_ns.map(|latency| duration_ns(latency as f64)) {
        None => "–".to_owned(),
        Some(latency) if bound => at_least(&latency),
        Some(latency) => latency,
    }
}

/// A share from 0 to 1 as a percentage, e.g. `3.8%`, `95%`: no zero after the point.
#[must_use]
pub fn share(part: f64) -> String {
    let percent = part * 100.0;
    if percent != 0.0 && percent.abs() < 0.1 {
        return format!("{percent:.2}%");
    }
    if percent.abs() >= 99.95 {
        return format!("{percent:.0}%");
    }
    let text = format!("{percent:.1}");
    format!("{}%", text.strip_suffix(".0").unwrap_or(&text))
}

/// A share of which whole percents are enough, e.g. `4%`; below one percent as [`share`].
#[must_use]
pub fn whole_share(part: f64) -> String {
    if part.abs() < 0.01 {
        share(part)
    } else {
        format!("{:.0}%", part * 100.0)
    }
}

/// A ratio, e.g. `1.83×`.
#[must_use]
pub fn ratio(value: f64) -> String {
    let digits = ratio_digits(value);
    if value.is_finite() {
        format!("{digits}×")
    } else {
        digits
    }
}

/// What a ratio is of, which decides the words for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// More is faster: throughput.
    Speed,
    /// A height and no speed: latency, memory, anything else.
    Level,
}

/// A ratio in the direction that is above one, with its interval: `3.30x as fast (3.10x to 3.50x)`, `1.02x lower (1.01x higher to
/// 1.05x lower)`.
#[must_use]
pub fn times(ratio: f64, interval: Option<(f64, f64)>, quantity: Quantity) -> String {
    if !is_ratio(ratio) {
        return "–".to_owned();
    }
    let (word, _) = compared(ratio, quantity);
    format!("{} {word}{}", above_one(ratio), ends(ratio, interval, quantity))
}

/// The same with what it is relative to: `3.30x as fast as redb (3.10x to 3.50x)`, `38.0x lower than redb`.
#[must_use]
pub fn times_than(
    ratio: f64,
    interval: Option<(f64, f64)>,
    quantity: Quantity,
    than: impl Into<Text>,
) -> Text {
    if !is_ratio(ratio) {
        return text!["no ratio to ", than];
    }
    let (word, joint) = compared(ratio, quantity);
    let first = format!("{} {word} {joint} ", above_one(ratio));
    text![first, than, ends(ratio, interval, quantity)]
}

fn is_ratio(ratio: f64) -> bool {
    ratio.is_finite() && ratio > 0.0
}

/// A ratio, or its reverse if that is above one.
fn above_one(ratio: f64) -> String {
    format!("{}x", ratio_digits(ratio.max(1.0 / ratio)))
}

/// How something compares, and the word before what it is compared with.
fn compared(ratio: f64, quantity: Quantity) -> (&'static str, &'static str) {
    let is_equal = above_one(ratio) == "1.00x";
    match quantity {
        Quantity::Speed if ratio >= 1.0 || is_equal => ("as fast", "as"),
        Quantity::Level if is_equal => ("as high", "as"),
        Quantity::Level if ratio >= 1.0 => ("higher", "than"),
        Quantity::Speed | Quantity::Level => ("lower", "than"),
    }
}

/// The interval of a ratio, its end near one first; nothing without one.
fn ends(ratio: f64, interval: Option<(f64, f64)>, quantity: Quantity) -> String {
    let Some((low, high)) = interval.filter(|(low, high)| *low > 0.0 && high.is_finite()) else {
        return String::new();
    };
    let (near, far) = if ratio >= 1.0 { (low, high) } else { (high, low) };
    let is_one_way = (near >= 1.0) == (far >= 1.0);
    let end = |ratio: f64| match is_one_way {
        true => above_one(ratio),
        false => format!("{} {}", above_one(ratio), compared(ratio, quantity).0),
    };
    format!(" ({} to {})", end(near), end(far))
}

/// A ratio without its sign, for both ends of an interval.
#[must_use]
pub fn ratio_digits(value: f64) -> String {
    if !value.is_finite() {
        "–".to_owned()
    } else if value.abs() >= 9.995 {
        three_digits(value)
    } else if value.abs() < 0.0995 {
        format!("{value:.3}")
    } else {
        format!("{value:.2}")
    }
}

/// An amount of money without its currency, in three digits: `0.000227`, `1.23`, `142`.
#[must_use]
pub fn money(value: f64) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value == 0.0 {
        return "0".to_owned();
    }
    let digits = value.abs().log10().floor() as i32;
    match digits {
        // Zeros that nobody counts.
        ..-9 => format!("{value:.2e}"),
        -9..2 => format!("{value:.*}", (2 - digits) as usize),
        _ => format!("{value:.0}"),
    }
}

/// Bytes in binary units, e.g. `23.5 GiB`.
#[must_use]
pub fn bytes(value: f64) -> String {
    let steps = [
        (1.0, "B"),
        (1024.0, "KiB"),
        (1_048_576.0, "MiB"),
        (1_073_741_824.0, "GiB"),
        (1_099_511_627_776.0, "TiB"),
    ];
    let (value, unit) = scaled(value, &steps);
    if unit == "B" {
        format!("{value:.0} B")
    } else {
        format!("{} {unit}", three_digits(value))
    }
}

/// A count in full, with thin groups: `1 234 567` (narrow no-break spaces).
#[must_use]
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() * 2);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A percentile's short name, e.g. `p50`, `p99.9`.
#[must_use]
pub fn percentile(percentile: f64) -> String {
    format!("p{percentile}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_has_three_digits() {
        for (value, expected) in [
            (0.0, "0"),
            (0.000_226_67, "0.000227"),
            (0.0816, "0.0816"),
            (1.2345, "1.23"),
            (59.568, "59.6"),
            (142.4, "142"),
            (12_345.6, "12346"),
            (1.5e-12, "1.50e-12"),
            (f64::INFINITY, "–"),
        ] {
            assert_eq!(money(value), expected);
        }
    }

    #[test]
    fn three_significant_digits_and_a_unit() {
        assert_eq!(rate(12_345.0), "12.3k/s");
        assert_eq!(rate(999.0), "999/s");
        assert_eq!(rate(999.7), "1.00k/s");
        assert_eq!(rate(4_380_000.0), "4.38M/s");
        assert_eq!(duration_ns(850.0), "850 ns");
        assert_eq!(duration_ns(4_100.0), "4.10 µs");
        assert_eq!(duration_ns(999_960.0), "1.00 ms");
        assert_eq!(duration_ns(12_345_678.0), "12.3 ms");
        assert_eq!(duration_ns(210e9), "3.5 min");
        assert_eq!(share(0.0378), "3.8%");
        assert_eq!(share(0.0003), "0.03%");
        assert_eq!(share(1.0), "100%");
        assert_eq!(share(0.07), "7%");
        assert_eq!(share(0.0), "0%");
        assert_eq!(whole_share(0.0378), "4%");
        assert_eq!(whole_share(0.004), "0.4%");
        assert_eq!(ratio(1.834), "1.83×");
        assert_eq!(ratio(0.0412), "0.041×");
        assert_eq!(bytes(25_232_932_864.0), "23.5 GiB");
        assert_eq!(count(1_234_567), "1\u{202f}234\u{202f}567");
        assert_eq!(quantity(0.0), "0");
        assert_eq!(quantity(f64::NAN), "–");
    }

    #[test]
    fn a_ratio_is_stated_in_the_direction_above_one() {
        let speed = |ratio, interval| times_than(ratio, interval, Quantity::Speed, "redb").flat();
        assert_eq!(
            speed(3.3, Some((3.1, 3.5))),
            "3.30x as fast as redb (3.10x to 3.50x)"
        );
        assert_eq!(speed(0.5, None), "2.00x lower than redb");
        assert_eq!(speed(f64::NAN, None), "no ratio to redb");
        let level = |ratio, interval| times(ratio, interval, Quantity::Level);
        assert_eq!(
            level(1.0 / 38.0, Some((1.0 / 41.0, 1.0 / 35.0))),
            "38.0x lower (35.0x to 41.0x)"
        );
        assert_eq!(
            level(0.98, Some((0.95, 1.01))),
            "1.02x lower (1.01x higher to 1.05x lower)"
        );
        assert_eq!(level(1.6, None), "1.60x higher");
        assert_eq!(level(1.0, None), "1.00x as high");
    }

    proptest::proptest! {
        #[test]
        fn no_ratio_is_below_one_and_the_reverse_says_the_same_number(
            log in -12.0_f64..12.0, below in 0.0_f64..2.0, above in 0.0_f64..2.0, is_speed: bool
        ) {
            let quantity = if is_speed { Quantity::Speed } else { Quantity::Level };
            let interval = ((log - below).exp(), (log + above).exp());
            let text = times(log.exp(), Some(interval), quantity);
            let numbers = |text: &str| -> Vec<f64> {
                let is_apart = |letter: char| !(letter.is_ascii_digit() || letter == '.');
                text.split(is_apart).filter_map(|part| part.parse().ok()).collect()
            };
            proptest::prop_assert_eq!(numbers(&text).len(), 3);
            proptest::prop_assert!(numbers(&text).iter().all(|number| *number >= 1.0), "{}", text);
            let reversed = times((-log).exp(), Some(((-log - above).exp(), (below - log).exp())), quantity);
            proptest::prop_assert_eq!(numbers(&text)[0], numbers(&reversed)[0], "{} {}", &text, reversed);
            let is_below = text.split(" (").next().unwrap_or_default().ends_with("lower");
            proptest::prop_assert_eq!(is_below, log < 0.0 && numbers(&text)[0] > 1.0, "{}", text);
        }
    }

    #[test]
    fn the_micro_sign_is_the_micro_sign() {
        assert!(duration_ns(4_100.0).contains('\u{b5}'));
    }
}
