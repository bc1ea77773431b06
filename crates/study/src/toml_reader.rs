//! Reads a TOML document table by table, so that every mistake can be shown at its place in the file, in our words.
//!
//! Serde's derive would lose the place of a value that is well-formed but wrong (a workload that does not exist), and
//! could not say which spelling of a key was meant.

use std::ops::Range;

use dbdyno_vocabulary::suggest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

pub use dbdyno_files::{Entry, Mistake, Placed};

/// Reads a document.
///
/// # Errors
/// When it is not TOML, with the place.
pub fn document(text: &str) -> Result<Spanned<DeTable<'_>>, Mistake> {
    DeTable::parse(text).map_err(|error| {
        Mistake::new(
            error.span().unwrap_or(0..0),
            format!("this is not TOML: {}", error.message()),
            "the format is described at https://toml.io",
        )
    })
}

/// One table of a document. Keys are taken one by one; [`TableReader::finish`] refuses what is left.
pub struct TableReader<'t> {
    table: &'t DeTable<'t>,
    /// Where the table stands, for a key that is missing.
    span: Range<usize>,
    known: Vec<&'static str>,
}

/// What a key may hold: text, or a number that is read as the text it is written as (`1_000` as `1000`).
fn scalar(value: &Spanned<DeValue<'_>>) -> Option<String> {
    match value.get_ref() {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().replace('_', "")),
        DeValue::Float(number) => Some(number.as_str().replace('_', "")),
        DeValue::Boolean(flag) => Some(flag.to_string()),
        _ => None,
    }
}

impl<'t> TableReader<'t> {
    /// Reads this table, which stands at `span`.
    #[must_use]
    pub fn new(table: &'t DeTable<'t>, span: Range<usize>) -> Self {
        Self {
            table,
            span,
            known: Vec::new(),
        }
    }

    /// Where the table stands.
    #[must_use]
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    fn take(&mut self, key: &'static str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.known.push(key);
        self.table.get(key)
    }

    /// A text, or a number as it is written.
    ///
    /// # Errors
    /// When it is something else.
    pub fn scalar(&mut self, key: &'static str) -> Result<Option<Placed<String>>, Mistake> {
        self.take(key)
            .map(|value| placed_scalar(key, value, "a text or a number"))
            .transpose()
    }

    /// One scalar or a list of them. An empty list is a mistake.
    ///
    /// # Errors
    /// When it is something else.
    pub fn scalars(&mut self, key: &'static str) -> Result<Vec<Placed<String>>, Mistake> {
        let Some(value) = self.take(key) else {
            return Ok(Vec::new());
        };
        let Some(array) = value.get_ref().as_array() else {
            return Ok(vec![placed_scalar(
                key,
                value,
                "a text, a number or a list of them",
            )?]);
        };
        if array.is_empty() {
            return Err(Mistake::new(
                value.span(),
                format!("`{key}` is an empty list"),
                "name at least one, or omit the key",
            ));
        }
        array
            .iter()
            .map(|item| placed_scalar(key, item, "a list of texts or numbers"))
            .collect()
    }

    /// `true` or `false`.
    ///
    /// # Errors
    /// When it is something else.
    pub fn boolean(&mut self, key: &'static str) -> Result<Option<bool>, Mistake> {
        self.take(key)
            .map(|value| {
                value
                    .get_ref()
                    .as_bool()
                    .ok_or_else(|| wrong_type(key, value, "`true` or `false`"))
            })
            .transpose()
    }

    /// A table of texts and numbers, in the order of their names.
    ///
    /// # Errors
    /// When it is something else.
    pub fn map(&mut self, key: &'static str) -> Result<Vec<Entry>, Mistake> {
        let Some(value) = self.take(key) else {
            return Ok(Vec::new());
        };
        let table = value
            .get_ref()
            .as_table()
            .ok_or_else(|| wrong_type(key, value, "a table such as { fieldcount = 5 }"))?;
        let mut entries = Vec::new();
        collect(&mut entries, "", table)?;
        Ok(entries)
    }

    /// The tables of `[[key]]`.
    ///
    /// # Errors
    /// When it is something else.
    pub fn tables(&mut self, key: &'static str) -> Result<Vec<TableReader<'t>>, Mistake> {
        let Some(value) = self.take(key) else {
            return Ok(Vec::new());
        };
        let wrong =
            |value: &Spanned<DeValue<'_>>| wrong_type(key, value, &format!("tables written [[{key}]]"));
        let array = value.get_ref().as_array().ok_or_else(|| wrong(value))?;
        array
            .iter()
            .map(|item| {
                let table = item.get_ref().as_table().ok_or_else(|| wrong(item))?;
                Ok(TableReader::new(table, item.span()))
            })
            .collect()
    }

    /// The table `[key]`.
    ///
    /// # Errors
    /// When it is something else.
    pub fn table(&mut self, key: &'static str) -> Result<Option<TableReader<'t>>, Mistake> {
        let Some(value) = self.take(key) else {
            return Ok(None);
        };
        let table = value
            .get_ref()
            .as_table()
            .ok_or_else(|| wrong_type(key, value, &format!("a table written [{key}]")))?;
        Ok(Some(TableReader::new(table, value.span())))
    }

    /// Refuses keys that nobody took.
    ///
    /// # Errors
    /// The first of them.
    pub fn finish(self) -> Result<(), Mistake> {
        self.only(&self.known)
    }

    /// Refuses all keys but these. Asked first, it keeps a mistyped key from being told as a missing one.
    ///
    /// # Errors
    /// The first other one.
    pub fn only(&self, keys: &[&'static str]) -> Result<(), Mistake> {
        for key in self.table.keys() {
            let name: &str = key.get_ref();
            if !keys.contains(&name) {
                return Err(Mistake::new(
                    key.span(),
                    format!(
                        "unknown key `{name}`{}",
                        suggest::after_message(name, keys.iter().copied())
                    ),
                    format!("the keys here are {}", keys.join(", ")),
                ));
            }
        }
        Ok(())
    }
}

/// Dotted names (`hdrhistogram.percentiles = ..`) are tables to TOML and one name to YCSB.
fn collect(entries: &mut Vec<Entry>, prefix: &str, table: &DeTable<'_>) -> Result<(), Mistake> {
    for (key, value) in table {
        let name = format!("{prefix}{}", key.get_ref());
        match value.get_ref() {
            DeValue::Table(inner) => collect(entries, &format!("{name}."), inner)?,
            _ => {
                let value = placed_scalar(&name, value, "a text, a number, `true` or `false`")?;
                entries.push((
                    Placed {
                        span: key.span(),
                        value: name,
                    },
                    value,
                ));
            }
        }
    }
    Ok(())
}

fn placed_scalar(key: &str, value: &Spanned<DeValue<'_>>, wanted: &str) -> Result<Placed<String>, Mistake> {
    scalar(value)
        .map(|text| Placed {
            span: value.span(),
            value: text,
        })
        .ok_or_else(|| wrong_type(key, value, wanted))
}

fn wrong_type(key: &str, value: &Spanned<DeValue<'_>>, wanted: &str) -> Mistake {
    Mistake::new(
        value.span(),
        format!("`{key}` is {}", with_article(value.get_ref().type_str())),
        format!("it wants {wanted}"),
    )
}

fn with_article(noun: &str) -> String {
    let article = if noun.starts_with(['a', 'e', 'i', 'o', 'u']) {
        "an"
    } else {
        "a"
    };
    format!("{article} {noun}")
}
