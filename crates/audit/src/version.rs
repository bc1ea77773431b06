//! Versions as servers tell them.

use std::fmt;

use serde::Deserialize;

/// How begins what stands behind the numbers before a release.
const PREVIEWS: [&str; 5] = ["alpha", "beta", "dev", "rc", "snapshot"];

/// A version, e.g. `7.0.15`, `3.0.0-beta-1` or `7.0.15-1~deb12u6`. Versions are ordered by their numbers, then by what follows them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
pub struct Version {
    numbers: Vec<u64>,
    /// What follows the numbers; empty as a rule.
    suffix: String,
}

impl Version {
    /// Reads one; `None` for a text that does not begin with numbers.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_of_numbers = |letter: char| letter.is_ascii_digit() || letter == '.';
        let end = text
            .find(|letter: char| !is_of_numbers(letter))
            .unwrap_or(text.len());
        let (numbers, suffix) = text.split_at(end);
        let numbers = numbers.trim_end_matches('.').split('.');
        Some(Self {
            numbers: numbers
                .map(|number| number.parse::<u64>().ok())
                .collect::<Option<Vec<u64>>>()?,
            suffix: suffix.to_owned(),
        })
    }

    /// Whether it is of the release line of another: they share all numbers but the other's last.
    pub(crate) fn shares_line_with(&self, other: &Self) -> bool {
        let line = other.numbers.split_last().map(|(_, line)| line);
        line.is_some_and(|line| self.numbers.starts_with(line))
    }

    /// Whether it is of this release line, e.g. 7.0.15 of 7.0.
    pub(crate) fn is_of_line(&self, line: &Self) -> bool {
        self.numbers.starts_with(&line.numbers)
    }

    /// Whether it stands before a release, e.g. `3.0.0-beta-1` or `19devel`.
    pub(crate) fn is_preview(&self) -> bool {
        let suffix = self.suffix.to_ascii_lowercase();
        let suffix = suffix.trim_start_matches(|letter: char| !letter.is_ascii_alphanumeric());
        // Milestones of Redis are called 8.12-m01, and what is built from its sources 255.255.255.
        let milestone = suffix.strip_prefix('m');
        self.numbers == [255; 3]
            || milestone.is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()))
            || PREVIEWS.iter().any(|preview| suffix.starts_with(preview))
    }

    /// What a packager added, e.g. `-1~deb12u6`: the number of a revision after a hyphen, or something with `+` or `~`.
    pub(crate) fn revision(&self) -> Option<&str> {
        let after_hyphen = self.suffix.strip_prefix('-');
        let is_numbered =
            after_hyphen.is_some_and(|rest| rest.starts_with(|letter: char| letter.is_ascii_digit()));
        (is_numbered || self.suffix.contains(['+', '~'])).then_some(self.suffix.as_str())
    }
}

impl TryFrom<String> for Version {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::read(&text).ok_or_else(|| format!("`{text}` is not a version"))
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<String> = self.numbers.iter().map(u64::to_string).collect();
        write!(formatter, "{}{}", numbers.join("."), self.suffix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        Version::read(text).unwrap()
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        let rising = [
            "6.2.20", "7.0", "7.0.2", "7.0.15", "7.2.4", "8.2.2", "8.10.1", "15.18", "18", "18beta1", "18.1",
        ];
        assert!(rising.map(version).is_sorted());
        assert!(rising.iter().all(|text| version(text).to_string() == *text));
    }

    #[test]
    fn a_line_is_all_numbers_but_the_last() {
        for (one, other, expected) in [
            ("7.0.15", "7.0.28", true),
            ("7.0", "7.0.28", true),
            ("7.2.15", "7.0.28", false),
            ("15.18", "15.20", true),
            ("15devel", "15.20", true),
            ("14.23", "15.20", false),
            ("9.6.24", "9.6.3", true),
        ] {
            let shares = version(one).shares_line_with(&version(other));
            assert_eq!(shares, expected, "{one} {other}");
        }
        assert!(version("7.0.15").is_of_line(&version("7.0")));
        assert!(!version("7.10.15").is_of_line(&version("7.1")));
    }

    #[test]
    fn what_follows_the_numbers_is_a_preview_or_a_revision_or_neither() {
        for (text, is_preview, revision) in [
            ("7.0.15", false, None),
            ("2.6.4-hadoop3", false, None),
            ("3.0.0-beta-1", true, None),
            ("18rc1", true, None),
            ("6.0-SNAPSHOT", true, None),
            ("7.0.15-1~deb12u6", false, Some("-1~deb12u6")),
            ("8.0.17-6", false, Some("-6")),
            ("7.2.4+dfsg", false, Some("+dfsg")),
        ] {
            let version = version(text);
            assert_eq!(version.is_preview(), is_preview, "{text}");
            assert_eq!(version.revision(), revision, "{text}");
        }
    }

    #[test]
    fn what_begins_with_no_numbers_is_no_version() {
        for text in ["", "unknown", "v7.0", ".7", "7..0", "99999999999999999999"] {
            assert_eq!(Version::read(text), None, "{text}");
        }
    }
}
