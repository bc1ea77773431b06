//! Errors of the trials that are over, by class.

use std::collections::BTreeMap;

use dbdyno_document::{Block, Column, Row, Section, Table, TableCell, named};
use dbdyno_vocabulary::number;

use crate::watched::Watched;

/// What is counted for a system and a class of errors.
#[derive(Default)]
struct Count {
    trials: u64,
    errors: u64,
}

/// The section: a row for each system and class.
pub(crate) fn section(watched: &Watched) -> Section {
    let mut counts: BTreeMap<(&str, &str), Count> = BTreeMap::new();
    for ended in watched.ended().values() {
        for (class, errors) in ended.errors_by_class.iter().filter(|(_, errors)| **errors > 0) {
            let count = counts.entry((ended.system.as_str(), class.as_str())).or_default();
            count.trials += 1;
            count.errors += errors;
        }
    }
    let body = if counts.is_empty() {
        Block::paragraph("No operation failed in the trials that are done.")
    } else {
        let columns = vec![
            Column::header("system"),
            Column::words("class"),
            Column::numbers("trials"),
            Column::numbers("errors"),
        ];
        let rows = counts.into_iter().map(|((system, class), count)| {
            Row::new([
                TableCell::new(named(system)),
                TableCell::new(class),
                TableCell::new(number::count(count.trials)),
                TableCell::new(number::count(count.errors)),
            ])
        });
        let caption = "Errors in the measured phases of trials that are done";
        Block::Table(Table::new(caption, columns, rows.collect()))
    };
    Section::new("errors", "Errors by class", vec![body])
}

#[cfg(test)]
mod tests {
    use dbdyno_document::section_html;
    use dbdyno_record::{OperationRecord, ResultFolder};

    use super::*;
    use crate::test_record::record;

    #[test]
    fn without_trials_there_are_no_errors() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("results");
        drop(ResultFolder::create(&path, "name = \"x\"\n").unwrap());
        let html = section_html(&section(&Watched::open(&path).unwrap()));
        assert!(html.contains("No operation failed"), "{html}");
    }

    #[test]
    fn errors_of_all_trials_of_a_system_are_counted_by_class() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("results");
        let folder = ResultFolder::create(&path, "name = \"x\"\n").unwrap();
        for (trial, timeouts) in [("001-redb-a", 3), ("002-redb-b", 40)] {
            let mut record = record(trial);
            let failing = OperationRecord {
                errors: BTreeMap::from([("timeout".to_owned(), timeouts), ("conflict".to_owned(), 0)]),
                ..OperationRecord::default()
            };
            let operations = &mut record.measure.as_mut().unwrap().operations;
            operations.insert("read".to_owned(), failing);
            folder.write_trial(&record).unwrap();
        }
        let html = section_html(&section(&Watched::open(&path).unwrap()));
        let row = html.split("</th>").last().unwrap();
        let cells: Vec<&str> = row
            .split("</td>")
            .filter_map(|cell| cell.rsplit('>').next())
            .collect();
        assert_eq!(cells[..3], ["timeout", "2", "43"], "{html}");
        assert!(!html.contains("conflict"), "{html}");
    }
}
