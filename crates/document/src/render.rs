//! What can be shown as a document.

use crate::{Document, Style, html, markdown, terminal};

/// Something that people read: it builds its document, and has every format from it.
pub trait Render {
    /// The document.
    fn document(&self) -> Document;

    /// As text for a terminal; ends with a line feed.
    fn text(&self, style: Style) -> String {
        terminal(&self.document(), style)
    }

    /// As Markdown, for an issue, a README or a pull request; ends with a line feed.
    fn markdown(&self) -> String {
        markdown(&self.document())
    }

    /// As one page of HTML: nothing is loaded from anywhere, and the same document gives the same bytes.
    fn html(&self) -> String {
        html(&self.document())
    }
}
