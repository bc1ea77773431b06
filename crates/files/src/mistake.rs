//! One mistake in a file: where it is, what it is, and what mends it.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// One mistake in a document, at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Byte range in the document.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What mends it.
    pub help: String,
}

/// Stands between message and help in the one text that an error of serde carries.
const HELP: char = '\u{1f}';
/// Stands for the key whose value is wrong, which a type that reads itself does not know.
pub(crate) const KEY: &str = "\u{1e}key\u{1e}";
/// Stands for the type of the value that is wrong.
const TYPE: &str = "\u{1e}type\u{1e}";

/// The text of an error of serde that becomes a mistake with this message and help.
pub(crate) fn text(message: &str, help: &str) -> String {
    format!("{message}{HELP}{help}")
}

/// The text of an error about a value of a wrong type.
pub(crate) fn wrong_type(wanted: &str) -> String {
    text(&format!("`{KEY}` is {TYPE}"), &format!("it wants {wanted}"))
}

impl Mistake {
    /// A mistake at `span`.
    pub fn new(span: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            help: help.into(),
        }
    }

    /// The mistake that serde found in this document.
    pub(crate) fn found(error: &toml::de::Error, document: &DeTable<'_>) -> Self {
        let span = error.span().unwrap_or(0..0);
        let (message, help) = error.message().split_once(HELP).unwrap_or((error.message(), ""));
        let (key, kind) = place_of(document, &span).unwrap_or_default();
        let fill = |text: &str| text.replace(KEY, &key).replace(TYPE, &with_article(kind));
        Self::new(span, fill(message), fill(help))
    }
}

/// The name of the innermost key around this place, and the type of what stands there.
fn place_of(table: &DeTable<'_>, span: &Range<usize>) -> Option<(String, &'static str)> {
    table.iter().find_map(|(key, value)| {
        let (inner, kind) = within(value, span)?;
        Some((inner.unwrap_or_else(|| key.get_ref().to_string()), kind))
    })
}

/// What stands at this place in a value, and under which key of a table in it.
fn within(value: &Spanned<DeValue<'_>>, span: &Range<usize>) -> Option<(Option<String>, &'static str)> {
    if value.span() == *span {
        return Some((None, value.get_ref().type_str()));
    }
    match value.get_ref() {
        DeValue::Array(items) => items.iter().find_map(|item| within(item, span)),
        DeValue::Table(table) => place_of(table, span).map(|(key, kind)| (Some(key), kind)),
        _ => None,
    }
}

fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {noun}")
}
