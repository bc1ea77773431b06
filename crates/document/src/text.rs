//! Running text: words with emphasis, links, names and marks.

/// A piece of running text.
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
    /// The name of a system in the color with that index.
    Name(String, usize),
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
        self.0.extend(other.into().0);
        self
    }

    /// Adds a part.
    #[must_use]
    pub fn with(mut self, part: Inline) -> Self {
        self.0.push(part);
        self
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
            | Self::Name(words, _)
            | Self::Toned(_, words) => words.clone(),
            Self::Bar(_) => String::new(),
            Self::Mark(mark) if mark.sign.is_empty() => String::new(),
            Self::Mark(mark) => mark.sign.to_owned(),
            Self::References(numbers) => runs(numbers),
            Self::Series(parts) => parts.iter().map(Self::flat).collect::<Vec<_>>().join(", "),
        }
    }
}

/// Numbers in ascending order, neighbors joined, with a space before: ` [1-3, 7]`.
pub(crate) fn runs(numbers: &[usize]) -> String {
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
        Self::new().plain(words.as_str())
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
}
