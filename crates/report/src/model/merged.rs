//! One sentence for the messages of several trials: what all of them say, with the range of every number.

use std::cmp::Ordering;

use crate::readable::readable;

/// Fewer words than these, common to all messages, say nothing without the others.
const FEWEST_WORDS: usize = 4;
/// More names than these are not listed.
const MOST_NAMES: usize = 3;

/// Units that stand behind a number, with what one of them is in the smallest; a number has them or not.
const UNITS: [(&str, f64, Dimension); 10] = [
    ("ns", 1.0, Dimension::Time),
    ("µs", 1e3, Dimension::Time),
    ("ms", 1e6, Dimension::Time),
    ("s", 1e9, Dimension::Time),
    ("min", 60e9, Dimension::Time),
    ("B", 1.0, Dimension::Size),
    ("KiB", 1024.0, Dimension::Size),
    ("MiB", 1_048_576.0, Dimension::Size),
    ("GiB", 1_073_741_824.0, Dimension::Size),
    ("TiB", 1_099_511_627_776.0, Dimension::Size),
];

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dimension {
    None,
    Time,
    Size,
}

/// A part of a message.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Words(String),
    /// In backticks, with them.
    Name(String),
    Number {
        value: f64,
        dimension: Dimension,
        text: String,
    },
}

/// One sentence for distinct messages of findings with this code; empty without any.
pub fn merged(code: &str, messages: &[&str]) -> String {
    let messages: Vec<String> = messages.iter().map(|message| readable(message)).collect();
    match messages.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first, ..] => ranges(&messages)
            .or_else(|| common(&messages))
            .unwrap_or_else(|| format!("{}: for example, {first}", in_words(code))),
    }
}

/// The sentence with a range for each number that differs; `None` where words differ.
fn ranges(messages: &[String]) -> Option<String> {
    let all: Vec<Vec<Piece>> = messages.iter().map(|message| pieces(message)).collect();
    let (first, others) = all.split_first()?;
    if others.iter().any(|other| other.len() != first.len()) {
        return None;
    }
    let places = 0..first.len();
    let written: Option<Vec<String>> = places
        .map(|place| range(all.iter().map(|message| &message[place])))
        .collect();
    written.map(|written| written.concat())
}

/// The same place of all messages.
fn range<'a>(mut pieces: impl Iterator<Item = &'a Piece>) -> Option<String> {
    let first = pieces.next()?;
    if matches!(first, Piece::Name(_)) {
        return names(std::iter::once(first).chain(pieces));
    }
    let (mut low, mut high) = (first, first);
    for piece in pieces {
        match order(piece, first)? {
            Ordering::Equal if piece == first => {}
            _ if order(piece, low)? == Ordering::Less => low = piece,
            _ if order(piece, high)? == Ordering::Greater => high = piece,
            _ => {}
        }
    }
    let (low, high) = (low.text(), high.text());
    Some(if low == high {
        low.to_owned()
    } else {
        format!("{low} to {high}")
    })
}

