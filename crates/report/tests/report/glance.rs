//! The overview of a page: systems beside each other as long as there is room for them.

use crate::common::{Engine, FJALL, WORKLOADS, study};
use dbdyno_report::{Render, ReportModel};

const NAMES: [&str; 12] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];

/// The overview tables of a study of so many systems and workloads.
fn tables(systems: usize, workloads: usize) -> Vec<String> {
    let engines: Vec<Engine> = NAMES[..systems]
        .iter()
        .map(|&name| Engine { name, ..FJALL })
        .collect();
    let page = ReportModel::build(&study("many", &engines, &WORKLOADS[..workloads], 2, 5)).html();
    let tables = page.split("<table class=\"glance\">").skip(1);
    tables
        .map(|table| table.split("</table>").next().unwrap().to_owned())
        .collect()
}

fn count(table: &str, what: &str) -> usize {
    table.matches(what).count()
}

#[test]
fn few_systems_stand_beside_each_other() {
    let tables = tables(4, 6);
    assert_eq!(tables.len(), 1);
    assert_eq!(
        count(&tables[0], "<th scope=\"row\""),
        6,
        "a row for each workload"
    );
    assert_eq!(count(&tables[0], "<th scope=\"col\""), 1 + 4);
}

#[test]
fn many_systems_stand_below_each_other_and_no_table_is_wide() {
    for workloads in [1, 2, 6] {
        let tables = tables(12, workloads);
        let columns = |table: &String| count(table, "<th scope=\"col\"") - 1;
        assert_eq!(tables.iter().map(columns).sum::<usize>(), workloads);
        for table in &tables {
            assert_eq!(
                count(table, "<th scope=\"row\""),
                12,
                "a row for each system: {table}"
            );
            assert!(columns(table) <= 7, "{table}");
            assert!(
                table.contains("class=\"bar"),
                "values of a column compare: {table}"
            );
        }
    }
}

#[test]
fn the_legend_has_the_signs_that_occur_and_says_what_bars_compare() {
    let page = |systems: &[Engine]| ReportModel::build(&study("s", systems, &WORKLOADS[..1], 2, 5)).html();
    let alone = page(&[FJALL]);
    assert!(!alone.contains("undecided against the best"), "{alone}");
    let two = page(&[
        FJALL,
        Engine {
            name: "other",
            ..FJALL
        },
    ]);
    assert!(
        two.contains("undecided against the best"),
        "two trials decide nothing"
    );
    assert!(!two.contains(" shown best"), "two trials decide nothing");
    assert!(two.contains("Bars compare throughput within a row."));
    let many: Vec<Engine> = NAMES.iter().map(|&name| Engine { name, ..FJALL }).collect();
    assert!(page(&many).contains("Bars compare throughput within a column."));
}
