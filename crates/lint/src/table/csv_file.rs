//! Somebody's results in a CSV file, as a table.

use std::collections::BTreeMap;

use serde::Serialize;

use super::column::{Meaning, meaning};
use super::number_text::{Read, read};
use super::rows::is_checked;
use super::{PrintedCell, Table};
use crate::Quantity;

/// Why a file is no table of results.
#[derive(Debug, thiserror::Error)]
pub enum TableFileError {
    /// A line of it cannot be read.
    #[error("line {line} {what}")]
    Line {
        /// Its number, from 1.
        line: u64,
        /// What is wrong with it.
        what: String,
    },
    /// It is no text that can be read.
    #[error("it is not UTF-8 text{found}")]
    Encoding {
        /// What it seems to be.
        found: &'static str,
    },
    /// A column was to be renamed that is not there.
    #[error("it has no column `{wanted}`; it has {known}")]
    Column {
        /// The column.
        wanted: String,
        /// Those that there are.
        known: String,
    },
    /// A column was to be renamed to something that no rule knows.
    #[error("no rule knows the meaning `{meaning}` of the column `{column}`")]
    Meaning {
        /// The column.
        column: String,
        /// Its new name.
        meaning: String,
    },
    /// Two columns have one meaning.
    #[error("two of its columns are `{column}`")]
    Twice {
        /// The name.
        column: String,
    },
    /// None of the columns says how long or how fast it was.
    #[error("it has none of the columns that can be checked, only `{known}`")]
    Nothing {
        /// Those that there are.
        known: String,
    },
}

/// A file's table, and what of the file is not in it.
#[derive(Clone, Debug)]
pub struct TableFile {
    /// What can be checked.
    pub table: Table,
    /// What cannot.
    pub unchecked: Unchecked,
}

/// What no rule looks at.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Unchecked {
    /// Columns of a name that no rule knows.
    pub columns: Vec<String>,
    /// Rows without two numbers that belong together, by their numbers below the line of names, from 1.
    pub rows: Vec<usize>,
    /// Cells that should hold a number and hold something else.
    pub cells: Vec<UnreadableCell>,
    /// Cells that should hold a number and are empty, or say that there is none.
    pub absent: usize,
}

/// A cell that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnreadableCell {
    /// Its row, below the line of names, from 1.
    pub row: usize,
    /// Its column, as the file names it.
    pub column: String,
    /// What it says.
    pub text: String,
}

/// Reads a table: the first line names the columns. `names` gives other names to columns, by the names in the file; the names that the
/// rules know are those of `column::meaning`.
///
/// # Errors
/// When it is no CSV, two columns have one name, or no column can be checked.
pub fn table_of_csv(
    name: &str,
    text: &[u8],
    names: &BTreeMap<String, String>,
) -> Result<TableFile, TableFileError> {
    // Spreadsheets begin their files with a mark of the encoding.
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    encoding(text)?;
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .delimiter(delimiter(text))
        .from_reader(text);
    let found: Vec<String> = reader
        .headers()
        .map_err(|error| wrong_line(&error))?
        .iter()
        .map(str::to_owned)
        .collect();
    let columns = named_columns(&found, names)?;
    let meanings: Vec<Option<Meaning>> = columns.iter().map(|column| meaning(column)).collect();
    let can_be_checked = |meaning: &Option<Meaning>| match meaning {
        Some(Meaning::Measured { quantity, .. }) => *quantity != Quantity::Clients,
        Some(Meaning::Run(_) | Meaning::Comparison { .. }) => true,
        Some(Meaning::Label) | None => false,
    };
    if !meanings.iter().any(can_be_checked) {
        return Err(TableFileError::Nothing {
            known: found.join(", "),
        });
    }
    let mut unchecked = Unchecked::default();
    let rows = read_rows(reader, &found, &meanings, &mut unchecked)?;
    let table = Table {
        name: name.to_owned(),
        columns,
        rows,
        ..Table::default()
    };
    let has_comparison = meanings
        .iter()
        .any(|meaning| matches!(meaning, Some(Meaning::Comparison { .. })));
    // Beside a percentage or a ratio any column of numbers is looked at.
    let is_read = |index: usize| {
        meanings[index].is_some()
            || has_comparison && table.rows.iter().any(|row| row[index].number().is_some())
    };
    unchecked.columns = (0..found.len())
        .filter(|index| !is_read(*index))
        .map(|index| found[index].clone())
        .collect();
    unchecked.rows = (0..table.rows.len())
        .filter(|row| !is_checked(&table, *row))
        .map(|row| row + 1)
        .collect();
    Ok(TableFile { table, unchecked })
}

