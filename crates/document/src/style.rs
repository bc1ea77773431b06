//! How text for a terminal is dressed.

use crate::Tone;

/// Decided once by the caller (flags, terminal or not, `NO_COLOR`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether escape sequences may be written.
    pub color: bool,
    /// Columns to fit into.
    pub width: usize,
}

impl Style {
    /// No escape sequences, `width` columns.
    #[must_use]
    pub const fn plain(width: usize) -> Self {
        Self { color: false, width }
    }

    /// Bold: headings.
    #[must_use]
    pub fn bold(&self, text: &str) -> String {
        self.wrap(text, "1")
    }

    /// Faint: what is not evidence.
    #[must_use]
    pub fn dim(&self, text: &str) -> String {
        self.toned(text, Tone::Faint)
    }

    /// Green: shown to be better.
    #[must_use]
    pub fn good(&self, text: &str) -> String {
        self.toned(text, Tone::Good)
    }

    /// Red: shown to be worse, or invalid.
    #[must_use]
    pub fn bad(&self, text: &str) -> String {
        self.toned(text, Tone::Bad)
    }

    /// Yellow: needs care.
    #[must_use]
    pub fn warn(&self, text: &str) -> String {
        self.toned(text, Tone::Warning)
    }

    /// In the color of a tone.
    #[must_use]
    pub fn toned(&self, text: &str, tone: Tone) -> String {
        match tone {
            Tone::Good => self.wrap(text, "32"),
            Tone::Bad => self.wrap(text, "31"),
            Tone::Warning => self.wrap(text, "33"),
            Tone::Faint => self.wrap(text, "2"),
            Tone::Plain | Tone::Same => text.to_owned(),
        }
    }

    fn wrap(self, text: &str, code: &str) -> String {
        if self.color && !text.is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }
}
