//! Running text broken into lines, each word dressed.

use dbdyno_vocabulary::visible as seen;
use unicode_width::UnicodeWidthStr;

use super::shown;
use crate::{Inline, Style, Text, Tone};

/// How words look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dress {
    Plain,
    Bold,
    Toned(Tone),
}

impl Dress {
    fn on(self, text: &str, style: Style) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Bold => style.bold(text),
            Self::Toned(tone) => style.toned(text, tone),
        }
    }

    /// The dress of a part within words of this dress.
    fn of(self, part: &Inline) -> Self {
        match (part, self) {
            (Inline::Strong(_) | Inline::Name(..), Self::Plain) => Self::Bold,
            (Inline::Toned(tone, _), _) => Self::Toned(*tone),
            (Inline::Mark(mark), Self::Plain) => Self::Toned(mark.tone),
            _ => self,
        }
    }
}

/// Text from outside on one line, without characters that would drive the terminal.
pub(super) fn visible(text: &str) -> String {
    seen::text(text).replace(['\n', '\t'], " ")
}

/// Breaks at spaces so that no line is longer than `width`, if words allow; every line begins with `indent`.
#[must_use]
pub fn wrap(text: &str, width: usize, indent: &str) -> Vec<String> {
    wrapped(
        &Text::from(text),
        Dress::Plain,
        Style::plain(width),
        indent,
        indent,
    )
}

/// The lines of a text; the first begins with `first`, the others with `next`.
pub(super) fn wrapped(text: &Text, dress: Dress, style: Style, first: &str, next: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = Line::new(first);
    for word in words(text, dress) {
        let width: usize = word.iter().map(|(text, _)| text.width()).sum();
        if !line.is_empty() && line.width + 1 + width > style.width {
            lines.push(std::mem::replace(&mut line, Line::new(next)).written(style));
        }
        line.push(word, width);
    }
    if !line.is_empty() {
        lines.push(line.written(style));
    }
    lines
}

/// A word, which may consist of parts with different dresses.
type Word = Vec<(String, Dress)>;

/// The words of a text. Spaces that do not break stay within their word.
fn words(text: &Text, dress: Dress) -> Vec<Word> {
    let mut words: Vec<Word> = vec![Vec::new()];
    for part in &text.0 {
        let own = dress.of(part);
        let written = visible(&shown(part));
        for (index, piece) in written.split(' ').enumerate() {
            if index > 0 {
                words.push(Vec::new());
            }
            if let Some(word) = words.last_mut().filter(|_| !piece.is_empty()) {
                word.push((piece.to_owned(), own));
            }
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

struct Line {
    indent: String,
    words: Vec<Word>,
    width: usize,
}

impl Line {
    fn new(indent: &str) -> Self {
        Self {
            indent: indent.to_owned(),
            words: Vec::new(),
            width: indent.width(),
        }
    }

    fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    fn push(&mut self, word: Word, width: usize) {
        self.width += width + usize::from(!self.is_empty());
        self.words.push(word);
    }

    /// The line, with one escape sequence for neighbors of the same dress.
    fn written(self, style: Style) -> String {
        let mut parts: Vec<(String, Dress)> = Vec::new();
        for (index, word) in self.words.into_iter().enumerate() {
            for (at, (text, dress)) in word.into_iter().enumerate() {
                let space = index > 0 && at == 0;
                match parts.last_mut() {
                    Some((before, own)) if *own == dress => {
                        before.push_str(if space { " " } else { "" });
                        before.push_str(&text);
                    }
                    Some((before, _)) => {
                        before.push_str(if space { " " } else { "" });
                        parts.push((text, dress));
                    }
                    None => parts.push((text, dress)),
                }
            }
        }
        let written = parts.iter().map(|(text, dress)| dress.on(text, style));
        std::iter::once(self.indent).chain(written).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces_and_not_within_numbers() {
        assert_eq!(
            wrap("one two 1\u{202f}000 three", 10, "  "),
            ["  one two", "  1\u{202f}000", "  three"]
        );
        assert_eq!(wrap("unbreakable", 4, ""), ["unbreakable"]);
        assert!(wrap(" \n ", 10, "").is_empty());
    }

    #[test]
    fn wide_letters_count_twice() {
        assert_eq!(wrap("東京 東京", 8, ""), ["東京", "東京"]);
        assert_eq!(wrap("東京 東京", 9, ""), ["東京 東京"]);
    }

    #[test]
    fn neighbors_of_one_dress_share_a_sequence() {
        let text = Text::from("a b ").strong("c d").plain("e");
        let style = Style {
            color: true,
            width: 80,
        };
        assert_eq!(
            wrapped(&text, Dress::Plain, style, "", ""),
            ["a b \u{1b}[1mc d\u{1b}[0me"]
        );
    }
}
