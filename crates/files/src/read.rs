//! Reads a file. Every mistake is shown at its place, with what mends it.

use std::ops::Range;

use dbdyno_vocabulary::suggest;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::Mistake;

/// A key without which a table means nothing: its name, what is wrong without it, and what mends that.
pub type Required = (&'static str, String, String);

/// A file that is one table.
pub trait FileTable: DeserializeOwned {
    /// The text of a file that has nothing but what every file must have.
    const LEAST: &'static str;

    /// Every key that is unknown or missing. In a table with an unknown key none is missing: that one may be it, mistyped.
    fn check(document: &DeTable<'_>) -> Vec<Mistake>;
}

/// Reads the text of a file.
///
/// # Errors
/// The first mistake in it; [`crate::read_all`] finds all.
pub fn read<T: FileTable>(text: &str) -> Result<T, Mistake> {
    let document = parse(text)?;
    if let Some(mistake) = T::check(document.get_ref()).into_iter().next() {
        return Err(mistake);
    }
    T::deserialize(toml::Deserializer::from(document.clone()))
        .map_err(|error| Mistake::found(&error, document.get_ref()))
}

/// The document in a text.
pub(crate) fn parse(text: &str) -> Result<Spanned<DeTable<'_>>, Mistake> {
    DeTable::parse(text).map_err(|error| {
        Mistake::new(
            error.span().unwrap_or(0..0),
            format!("this is not TOML: {}", error.message()),
            "the format is described at https://toml.io",
        )
    })
}

/// Checks the keys of a table that becomes a `T`; `span` is where the table stands, for a key that is missing.
pub(crate) fn check<'de, T: Deserialize<'de>>(
    table: &DeTable<'_>,
    span: &Range<usize>,
    required: impl IntoIterator<Item = Required>,
) -> Vec<Mistake> {
    let known = crate::keys::of::<T>();
    let mut mistakes = Vec::new();
    for key in table.keys() {
        let name: &str = key.get_ref();
        if !known.contains(&name) {
            mistakes.push(Mistake::new(
                key.span(),
                format!(
                    "unknown key `{name}`{}",
                    suggest::after_message(name, known.iter().copied())
                ),
                format!("the keys here are {}", known.join(", ")),
            ));
        }
    }
    if mistakes.is_empty() {
        let missing = required.into_iter().filter(|(key, ..)| !table.contains_key(*key));
        mistakes.extend(missing.map(|(_, message, help)| Mistake::new(span.clone(), message, help)));
    }
    mistakes
}

/// The table under this key, where there is one. What is something else is refused later, by its type.
pub(crate) fn table<'t>(document: &'t DeTable<'t>, key: &str) -> Option<(&'t DeTable<'t>, Range<usize>)> {
    placed_table(document.get(key)?)
}

/// The tables under this key.
pub(crate) fn tables<'t>(
    document: &'t DeTable<'t>,
    key: &str,
) -> impl Iterator<Item = (&'t DeTable<'t>, Range<usize>)> {
    let array = document.get(key).and_then(|value| value.get_ref().as_array());
    array.into_iter().flatten().filter_map(placed_table)
}

fn placed_table<'t>(value: &'t Spanned<DeValue<'t>>) -> Option<(&'t DeTable<'t>, Range<usize>)> {
    Some((value.get_ref().as_table()?, value.span()))
}