/// The names of the columns as the rules know them.
fn named_columns(found: &[String], names: &BTreeMap<String, String>) -> Result<Vec<String>, TableFileError> {
    if let Some(wanted) = names.keys().find(|wanted| !found.contains(wanted)) {
        return Err(TableFileError::Column {
            wanted: wanted.clone(),
            known: found.join(", "),
        });
    }
    if let Some((column, unknown)) = names.iter().find(|(_, to)| meaning(to).is_none()) {
        return Err(TableFileError::Meaning {
            column: column.clone(),
            meaning: unknown.clone(),
        });
    }
    let columns: Vec<String> = found
        .iter()
        .map(|column| {
            names
                .get(column)
                .cloned()
                .unwrap_or_else(|| in_lower_case(column))
        })
        .collect();
    let twice =
        |(index, column): &(usize, &String)| meaning(column).is_some() && columns[..*index].contains(column);
    if let Some((_, column)) = columns.iter().enumerate().find(twice) {
        return Err(TableFileError::Twice {
            column: column.clone(),
        });
    }
    Ok(columns)
}

/// The rows, with what in them cannot be checked.
fn read_rows(
    mut reader: csv::Reader<&[u8]>,
    found: &[String],
    meanings: &[Option<Meaning>],
    unchecked: &mut Unchecked,
) -> Result<Vec<Vec<PrintedCell>>, TableFileError> {
    let mut rows = Vec::new();
    for (index, record) in reader.records().enumerate() {
        let record = record.map_err(|error| wrong_line(&error))?;
        let cells: Vec<PrintedCell> = record
            .iter()
            .zip(meanings)
            .map(|(text, meaning)| cell(text, meaning.as_ref()))
            .collect();
        let is_absent = |(cell, meaning): (&PrintedCell, &Option<Meaning>)| {
            meaning.is_some() && *cell == PrintedCell::Absent
        };
        unchecked.absent += cells.iter().zip(meanings).filter(|one| is_absent(*one)).count();
        for (column, (cell, meaning)) in cells.iter().zip(meanings).enumerate() {
            if let (PrintedCell::Text(text), true) = (
                cell,
                meaning.as_ref().is_some_and(|known| *known != Meaning::Label),
            ) {
                unchecked.cells.push(UnreadableCell {
                    row: index + 1,
                    column: found[column].clone(),
                    text: text.clone(),
                });
            }
        }
        rows.push(cells);
    }
    Ok(rows)
}

/// Names that the rules know in another case are theirs.
fn in_lower_case(column: &str) -> String {
    let lower = column.to_lowercase();
    let is_known = meaning(column).is_none() && meaning(&lower).is_some();
    if is_known { lower } else { column.to_owned() }
}

/// What separates the names of the first line: commas, else semicolons or tabulators.
fn delimiter(text: &[u8]) -> u8 {
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let has = |separator: u8| first.contains(&separator);
    match (has(b','), has(b';'), has(b'\t')) {
        (false, true, _) => b';',
        (false, false, true) => b'\t',
        _ => b',',
    }
}

fn encoding(text: &[u8]) -> Result<(), TableFileError> {
    let found = match text {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => ", it seems to be UTF-16",
        [0x1f, 0x8b, ..] => ", it seems to be compressed by gzip",
        _ => return Ok(()),
    };
    Err(TableFileError::Encoding { found })
}

