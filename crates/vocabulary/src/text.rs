//! Running text: words with emphasis, links, names and marks. Whoever writes a sentence marks what its words are.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::shown_name;

/// A piece of running text. For programs it is one string.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text(pub Vec<Inline>);

/// A part of running text.
#[derive(Clone, Debug, PartialEq)]
pub enum Inline {
    /// Words.
    Plain(String),
    /// Words that stand out.
    Strong(String),
    /// Words in another voice, e.g. a title or a variable.
    Emphasis(String),
    /// Something that a machine reads: a path, an expression, a key.
    Code(String),
    /// Words that lead somewhere.
    Link(String, Target),
    /// The name of a system, as files have it; people read [`shown_name`](crate::shown_name).
    Name(String),
    /// A value as people read it, and its exact writing for programs.
    Value {
        /// For people.
        shown: String,
        /// For programs.
        exact: String,
    },
    /// Words that are colored by what they mean.
    Toned(Tone, String),
    /// A share from 0 to 1 as a bar. Pages only; its value is written beside it.
    Bar(f64),
    /// A sign with a meaning.
    Mark(Mark),
    /// Numbers of the document's references, e.g. `[1-3, 7]`.
    References(Vec<usize>),
    /// Many names, separated by commas. A terminal shows the first few and counts the others.
    Series(Vec<Inline>),
}

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A section, figure or reference of this document, by its id.
    Anchor(String),
    /// A web address, or a path relative to the document. Other schemes are not linked.
    Address(String),
}

/// What a statement, a cell or a word means for the reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Nothing in particular.
    #[default]
    Plain,
    /// Shown to be better.
    Good,
    /// Shown to be worse, failed or invalid.
    Bad,
    /// Needs care, or was refused.
    Warning,
    /// Shown to be equivalent.
    Same,
    /// Not evidence: undecided or secondary.
    Faint,
}

impl Tone {
    /// Its name in a page's style sheet.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Warning => "warning",
            Self::Same => "same",
            Self::Faint => "faint",
        }
    }
}

/// A sign beside a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The sign; an empty one keeps the values of a column aligned on a page.
    pub sign: &'static str,
    /// Its meaning in words, for screen readers.
    pub meaning: &'static str,
    /// How it is colored.
    pub tone: Tone,
}

impl Text {
    /// No words yet.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds words.
    #[must_use]
    pub fn plain(self, words: impl Into<String>) -> Self {
        self.with(Inline::Plain(words.into()))
    }

    /// Adds words that stand out.
    #[must_use]
    pub fn strong(self, words: impl Into<String>) -> Self {
        self.with(Inline::Strong(words.into()))
    }

    /// Adds the name of a system.
    #[must_use]
    pub fn name(self, name: impl Into<String>) -> Self {
        self.with(Inline::Name(name.into()))
    }

    /// Adds words in another voice.
    #[must_use]
    pub fn emphasis(self, words: impl Into<String>) -> Self {
        self.with(Inline::Emphasis(words.into()))
    }

    /// Adds something that a machine reads.
    #[must_use]
    pub fn code(self, words: impl Into<String>) -> Self {
        self.with(Inline::Code(words.into()))
    }

    /// Adds words that lead to a part of the document.
    #[must_use]
    pub fn anchor(self, words: impl Into<String>, id: impl Into<String>) -> Self {
        self.with(Inline::Link(words.into(), Target::Anchor(id.into())))
    }

    /// Adds words that lead to an address.
    #[must_use]
    pub fn link(self, words: impl Into<String>, address: impl Into<String>) -> Self {
        self.with(Inline::Link(words.into(), Target::Address(address.into())))
    }

    /// Adds words in a tone.
    #[must_use]
    pub fn toned(self, tone: Tone, words: impl Into<String>) -> Self {
        self.with(Inline::Toned(tone, words.into()))
    }

    /// Adds references, unless there are none.
    #[must_use]
    pub fn references(self, numbers: &[usize]) -> Self {
        if numbers.is_empty() {
            self
        } else {
            self.with(Inline::References(numbers.to_vec()))
        }
    }

    /// Adds another text.
    #[must_use]
    pub fn text(mut self, other: impl Into<Self>) -> Self {
        self.push(other);
        self
    }

    /// Adds a part.
    #[must_use]
    pub fn with(mut self, part: Inline) -> Self {
        self.push(part);
        self
    }

    /// Puts another text at the end. Plain words that follow each other are one part.
    pub fn push(&mut self, other: impl Into<Self>) {
        for part in other.into().0 {
            match (self.0.last_mut(), part) {
                (_, Inline::Plain(none)) if none.is_empty() => {}
                (Some(Inline::Plain(words)), Inline::Plain(more)) => words.push_str(&more),
                (_, part) => self.0.push(part),
            }
        }
    }

    /// Texts with the same words between them.
    #[must_use]
    pub fn joined<T: Into<Self>>(texts: impl IntoIterator<Item = T>, between: &str) -> Self {
        let mut joined = Self::new();
        for (index, text) in texts.into_iter().enumerate() {
            if index > 0 {
                joined.push(between);
            }
            joined.push(text);
        }
        joined
    }

