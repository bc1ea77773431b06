//! The numbers of a paper's tables, each with what it is of: what new runs are put beside.

use std::collections::BTreeMap;

use crate::{Paper, Table};

/// A printed number.
#[derive(Clone, Debug, PartialEq)]
pub struct PrintedNumber {
    /// `run_time_s`, `throughput_ops_s` or `KIND_avg_us`, as new runs have it.
    pub column: String,
    /// `system`, `workload`, `topology`, `records`, `ops`, as far as its table says.
    pub attributes: BTreeMap<String, String>,
    /// The number, in the unit of the column.
    pub value: f64,
    /// The table.
    pub table: String,
}

/// Columns that tell what a row is of, and are no results.
const ATTRIBUTES: [&str; 5] = ["system", "workload", "topology", "records", "ops"];

/// Every number of the paper that new runs measure, too.
#[must_use]
pub fn numbers(paper: &Paper) -> Vec<PrintedNumber> {
    let ids: Vec<&str> = paper.systems.iter().map(|system| system.id.as_str()).collect();
    paper
        .tables
        .iter()
        .flat_map(|table| (0..table.rows.len()).flat_map(|row| of_row(table, row, &ids)))
        .collect()
}

fn of_row(table: &Table, row: usize, ids: &[&str]) -> Vec<PrintedNumber> {
    let mut attributes = BTreeMap::new();
    for (name, value) in [
        ("system", &table.system),
        ("workload", &table.workload),
        ("topology", &table.topology),
    ] {
        if let Some(value) = value {
            attributes.insert(name.to_owned(), value.clone());
        }
    }
    let cells = || table.columns.iter().map(String::as_str).zip(&table.rows[row]);
    for (column, cell) in cells().filter(|(column, _)| ATTRIBUTES.contains(column)) {
        attributes.insert(column.to_owned(), cell.to_string());
    }
    let kind = cells().find_map(|(column, cell)| cell.text().filter(|_| column == "op"));
    let numbers = cells().filter_map(|(column, cell)| {
        let (name, of_system, factor) = canonical(column, kind, ids)?;
        let mut attributes = attributes.clone();
        if let Some(system) = of_system {
            attributes.insert("system".to_owned(), system.to_owned());
        }
        Some(PrintedNumber {
            column: name,
            attributes,
            value: cell.number()? * factor,
            table: table.name(),
        })
    });
    numbers.collect()
}

/// What a column is called among new runs, the system that it is of when its name says so, and what turns its unit into ours.
fn canonical<'a>(
    column: &str,
    kind: Option<&str>,
    ids: &[&'a str],
) -> Option<(String, Option<&'a str>, f64)> {
    let own = |name: &str, factor| Some((name.to_owned(), None, factor));
    match (column, kind) {
        ("run_time_ms", _) => own("run_time_s", 1e-3),
        ("run_time_s" | "throughput_ops_s", _) => own(column, 1.0),
        ("avg_latency_us", Some(kind)) => own(&format!("{kind}_avg_us"), 1.0),
        ("latency_ms", Some(kind)) => own(&format!("{kind}_avg_us"), 1e3),
        _ if column.ends_with("_avg_us") => own(column, 1.0),
        _ => {
            let system = column.strip_suffix("_s")?;
            let system = ids.iter().find(|id| **id == system)?;
            Some(("run_time_s".to_owned(), Some(*system), 1.0))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(paper: &str, column: &str, conditions: &[(&str, &str)]) -> Vec<f64> {
        let paper = crate::find(paper).unwrap().unwrap();
        let meets = |number: &&PrintedNumber| {
            number.column == column
                && conditions.iter().all(|(attribute, value)| {
                    number.attributes.get(*attribute).map(String::as_str) == Some(*value)
                })
        };
        numbers(&paper)
            .iter()
            .filter(meets)
            .map(|number| number.value)
            .collect()
    }

    #[test]
    fn tables_of_every_shape_give_the_same_kind_of_number() {
        let of = |system| [("workload", "B"), ("records", "700000"), ("system", system)];
        assert_eq!(find("abramova-2013", "run_time_s", &of("mongodb")), [32.0]);
        assert_eq!(find("abramova-2013", "run_time_s", &of("cassandra")), [18.0]);
        assert_eq!(
            find(
                "dhayalan-2018",
                "update_avg_us",
                &[("system", "hbase"), ("workload", "B"), ("ops", "50000")]
            ),
            [882.8]
        );
        let single = [
            ("system", "mongodb-oss"),
            ("topology", "single"),
            ("workload", "A"),
            ("ops", "20000"),
        ];
        assert_eq!(find("shwaysh-2018", "throughput_ops_s", &single), [1836.577]);
        assert_eq!(find("shwaysh-2018", "read_avg_us", &single), [715.426]);
        assert_eq!(
            find(
                "altoros-2013",
                "insert_avg_us",
                &[("system", "mongodb"), ("workload", "load")]
            ),
            [7000.0]
        );
    }
}
