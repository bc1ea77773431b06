//! Property files and `-p key=value` overrides: text in, ordered keys with values and where each came from.

use std::collections::BTreeMap;
use std::fmt;

/// Where a property was set, for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A property file and the line in it, from 1.
    File {
        /// The name the file was given with.
        path: String,
        /// The line, from 1.
        line: usize,
    },
    /// A `-p key=value` override.
    Override,
    /// Nowhere: the property is missing or follows from others.
    Absent,
}

impl fmt::Display for Origin {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, line } => write!(formatter, "{path}:{line}"),
            Self::Override => formatter.write_str("-p"),
            Self::Absent => formatter.write_str("workload"),
        }
    }
}

/// One problem with a property: where, which, what is wrong and what mends it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct PropertyError {
    /// Where it was set.
    pub origin: Origin,
    /// The key as written, if one was read.
    pub key: Option<String>,
    /// What is wrong, as a sentence part.
    pub problem: String,
    /// What to do about it.
    pub advice: Option<String>,
}

impl fmt::Display for PropertyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.origin, self.problem)?;
        if let Some(advice) = &self.advice {
            write!(formatter, "; {advice}")?;
        }
        Ok(())
    }
}

/// All that is wrong with properties: one problem or more, each a line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct PropertyErrors {
    first: Box<PropertyError>,
    others: Vec<PropertyError>,
}

impl PropertyErrors {
    /// These; `None` where nothing is wrong.
    pub(crate) fn of(errors: Vec<PropertyError>) -> Option<Self> {
        let mut errors = errors.into_iter();
        Some(Self {
            first: Box::new(errors.next()?),
            others: errors.collect(),
        })
    }

    /// The first of them.
    #[must_use]
    pub fn first(&self) -> &PropertyError {
        &self.first
    }

    /// All of them; unknown keys come first.
    pub fn iter(&self) -> impl Iterator<Item = &PropertyError> {
        std::iter::once(self.first()).chain(&self.others)
    }
}

impl fmt::Display for PropertyErrors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.iter().map(PropertyError::to_string).collect();
        formatter.write_str(&lines.join("\n"))
    }
}

/// A value and where it was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// The value, without blanks around it.
    pub value: String,
    /// Where it was set last.
    pub origin: Origin,
}

/// Properties by key, the later setting winning, as with YCSB's repeated `-P` and `-p`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Properties {
    name: Option<String>,
    entries: BTreeMap<String, Property>,
    attachments: BTreeMap<String, String>,
}

impl Properties {
    /// No properties.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads a property file's text and sets all of it. `origin` is the file's name in messages; its last part
    /// names the workload.
    ///
    /// The format is Java's: `key=value`, `key: value` or `key value`, comments after `#` or `!` at the start of a
    /// line, a backslash at the end of a line continues it, `\t`, `\n`, `\\`, `\=`, `\:`, `\uXXXX` inside.
    /// Unlike Java, blanks after a value are dropped (YCSB fails on `recordcount=1000 `).
    ///
    /// # Errors
    /// A line without a key or value, or a broken escape.
    pub fn parse_file(&mut self, text: &str, origin: &str) -> Result<(), PropertyError> {
        let stem = origin.rsplit(['/', '\\']).next().unwrap_or(origin);
        let stem = stem.strip_suffix(".properties").unwrap_or(stem);
        self.name = Some(stem.to_owned());
        let mut lines = text.lines().enumerate();
        while let Some((index, line)) = lines.next() {
            let at = Origin::File {
                path: origin.to_owned(),
                line: index + 1,
            };
            let mut logical = line.trim_start().to_owned();
            if logical.is_empty() || logical.starts_with(['#', '!']) {
                continue;
            }
            while continues(&logical) {
                logical.pop();
                match lines.next() {
                    Some((_, next)) => logical.push_str(next.trim_start()),
                    None => break,
                }
            }
            let (key, value) = split(&logical).map_err(|problem| PropertyError {
                origin: at.clone(),
                key: None,
                problem,
                advice: Some("write key=value".to_owned()),
            })?;
            self.entries.insert(key, Property { value, origin: at });
        }
        Ok(())
    }

    /// Sets one property from `key=value`, as after `-p`.
    ///
    /// # Errors
    /// No `=` or no key.
    pub fn set(&mut self, assignment: &str) -> Result<(), PropertyError> {
        match assignment.split_once('=') {
            Some((key, value)) if !key.trim().is_empty() => {
                self.insert(key.trim(), value.trim());
                Ok(())
            }
            _ => Err(PropertyError {
                origin: Origin::Override,
                key: None,
                problem: format!("`{assignment}` sets no property"),
                advice: Some("write -p key=value".to_owned()),
            }),
        }
    }

    /// Sets one property as an override.
    pub fn insert(&mut self, key: &str, value: &str) {
        self.entries.insert(
            key.to_owned(),
            Property {
                value: value.to_owned(),
                origin: Origin::Override,
            },
        );
    }

