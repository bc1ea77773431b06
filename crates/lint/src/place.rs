//! Where something stands in printed results.

use std::fmt;

use serde::{Serialize, Serializer};

/// A place of printed results: the rows that it is about, by which a caller finds them again, and its name, which is for people alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// As people call it: a table and its row, a line of a file, a section.
    pub name: String,
    /// The rows that it is about.
    pub rows: Rows,
}

/// Rows of printed results, be they lines of tables or trials, by the numbers that the caller gave them. No rule looks at the numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rows {
    /// All that were passed in: how they were measured.
    All,
    /// These; none for a sentence, a figure or a set-up.
    These(Vec<usize>),
}

impl Default for Rows {
    fn default() -> Self {
        Self::These(Vec::new())
    }
}

impl Place {
    /// One row, by the caller's number and name of it.
    #[must_use]
    pub fn row(number: usize, name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            rows: Rows::These(vec![number]),
        }
    }

    /// What all of these places are about, by a name of its own.
    pub fn around<'a>(name: impl Into<String>, places: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut these = Vec::new();
        for place in places {
            match &place.rows {
                Rows::All => return Self::all(name),
                Rows::These(rows) => these.extend(rows),
            }
        }
        Self {
            name: name.into(),
            rows: Rows::These(these),
        }
    }

    /// All that was passed in.
    pub(crate) fn all(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            rows: Rows::All,
        }
    }

    /// A part of it, which is about the same rows.
    pub(crate) fn part(&self, name: impl fmt::Display) -> Self {
        Self {
            name: format!("{self}, {name}"),
            rows: self.rows.clone(),
        }
    }

    /// Whether it is about this row.
    #[must_use]
    pub fn is_about(&self, row: usize) -> bool {
        match &self.rows {
            Rows::All => true,
            Rows::These(rows) => rows.contains(&row),
        }
    }
}

impl From<String> for Place {
    fn from(name: String) -> Self {
        Self {
            name,
            rows: Rows::default(),
        }
    }
}

impl From<&str> for Place {
    fn from(name: &str) -> Self {
        name.to_owned().into()
    }
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.name)
    }
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_about_the_rows_that_it_was_made_of() {
        let (first, third) = (Place::row(0, "t, row 1"), Place::row(2, "t, row 3"));
        let table = Place::around("t", [&first, &third]).part("column x");
        assert_eq!(table.to_string(), "t, column x");
        assert_eq!([0, 1, 2].map(|row| table.is_about(row)), [true, false, true]);
        // Two rows of one name are two.
        assert!(!Place::row(7, "t, row 1").is_about(0));
        assert!(!Place::from("t, row 1").is_about(0));
        assert!(Place::around("all", [&first, &Place::all("protocol")]).is_about(7));
    }
}
