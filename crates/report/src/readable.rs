//! Sizes and times in settings as servers state them.

use crate::number;

/// The text with long numbers of bytes and of small units of time as people write them: `33554432 bytes of pages` becomes
/// `32.0 MiB of pages`.
pub fn readable(text: &str) -> String {
    let mut written: Vec<String> = Vec::new();
    let mut words = text.split(' ').peekable();
    while let Some(word) = words.next() {
        match words.peek().and_then(|unit| quantity(word, unit)) {
            Some(quantity) => {
                words.next();
                written.push(quantity);
            }
            None => written.push(word.to_owned()),
        }
    }
    written.join(" ")
}

/// A number and its unit, with what encloses them; `None` of anything else.
fn quantity(word: &str, unit: &str) -> Option<String> {
    let digits = word.trim_start_matches('(');
    if !digits.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    let value: f64 = digits.parse().ok()?;
    let name = unit.trim_end_matches([')', ',', ';', ':', '.']);
    let written = match name {
        "bytes" if value >= 1024.0 => number::bytes(value),
        "ns" => number::duration_ns(value),
        "us" => number::duration_ns(value * 1e3),
        _ => return None,
    };
    let (before, after) = (&word[..word.len() - digits.len()], &unit[name.len()..]);
    Some(format!("{before}{written}{after}"))
}

#[cfg(test)]
mod tests {
    use super::readable;

    #[test]
    fn long_numbers_get_a_unit_that_people_read() {
        for (text, expected) in [
            ("33554432 bytes of pages", "32.0 MiB of pages"),
            ("sent late (4050.9 us), by 1%", "sent late (4.05 ms), by 1%"),
            ("10 fields of 100 bytes", "10 fields of 100 bytes"),
            ("fewer than 1000 operations", "fewer than 1000 operations"),
            ("268435456 bytes", "256 MiB"),
            ("inf us, 12", "inf us, 12"),
            ("", ""),
        ] {
            assert_eq!(readable(text), expected);
        }
    }
}
