//! The order in which people read names that people wrote, of systems, versions and workloads: numbers by value, before text.

use crate::{Rate, Size, Time};

/// What a name is sorted by: its numbers, and the text between them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NaturalKey {
    parts: Vec<Part>,
    /// Two writings of one number are two names.
    name: String,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// The bits of a number that is not negative, which have the order of the numbers.
    Number(u64),
    Text(String),
}

impl NaturalKey {
    /// The key of a name.
    #[must_use]
    pub fn new(name: &str) -> Self {
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut rest = name;
        while let Some(next) = rest.chars().next() {
            // `lz4` and `5.0.1` have digits, and no quantities.
            let is_inside = text.ends_with(|last: char| last.is_alphanumeric() || last == '.');
            match number(rest, is_inside) {
                Some((value, length)) => {
                    if !text.is_empty() {
                        parts.push(Part::Text(std::mem::take(&mut text)));
                    }
                    parts.push(Part::Number(value.to_bits()));
                    rest = &rest[length..];
                }
                None => {
                    text.push(next);
                    rest = &rest[next.len_utf8()..];
                }
            }
        }
        if !text.is_empty() {
            parts.push(Part::Text(text));
        }
        Self {
            parts,
            name: name.to_owned(),
        }
    }

    /// Whether the name begins with a number.
    #[must_use]
    pub fn is_number(&self) -> bool {
        matches!(self.parts.first(), Some(Part::Number(_)))
    }
}

/// The number that a text begins with, and its length: a quantity with its unit, or else digits alone.
fn number(text: &str, is_inside: bool) -> Option<(f64, usize)> {
    let digits = text.split(|letter: char| !letter.is_ascii_digit()).next()?;
    if digits.is_empty() {
        return None;
    }
    let word = text
        .split(|letter: char| letter.is_whitespace() || ",;:()=&".contains(letter))
        .next()?;
    let quantity = (!is_inside).then(|| quantity(word)).flatten();
    match quantity {
        Some(value) => Some((value, word.len())),
        None => Some((digits.parse().ok()?, digits.len())),
    }
}

fn quantity(word: &str) -> Option<f64> {
    // `2m` is two minutes, and would be two million a second.
    let time = Time::parse(word).ok().map(|time| time.get().as_nanos() as f64);
    let rate = || Rate::parse(word).ok().map(Rate::get);
    let size = || Some(Size::parse(word).ok()?.get() as f64);
    time.or_else(rate).or_else(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_sort_by_value_and_before_text() {
        for expected in [
            &["2", "16", "50k", "1M", "a"][..],
            &["500/s", "1k/s", "1.5k/s", "20k/s", "closed loop"],
            &["64KiB", "512MiB", "1GiB"],
            &["100ms", "1s", "2m"],
            &["lz4", "lz10", "zstd"],
            &["redis@5.0.9", "redis@5.0.10", "redis@10.1.0"],
            &["redb, workload a, clients = 4", "redb, workload a, clients = 16"],
            &["lab:redis?nodes=3&x=1", "lab:redis?nodes=12&x=1"],
            &["redb", "redb (A/A)", "redb cache=off"],
        ] {
            let mut names = expected.to_vec();
            names.reverse();
            names.sort_by_key(|name| NaturalKey::new(name));
            assert_eq!(names, expected);
        }
    }

    #[test]
    fn two_writings_of_one_number_are_two_names() {
        assert_ne!(NaturalKey::new("1k"), NaturalKey::new("1000"));
        assert!(NaturalKey::new("007").is_number() && !NaturalKey::new("x7").is_number());
    }
}