    /// `a`, `a and b`, `a, b and c`.
    #[must_use]
    pub fn list<T: Into<Self>>(texts: impl IntoIterator<Item = T>) -> Self {
        let mut texts: Vec<Self> = texts.into_iter().map(Into::into).collect();
        let last = texts.pop().unwrap_or_default();
        if texts.is_empty() {
            return last;
        }
        Self::joined(texts, ", ").plain(" and ").text(last)
    }

    /// The names of systems as a list: `a`, `a and b`, `a, b and c`.
    #[must_use]
    pub fn names<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::list(names.into_iter().map(named))
    }

    /// Whether it has no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.flat().is_empty()
    }

    /// The words alone, for places that take no markup.
    #[must_use]
    pub fn flat(&self) -> String {
        self.0.iter().map(Inline::flat).collect()
    }

    /// The words for programs: backticks enclose what a machine reads, and values are exact.
    #[must_use]
    pub fn exact(&self) -> String {
        self.0.iter().map(Inline::exact).collect()
    }
}

impl Inline {
    /// The words alone.
    #[must_use]
    pub fn flat(&self) -> String {
        match self {
            Self::Plain(words)
            | Self::Strong(words)
            | Self::Emphasis(words)
            | Self::Code(words)
            | Self::Link(words, _)
            | Self::Toned(_, words) => words.clone(),
            Self::Name(name) => shown_name(name).into_owned(),
            Self::Value { shown, .. } => shown.clone(),
            Self::Bar(_) => String::new(),
            Self::Mark(mark) if mark.sign.is_empty() => String::new(),
            Self::Mark(mark) => mark.sign.to_owned(),
            Self::References(numbers) => runs(numbers),
            Self::Series(parts) => parts.iter().map(Self::flat).collect::<Vec<_>>().join(", "),
        }
    }

    /// The words for programs.
    fn exact(&self) -> String {
        match self {
            Self::Code(words) => format!("`{words}`"),
            Self::Name(name) => name.clone(),
            Self::Value { exact, .. } => exact.clone(),
            Self::Series(parts) => parts.iter().map(Self::exact).collect::<Vec<_>>().join(", "),
            part => part.flat(),
        }
    }
}

/// The name of a system, marked as one.
#[must_use]
pub fn named(name: impl Into<String>) -> Text {
    Text::new().name(name)
}

/// A text of parts, in their order: `text![named(system), " has the highest ", metric, "."]`.
#[macro_export]
macro_rules! text {
    ($($part:expr),+ $(,)?) => { $crate::Text::new()$(.text($part))+ };
}

impl fmt::Display for Text {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.flat())
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.exact())
    }
}

/// Numbers in ascending order, neighbors joined, with a space before: ` [1-3, 7]`.
fn runs(numbers: &[usize]) -> String {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for number in sorted {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let written = runs.into_iter().map(|(first, last)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        }
    });
    format!(" [{}]", written.collect::<Vec<_>>().join(", "))
}

impl From<&str> for Text {
    fn from(words: &str) -> Self {
        Self::new().plain(words)
    }
}

impl From<String> for Text {
    fn from(words: String) -> Self {
        Self::new().plain(words)
    }
}

impl From<&String> for Text {
    fn from(words: &String) -> Self {
        Self::new().plain(words)
    }
}

impl From<&Self> for Text {
    fn from(text: &Self) -> Self {
        text.clone()
    }
}

impl From<Inline> for Text {
    fn from(part: Inline) -> Self {
        Self(vec![part])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_join_neighbors() {
        let text = Text::from("so it is").references(&[3, 1, 2, 7, 7]);
        assert_eq!(text.flat(), "so it is [1-3, 7]");
        assert_eq!(Text::from("so").references(&[]).flat(), "so");
    }

    #[test]
    fn parts_are_marked_where_they_are_written() {
        let name = |name: &str| Inline::Name(name.to_owned());
        let plain = |words: &str| Inline::Plain(words.to_owned());
        let text = text![
            "Of ",
            Text::names(["a", "b", "c"]),
            ", ",
            format!("{} lead", 2),
            "."
        ];
        let expected = [
            plain("Of "),
            name("a"),
            plain(", "),
            name("b"),
            plain(" and "),
            name("c"),
            plain(", 2 lead."),
        ];
        assert_eq!(text.0, expected);
        assert_eq!(Text::names(["a"]), named("a"));
        assert_eq!(Text::list::<&str>([]), Text::new());
    }

    #[test]
    fn programs_read_one_string_with_exact_values() {
        let size = Inline::Value {
            shown: "4.00 KiB".to_owned(),
            exact: "4096 bytes".to_owned(),
        };
        let text = text![named("redb"), ": ", size, ", see "].code("--quick");
        let json = serde_json::to_string(&text).unwrap();
        assert_eq!(json, "\"redb: 4096 bytes, see `--quick`\"");
        assert_eq!(text.flat(), "redb: 4.00 KiB, see --quick");
    }
}
