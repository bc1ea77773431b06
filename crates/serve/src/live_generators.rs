//! What each load generator of the running trial did lately.

use dbdyno_document::{Block, Column, Row, Table, TableCell};
use dbdyno_record::live::GeneratorRow;
use dbdyno_vocabulary::number;

use crate::watched::Current;

/// Rows of the table. More are not read while they change each second, and the slowest are those that one looks for.
const MOST: usize = 32;

/// The table; `None` where this tool itself sends the load.
pub(crate) fn table(current: &Current) -> Option<Block> {
    if current.generators.is_empty() {
        return None;
    }
    let mut rows: Vec<&GeneratorRow> = current.generators.values().collect();
    let left_out = rows.len().saturating_sub(MOST);
    if left_out > 0 {
        rows.sort_by(|one, other| one.per_second().total_cmp(&other.per_second()));
        rows.truncate(MOST);
    }
    let caption = match left_out {
        0 => "Load generators, most recent interval".to_owned(),
        more => format!("The slowest load generators in the most recent interval; {more} more are faster"),
    };
    let columns = vec![
        Column::header("load generator"),
        Column::words("phase"),
        Column::numbers("throughput"),
        Column::numbers("errors"),
        Column::numbers("CPUs"),
    ];
    let rows = rows.into_iter().map(|row| {
        Row::new([
            TableCell::new(row.generator.as_str()),
            TableCell::new(row.phase.as_str()),
            TableCell::new(number::rate(row.per_second())),
            TableCell::new(number::count(row.errors)),
            TableCell::new(format!("{:.2}", row.cpus())),
        ])
    });
    Some(Block::Table(Table::new(caption, columns, rows.collect())))
}

#[cfg(test)]
mod tests {
    use dbdyno_document::{Section, section_html};
    use dbdyno_record::ResultFolder;
    use dbdyno_record::live::{LiveEvent, LiveWriter};

    use super::*;
    use crate::test_record::live_trial;
    use crate::watched::Watched;

    fn shown(count: u64) -> String {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("results");
        let _writing = ResultFolder::create(&path, "name = \"x\"\n").unwrap();
        let mut writer = LiveWriter::begin(&path, live_trial("001")).unwrap();
        for number in 0..count {
            // The first line of each is replaced.
            for ok in [7, 100 * (number + 1)] {
                let row = GeneratorRow {
                    generator: format!("agent-{number}"),
                    phase: "measure".to_owned(),
                    start_s: 0.0,
                    duration_s: 2.0,
                    ok,
                    errors: 0,
                    cpu_seconds: 0.5,
                };
                writer.write(&LiveEvent::Generator(row)).unwrap();
            }
        }
        let watched = Watched::open(&path).unwrap();
        let table = table(watched.current().unwrap());
        table.map_or_else(String::new, |table| {
            section_html(&Section::new("now", "Now", vec![table]))
        })
    }

    #[test]
    fn each_generator_has_its_last_row() {
        assert_eq!(shown(0), "");
        let html = shown(2);
        assert!(html.contains("agent-0") && html.contains(">50/s<"), "{html}");
        assert!(html.contains("agent-1") && html.contains(">100/s<"), "{html}");
        assert!(html.contains("0.25"), "{html}");
    }

    #[test]
    fn of_many_the_slowest_are_shown() {
        let html = shown(40);
        assert!(html.contains("8 more are faster"), "{html}");
        assert!(html.contains("agent-0<") && !html.contains("agent-39"), "{html}");
    }
}