    /// Takes one property out, for callers with properties of their own (a database's address).
    pub fn remove(&mut self, key: &str) -> Option<Property> {
        self.entries.remove(key)
    }

    /// The property of that key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Property> {
        self.entries.get(key)
    }

    /// All properties, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Property)> {
        self.entries
            .iter()
            .map(|(key, property)| (key.as_str(), property))
    }

    /// The workload's name: the last file's name without folders and `.properties`.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Names the workload.
    pub fn set_name(&mut self, name: &str) {
        self.name = Some(name.to_owned());
    }

    /// A file that the properties name and whose text [`attach`](Self::attach) must give before they can be
    /// resolved: the field length histogram, if one is used. This crate reads no disk.
    #[must_use]
    pub fn wanted_file(&self) -> Option<&str> {
        let wants = self
            .get("fieldlengthdistribution")
            .is_some_and(|property| property.value.eq_ignore_ascii_case("histogram"));
        let path = self
            .get("fieldlengthhistogram")
            .map_or("hist.txt", |property| property.value.as_str());
        (wants && !self.attachments.contains_key(path)).then_some(path)
    }

    /// Gives the text of a [`wanted_file`](Self::wanted_file).
    pub fn attach(&mut self, path: &str, text: &str) {
        self.attachments.insert(path.to_owned(), text.to_owned());
    }

    /// The text attached under this name.
    #[must_use]
    pub fn attachment(&self, path: &str) -> Option<&str> {
        self.attachments.get(path).map(String::as_str)
    }
}

/// Whether the line ends in an odd number of backslashes.
fn continues(line: &str) -> bool {
    line.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1
}

/// Key and value of one logical line, escapes resolved.
fn split(line: &str) -> Result<(String, String), String> {
    let mut key_end = line.len();
    let mut escaped = false;
    for (at, character) in line.char_indices() {
        if escaped {
            escaped = false;
        } else if character == '\\' {
            escaped = true;
        } else if character == '=' || character == ':' || character.is_whitespace() {
            key_end = at;
            break;
        }
    }
    let (key, rest) = line.split_at(key_end);
    let rest = rest.trim_start();
    let value = rest.strip_prefix(['=', ':']).unwrap_or(rest);
    if key.is_empty() {
        return Err(format!("`{line}` has no key"));
    }
    if rest.is_empty() {
        return Err(format!("`{key}` has no value"));
    }
    Ok((unescape(key)?, unescape(value.trim())?))
}

fn unescape(text: &str) -> Result<String, String> {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            plain.push(character);
            continue;
        }
        match characters.next() {
            Some('t') => plain.push('\t'),
            Some('n') => plain.push('\n'),
            Some('r') => plain.push('\r'),
            Some('f') => plain.push('\u{c}'),
            Some('u') => {
                let digits: String = characters.by_ref().take(4).collect();
                let resolved = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                match resolved {
                    Some(resolved) if digits.len() == 4 => plain.push(resolved),
                    _ => return Err(format!("`\\u{digits}` in `{text}` is not a character")),
                }
            }
            Some(other) => plain.push(other),
            None => {}
        }
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Properties {
        let mut properties = Properties::new();
        properties.parse_file(text, "dir/sample.properties").unwrap();
        properties
    }

    fn value<'a>(properties: &'a Properties, key: &str) -> &'a str {
        &properties.get(key).unwrap().value
    }

    #[test]
    fn reads_javas_format() {
        let properties =
            parse("# c\n! c\n\na=1\n  b : two words  \nc\tthree\nd=x\\\n   y\ne\\=f=g\\u0041\\t.\ng==\n");
        assert_eq!(value(&properties, "a"), "1");
        assert_eq!(value(&properties, "b"), "two words");
        assert_eq!(value(&properties, "c"), "three");
        assert_eq!(value(&properties, "d"), "xy");
        assert_eq!(value(&properties, "e=f"), "gA\t.");
        assert_eq!(value(&properties, "g"), "=");
        assert_eq!(properties.name(), Some("sample"));
        assert_eq!(
            properties.get("c").unwrap().origin.to_string(),
            "dir/sample.properties:6"
        );
    }

    #[test]
    fn later_settings_win_and_know_their_origin() {
        let mut properties = parse("a=1\na=2\n");
        assert_eq!(value(&properties, "a"), "2");
        properties.set(" a = 3 ").unwrap();
        assert_eq!(value(&properties, "a"), "3");
        assert_eq!(properties.get("a").unwrap().origin, Origin::Override);
    }

    #[test]
    fn broken_lines_are_refused_with_their_place() {
        let refused = |text: &str| Properties::new().parse_file(text, "f").unwrap_err().to_string();
        assert_eq!(refused("a=1\n=2"), "f:2: `=2` has no key; write key=value");
        assert_eq!(refused("alone"), "f:1: `alone` has no value; write key=value");
        assert!(refused("a=\\u12").contains("not a character"));
        assert_eq!(
            Properties::new().set("x").unwrap_err().to_string(),
            "-p: `x` sets no property; write -p key=value"
        );
    }
}
