//! A table of anybody's results: names of columns and rows of cells, as they were printed.

mod column;
mod csv_file;
mod number_text;
mod rows;

use std::fmt;

use serde::Deserialize;

use crate::Figure;

pub use csv_file::{TableFile, TableFileError, Unchecked, UnreadableCell, table_of_csv};
pub use rows::number_in;

/// A table. The names of its columns say what is in them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// As people call it.
    pub name: String,
    /// What its cells are, with the unit, where its columns do not say.
    pub metric: String,
    /// Names of its columns, with units.
    pub columns: Vec<String>,
    /// Its rows, with a cell for each column.
    pub rows: Vec<Vec<PrintedCell>>,
    /// The number of its first row, from which places count.
    pub first_row: usize,
}

impl Table {
    fn figure(&self, row: usize, column: &str) -> Option<Figure> {
        let column = self.columns.iter().position(|name| name == column)?;
        self.rows.get(row)?.get(column)?.figure()
    }
}

/// A cell.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(from = "PlainCell")]
pub enum PrintedCell {
    /// A number, with the interval that its digits leave open.
    Number(Figure),
    /// No number was printed.
    Absent,
    /// Words.
    Text(String),
}

/// A cell of a file whose format distinguishes numbers from words.
#[derive(Deserialize)]
#[serde(untagged)]
enum PlainCell {
    Number(f64),
    Text(String),
}

impl From<PlainCell> for PrintedCell {
    fn from(cell: PlainCell) -> Self {
        match cell {
            PlainCell::Number(number) => number.into(),
            PlainCell::Text(text) => Self::Text(text),
        }
    }
}

/// The digits are those of the shortest decimal; what is not a number was not printed.
impl From<f64> for PrintedCell {
    fn from(number: f64) -> Self {
        if number.is_finite() {
            Self::Number(Figure::of_shortest_decimal(number))
        } else {
            Self::Absent
        }
    }
}

impl PrintedCell {
    /// Its number, if it is one.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        self.figure().map(Figure::value)
    }

    /// Its number with what its digits leave open.
    #[must_use]
    pub const fn figure(&self) -> Option<Figure> {
        match self {
            Self::Number(figure) => Some(*figure),
            Self::Absent | Self::Text(_) => None,
        }
    }

    /// Its words, if it is no number.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Number(_) | Self::Absent => None,
        }
    }
}

impl fmt::Display for PrintedCell {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(figure) => write!(formatter, "{}", figure.value()),
            Self::Absent => Ok(()),
            Self::Text(text) => formatter.write_str(text),
        }
    }
}
