//! Numbers as people print them in tables, with what their digits leave open. The units are those of [`dbdyno_vocabulary`]; the
//! digits are read here, because its readers neither take signs and separators of thousands nor say what the last printed
//! digit is worth.

use dbdyno_vocabulary::{Time, parse_number};

use super::column::Meaning;
use crate::{Figure, OfKind, Quantity};

/// What a cell without a number may say.
const ABSENT: [&str; 7] = ["", "-", "nan", "n/a", "na", "null", "none"];

/// A cell that should hold a number.
#[derive(Clone, Debug, PartialEq)]
pub enum Read {
    /// It does.
    Number(Figure),
    /// It says that there is none.
    Absent,
    /// It says something else.
    Unreadable,
}

/// Reads a cell of a column: `1,234.5`, `1M`, `12.5 s`, `8 ms`, `12%`. Units are those of the column's quantity, and are turned into the
/// column's own.
#[must_use]
pub fn read(text: &str, meaning: Option<&Meaning>) -> Read {
    let text = text.trim();
    if ABSENT.contains(&text.to_lowercase().as_str()) {
        return Read::Absent;
    }
    let end = text
        .char_indices()
        .find(|(at, letter)| !is_of_number(text, *at, *letter))
        .map_or(text.len(), |(at, _)| at);
    let (number, unit) = text.split_at(end);
    let Some((value, last_digit)) = number_of(number.trim_end()) else {
        return Read::Unreadable;
    };
    match factor(unit.trim(), meaning) {
        // A count says what it says, to the last digit.
        Some(1.0) if is_count(meaning) => Read::Number(Figure::exact(value)),
        Some(factor) => Read::Number(Figure::printed(value, last_digit) * factor),
        None => Read::Unreadable,
    }
}

fn is_count(meaning: Option<&Meaning>) -> bool {
    let Some(Meaning::Measured { quantity, .. }) = meaning else {
        return false;
    };
    matches!(
        quantity,
        Quantity::Operations | Quantity::Clients | Quantity::Records | Quantity::OfKind(_, OfKind::Succeeded)
    )
}

/// Digits, points, separators and signs; an `e` between digits.
fn is_of_number(text: &str, at: usize, letter: char) -> bool {
    let digit_around = || {
        let before = text[..at]
            .chars()
            .next_back()
            .is_some_and(|letter| letter.is_ascii_digit());
        let after = text[at + 1..].trim_start_matches(['+', '-']);
        before && after.starts_with(|letter: char| letter.is_ascii_digit())
    };
    match letter {
        'e' | 'E' => digit_around(),
        '+' | '-' => at == 0 || text[..at].ends_with(['e', 'E']),
        _ => {
            letter.is_ascii_digit() || matches!(letter, '.' | ',' | '_' | '\'' | ' ' | '\u{a0}' | '\u{202f}')
        }
    }
}

/// The value, and what its last digit is worth.
fn number_of(text: &str) -> Option<(f64, f64)> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let plain = without_separators(mantissa)?;
    let value = plain.parse::<f64>().ok()? * 10.0_f64.powi(exponent);
    let decimals = plain.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let decimals = i32::try_from(decimals).ok()?;
    let last_digit = 10.0_f64.powi(exponent.checked_sub(decimals)?);
    value.is_finite().then_some((value, last_digit))
}

/// Separators of thousands stand before groups of three digits, all the same one; what could be a decimal comma is refused.
fn without_separators(text: &str) -> Option<String> {
    let (whole, decimals) = match text.split_once('.') {
        Some((whole, decimals)) => (whole, Some(decimals)),
        None => (text, None),
    };
    if decimals
        .is_some_and(|decimals| decimals.is_empty() || !decimals.bytes().all(|digit| digit.is_ascii_digit()))
    {
        return None;
    }
    let separator = whole
        .chars()
        .find(|letter| !letter.is_ascii_digit() && !matches!(letter, '+' | '-'));
    let whole = match separator {
        None => whole.to_owned(),
        Some(separator) => {
            let groups: Vec<&str> = whole.split(separator).collect();
            let first = groups[0].trim_start_matches(['+', '-']);
            let rest = groups[1..].iter();
            let grouped = (1..=3).contains(&first.len())
                && rest
                    .clone()
                    .all(|group| group.len() == 3 && group.bytes().all(|digit| digit.is_ascii_digit()));
            if !grouped {
                return None;
            }
            groups.concat()
        }
    };
    Some(match decimals {
        Some(decimals) => format!("{whole}.{decimals}"),
        None => whole,
    })
}

