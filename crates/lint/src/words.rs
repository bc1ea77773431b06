//! Numbers and lists in sentences.

pub use dbdyno_vocabulary::number::{share, whole_share};
pub use dbdyno_vocabulary::words::plural;

/// Four significant digits, as people write them: no exponent, no zeros at the end.
pub fn number(value: f64) -> String {
    let digits = value.abs().log10().floor();
    let decimals = if digits.is_finite() {
        (3.0 - digits).clamp(0.0, 6.0)
    } else {
        0.0
    };
    let text = format!("{value:.*}", decimals as usize);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// `a, b and c`; of more than eight things only the first eight are named.
pub fn list(things: &[String]) -> String {
    const MOST: usize = 8;
    match things {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] if things.len() <= MOST => format!("{} and {last}", first.join(", ")),
        _ => format!("{} and {} more", things[..MOST].join(", "), things.len() - MOST),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        for (value, expected) in [
            (1836.577, "1837"),
            (16.435_333, "16.44"),
            (0.745, "0.745"),
            (20000.0, "20000"),
            (1.0, "1"),
            (-33.93, "-33.93"),
            (0.0, "0"),
        ] {
            assert_eq!(number(value), expected);
        }
    }

    #[test]
    fn long_lists_are_cut() {
        let things: Vec<String> = (1..=10).map(|number| number.to_string()).collect();
        assert_eq!(list(&things[..1]), "1");
        assert_eq!(list(&things[..3]), "1, 2 and 3");
        assert_eq!(list(&things), "1, 2, 3, 4, 5, 6, 7, 8 and 2 more");
    }
}