fn wrong_line(error: &csv::Error) -> TableFileError {
    let line = error.position().map_or(1, csv::Position::line);
    let what = match error.kind() {
        csv::ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => {
            format!("has {len} cells, and the first line names {expected_len} columns")
        }
        csv::ErrorKind::Utf8 { .. } => "is not UTF-8 text".to_owned(),
        _ => format!("cannot be read: {error}"),
    };
    TableFileError::Line { line, what }
}

fn cell(text: &str, meaning: Option<&Meaning>) -> PrintedCell {
    match (read(text, meaning), meaning) {
        (_, Some(Meaning::Label)) | (Read::Unreadable, _) => PrintedCell::Text(text.to_owned()),
        (Read::Number(figure), _) => PrintedCell::Number(figure),
        (Read::Absent, _) => PrintedCell::Absent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Figure;

    fn number(table: &Table, column: &str) -> Option<f64> {
        table.figure(0, column).map(Figure::value)
    }

    #[test]
    fn columns_get_the_names_that_the_rules_know() {
        let names = BTreeMap::from([("elapsed".to_owned(), "run_time_s".to_owned())]);
        let file = table_of_csv("r.csv", b"db, elapsed,ops\nredis,2.5,1000\n", &names).unwrap();
        let table = file.table;
        assert_eq!(file.unchecked, Unchecked::default());
        assert_eq!(table.columns, ["db", "run_time_s", "ops"]);
        assert_eq!(number(&table, "run_time_s"), Some(2.5));
        assert_eq!(table.rows[0][0], PrintedCell::Text("redis".to_owned()));
    }

    #[test]
    fn what_is_not_checked_is_named() {
        let text = b"\xef\xbb\xbfsystem,host,run_time_s,ops,throughput_ops_s\n\
            a,x,\"1,250 s\",1M,800\nb,y,fast,1M,-\nc,z,12,,\n";
        let file = table_of_csv("r.csv", text, &BTreeMap::new()).unwrap();
        assert_eq!(number(&file.table, "run_time_s"), Some(1250.0));
        assert_eq!(number(&file.table, "ops"), Some(1e6));
        let cell = UnreadableCell {
            row: 2,
            column: "run_time_s".to_owned(),
            text: "fast".to_owned(),
        };
        assert_eq!(
            file.unchecked,
            Unchecked {
                columns: vec!["host".to_owned()],
                rows: vec![2, 3],
                cells: vec![cell],
                absent: 3,
            }
        );
    }

    #[test]
    fn mistakes_are_reported() {
        let names = BTreeMap::from([("time".to_owned(), "run_time_s".to_owned())]);
        let error = table_of_csv("r.csv", b"a,b\n1,2\n", &names)
            .unwrap_err()
            .to_string();
        assert_eq!(error, "it has no column `time`; it has a, b");
        let error = table_of_csv("r.csv", b"a,b\n1,2\n", &BTreeMap::new())
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "it has none of the columns that can be checked, only `a, b`"
        );
        for (text, expected) in [
            (
                &b"a,run_time_s\n1\n"[..],
                "line 2 has 1 cells, and the first line names 2 columns",
            ),
            (b"a,run_time_s\n\xe4,1\n", "line 2 is not UTF-8 text"),
            (b"\xff\xfea\0", "it is not UTF-8 text, it seems to be UTF-16"),
        ] {
            let error = table_of_csv("r.csv", text, &BTreeMap::new()).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
        let file = table_of_csv("r.csv", b"Ops;Run_Time_S\n1000;2.5\n", &BTreeMap::new()).unwrap();
        assert_eq!(number(&file.table, "run_time_s"), Some(2.5));
        assert!(matches!(
            table_of_csv("r.csv", b"ops,ops\n1,2\n", &BTreeMap::new()),
            Err(TableFileError::Twice { .. })
        ));
        let names = BTreeMap::from([("a".to_owned(), "run_tme_s".to_owned())]);
        let error = table_of_csv("r.csv", b"a,ops\n1,2\n", &names).unwrap_err();
        assert!(error.to_string().contains("`run_tme_s`"), "{error}");
    }
}