/// The names at the same place.
fn names<'a>(pieces: impl Iterator<Item = &'a Piece>) -> Option<String> {
    let mut names: Vec<&str> = Vec::new();
    for piece in pieces {
        let Piece::Name(name) = piece else { return None };
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    if names.len() > MOST_NAMES {
        names.truncate(MOST_NAMES - 1);
        names.push("others");
    }
    Some(names.join(" or "))
}

/// Which of two pieces is larger; `None` where they have no order.
fn order(one: &Piece, other: &Piece) -> Option<Ordering> {
    match (one, other) {
        (Piece::Words(one), Piece::Words(other)) => (one == other).then_some(Ordering::Equal),
        (
            Piece::Number {
                value: one,
                dimension: of_one,
                ..
            },
            Piece::Number {
                value: other,
                dimension: of_other,
                ..
            },
        ) => (of_one == of_other).then(|| one.total_cmp(other)),
        _ => None,
    }
}

impl Piece {
    fn text(&self) -> &str {
        match self {
            Self::Words(text) | Self::Name(text) | Self::Number { text, .. } => text,
        }
    }
}

/// Numbers with their units, names, and what is between them.
fn pieces(message: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut words = String::new();
    let mut rest = message;
    while let Some(next) = rest.chars().next() {
        if let Some(end) = rest.strip_prefix('`').and_then(|name| name.find('`')) {
            if !words.is_empty() {
                pieces.push(Piece::Words(std::mem::take(&mut words)));
            }
            let (name, after) = rest.split_at(end + 2);
            pieces.push(Piece::Name(name.to_owned()));
            rest = after;
            continue;
        }
        // A digit within a name is no number of its own.
        let is_free = words.is_empty() || words.ends_with([' ', '(']);
        match is_free.then(|| number(rest)).flatten() {
            Some((number, length)) => {
                if !words.is_empty() {
                    pieces.push(Piece::Words(std::mem::take(&mut words)));
                }
                pieces.push(number);
                rest = &rest[length..];
                // What follows belongs to the words, even another digit.
                if let Some(after) = rest.chars().next() {
                    words.push(after);
                    rest = &rest[after.len_utf8()..];
                }
            }
            None => {
                words.push(next);
                rest = &rest[next.len_utf8()..];
            }
        }
    }
    if !words.is_empty() {
        pieces.push(Piece::Words(words));
    }
    pieces
}

/// A number that the text begins with, and its length.
fn number(text: &str) -> Option<(Piece, usize)> {
    let is_part = |letter: char| letter.is_ascii_digit() || letter == '.';
    let digits = text.split(|letter: char| !is_part(letter)).next()?;
    let digits = digits.trim_end_matches('.');
    let value: f64 = digits.parse().ok()?;
    let after = &text[digits.len()..];
    // `001-redb-a` is the name of a trial: those between two of them are others.
    if after.starts_with(['-', '_', '~']) {
        return None;
    }
    let unit = after.strip_prefix(' ').and_then(|after| {
        let word = after.split(|letter: char| !letter.is_alphabetic()).next()?;
        UNITS.into_iter().find(|(name, ..)| *name == word)
    });
    let (length, scale, dimension) = match unit {
        Some((name, scale, dimension)) => (digits.len() + 1 + name.len(), scale, dimension),
        None => (digits.len(), 1.0, Dimension::None),
    };
    let number = Piece::Number {
        value: value * scale,
        dimension,
        text: text[..length].to_owned(),
    };
    Some((number, length))
}

/// The words that all messages begin and end with; `None` where these are few.
fn common(messages: &[String]) -> Option<String> {
    let all: Vec<Vec<&str>> = messages
        .iter()
        .map(|message| message.split(' ').collect())
        .collect();
    let (first, others) = all.split_first()?;
    let shortest = all.iter().map(Vec::len).min()?;
    let is_common = |of: &dyn Fn(&[&str]) -> bool| others.iter().all(|other| of(other));
    let start = (0..shortest)
        .take_while(|&place| is_common(&|other| other[place] == first[place]))
        .count();
    let end = (0..shortest - start)
        .take_while(|&place| {
            is_common(&|other| other[other.len() - 1 - place] == first[first.len() - 1 - place])
        })
        .count();
    (start + end >= FEWEST_WORDS).then(|| {
        let parts = [&first[..start], &["…"], &first[first.len() - end..]];
        parts.concat().join(" ")
    })
}

/// The code of findings as the beginning of a sentence.
fn in_words(code: &str) -> String {
    let words = code.rsplit('.').next().unwrap_or(code).replace('-', " ");
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::merged;

    #[test]
    fn names_are_listed() {
        let said = |share: u32, name: &str| {
            format!("other processes used {share}% of CPU time, most of it `{name}` (limit: 10%)")
        };
        let merged_of = |names: &[&str]| {
            let messages: Vec<String> = names
                .iter()
                .map(|name| said(20 + name.len() as u32, name))
                .collect();
            merged("host", &messages.iter().map(String::as_str).collect::<Vec<_>>())
        };
        assert_eq!(
            merged_of(&["cc", "rustc", "cc"]),
            "other processes used 22 to 25% of CPU time, most of it `cc` or `rustc` (limit: 10%)"
        );
        let many = merged_of(&["a", "bb", "ccc", "dddd"]);
        assert!(many.contains("most of it `a` or `bb` or others (limit"), "{many}");
    }

    #[test]
    fn numbers_become_ranges() {
        assert_eq!(
            merged(
                "scheduling-lag",
                &[
                    "1% of operations by more than 4050.9 us",
                    "1% of operations by more than 850 us",
                    "1% of operations by more than 2504.7 us",
                ]
            ),
            "1% of operations by more than 850 µs to 4.05 ms"
        );
        assert_eq!(
            merged(
                "cpu-saturated",
                &["used 97.5% of all CPUs", "used 94.3% of all CPUs"]
            ),
            "used 94.3 to 97.5% of all CPUs"
        );
        assert_eq!(
            merged("host-throttled", &["held back for 1.2 s", "held back for 90 ms"]),
            "held back for 90 ms to 1.2 s"
        );
    }

    #[test]
    fn different_words_leave_what_all_say() {
        assert_eq!(
            merged(
                "few-samples",
                &[
                    "fewer than 1000 operations of update (611): their p99 is a matter of chance",
                    "fewer than 1000 operations of read (208), update (12): their p99 is a matter of chance",
                ]
            ),
            "fewer than 1000 operations of … their p99 is a matter of chance"
        );
    }

    #[test]
    fn messages_with_nothing_in_common_are_an_example() {
        assert_eq!(
            merged("lint.duration", &["220 operations", "38 of 38 lines"]),
            "Duration: for example, 220 operations"
        );
        assert_eq!(merged("any", &["one message"]), "one message");
        assert_eq!(merged("any", &[]), "");
    }

    #[test]
    fn names_with_digits_are_words() {
        assert_eq!(
            merged("x", &["thread clients-1 used 97%", "thread clients-2 used 97%"]),
            "X: for example, thread clients-1 used 97%"
        );
        assert_eq!(
            merged(
                "lint.duration",
                &[
                    "redb, workload a, trial 001-redb-a: 220 operations",
                    "redb, workload a, trial 004-redb-a: 38 operations",
                ]
            ),
            "redb, workload a, trial … operations"
        );
    }
}
