//! Somebody's results in a CSV file, as a table.

use std::collections::BTreeMap;

use crate::{Cell, Table};

/// Why a file is no table of results.
#[derive(Debug, thiserror::Error)]
pub enum TableFileError {
    /// It is no CSV.
    #[error("it is no table of comma-separated values")]
    Csv(#[from] csv::Error),
    /// A column was to be renamed that is not there.
    #[error("it has no column `{wanted}`; it has {known}")]
    Column {
        /// The column.
        wanted: String,
        /// Those that there are.
        known: String,
    },
    /// None of the columns says how long or how fast it was.
    #[error("it has none of the columns that can be checked, only `{known}`")]
    Nothing {
        /// Those that there are.
        known: String,
    },
}

/// Columns of which a file needs one.
const NEEDED: [&str; 3] = ["run_time_ms", "run_time_s", "run1"];

/// Reads a table: the first line names the columns. `names` gives other names to columns, by the names in the file: `ops`,
/// `run_time_ms` or `run_time_s`, `throughput_ops_s`, `KIND_ops` and `KIND_avg_us` for each kind of operation, or `run1`,
/// `run2`, ... for runs of the same thing.
///
/// # Errors
/// When it is no CSV, or no column of it can be checked.
pub fn table_of_csv(
    name: &str,
    text: &[u8],
    names: &BTreeMap<String, String>,
) -> Result<Table, TableFileError> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text);
    let found: Vec<String> = reader.headers()?.iter().map(str::to_owned).collect();
    if let Some(wanted) = names.keys().find(|wanted| !found.contains(wanted)) {
        return Err(TableFileError::Column {
            wanted: wanted.clone(),
            known: found.join(", "),
        });
    }
    let columns: Vec<String> = found
        .iter()
        .map(|column| names.get(column).unwrap_or(column).clone())
        .collect();
    if !columns.iter().any(|column| NEEDED.contains(&column.as_str())) {
        return Err(TableFileError::Nothing {
            known: found.join(", "),
        });
    }
    let rows = reader.records().map(|record| {
        let cells = record?.iter().map(cell).collect();
        Ok(cells)
    });
    Ok(Table {
        id: name.to_owned(),
        system: None,
        workload: None,
        topology: None,
        metric: None,
        again: BTreeMap::new(),
        approx: false,
        observed: None,
        columns,
        rows: rows.collect::<Result<_, csv::Error>>()?,
    })
}

fn cell(text: &str) -> Cell {
    match text.parse() {
        Ok(number) => Cell::Number(number),
        Err(_) => Cell::Text(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_get_the_names_that_the_rules_know() {
        let names = BTreeMap::from([("elapsed".to_owned(), "run_time_s".to_owned())]);
        let table = table_of_csv("r.csv", b"db, elapsed,ops\nredis,2.5,1000\n", &names).unwrap();
        assert_eq!(table.columns, ["db", "run_time_s", "ops"]);
        assert_eq!(table.number(0, "run_time_s"), Some(2.5));
        assert_eq!(table.rows[0][0], Cell::Text("redis".to_owned()));
    }

    #[test]
    fn mistakes_are_told() {
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
        assert!(matches!(
            table_of_csv("r.csv", b"a,run_time_s\n1\n", &BTreeMap::new()),
            Err(TableFileError::Csv(_))
        ));
    }
}
