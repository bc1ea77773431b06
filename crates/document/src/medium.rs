//! The formats that a part of a document is written to.

use std::ops::BitOr;

/// A set of formats. Most of a document goes to all of them; a few parts suit only some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Media(u8);

impl Media {
    /// Text on a terminal.
    pub const TERMINAL: Self = Self(1);
    /// Markdown, in GitHub's dialect.
    pub const MARKDOWN: Self = Self(2);
    /// One HTML page.
    pub const PAGE: Self = Self(4);
    /// LaTeX, to be included in a paper.
    pub const LATEX: Self = Self(8);
    /// Every format.
    pub const ALL: Self = Self(15);

    /// Whether all formats in `other` belong to this set.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl BitOr for Media {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Default for Media {
    fn default() -> Self {
        Self::ALL
    }
}
