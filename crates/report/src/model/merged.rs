//! One sentence for the messages of several trials: what all of them say, with the range of every measured number, and a list of
//! the levels that the trials have.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use dbdyno_record::TrialRecord;
use dbdyno_vocabulary::parse_number;

use crate::number;
use crate::readable::readable;

/// Fewer words than these, common to all messages, say nothing without the others.
const FEWEST_WORDS: usize = 4;
/// More names than these are not listed.
const MOST_NAMES: usize = 3;

/// Between the thousands of a count.
const THIN: char = '\u{202f}';

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

/// Thousands, directly behind a number.
const THOUSANDS: [(char, f64); 4] = [('k', 1e3), ('M', 1e6), ('G', 1e9), ('T', 1e12)];

/// What a trial was asked to do in numbers, by factor.
#[derive(Clone, Debug, Default)]
pub struct TrialLevels(BTreeMap<String, f64>);

/// What was said of a trial.
pub struct Said<'a> {
    /// Where, if a place stands before the message. Its numbers are names, such as that of a run, unless they are levels.
    pub place: &'a str,
    /// The message of the finding.
    pub message: &'a str,
    /// The levels of the trial.
    pub levels: TrialLevels,
}

/// A place of one message, and the levels of its trial.
type Placed<'a> = (&'a Piece, &'a TrialLevels);

impl TrialLevels {
    /// The levels of a trial. Records and clients are asked for in every study, whether or not they vary.
    pub fn of(trial: &TrialRecord) -> Self {
        let always = [
            ("records", trial.workload.records as f64),
            ("clients", f64::from(trial.settings.clients)),
        ];
        let always = always.map(|(factor, level)| (factor.to_owned(), level));
        let named = trial.factors.iter().filter_map(|(factor, level)| {
            let level = parse_number(level).ok()?;
            Some((factor.clone(), level))
        });
        Self(always.into_iter().chain(named).collect())
    }
}

impl Said<'_> {
    /// All of it, as people read it.
    fn text(&self) -> String {
        format!("{}{}", self.beginning(), readable(self.message))
    }

    fn beginning(&self) -> String {
        match self.place {
            "" => String::new(),
            place => format!("{place}: "),
        }
    }

    fn pieces(&self) -> Vec<Piece> {
        let is_level = |piece: &Piece| self.levels.0.values().any(|level| piece.is(*level));
        let of_place = pieces(&self.beginning()).into_iter().map(|piece| match piece {
            Piece::Number { ref text, .. } if !is_level(&piece) => Piece::Name(text.clone()),
            other => other,
        });
        of_place.chain(pieces(&readable(self.message))).collect()
    }
}

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

