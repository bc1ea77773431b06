//! What a paper states and what it leaves open. The files in `studies/papers` write `not stated` in place of a value, with or
//! without a remark after it.

use std::fmt;

use serde::Deserialize;
use toml::Value;

/// How the papers' files begin what is not stated.
pub(crate) const NOT_STATED: &str = "not stated";

/// The version of a system.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub enum Version {
    /// The version, as the paper writes it.
    Stated(String),
    /// None, with the remark of the file.
    NotStated(String),
}

impl Default for Version {
    fn default() -> Self {
        Self::NotStated(NOT_STATED.to_owned())
    }
}

impl From<String> for Version {
    fn from(text: String) -> Self {
        if text.is_empty() {
            Self::default()
        } else if text.starts_with(NOT_STATED) {
            Self::NotStated(text)
        } else {
            Self::Stated(text)
        }
    }
}

/// As the file has it.
impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stated(text) | Self::NotStated(text) => formatter.write_str(text),
        }
    }
}

/// Whether a value of the protocol is left open.
pub(crate) fn is_open(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with(NOT_STATED))
}

/// Whether a description, such as `YCSB (version not stated)`, leaves a part open.
pub(crate) fn has_open_part(description: &str) -> bool {
    description.contains(NOT_STATED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_stated_or_not() {
        assert_eq!(
            Version::from("2.4.3".to_owned()),
            Version::Stated("2.4.3".to_owned())
        );
        let open = Version::from("not stated (the text describes 3.2)".to_owned());
        assert!(matches!(open, Version::NotStated(_)), "{open}");
        assert_eq!(open.to_string(), "not stated (the text describes 3.2)");
        assert_eq!(Version::from(String::new()).to_string(), "not stated");
    }
}