/// What a unit multiplies by; `None` where it is not one of the column's.
fn factor(unit: &str, meaning: Option<&Meaning>) -> Option<f64> {
    if unit.is_empty() {
        return Some(1.0);
    }
    match meaning {
        Some(Meaning::Measured {
            quantity,
            unit: of_column,
        }) => match quantity {
            Quantity::Operations
            | Quantity::Clients
            | Quantity::Records
            | Quantity::OfKind(_, OfKind::Count | OfKind::Succeeded) => multiple(unit),
            Quantity::RunTime => Some(seconds(unit)? / of_column),
            Quantity::OfKind(..) => Some(seconds(unit)? * 1e6 / of_column),
            Quantity::Throughput | Quantity::Rate => {
                let of = ["ops/s", "op/s", "ops/sec", "req/s", "/s"]
                    .iter()
                    .find_map(|ending| unit.strip_suffix(ending))
                    .unwrap_or(unit);
                multiple(of.trim_end())
            }
        },
        Some(Meaning::Comparison { percent }) => match unit {
            "%" => Some(if *percent { 1.0 } else { 0.01 }),
            "x" | "\u{d7}" => Some(1.0),
            _ => None,
        },
        _ => multiple(unit),
    }
}

/// A unit of time, in seconds: those of dbdyno's own files, and what papers print besides. `m` is refused: next to a latency it
/// may as well stand for milliseconds.
fn seconds(unit: &str) -> Option<f64> {
    match unit {
        "sec" | "seconds" => Some(1.0),
        "m" => None,
        _ if is_word(unit) => Some(Time::parse(&format!("1{unit}")).ok()?.get().as_secs_f64()),
        _ => None,
    }
}

/// The suffix of a number: those of dbdyno's own files. `B` is refused: in a table it may as well stand for bytes.
fn multiple(unit: &str) -> Option<f64> {
    match unit {
        "" => Some(1.0),
        "B" => None,
        _ if is_word(unit) => parse_number(&format!("1{unit}")).ok(),
        _ => None,
    }
}

fn is_word(unit: &str) -> bool {
    unit.chars().all(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::column::meaning;

    #[test]
    fn numbers_as_people_print_them() {
        for (column, text, value, open) in [
            ("run_time_s", "12", 12.0, 1.5),
            ("run_time_s", "12.30", 12.3, 0.015),
            ("run_time_s", "125 s", 125.0, 1.5),
            ("run_time_s", "1500ms", 1.5, 0.0015),
            ("run_time_ms", "1.5 s", 1500.0, 150.0),
            ("run_time_s", "2 h", 7200.0, 5400.0),
            ("run_time_s", "3 min", 180.0, 90.0),
            ("read_avg_us", "7 \u{b5}s", 7.0, 1.5),
            ("ops", "2T", 2e12, 1.5e12),
            ("throughput_ops_s", "12,345", 12_345.0, 1.5),
            ("throughput_ops_s", "1 234 567.8", 1_234_567.8, 0.15),
            ("throughput_ops_s", "8.1k ops/s", 8100.0, 150.0),
            ("throughput_ops_s", "1.2e4", 12_000.0, 1500.0),
            ("read_avg_us", "0.83 ms", 830.0, 15.0),
            ("ops", "1M", 1e6, 1.5e6),
            ("ops", "1000000", 1e6, 0.0),
            ("speedup", "1.8x", 1.8, 0.15),
            ("overhead_pct", "-3.25%", -3.25, 0.015),
            ("run1", "1'234.5", 1234.5, 0.15),
        ] {
            match read(text, meaning(column).as_ref()) {
                Read::Number(figure) => {
                    assert!(
                        (figure.value() - value).abs() < 1e-9 * value.abs(),
                        "{text}: {figure:?}"
                    );
                    let width = figure.high() - figure.low();
                    assert!((width - open).abs() < 1e-6 * open.max(1.0), "{text}: {figure:?}");
                }
                other => panic!("{column} {text}: {other:?}"),
            }
        }
    }

    #[test]
    fn what_is_no_number_or_could_be_two_is_refused() {
        for (column, text) in [
            ("run_time_s", "fast"),
            ("run_time_s", "12,5"),
            ("run_time_s", "1,23,456"),
            ("run_time_s", "12 MB"),
            ("run_time_s", "00:12"),
            ("run_time_s", "12k"),
            ("run_time_s", "1 s 5ms"),
            ("run_time_s", "12m"),
            ("ops", "12B"),
            ("throughput_ops_s", "1m"),
            ("ops", "1.5.2"),
            ("ops", "1e999"),
            ("ops", "1-2"),
            ("ops", "."),
            ("ops", "e"),
        ] {
            assert_eq!(
                read(text, meaning(column).as_ref()),
                Read::Unreadable,
                "{column} {text}"
            );
        }
        for text in ["", " ", "-", "NaN", "n/a"] {
            assert_eq!(read(text, None), Read::Absent, "{text}");
        }
    }
}
