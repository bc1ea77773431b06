//! The page of a request that has no answer: what is wrong with it, and where to go on.

use dbdyno_document::{Block, Document, Text, html};

/// The page. `text` says what to do.
pub(crate) fn page(title: &str, text: impl Into<Text>) -> String {
    html(&Document {
        kind: "live".to_owned(),
        title: title.to_owned(),
        about: Text::new().link("all results", "/"),
        body: vec![Block::paragraph(text)],
        ..Document::default()
    })
}