/// One sentence for the messages of findings with this code; empty without any.
pub fn merged(code: &str, said: &[Said<'_>]) -> String {
    let messages: Vec<String> = said.iter().map(Said::text).collect();
    let Some((first, others)) = messages.split_first() else {
        return String::new();
    };
    if others.iter().all(|other| other == first) {
        return first.clone();
    }
    joined(said)
        .or_else(|| common(&messages))
        .unwrap_or_else(|| format!("{}: for example, {first}", in_words(code)))
}

/// The sentence with a list or a range for each number that differs; `None` where words differ.
fn joined(said: &[Said<'_>]) -> Option<String> {
    let all: Vec<Vec<Piece>> = said.iter().map(Said::pieces).collect();
    let (first, others) = all.split_first()?;
    if others.iter().any(|other| other.len() != first.len()) {
        return None;
    }
    let written: Option<Vec<String>> = (0..first.len())
        .map(|place| {
            let pieces = all.iter().map(|message| &message[place]);
            let levels = said.iter().map(|said| &said.levels);
            let placed: Vec<Placed<'_>> = pieces.zip(levels).collect();
            listed(&placed).or_else(|| range(placed.iter().map(|(piece, _)| *piece)))
        })
        .collect();
    written.map(|written| written.concat())
}

/// The levels of one factor, where the number of each message is that of its trial: nothing was measured between them.
fn listed(placed: &[Placed<'_>]) -> Option<String> {
    let (_, first) = placed.first()?;
    let is_level_of = |factor: &&String| {
        placed.iter().all(|(piece, levels)| {
            let level = levels.0.get(*factor);
            level.is_some_and(|level| piece.is(*level))
        })
    };
    first.0.keys().find(is_level_of)?;
    let mut pieces: Vec<&Piece> = placed.iter().map(|(piece, _)| *piece).collect();
    pieces.sort_by(|one, other| order(one, other).unwrap_or(Ordering::Equal));
    let mut texts: Vec<&str> = pieces.into_iter().map(Piece::text).collect();
    texts.dedup();
    Some(number::list(&texts))
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
    /// Whether it is this number without a unit, as people write it or in full.
    fn is(&self, level: f64) -> bool {
        match self {
            Self::Number {
                value,
                dimension: Dimension::None,
                text,
            } => *value == level || *text == number::quantity(level),
            _ => false,
        }
    }

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
    let is_part = |letter: char| letter.is_ascii_digit() || letter == '.' || letter == THIN;
    let digits = text.split(|letter: char| !is_part(letter)).next()?;
    let digits = digits.trim_end_matches(['.', THIN]);
    let value: f64 = digits.replace(THIN, "").parse().ok()?;
    let after = &text[digits.len()..];
    // `001-redb-a` is the name of a trial: those between two of them are others.
    if after.starts_with(['-', '_', '~']) {
        return None;
    }
    let thousands = THOUSANDS.into_iter().find(|(sign, _)| {
        let rest = after.strip_prefix(*sign);
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    });
    let unit = after.strip_prefix(' ').and_then(|after| {
        let word = after.split(|letter: char| !letter.is_alphabetic()).next()?;
        UNITS.into_iter().find(|(name, ..)| *name == word)
    });
    let (length, scale, dimension) = match (thousands, unit) {
        (Some((sign, scale)), _) => (digits.len() + sign.len_utf8(), scale, Dimension::None),
        (None, Some((name, scale, dimension))) => (digits.len() + 1 + name.len(), scale, dimension),
        (None, None) => (digits.len(), 1.0, Dimension::None),
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
    // A sentence of which most is left out says nothing either.
    (start + end >= FEWEST_WORDS && 2 * (start + end) >= shortest).then(|| {
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
    use super::{Said, TrialLevels};

    /// The messages of trials without levels.
    fn merged(code: &str, messages: &[&str]) -> String {
        let said = messages.iter().map(|message| Said {
            place: "",
            message,
            levels: TrialLevels::default(),
        });
        super::merged(code, &said.collect::<Vec<_>>())
    }

    /// The messages of trials with these levels.
    fn merged_at<const FACTORS: usize>(messages: &[(&str, [(&str, f64); FACTORS])]) -> String {
        let said = messages.iter().map(|(message, levels)| Said {
            place: "",
            message,
            levels: TrialLevels(levels.map(|(factor, level)| (factor.to_owned(), level)).into()),
        });
        super::merged("x", &said.collect::<Vec<_>>())
    }

    #[test]
    fn levels_are_listed_and_measured_numbers_become_ranges() {
        let said = |clients: u32, share: f64| format!("{clients} clients used {share}% of one CPU for 1.2 s");
        let messages = [(16, 97.0), (4, 41.5), (8, 63.0), (4, 30.25)];
        let messages = messages.map(|(clients, share)| (clients, said(clients, share)));
        let messages: Vec<(&str, [(&str, f64); 2])> = messages
            .iter()
            .map(|(clients, message)| {
                let levels = [("clients", f64::from(*clients)), ("records", 1000.0)];
                (message.as_str(), levels)
            })
            .collect();
        assert_eq!(
            merged_at(&messages),
            "4, 8 and 16 clients used 30.25 to 97% of one CPU for 1.2 s"
        );
        assert_eq!(
            merged_at(&[
                (
                    "16 clients asked for 20.0k/s and got 19.1k/s",
                    [("clients", 16.0), ("rate", 20_000.0)]
                ),
                (
                    "4 clients asked for 500/s and got 498/s",
                    [("clients", 4.0), ("rate", 500.0)]
                ),
            ]),
            "4 and 16 clients asked for 500 and 20.0k/s and got 498 to 19.1k/s"
        );
        assert_eq!(
            merged_at(&[
                ("of 1\u{202f}000\u{202f}000 records", [("records", 1e6)]),
                ("of 12.3k records", [("records", 12_345.0)]),
            ]),
            "of 12.3k and 1\u{202f}000\u{202f}000 records"
        );
    }

    #[test]
    fn a_number_is_a_level_only_if_it_is_that_of_every_trial() {
        let of = |last: u32| {
            merged_at(&[
                ("4 clients were abandoned", [("clients", 4.0)]),
                ("8 clients were abandoned", [("clients", 8.0)]),
                ("16 clients were abandoned", [("clients", f64::from(last))]),
            ])
        };
        assert_eq!(of(16), "4, 8 and 16 clients were abandoned");
        assert_eq!(of(32), "4 to 16 clients were abandoned");
        // A time is no number of clients, and a level of one factor none of another.
        assert_eq!(
            merged_at(&[
                ("held for 4 ms", [("clients", 4.0)]),
                ("held for 8 ms", [("clients", 8.0)])
            ]),
            "held for 4 ms to 8 ms"
        );
        assert_eq!(
            merged_at(&[("4 nodes", [("clients", 4.0)]), ("8 nodes", [("nodes", 8.0)])]),
            "4 to 8 nodes"
        );
    }

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
    fn a_number_in_a_place_is_a_name_unless_it_is_a_level() {
        let said = [("PostgreSQL 14", 4, 2), ("PostgreSQL 18", 16, 5)].map(|(system, clients, run)| {
            let place = format!("{system}, workload a, clients = {clients}, run {run}");
            (place, f64::from(clients), format!("{}/s is far off", run * 100))
        });
        let said = said.each_ref().map(|(place, clients, message)| Said {
            place,
            message,
            levels: TrialLevels([("clients".to_owned(), *clients)].into()),
        });
        assert_eq!(
            super::merged("x", &said),
            "PostgreSQL 14 or 18, workload a, clients = 4 and 16, run 2 or 5: 200 to 500/s is far off"
        );
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
    fn a_sentence_is_not_told_without_most_of_its_words() {
        let said = [
            "the answers paused for a third of the time (0.3 s of 1.0 s)",
            "the throughput of the phase changed in its last 0.4 s of 1.0 s",
        ];
        assert_eq!(
            merged("no-steady-state", &said),
            format!("No steady state: for example, {}", said[0])
        );
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
