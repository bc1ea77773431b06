//! The numbers of a paper's tables, each with what it is of: what new runs are put beside.

use std::collections::BTreeMap;

use crate::model::{LOAD, Operations, Paper, Point, Rerun, Table};

/// A printed number.
#[derive(Clone, Debug, PartialEq)]
pub struct PrintedNumber {
    /// `run_time_s`, `throughput_ops_s` or `KIND_avg_us`, as new runs have it.
    pub column: String,
    /// `system`, `workload`, `topology`, `records`, `ops`, `rate`, as far as its table says.
    pub attributes: BTreeMap<String, String>,
    /// The number, in the unit of the column.
    pub value: f64,
    /// The table, or the place of a point.
    pub table: String,
}

/// Columns that tell what a row is of, and are no results.
const ATTRIBUTES: [&str; 5] = ["system", "workload", "topology", "records", "ops"];

/// The column of a rate that was asked for, in tables of latency at several rates.
pub(crate) const THROUGHPUT: &str = "throughput_ops_s";

/// Every number of the paper that new runs measure, too.
#[must_use]
pub fn numbers(paper: &Paper) -> Vec<PrintedNumber> {
    let ids: Vec<&str> = paper.systems.iter().map(|system| system.id.as_str()).collect();
    let tables = paper.tables.iter();
    let rows = tables.flat_map(|table| (0..table.rows.len()).flat_map(|row| of_row(table, row, &ids)));
    rows.chain(paper.points.iter().flat_map(of_point)).collect()
}

/// The latencies of a point of a figure.
fn of_point(point: &Point) -> impl Iterator<Item = PrintedNumber> + '_ {
    point.latency_ms.iter().map(|(kind, milliseconds)| PrintedNumber {
        column: format!("{kind}_avg_us"),
        attributes: [
            ("system", point.system.clone()),
            ("workload", point.workload.clone()),
            ("rate", point.throughput_ops_s.to_string()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into(),
        value: milliseconds * 1e3,
        table: point.place.clone(),
    })
}

/// What a row is of.
fn attributes(table: &Table, row: usize) -> BTreeMap<String, String> {
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
    for (column, cell) in table.columns.iter().zip(&table.rows[row]) {
        if ATTRIBUTES.contains(&column.as_str()) {
            attributes.insert(column.clone(), cell.to_string());
        }
    }
    attributes
}

fn of_row(table: &Table, row: usize, ids: &[&str]) -> Vec<PrintedNumber> {
    let of_row = attributes(table, row);
    let cells = || table.columns.iter().map(String::as_str).zip(&table.rows[row]);
    let kind = cells().find_map(|(column, cell)| cell.text().filter(|_| column == "op"));
    // Where nothing was varied but the rate, latency is over throughput.
    let is_at_rate = kind.is_some() && !of_row.contains_key("ops") && !of_row.contains_key("records");
    let rate = cells().find_map(|(column, cell)| cell.number().filter(|_| column == THROUGHPUT));
    let rate = rate.filter(|_| is_at_rate);
    let numbers = cells().filter_map(|(column, cell)| {
        let stands_for = table.stands_for.iter().find(|stands| stands.column == column);
        let as_column = stands_for.map_or(column, |stands| stands.as_column.as_str());
        let (name, of_system, factor) = canonical(as_column, kind, ids)?;
        let mut attributes = of_row.clone();
        let system = stands_for
            .and_then(|stands| stands.system.as_deref())
            .or(of_system);
        if let Some(system) = system {
            attributes.insert("system".to_owned(), system.to_owned());
        }
        if let (Some(rate), true) = (rate, name.ends_with("_avg_us")) {
            attributes.insert("rate".to_owned(), rate.to_string());
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

/// The rows of a table that no part of the repetition measures, each as what it is of. Sizes in words, such as `largest`, are of any
/// size; the system `all` is every one.
#[must_use]
pub fn not_rerun(paper: &Paper, table: &Table) -> Vec<String> {
    let rows = (0..table.rows.len()).filter_map(|row| {
        let of_row = attributes(table, row);
        let is_covered =
            of_row.contains_key("workload") && paper.reruns.iter().any(|rerun| measures(rerun, &of_row));
        let label = || {
            let words = of_row.iter().map(|(name, value)| format!("{name} {value}"));
            format!("row {}: {}", row + 1, words.collect::<Vec<_>>().join(", "))
        };
        (!is_covered).then(label)
    });
    rows.collect()
}

/// Whether a part measures what a row is of.
fn measures(rerun: &Rerun, of_row: &BTreeMap<String, String>) -> bool {
    let size = |value: &str, sizes: &[u64]| {
        let number: Result<u64, _> = value.parse();
        number.map_or(true, |number| sizes.contains(&number))
    };
    of_row.iter().all(|(name, value)| match name.as_str() {
        "system" => value == "all" || rerun.systems.iter().any(|system| system.id == *value),
        "workload" => value == LOAD || rerun.workloads.iter().any(|workload| workload.id == *value),
        "topology" => rerun.topology == *value,
        "records" => size(value, &rerun.records),
        "ops" => match &rerun.operations {
            Operations::Counts(counts) => size(value, counts),
            Operations::AsRecords(_) => size(value, &rerun.records),
            Operations::Timed(_) => false,
        },
        _ => true,
    })
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
        ("run_time_s" | THROUGHPUT, _) => own(column, 1.0),
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

    #[test]
    fn columns_that_stand_for_others_are_numbers_of_those() {
        let encrypted = [
            ("topology", "encryption"),
            ("workload", "F"),
            ("system", "mongodb-ee"),
        ];
        let seconds = |conditions: &[(&str, &str)]| -> Vec<String> {
            let found = find("shwaysh-2018", "run_time_s", conditions);
            found.iter().map(|seconds| format!("{seconds:.3}")).collect()
        };
        assert_eq!(seconds(&encrypted), ["79.285"]);
        let plain = [
            ("topology", "encryption"),
            ("workload", "F"),
            ("system", "mongodb-oss"),
        ];
        assert_eq!(seconds(&plain), ["70.562"]);
        let reads = [("workload", "A"), ("ops", "150000"), ("system", "hbase")];
        // Three runs of the figure, and their mean in the text.
        assert_eq!(find("dhayalan-2018", "read_avg_us", &reads).len(), 4);
    }

    #[test]
    fn latencies_beside_a_throughput_are_at_that_rate() {
        let at = [("system", "mongodb"), ("workload", "A"), ("rate", "1500")];
        assert_eq!(find("altoros-2013", "update_avg_us", &at), [100_000.0, 100_000.0]);
        assert_eq!(find("altoros-2013", "read_avg_us", &at), [22_500.0]);
    }

    #[test]
    fn every_table_is_measured_again_or_says_why_not() {
        for paper in crate::all().unwrap() {
            for table in &paper.tables {
                let missing = not_rerun(&paper, table);
                assert_eq!(
                    table.not_rerun.is_some(),
                    !missing.is_empty(),
                    "{}, {}: {:?}, and {missing:?}",
                    paper.head.id,
                    table.name(),
                    table.not_rerun
                );
            }
        }
    }

    #[test]
    fn a_table_that_no_part_covers_is_found() {
        let mut paper = crate::find("shwaysh-2018").unwrap().unwrap();
        for rerun in &mut paper.reruns {
            rerun.workloads.retain(|workload| workload.id != "E");
        }
        let table = paper.tables.iter().find(|table| table.id == "5.18").unwrap();
        let missing = not_rerun(&paper, table);
        assert_eq!(
            missing,
            ["row 4: system mongodb-ee, topology encryption, workload E"]
        );
    }
}
